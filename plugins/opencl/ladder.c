/* Which kernels there are, and which of them serves a problem. */
#include "backends/opencl/opencl.h"
#include "kernels/recipe.h"
#include "plugins/opencl/plan.h"

const plx_kernel *plx_opencl_kernel(plx_op op, size_t index)
{
    const plx_ladder *ladder = plx_ladder_of(op);
    return ladder && index < ladder->count ? &ladder->rows[index].about : NULL;
}

static bool any_row_has(const plx_ladder *ladder, plx_dtype dtype, plx_compute compute)
{
    for (size_t i = 0; i < ladder->count; i++)
        if ((ladder->rows[i].about.dtypes & PLX_DTYPE_BIT(dtype)) && ladder->rows[i].about.compute == compute)
            return true;
    return false;
}

plx_status plx_opencl_choose(plx_session *session, const plx_problem *problem, size_t *kernel,
                             plx_error *error)
{
    const plx_ladder *ladder = plx_ladder_of(problem->op);
    if (!ladder || !ladder->choose)
        return plx_fail(error, PLX_UNSUPPORTED, "the opencl plugin has no kernels for this operation");
    if (!any_row_has(ladder, problem->dtype, problem->compute))
        return plx_fail(error, PLX_UNSUPPORTED, "the opencl plugin has no kernel for this element type");
    size_t best = ladder->choose(problem, plx_cl_info(session));
    if (best >= ladder->count)
        return plx_fail(error, PLX_UNSUPPORTED, "no kernel of the opencl plugin serves this problem");
    plx_status status = plx_opencl_supports(session, problem, best, error);
    if (status == PLX_OK)
        *kernel = best;
    return status;
}
