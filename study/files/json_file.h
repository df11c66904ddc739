/* Results that are read back from a file, as JSON: whoever has them in hands may rely
 * on what plx_json_file_read() promises, and takes everything else as it comes.
 * Private to libparallax-study. */
#ifndef PLX_CORE_JSON_FILE_H
#define PLX_CORE_JSON_FILE_H

#include <parallax/plugin.h>
#include <parallax/study.h>

#include <jansson.h>

/* Reads a file that holds one JSON text, of at most 1 GiB and without names that stand twice in
 * an object; errors as of plx_json_file_read().  json_decref(*root). */
plx_status plx_json_load(const char *path, json_t **root, plx_error *error);
/* Reads a file of schema parallax-results/1.  Then "devices", "records" and "pairs" are
 * arrays of objects; a record has the texts op, dtype, backend, kernel and status, a shape
 * of whole numbers, and a device that there is; a device has a label and a name; a pair
 * has two records that there are.  PLX_IO: can't be read; PLX_INVALID: is no such file.
 * The one line in *error begins with the path.  json_decref(*root). */
plx_status plx_json_file_read(const char *path, json_t **root, plx_error *error);

/* The value at a path of names with dots between them, "time.median_ns"; NULL when any
 * part of it is missing or no object. */
const json_t *plx_json_at(const json_t *value, const char *path);
/* What is there, if it is of that kind, else the fallback.  A text belongs to `value`. */
const char *plx_json_text_at(const json_t *value, const char *path, const char *fallback);
double plx_json_number_at(const json_t *value, const char *path, double fallback);
int64_t plx_json_integer_at(const json_t *value, const char *path, int64_t fallback);
bool plx_json_bool_at(const json_t *value, const char *path, bool fallback);
/* Number `index` of an array, "time.ci95_ns" and 1. */
double plx_json_element_at(const json_t *value, const char *path, size_t index, double fallback);

#endif
