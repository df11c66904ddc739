/* The header of a .npy file, taken apart.  Private to libparallax-study. */
#ifndef PLX_CORE_NPY_H
#define PLX_CORE_NPY_H

#include <parallax/study.h>

typedef struct plx_npy_header {
    plx_dtype dtype;
    bool swapped; /* the file's byte order is not this machine's */
    bool fortran; /* column after column */
    int rank;     /* 0, 1 or 2 */
    int64_t shape[2];
} plx_npy_header;

/* Reads the dictionary of a header, `length` bytes that need not end in NUL.
 * PLX_INVALID with a reason when it is not one, or describes what plx_array
 * can't hold. */
plx_status plx_npy_parse(const char *text, size_t length, plx_npy_header *header, plx_error *error);

/* The dictionary of an array in C order and this machine's byte order. */
void plx_npy_describe(const plx_array *array, char *text, size_t capacity);

#endif
