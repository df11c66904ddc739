/* The part of a product that needs no library: beta * C, when nothing is added. */
#ifndef PLX_PLUGINS_OPENBLAS_SCALE_H
#define PLX_PLUGINS_OPENBLAS_SCALE_H

#include <parallax/types.h>

/* Multiplies rows x cols elements with beta; they are not read when it is 0. */
void plx_scale(plx_dtype dtype, void *matrix, int64_t rows, int64_t cols, int64_t ld, double beta);

#endif
