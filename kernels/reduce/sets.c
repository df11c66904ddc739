/* The shapes of reduce that bench knows, and how others are drawn. */

#include "kernels/sets.h"

static const plx_set_shape quick[] = {{1 << 16}, {1 << 20}, {1 << 24}};
static const plx_set_shape square[] = {{1 << 16}, {1 << 20}, {1 << 22}, {1 << 24}, {1 << 26}, {1 << 28}, {1 << 30}};
static const plx_set_shape odd[] = {{1000003}, {16777259}, {268435399}};
static const plx_set_shape published[] = {{1 << 10}, {1 << 12}, {1 << 14}, {1 << 16},
                                          {1 << 18}, {1 << 20}, {1 << 22}, {1 << 24}};

static const plx_set_row listed[] = {
    PLX_SET_ROW("quick", quick),
    PLX_SET_ROW("square", square),
    PLX_SET_ROW("odd", odd),
    PLX_SET_ROW("published", published),
};

static plx_problem draw(plx_draw *from)
{
    static const plx_reduction reductions[] = {PLX_SUM, PLX_SUM, PLX_MIN, PLX_MAX};
    const plx_reduction reduction = reductions[plx_draw_below(from, 4)];
    return plx_reduce_of(PLX_F32, reduction, plx_draw_size(from, 12, 27));
}

const plx_op_sets plx_reduce_sets = {
    .rows = listed,
    .row_count = sizeof listed / sizeof listed[0],
    .draw = draw,
};
