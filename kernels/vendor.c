/* What the plugins that call a vendor's library have in common. */
#include "kernels/vendor.h"

#include "kernels/operation.h"

const plx_kernel *plx_vendor_kernel(const plx_kernel *table, size_t count, plx_op op, size_t index)
{
    return (size_t)op < count && index == 0 && table[op].name != NULL ? &table[op] : NULL;
}

plx_status plx_vendor_choose(const plx_kernel *first, const char *library, size_t *kernel, plx_error *error)
{
    if (first == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no such operation", library);
    *kernel = 0;
    return PLX_OK;
}

void plx_vendor_stand_back(plx_device_info *devices, size_t count)
{
    enum { ABOVE_ALL_SCORES = 100000 };
    for (size_t i = 0; i < count; i++)
        devices[i].score -= ABOVE_ALL_SCORES;
}

int64_t plx_vendor_depth(const plx_problem *problem, const plx_device_info *device)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    (void)device;
    operation->extents(problem, extents);
    return plx_summed_terms(operation, extents);
}

bool plx_vendor_is_empty(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(problem, extents);
    return extents[operation->output].rows == 0 || extents[operation->output].cols == 0;
}

bool plx_vendor_has_no_terms(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    plx_extent extents[PLX_MAX_OPERANDS];
    double alpha, beta;
    operation->extents(problem, extents);
    plx_problem_scalars(problem, &alpha, &beta);
    return alpha == 0.0 || (extents[0].sum_axis >= 0 && plx_summed_terms(operation, extents) == 0);
}
