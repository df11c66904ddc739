/* Small JSON files that the library keeps in the user's cache folder between runs.
 * Private to the core. */
#ifndef PLX_CORE_USER_CACHE_H
#define PLX_CORE_USER_CACHE_H

#include <parallax/plugin.h>
#include <parallax/study.h>

#include <jansson.h>

/* $XDG_CACHE_HOME/parallax/NAME, else ~/.cache/parallax/NAME.  False: there is no such
 * place, $PLX_NO_CACHE is set, or the process runs with somebody else's rights, and
 * must not follow this user's environment. */
bool plx_user_cache_path(const char *name, char *path, size_t capacity);
/* The list `list` of a file of this schema; NULL when there is none that can be used.
 * json_decref() it. */
json_t *plx_user_cache_read(const char *path, const char *schema, const char *list);
/* Replaces the file, or makes it and its folders; never anything but a regular file. */
plx_status plx_user_cache_write(const char *path, const char *schema, const char *list, json_t *items,
                                plx_error *error);

/* What a device is called in such a file: its UUID, else its name, for labels change
 * with what else is plugged in. */
void plx_user_cache_device(const plx_device_info *info, char *text, size_t capacity);
/* Takes a text that is there, fits, and has no control characters: the file may hold
 * anything. */
bool plx_user_cache_text(const json_t *item, const char *key, char *text, size_t capacity);
/* "2026-11-21", local time; "" when the clock can't be read. */
void plx_user_cache_date(char *text, size_t capacity);

#endif
