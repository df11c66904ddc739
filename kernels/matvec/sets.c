/* The shapes of matvec that bench knows, and how others are drawn. */

#include "kernels/sets.h"

static const plx_set_shape quick[] = {{1024, 1024}, {4096, 4096}};
static const plx_set_shape square[] = {{1024, 1024}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {32768, 32768}};
static const plx_set_shape skinny[] = {{1048576, 64}, {64, 1048576}, {1000003, 17}, {17, 1000003}, {1, 16777216}};
static const plx_set_shape odd[] = {{1023, 1025}, {4095, 4097}, {10007, 10009}};
static const plx_set_shape published[] = {{512, 512},   {1024, 1024}, {2048, 2048},
                                          {4096, 4096}, {8192, 8192}, {16384, 16384}};
static const plx_set_shape special[] = {{1000003, 17}, {17, 1000003}};

static const plx_set_row listed[] = {
    PLX_SET_ROW("quick", quick), PLX_SET_ROW("square", square),       PLX_SET_ROW("skinny", skinny),
    PLX_SET_ROW("odd", odd),     PLX_SET_ROW("published", published), PLX_SET_ROW("special", special),
};

static plx_problem draw(plx_draw *from)
{
    const bool trans = plx_draw_below(from, 2) != 0;
    const int64_t rows = plx_draw_side(from, 22), cols = plx_draw_side(from, 22);
    plx_problem made = plx_matvec_of(PLX_F32, trans, rows, cols);
    made.of.matvec.lda = plx_draw_pitch(from, made.of.matvec.lda);
    return made;
}

const plx_op_sets plx_matvec_sets = {
    .rows = listed,
    .row_count = sizeof listed / sizeof listed[0],
    .both_ways = "trans",
    .draw = draw,
};
