/* Small JSON files in the user's cache directory. */
#include "study/files/user_cache.h"

#include "study/files/json_file.h"

#include "base/cache_dir.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

json_t *plx_user_cache_read(const char *path, const char *schema, const char *list)
{
    json_error_t wrong;
    FILE *file = plx_cache_open(path, PLX_CACHE_MOST);
    if (file == NULL)
        return errno == ENOENT ? json_array() : NULL;
    json_t *root = plx_json_parse(file, 0, &wrong), *items = json_object_get(root, list);
    const char *name = json_string_value(json_object_get(root, "schema"));
    const bool good = name != NULL && strcmp(name, schema) == 0 && json_is_array(items),
               unread = ferror(file) || (root == NULL && plx_json_lacks_memory(&wrong));
    items = good ? json_incref(items) : unread ? NULL : json_array();
    json_decref(root);
    (void)fclose(file);
    return items;
}

plx_status plx_user_cache_write(const char *path, const char *schema, const char *list, json_t *items, plx_error *error)
{
    json_t *root = json_pack("{s:s, s:O}", "schema", schema, list, items);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;
    const plx_status status = text != NULL ? plx_cache_write(path, text, strlen(text), error)
                                           : plx_fail(error, PLX_NO_MEMORY, "no memory to write %.400s", path);
    free(text);
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
