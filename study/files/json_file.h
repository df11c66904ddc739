/* Files of one JSON text.  Private to libparallax-study. */
#ifndef PLX_JSON_FILE_H
#define PLX_JSON_FILE_H

#include <parallax/plugin.h>
#include <parallax/study.h>

#include <jansson.h>

/* Reads a file that holds one JSON text, of at most 1 GiB and without names that stand twice in
 * an object; tables in it (json_table.h) are lists again.  PLX_IO: can't be read; PLX_INVALID: is no such file.  The
 * one line in *error begins with the path.  json_decref(*root). */
plx_status plx_json_load(const char *path, json_t **root, plx_error *error);

/* As json_loadf(), which passes over a failed allocation within a text, so that characters of it are missing: here
 * that is NULL, for want of memory. */
json_t *plx_json_parse(FILE *file, size_t flags, json_error_t *wrong);
/* Whether that is why a text could not be read. */
bool plx_json_lacks_memory(const json_error_t *wrong);

/* What a driver says of itself need not be UTF-8, which JSON is. */
json_t *plx_json_string(const char *text);

#endif
