/* How the transposes cut a matrix into tiles, and how long the general ones take for it: what the
 * launches and the choice both follow. */
#ifndef PLX_KERNELS_TRANSPOSE_GEOMETRY_H
#define PLX_KERNELS_TRANSPOSE_GEOMETRY_H

#include "arithmetic.h"
#include "recipe.h"

#include "tiles.h"

/* Nanoseconds that a kernel takes to start, for a tile, even an empty one, for an element, and for
 * one of more than a cache holds back, where partial sectors of `out` cost more; whether there are
 * any depends on where the operands start, which nobody knows yet.  From an H200: lines through
 * what random:7, random:9 and random:10 draw. */
typedef struct plx_transpose_rates {
    double sector_aligned_tile, sector_aligned_element, sector_aligned_beyond;
    double swizzled_start, swizzled_tile, swizzled_element, swizzled_beyond;
    double tall_skinny_start, tall_skinny_element;
} plx_transpose_rates;

/* An element of one size in OpenCL C, and the geometry of the kernels that depend on it. */
typedef struct plx_transpose_size {
    int64_t size;
    const char *variant, *defines;
    int64_t vector_tile;
    struct {
        int64_t width, height, run;
    } sector_aligned;
    int64_t tall_skinny_capacity;
    const plx_transpose_rates *known; /* NULL: not timed over drawn shapes */
} plx_transpose_size;

const plx_transpose_size *plx_transpose_element(plx_dtype dtype);

/* Tiles along a side, of which the first begins `above` before the first element. */
int64_t plx_transpose_tiles_from(int64_t above, int64_t length, int64_t tile);

/* The shorter side of a tile of `tall-skinny`, and how much of the longer it then has. */
int64_t plx_transpose_tall_skinny_part(int64_t side);
int64_t plx_transpose_tall_skinny_length(int64_t capacity, int64_t shorter);

/* Of all problems of a batch. */
double plx_transpose_elements(const plx_problem *problem);
double plx_transpose_sector_aligned_tiles(const plx_problem *problem);
/* Nanoseconds beyond a launch; for sizes of elements whose rates are known. */
double plx_transpose_time_sector_aligned(const plx_problem *problem);
double plx_transpose_time_swizzled(const plx_problem *problem);
double plx_transpose_time_tall_skinny(const plx_problem *problem);

#endif
