/* Small JSON files in the user's cache folder. */
#define _XOPEN_SOURCE 700

#include "study/files/user_cache.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 };

/* ---- where -------------------------------------------------------------------- */

/* A process that runs with somebody else's rights does not follow this user's
 * environment. */
static bool is_off(void)
{
    const char *off = getenv("PLX_NO_CACHE");
    return (off != NULL && off[0] != '\0' && strcmp(off, "0") != 0) || getuid() != geteuid() ||
           getgid() != getegid();
}

bool plx_user_cache_path(const char *name, char *path, size_t capacity)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (is_off())
        return false;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, capacity, "%s/parallax/%s", cache, name);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/.cache/parallax/%s", home, name);
    return length > 0 && (size_t)length < capacity;
}

static void make_folders(const char *path)
{
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
}

/* ---- the file ------------------------------------------------------------------- */

/* A pipe under this name must not make anybody wait. */
static FILE *open_regular(const char *path)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES) {
        FILE *file = fdopen(descriptor, "r");
        if (file != NULL)
            return file;
    }
    (void)close(descriptor);
    return NULL;
}

json_t *plx_user_cache_read(const char *path, const char *schema, const char *list)
{
    FILE *file = open_regular(path);
    if (file == NULL)
        return NULL;
    json_t *root = json_loadf(file, 0, NULL), *items = json_object_get(root, list);
    const char *name = json_string_value(json_object_get(root, "schema"));
    bool good = name != NULL && strcmp(name, schema) == 0 && json_is_array(items);
    items = good ? json_incref(items) : NULL;
    json_decref(root);
    (void)fclose(file);
    return items;
}

static plx_status write_root(const char *path, const json_t *root, plx_error *error)
{
    plx_output *output;
    plx_status status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    if (json_dumpf(root, plx_output_stream(output), JSON_INDENT(1)) == 0)
        return plx_output_close(output, error);
    plx_output_discard(output);
    return plx_fail(error, PLX_IO, "%s: cannot write: %s", path, strerror(errno));
}

plx_status plx_user_cache_write(const char *path, const char *schema, const char *list, json_t *items,
                                plx_error *error)
{
    struct stat about;
    json_t *root = json_pack("{s:s, s:O}", "schema", schema, list, items);
    plx_status status;
    make_folders(path);
    if (root == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory to write %s", path);
    else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        status = plx_fail(error, PLX_IO, "%s: is no regular file; remove it", path);
    else
        status = write_root(path, root, error);
    json_decref(root);
    return status;
}

/* ---- its words -------------------------------------------------------------------- */

void plx_user_cache_device(const plx_device_info *info, char *text, size_t capacity)
{
    const uint8_t *u = info->uuid;
    if (!info->has_uuid)
        (void)snprintf(text, capacity, "%s", info->name);
    else
        (void)snprintf(text, capacity, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                       u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
                       u[14], u[15]);
}

bool plx_user_cache_text(const json_t *item, const char *key, char *text, size_t capacity)
{
    const char *found = json_string_value(json_object_get(item, key));
    if (found == NULL || strlen(found) >= capacity)
        return false;
    for (const char *at = found; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return false;
    (void)snprintf(text, capacity, "%s", found);
    return true;
}

void plx_user_cache_date(char *text, size_t capacity)
{
    time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day) == NULL || strftime(text, capacity, "%Y-%m-%d", &day) == 0)
        text[0] = '\0';
}
