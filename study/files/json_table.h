/* Lists of objects as tables: one line for each object, without names that are said once, and without values that all
 * of them share.  doc/formats.md describes it.  Private to libparallax-study. */
#ifndef PLX_JSON_TABLE_H
#define PLX_JSON_TABLE_H

#include <parallax/plugin.h>

#include <jansson.h>
#include <stdio.h>

/* Puts lists in the place of all tables in *root.  PLX_INVALID: one is malformed or too large; the line begins with
 * the path.  PLX_NO_MEMORY. */
plx_status plx_json_unpack(const char *path, json_t **root, plx_error *error);

/* Measured numbers with no more digits than their intervals justify; all others stay. */
void plx_json_round(json_t *root);

/* Writes root, an object, with its lists of objects as tables, after plx_json_round(). */
plx_status plx_json_pack(json_t *root, FILE *to, plx_error *error);

#endif
