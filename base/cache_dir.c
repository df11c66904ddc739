/* The user's cache directory: where it is, and what its files call devices and days. */
#define _XOPEN_SOURCE 700

#include "base/cache_dir.h"
#include "base/format.h"

#include "base/privileges.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- where -------------------------------------------------------------------- */

/* A process that runs with somebody else's rights does not follow this user's
 * environment. */
static bool is_off(void)
{
    const char *off = getenv("PLX_NO_CACHE");
    return (off != NULL && off[0] != '\0' && strcmp(off, "0") != 0) || plx_is_privileged();
}

/* Accounts of services name a home that is not there on purpose: it is not made for a cache. */
static bool is_home(const char *home)
{
    struct stat found;
    return home != NULL && home[0] == '/' && stat(home, &found) == 0 && S_ISDIR(found.st_mode);
}

bool plx_cache_path(const char *name, char *path, size_t capacity)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (is_off())
        return false;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, capacity, "%s/parallax/%s", cache, name);
    else if (is_home(home))
        length = snprintf(path, capacity, "%s/.cache/parallax/%s", home, name);
    return length > 0 && (size_t)length < capacity;
}

/* ---- what stands in them ---------------------------------------------------------- */

void plx_cache_device(const plx_device_info *info, char *text, size_t capacity)
{
    char uuid[40];
    plx_uuid_text(info->uuid, uuid);
    (void)snprintf(text, capacity, "%s", info->has_uuid ? uuid : info->name);
}

void plx_cache_date(char *text, size_t capacity)
{
    time_t now = time(NULL);
    struct tm day;
    if (localtime_r(&now, &day) == NULL || strftime(text, capacity, "%Y-%m-%d", &day) == 0)
        text[0] = '\0';
}
