/* Arrays in .npy files, and the shape of a problem that follows from them. */
#ifndef PARALLAX_FILES_H
#define PARALLAX_FILES_H

#include <parallax/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A dense row-major array of rank 0 to 3 in host memory.  A scalar and a vector
 * have rows == 1; of rank 3 there are `planes` matrices, one after the other. */
typedef struct plx_array {
    plx_dtype dtype;
    int rank;
    int64_t rows, cols;
    void *data;     /* malloc'ed; NULL when it has no elements */
    char type[16];  /* NumPy's code of an element type that is none of ours: "u1", "b1", "S8", "M8[ns]"; then dtype
                     * is one of as many bytes, by which it can be moved but not computed with; "": dtype it is */
    int64_t planes; /* of rank 3; else it is not looked at */
} plx_array;

/* Reads .npy, header versions 1 to 3, either byte order, C or Fortran order (turned
 * into C order), all of plx_dtype, and other elements of 1, 2, 4, 8 or 16 bytes (`type`):
 * unsigned integers, bool, bytes, text, times.  PLX_IO: can't be read.  PLX_INVALID: not a .npy file, truncated,
 * trailing bytes, an unsupported dtype, rank above 3. Free with plx_array_free(). */
PLX_API plx_status plx_npy_read(const char *path, plx_array *array, plx_error *error);
/* Writes version 1.0 to a temporary name in the same directory and renames it. */
PLX_API plx_status plx_npy_write(const char *path, const plx_array *array, plx_error *error);
PLX_API void plx_array_free(plx_array *array);

/* Takes the shape, and nothing else, from the arrays that a user brought, in the
 * operands' order: all inputs, and after them, if there is one more, the old contents
 * of the output (which is then scaled by beta).  PLX_INVALID names what disagrees, in
 * shape or in dtype; so does an element type that the operation can't compute with. */
PLX_API plx_status plx_problem_fit(plx_problem *problem, const plx_array *arrays, size_t count, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
