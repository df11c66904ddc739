/* Files of results made by hand, and what diff says of two of them. */
#ifndef PLX_TESTS_DIFF_SUPPORT_H
#define PLX_TESTS_DIFF_SUPPORT_H

#include <parallax/study.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void assert_near(double found, double expected, double by);

/* Where files are made: a directory of the group of tests, and two files in it. */
extern char directory[];
extern char old_path[64], new_path[64];
int make_directory(void **state);
int remove_directory(void **state);

json_t *empty_file(void);
/* A record of a vector's sum; the shape tells records apart. */
json_t *add_record(json_t *root, int n, double median, double half, int samples);
/* A file with one. */
json_t *one(double median, double half, int samples);
plx_diff_results diff_of(json_t *before, json_t *after, double threshold);

#endif
