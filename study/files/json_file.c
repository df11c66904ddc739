/* Reads a file of JSON and says in one line what is wrong with it. */
#define _XOPEN_SOURCE 700

#include "study/files/json_file.h"
#include "study/files/json_table.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

/* ---- the file ------------------------------------------------------------------- */

static plx_status open_file(const char *path, FILE **file, plx_error *error)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno));
    bool known = fstat(descriptor, &about) == 0;
    if (known && S_ISDIR(about.st_mode))
        errno = EISDIR;
    else if (known && S_ISREG(about.st_mode) && about.st_size > MOST_BYTES)
        errno = EFBIG;
    else if (known && (*file = fdopen(descriptor, "r")) != NULL)
        return PLX_OK;
    plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno));
    (void)close(descriptor);
    return PLX_IO;
}

static bool is_empty(FILE *file)
{
    int first = getc(file);
    return first == EOF || ungetc(first, file) == EOF;
}

/* jansson's allocations are watched while it reads.  They are the process's: who else uses it meanwhile gets the
 * same memory as ever, and one reads at a time. */
static pthread_mutex_t watching = PTHREAD_MUTEX_INITIALIZER;
static json_malloc_t watched_malloc;
static _Thread_local bool has_failed;

static void *watch(size_t bytes)
{
    void *made = watched_malloc(bytes);
    has_failed |= made == NULL;
    return made;
}

json_t *plx_json_parse(FILE *file, size_t flags, json_error_t *wrong)
{
    json_free_t release;
    (void)pthread_mutex_lock(&watching);
    json_get_alloc_funcs(&watched_malloc, &release);
    has_failed = false;
    json_set_alloc_funcs(watch, release);
    json_t *root = json_loadf(file, flags, wrong);
    json_set_alloc_funcs(watched_malloc, release);
    (void)pthread_mutex_unlock(&watching);
    if (!has_failed)
        return root;
    wrong->text[0] = '\0';
    json_decref(root);
    return NULL;
}

/* jansson says nothing then, or that. */
bool plx_json_lacks_memory(const json_error_t *wrong)
{
    return wrong->text[0] == '\0' || json_error_code(wrong) == json_error_out_of_memory;
}

/* ended: what is wrong, a half word perhaps, is the last that there is. */
static plx_status not_json(const char *path, const json_error_t *wrong, bool ended, plx_error *error)
{
    if (plx_json_lacks_memory(wrong))
        return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
    if (ended || json_error_code(wrong) == json_error_premature_end_of_input)
        return plx_fail(error, PLX_INVALID, "%.200s: cut short: the JSON ends in line %d, before its end", path,
                        wrong->line);
    return plx_fail(error, PLX_INVALID, "%.200s: line %d: not JSON: %.150s", path, wrong->line, wrong->text);
}

plx_status plx_json_load(const char *path, json_t **root, plx_error *error)
{
    FILE *file = NULL;
    json_error_t wrong;
    plx_status status = open_file(path, &file, error);
    if (status != PLX_OK)
        return status;
    if (is_empty(file)) {
        status = ferror(file) ? plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno))
                              : plx_fail(error, PLX_INVALID, "%.200s: the file is empty", path);
        (void)fclose(file);
        return status;
    }
    *root = plx_json_parse(file, JSON_REJECT_DUPLICATES, &wrong);
    if (*root == NULL)
        status = ferror(file) ? plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno))
                              : not_json(path, &wrong, feof(file) != 0, error);
    (void)fclose(file);
    if (status == PLX_OK)
        status = plx_json_unpack(path, root, error);
    if (status != PLX_OK) {
        json_decref(*root);
        *root = NULL;
    }
    return status;
}

json_t *plx_json_string(const char *text)
{
    json_t *made = json_string(text);
    char *copy = made == NULL ? strdup(text) : NULL;
    for (char *at = copy; at != NULL && *at != '\0'; at++)
        *at = (unsigned char)*at < 0x80 ? *at : '?';
    if (copy != NULL)
        made = json_string(copy);
    free(copy);
    return made;
}
