/* What the tables of README share. */
#ifndef PLX_TESTS_TABLES_H
#define PLX_TESTS_TABLES_H

#include "study/results/ratios.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* "" when it is missing. */
const char *text_of(json_t *object, const char *key);
/* 0 when it is missing. */
double number_of(json_t *object, const char *outer, const char *inner);
/* "4096×4096". */
void put_shape(FILE *to, json_t *shape);

/* ---- table_support.c --------------------------------------------------------------- */

/* Nanoseconds; 0 for what is wrong, unsupported or not timed. */
double time_of(json_t *record);
bool is_true(json_t *record, const char *key);
json_t *device_of(json_t *root, json_t *record);
/* Ours of one API ("cuda:") on the same problem, chip and run; NULL: none was right and timed. */
json_t *best_of(json_t *root, json_t *theirs, const char *api);
/* Only plain products: with alpha, beta or other data they are another comparison. */
bool is_plain(json_t *record);
/* "gemm f32 nt": what is not plain. */
void operation_text(json_t *record, char *text, size_t capacity);

/* A cell: the geometric mean with so many decimals, and from where to where. */
void put_ratios(FILE *to, const plx_ratios *of, int decimals);

/* ---- tables --------------------------------------------------------------------------- */

/* Our best kernels against the vendors' libraries, from FOLDER's bench-*.json or, while
 * there are none, its compare-*.json.  False: a file can't be used, which is then said. */
bool put_peers(FILE *to, const char *folder, const char *folder_name);
/* Our best kernels in OpenCL against those in CUDA where operands are large, in one queue and
 * in two, from FOLDER's bench-memory.json and overlap-memory.json.  Nothing while there is no
 * bench-memory.json.  False: a file can't be used, which is then said. */
bool put_twins(FILE *to, const char *folder, const char *folder_name);

#endif
