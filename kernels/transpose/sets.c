/* The shapes of transpose that bench knows, and how others are drawn. */

#include "kernels/sets.h"

static const plx_set_shape quick[] = {{512, 512}, {2048, 2048}, {1000, 1003}};
static const plx_set_shape square[] = {{4096, 4096}, {8192, 8192}, {16384, 16384}};
static const plx_set_shape skinny[] = {{64, 1048576}, {1048576, 64}, {1000000, 3}};
static const plx_set_shape odd[] = {{4095, 4097}, {10007, 10009}};
static const plx_set_shape published[] = {{512, 512},   {1024, 1024}, {2048, 2048},
                                          {4096, 4096}, {8192, 8192}, {16384, 16384}};
static const plx_set_shape special[] = {{1000000, 3}};

static const plx_set_row listed[] = {
    PLX_SET_ROW("quick", quick), PLX_SET_ROW("square", square),       PLX_SET_ROW("skinny", skinny),
    PLX_SET_ROW("odd", odd),     PLX_SET_ROW("published", published), PLX_SET_ROW("special", special),
};

static plx_problem draw(plx_draw *from)
{
    const int64_t rows = plx_draw_side(from, 20), cols = plx_draw_side(from, 20);
    plx_problem made = plx_transpose_of(PLX_F32, rows, cols);
    made.of.transpose.ld_in = plx_draw_pitch(from, made.of.transpose.ld_in);
    made.of.transpose.ld_out = plx_draw_pitch(from, made.of.transpose.ld_out);
    return made;
}

const plx_op_sets plx_transpose_sets = {
    .rows = listed,
    .row_count = sizeof listed / sizeof listed[0],
    .draw = draw,
};
