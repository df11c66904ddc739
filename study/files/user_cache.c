/* Small JSON files in the user's cache directory. */
#include "study/files/user_cache.h"

#include "base/cache_dir.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

json_t *plx_user_cache_read(const char *path, const char *schema, const char *list)
{
    FILE *file = plx_cache_open(path);
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
    json_t *root = json_pack("{s:s, s:O}", "schema", schema, list, items);
    plx_status status = plx_cache_prepare(path, error);
    if (status == PLX_OK && root == NULL)
        status = plx_fail(error, PLX_NO_MEMORY, "no memory to write %s", path);
    if (status == PLX_OK)
        status = write_root(path, root, error);
    json_decref(root);
    return status;
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
