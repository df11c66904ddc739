/* What is tried of scale. */
#include "kernels/cases.h"

static void make(plx_case_maker *m)
{
    for (int i = 0; i < PLX_CASE_SIZES; i++) {
        plx_problem problem = plx_problem_of(PLX_SCALE, m->dtype);
        problem.of.scale.n = plx_case_sizes[i];
        problem.of.scale.alpha = i % 4 == 0 ? 0.0 : 1.5 - i % 3;
        plx_case_add(m, &problem, plx_case_input(m));
    }
}

const plx_op_cases plx_scale_cases = {.make = make, .weight = 1};
