/* A directory of the group of tests, and a file in it. */
#ifndef PLX_TESTS_NPY_SUPPORT_H
#define PLX_TESTS_NPY_SUPPORT_H

#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

extern char directory[], path[64];
int make_directory(void **state);
int remove_directory(void **state);
void write_file(const void *bytes, size_t count);
size_t read_file(unsigned char *bytes, size_t capacity);
/* A file of the given version, dictionary and data. */
size_t compose(unsigned char *to, int version, const char *dictionary, const void *data, size_t data_bytes);

#endif
