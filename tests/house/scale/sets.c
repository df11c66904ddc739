/* The shapes of scale that bench knows, and how others are drawn. */
#include "kernels/sets.h"

static const plx_set_shape quick[] = {{1000}, {100000}};

static const plx_set_row listed[] = {
    PLX_SET_ROW("quick", quick),
};

static plx_problem draw(plx_draw *from)
{
    plx_problem problem = plx_problem_of(PLX_SCALE, PLX_F32);
    problem.of.scale.n = plx_draw_size(from, 12, 20);
    return problem;
}

const plx_op_sets plx_scale_sets = {.rows = listed, .row_count = 1, .draw = draw};
