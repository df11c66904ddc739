/* The user's cache directory, and the small files that are kept in it between runs.  Private to
 * the tree. */
#ifndef PLX_BASE_CACHE_DIR_H
#define PLX_BASE_CACHE_DIR_H

#include <parallax/types.h>

/* $XDG_CACHE_HOME/parallax/NAME, else ~/.cache/parallax/NAME.  False: there is no such
 * place, $PLX_NO_CACHE is set, or the process runs with somebody else's rights, and
 * must not follow this user's environment. */
bool plx_cache_path(const char *name, char *path, size_t capacity);
/* Opens a regular file of at most 1 MiB for reading; NULL: there is none. */
FILE *plx_cache_open(const char *path);
/* Makes the directories of a file that is to be written.  PLX_IO when something else than a
 * regular file has its name. */
plx_status plx_cache_prepare(const char *path, plx_error *error);

/* What a device is called in such a file: its UUID, else its name, for labels change
 * with what else is plugged in. */
void plx_cache_device(const plx_device_info *info, char *text, size_t capacity);
/* "2026-11-21", local time; "" when the clock can't be read. */
void plx_cache_date(char *text, size_t capacity);

#endif
