/* The header of a .npy file, taken apart.  Private to libparallax-study. */
#ifndef PLX_CORE_NPY_H
#define PLX_CORE_NPY_H

#include <parallax/study.h>

/* What 'descr' says, without the byte order. */
typedef struct plx_npy_element {
    plx_dtype dtype;
    char type[16];  /* of plx_array */
    size_t swapped; /* as many bytes make a number, whose order the machine decides; 1: there is none */
} plx_npy_element;

typedef struct plx_npy_header {
    plx_npy_element element;
    bool swapped; /* the file's byte order is not this machine's */
    bool fortran; /* column after column */
    int rank;     /* 0 to 3 */
    int64_t shape[3];
} plx_npy_header;

/* Reads the dictionary of a header, `length` bytes that need not end in NUL.
 * PLX_INVALID with a reason when it is not one, or describes what plx_array
 * can't hold. */
plx_status plx_npy_parse(const char *text, size_t length, plx_npy_header *header, plx_error *error);

/* Of a type code such as "f4" or "u1".  PLX_INVALID with a reason: plx_array can't hold it. */
plx_status plx_npy_element_of(const char *code, plx_npy_element *element, plx_error *error);

/* The dictionary of an array in C order and this machine's byte order. */
void plx_npy_describe(const plx_array *array, char *text, size_t capacity);

#endif
