/* What the tables of README share. */
#ifndef PLX_TESTS_TABLES_H
#define PLX_TESTS_TABLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* "" when it is missing. */
const char *text_of(json_t *object, const char *key);
/* 0 when it is missing. */
double number_of(json_t *object, const char *outer, const char *inner);
/* "4096×4096". */
void put_shape(FILE *to, json_t *shape);

/* Our best kernels against the vendors' libraries, from FOLDER's bench-*.json or, while
 * there are none, its compare-*.json.  False: a file can't be used, which is then said. */
bool put_peers(FILE *to, const char *folder, const char *folder_name);

#endif
