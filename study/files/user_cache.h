/* Small JSON files that the library keeps in the user's cache directory between runs.
 * Private to libparallax-study. */
#ifndef PLX_CORE_USER_CACHE_H
#define PLX_CORE_USER_CACHE_H

#include <parallax/plugin.h>
#include <parallax/study.h>

#include <jansson.h>

/* The list `list` of a file of this schema, an empty one where there is no file that can be used; NULL where
 * there may be one that can't be read, or there is no memory.  json_decref() it. */
json_t *plx_user_cache_read(const char *path, const char *schema, const char *list);
/* Replaces the file, or makes it and its directories; never anything but a regular file. */
plx_status plx_user_cache_write(const char *path, const char *schema, const char *list, json_t *items,
                                plx_error *error);

/* Takes a text that is there, fits, and has no control characters: the file may hold
 * anything. */
bool plx_user_cache_text(const json_t *item, const char *key, char *text, size_t capacity);

#endif
