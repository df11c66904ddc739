/* Finding out how a matrix unit computes.  Private to libparallax-study. */
#ifndef PLX_PROBE_UNITS_H
#define PLX_PROBE_UNITS_H

#include <parallax/units.h>

/* Of the matrices that are multiplied: rows of A, columns of B, and products of a sum. */
enum { PLX_UNIT_SIDE = 64 };

/* What multiplies. */
typedef struct plx_unit_subject {
    plx_dtype dtype; /* of the factors */
    plx_compute compute;
    /* c[i][j] = the sum over l of a[i][l] b[j][l], of numbers that dtype can hold. */
    plx_status (*multiply)(void *data, const double *a, const double *b, float *c, plx_error *error);
    void *data;
} plx_unit_subject;

/* Fills in *found but for where it was found. */
plx_status plx_unit_find(const plx_unit_subject *subject, plx_matrix_unit *found, plx_error *error);

/* What a unit of this model makes of `count` products a[l] b[l], added to nothing. */
float plx_unit_sum(const plx_unit_model *model, const double *a, const double *b, size_t count);
/* What a sum of `products` may lose, at most, in roundings of f32 of the sum of the products' sizes; 0: that
 * is not known. */
double plx_unit_loses(const plx_unit_model *model, size_t products);
/* Sets outcome and verdict, from the model, and what the bound assumes. */
void plx_unit_judge(plx_matrix_unit *unit);

/* One kernel of gemm, on a backend: runs it and finds out.  *found says why where it can't. */
void plx_unit_probe(plx_backend *backend, const plx_kernel *kernel, plx_dtype dtype, plx_matrix_unit *found);

#endif
