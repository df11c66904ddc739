/* The user's cache directory, and the files that are kept in it between runs.  Private to the tree.
 *
 * What stands there is believed only when nobody else can have written it: the directory and the file
 * belong to this user and are writable by nobody else, and the file is a regular one under its own
 * name, not a link, and not too long.  Anything else is as good as no file. */
#ifndef PLX_BASE_CACHE_DIR_H
#define PLX_BASE_CACHE_DIR_H

#include <parallax/types.h>

/* ---- where (cache_dir.c) -------------------------------------------------- */

/* $XDG_CACHE_HOME/parallax/NAME, else ~/.cache/parallax/NAME.  False: there is no such
 * place, $PLX_NO_CACHE is set, or the process runs with somebody else's rights, and
 * must not follow this user's environment. */
bool plx_cache_path(const char *name, char *path, size_t capacity);
/* What a device is called in such a file: its UUID, else its name, for labels change
 * with what else is plugged in. */
void plx_cache_device(const plx_device_info *info, char *text, size_t capacity);
/* "2026-11-21", local time; "" when the clock can't be read. */
void plx_cache_date(char *text, size_t capacity);

/* ---- files (cache_file.c) --------------------------------------------------- */

enum { PLX_CACHE_MOST = 1 << 20 }; /* bytes of a file of lines */

/* Opens a file of at most so many bytes for reading; NULL: there is none that can be believed, and errno is
 * ENOENT; or there may be one and it can't be read, for which errno is the reason. */
FILE *plx_cache_open(const char *path, uint64_t most);
/* Replaces the file by these bytes, or makes it and its directories.  It appears whole or not at all. */
plx_status plx_cache_write(const char *path, const void *bytes, size_t length, plx_error *error);
/* Between the two a file is read, changed and written by one process alone.  PLX_IO when another
 * one keeps it for seconds.  *lock: for plx_cache_unlock(). */
plx_status plx_cache_lock(const char *path, int *lock, plx_error *error);
void plx_cache_unlock(int lock);
/* Keeps a name, such as a file's, for this process until it ends.  False: the process *holder of this user has
 * it.  Where there is no cache directory nothing is kept, and all is well. */
bool plx_cache_claim(const char *name, long *holder);

#endif
