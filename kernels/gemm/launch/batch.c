/* Products of a batch in one launch: blocks along z have a problem each. */
#include "launch.h"

#include "operation.h"

#include <inttypes.h>

enum { MOST_AT_ONCE = 65535, OPERANDS = 3 }; /* a grid's blocks along z */

plx_status plx_gemm_check_batch(const plx_problem *problem, plx_error *error)
{
    if (plx_problem_count(problem) > (int64_t)MOST_AT_ONCE * PLX_MAX_STEPS)
        return plx_fail(error, PLX_UNSUPPORTED, "takes at most %d problems at once", MOST_AT_ONCE * PLX_MAX_STEPS);
    return PLX_OK;
}

void plx_gemm_each_launch(const plx_problem *problem, plx_recipe *recipe, plx_gemm_add_launch *add, const void *data)
{
    const int64_t count = plx_problem_count(problem);
    for (int64_t first = 0; first < count; first += MOST_AT_ONCE) {
        plx_step *step = add(problem, data, recipe);
        step->grid[2] = (uint64_t)(count - first < MOST_AT_ONCE ? count - first : MOST_AT_ONCE);
        for (int i = 0; i < OPERANDS; i++)
            plx_step_i64(step, problem->batch.batched ? problem->batch.stride[i] : 0);
        plx_step_i32(step, (int32_t)first);
    }
}
