/* The user's cache directory: where it is, and what its files call devices and days. */
#define _XOPEN_SOURCE 700

#include "base/cache_dir.h"

#include "base/privileges.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- where -------------------------------------------------------------------- */

/* A process that runs with somebody else's rights does not follow this user's
 * environment. */
static bool is_off(void)
{
    const char *off = getenv("PLX_NO_CACHE");
    return (off != NULL && off[0] != '\0' && strcmp(off, "0") != 0) || plx_is_privileged();
}

bool plx_cache_path(const char *name, char *path, size_t capacity)
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

/* ---- what stands in them ---------------------------------------------------------- */

void plx_cache_device(const plx_device_info *info, char *text, size_t capacity)
{
    const uint8_t *u = info->uuid;
    if (!info->has_uuid)
        (void)snprintf(text, capacity, "%s", info->name);
    else
        (void)snprintf(text, capacity, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                       u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
                       u[14], u[15]);
}

void plx_cache_date(char *text, size_t capacity)
{
    time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day) == NULL || strftime(text, capacity, "%Y-%m-%d", &day) == 0)
        text[0] = '\0';
}
