/* Reads a file of results and says in one line what is wrong with it. */
#define _XOPEN_SOURCE 700

#include "study/files/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char schema[] = "parallax-results/1";

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

/* ended: what is wrong, a half word perhaps, is the last that there is. */
static plx_status not_json(const char *path, const json_error_t *wrong, bool ended, plx_error *error)
{
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
    *root = json_loadf(file, JSON_REJECT_DUPLICATES, &wrong);
    if (*root == NULL)
        status = ferror(file) ? plx_fail(error, PLX_IO, "%.200s: can't read: %s", path, strerror(errno))
                              : not_json(path, &wrong, feof(file) != 0, error);
    (void)fclose(file);
    return status;
}

/* ---- what it holds ---------------------------------------------------------------- */

static plx_status check_schema(const char *path, const json_t *root, plx_error *error)
{
    const char *found = plx_json_text_at(root, "schema", NULL);
    if (found == NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: no results of parallax: there is no \"schema\"", path);
    if (strcmp(found, schema) != 0)
        return plx_fail(error, PLX_INVALID, "%.200s: the schema is %.60s; results of %s are needed", path, found,
                        schema);
    return PLX_OK;
}

static plx_status missing(const char *path, const char *list, size_t index, const char *what, plx_error *error)
{
    return plx_fail(error, PLX_INVALID, "%.200s: %s[%zu]: %s is missing or wrong", path, list, index, what);
}

static bool is_index(const json_t *value, const json_t *list)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           (uint64_t)json_integer_value(value) < json_array_size(list);
}

static bool is_shape(const json_t *value)
{
    for (size_t i = 0; i < json_array_size(value); i++)
        if (!json_is_integer(json_array_get(value, i)))
            return false;
    return json_is_array(value);
}

/* The name of the first field that is not as it should be; NULL when all are. */
typedef const char *checker(const json_t *root, const json_t *entry);

static const char *check_device(const json_t *root, const json_t *device)
{
    (void)root;
    if (!json_is_string(json_object_get(device, "label")))
        return "label";
    return json_is_string(json_object_get(device, "name")) ? NULL : "name";
}

static const char *check_record(const json_t *root, const json_t *record)
{
    static const char *const texts[] = {"op", "dtype", "backend", "kernel", "status"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!json_is_string(json_object_get(record, texts[i])))
            return texts[i];
    if (!is_shape(json_object_get(record, "shape")))
        return "shape";
    return is_index(json_object_get(record, "device"), json_object_get(root, "devices")) ? NULL : "device";
}

static const char *check_pair(const json_t *root, const json_t *pair)
{
    const json_t *two = json_object_get(pair, "records"), *records = json_object_get(root, "records");
    bool good = json_array_size(two) == 2 && is_index(json_array_get(two, 0), records) &&
                is_index(json_array_get(two, 1), records);
    return good ? NULL : "records";
}

static plx_status check_list(const char *path, const json_t *root, const char *name, checker *check,
                             plx_error *error)
{
    const json_t *list = json_object_get(root, name);
    if (!json_is_array(list))
        return plx_fail(error, PLX_INVALID, "%.200s: \"%s\" is missing or no list", path, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *wrong = json_is_object(entry) ? check(root, entry) : "an object";
        if (wrong != NULL)
            return missing(path, name, i, wrong, error);
    }
    return PLX_OK;
}

plx_status plx_json_file_read(const char *path, json_t **root, plx_error *error)
{
    json_t *made = NULL;
    plx_status status = plx_json_load(path, &made, error);
    if (status == PLX_OK)
        status = check_schema(path, made, error);
    if (status == PLX_OK)
        status = check_list(path, made, "devices", check_device, error);
    if (status == PLX_OK)
        status = check_list(path, made, "records", check_record, error);
    if (status == PLX_OK)
        status = check_list(path, made, "pairs", check_pair, error);
    if (status == PLX_OK)
        *root = made;
    else
        json_decref(made);
    return status;
}

/* ---- getters ---------------------------------------------------------------------- */

const json_t *plx_json_at(const json_t *value, const char *path)
{
    char name[64];
    for (;;) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof name)
            return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        value = json_object_get(value, name);
        if (value == NULL || path[length] == '\0')
            return value;
        path += length + 1;
    }
}

const char *plx_json_text_at(const json_t *value, const char *path, const char *fallback)
{
    const json_t *found = plx_json_at(value, path);
    return json_is_string(found) ? json_string_value(found) : fallback;
}

double plx_json_number_at(const json_t *value, const char *path, double fallback)
{
    const json_t *found = plx_json_at(value, path);
    return json_is_number(found) ? json_number_value(found) : fallback;
}

int64_t plx_json_integer_at(const json_t *value, const char *path, int64_t fallback)
{
    const json_t *found = plx_json_at(value, path);
    return json_is_integer(found) ? (int64_t)json_integer_value(found) : fallback;
}

bool plx_json_bool_at(const json_t *value, const char *path, bool fallback)
{
    const json_t *found = plx_json_at(value, path);
    return json_is_boolean(found) ? json_is_true(found) : fallback;
}

double plx_json_element_at(const json_t *value, const char *path, size_t index, double fallback)
{
    const json_t *found = json_array_get(plx_json_at(value, path), index);
    return json_is_number(found) ? json_number_value(found) : fallback;
}
