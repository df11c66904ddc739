/* Files of JSON that anybody may have written.  Private to libparallax-study. */
#ifndef PLX_RECIPE_LOAD_H
#define PLX_RECIPE_LOAD_H

#include <parallax/types.h>

#include <jansson.h>

/* A regular file of at most `most` bytes: UTF-8 without a byte order mark, no key twice in an object.  PLX_IO: can't be
 * read; PLX_INVALID: is no such file; one line says why, and begins with the path.  json_decref(*root). */
plx_status plx_recipe_load(const char *path, size_t most, json_t **root, plx_error *error);
/* The bytes of such a file, whatever they are, and a NUL behind them. */
plx_status plx_recipe_text(const char *path, size_t most, char **text, plx_error *error);
/* The same, and how many there are. */
plx_status plx_recipe_bytes(const char *path, size_t most, char **text, size_t *size, plx_error *error);

#endif
