/* The text of a recipe, or of what goes with one: a regular file of JSON that is not too large, and not nested too
 * deeply for what reads it. */
#define _XOPEN_SOURCE 700

#include "study/recipe/load.h"

#include "study/files/json_file.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LEVELS = 32 };

/* A FIFO is not waited for. */
static plx_status open_regular(const char *path, size_t most, size_t *size, int *descriptor, plx_error *error)
{
    struct stat about;
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (*descriptor < 0 || fstat(*descriptor, &about) != 0)
        plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode))
        plx_fail(error, PLX_INVALID, "%.200s: %s, where a file is expected", path,
                 S_ISDIR(about.st_mode)    ? "a directory"
                 : S_ISFIFO(about.st_mode) ? "a FIFO"
                                           : "no regular file");
    else if (about.st_size == 0)
        plx_fail(error, PLX_INVALID, "%.200s: the file is empty", path);
    else if ((uint64_t)about.st_size > most)
        plx_fail(error, PLX_INVALID, "%.200s: %lld bytes; %zu KiB are the most", path, (long long)about.st_size,
                 most / 1024);
    else {
        *size = (size_t)about.st_size;
        return PLX_OK;
    }
    const bool unreadable = *descriptor < 0;
    if (!unreadable)
        (void)close(*descriptor);
    return unreadable ? PLX_IO : PLX_INVALID;
}

/* As many bytes as the file had when it was opened: one that changes meanwhile is told from others by its hash later
 * on, and one that shrinks is refused. */
static plx_status read_whole(const char *path, size_t most, char **text, size_t *size, plx_error *error)
{
    int descriptor;
    size_t got = 0;
    plx_status status = open_regular(path, most, size, &descriptor, error);
    if (status != PLX_OK)
        return status;
    *text = malloc(*size + 1);
    if (*text == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    while (status == PLX_OK && got < *size) {
        const ssize_t more = read(descriptor, *text + got, *size - got);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            status = plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno));
        else if (more == 0)
            status = plx_fail(error, PLX_INVALID, "%.200s: became shorter while it was read", path);
        else
            got += (size_t)more;
    }
    (void)close(descriptor);
    if (status == PLX_OK)
        (*text)[*size] = '\0';
    else
        free(*text);
    return status;
}

/* Brackets within brackets, outside of texts: jansson takes 2048 of them. */
static bool is_nested_too_deeply(const char *text, size_t size)
{
    int levels = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++levels > MOST_LEVELS)
            return true;
        else if (!quoted && (text[i] == ']' || text[i] == '}'))
            levels--;
    }
    return false;
}

static plx_status check_text(const char *path, const char *text, size_t size, plx_error *error)
{
    if (memcmp(text, "\xef\xbb\xbf", size < 3 ? size : 3) == 0)
        return plx_fail(error, PLX_INVALID, "%.200s: begins with a byte order mark; save it as UTF-8 without", path);
    if ((unsigned char)text[0] >= 0xfe || memchr(text, '\0', size) != NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: no UTF-8; save it as that", path);
    if (is_nested_too_deeply(text, size))
        return plx_fail(error, PLX_INVALID, "%.200s: lists and objects are more than %d levels deep", path,
                        MOST_LEVELS);
    return PLX_OK;
}

static plx_status parse(const char *path, char *text, size_t size, json_t **root, plx_error *error)
{
    json_error_t wrong = {.text = ""};
    plx_status status;
    FILE *stream = fmemopen(text, size, "r");
    if (stream == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    *root = plx_json_parse(stream, JSON_REJECT_DUPLICATES, &wrong);
    (void)fclose(stream);
    if (*root != NULL)
        return PLX_OK;
    status = plx_json_lacks_memory(&wrong)
                 ? plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path)
                 : plx_fail(error, PLX_INVALID, "%.200s: line %d: not JSON: %.150s", path, wrong.line, wrong.text);
    plx_text_clean(error->text, sizeof error->text);
    return status;
}

plx_status plx_recipe_text(const char *path, size_t most, char **text, plx_error *error)
{
    size_t size;
    return read_whole(path, most, text, &size, error);
}

plx_status plx_recipe_bytes(const char *path, size_t most, char **text, size_t *size, plx_error *error)
{
    return read_whole(path, most, text, size, error);
}

plx_status plx_recipe_load(const char *path, size_t most, json_t **root, plx_error *error)
{
    char *text;
    size_t size;
    plx_status status = read_whole(path, most, &text, &size, error);
    if (status != PLX_OK)
        return status;
    status = check_text(path, text, size, error);
    if (status == PLX_OK)
        status = parse(path, text, size, root, error);
    free(text);
    return status;
}
