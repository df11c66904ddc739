/* What the fuzz targets share: files in memory, a directory, texts. */
#define _GNU_SOURCE /* memfd_create */

#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_require(bool holds, const char *promise)
{
    if (holds)
        return;
    (void)fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* ---- files ---------------------------------------------------------------------- */

static void write_all(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        const ssize_t written = write(descriptor, at, size);
        fuzz_require(written > 0, "files can be written");
        at += written;
        size -= (size_t)written;
    }
}

const char *fuzz_file(size_t place, const void *bytes, size_t size)
{
    static int descriptors[FUZZ_FILES] = {-1, -1, -1, -1};
    static char paths[FUZZ_FILES][40];
    if (descriptors[place] >= 0)
        (void)close(descriptors[place]);
    descriptors[place] = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_require(descriptors[place] >= 0, "there are files in memory");
    write_all(descriptors[place], bytes, size);
    (void)snprintf(paths[place], sizeof paths[place], "/proc/self/fd/%d", descriptors[place]);
    return paths[place];
}

void fuzz_put(const char *path, const void *bytes, size_t size)
{
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_require(descriptor >= 0, "files can be made");
    write_all(descriptor, bytes, size);
    (void)close(descriptor);
}

/* ---- a directory ---------------------------------------------------------------- */

static char directory[256];

static void remove_all(const char *path, bool itself)
{
    char inner[1024];
    DIR *all = opendir(path);
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(inner, sizeof inner, "%.512s/%.500s", path, entry->d_name);
        if (unlink(inner) != 0)
            remove_all(inner, true);
    }
    if (all != NULL)
        (void)closedir(all);
    if (itself)
        (void)rmdir(path);
}

static void remove_directory(void)
{
    remove_all(directory, true);
}

const char *fuzz_directory(void)
{
    const char *where = getenv("TMPDIR");
    if (directory[0] != '\0')
        return directory;
    (void)snprintf(directory, sizeof directory, "%.200s/fuzz-XXXXXX", where != NULL ? where : "/tmp");
    fuzz_require(mkdtemp(directory) != NULL, "a directory can be made");
    (void)atexit(remove_directory);
    return directory;
}

void fuzz_clean(void)
{
    remove_all(fuzz_directory(), false);
}

/* ---- texts ---------------------------------------------------------------------- */

void fuzz_text_open(fuzz_text *text)
{
    *text = (fuzz_text){.text = NULL};
    text->to = open_memstream(&text->text, &text->length);
    fuzz_require(text->to != NULL, "there is memory for a text");
}

void fuzz_text_close(fuzz_text *text)
{
    fuzz_require(fclose(text->to) == 0, "there is memory for a text");
    text->to = NULL;
}

void fuzz_text_free(fuzz_text *text)
{
    free(text->text);
    *text = (fuzz_text){.text = NULL};
}

bool fuzz_text_same(const fuzz_text *a, const fuzz_text *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* DEL is one, and so are the C1 controls, which are two bytes in UTF-8. */
static bool is_control(const char *at)
{
    const unsigned char byte = (unsigned char)at[0];
    return byte < ' ' || byte == 0x7f || (byte == 0xc2 && (unsigned char)at[1] < 0xa0);
}

void fuzz_require_lines(const fuzz_text *text)
{
    for (size_t i = 0; i < text->length; i++)
        fuzz_require(!is_control(text->text + i) || text->text[i] == '\n' || text->text[i] == '\r',
                     "no control character of a file reaches a terminal");
}

void fuzz_require_reason(const plx_error *error)
{
    fuzz_require(error->text[0] != '\0', "what is refused has a reason");
    for (const char *at = error->text; *at != '\0'; at++)
        fuzz_require(!is_control(at), "a reason is one line without control characters");
}

/* ---- inputs ---------------------------------------------------------------------- */

fuzz_halves fuzz_split(const uint8_t *bytes, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(bytes, 0, size) : NULL;
    if (end == NULL)
        return (fuzz_halves){bytes, bytes, size, size};
    const size_t first = (size_t)(end - bytes);
    return (fuzz_halves){bytes, end + 1, first, size - first - 1};
}
