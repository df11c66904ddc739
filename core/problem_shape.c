/* Operations as applications see them, and the shape of a problem: from numbers, and back. */
#include "core/core.h"

#include <string.h>

_Static_assert(PLX_MAX_SHAPE <= PLX_MAX_OPERANDS, "a shape is no longer than the operands' names");

bool plx_op_describe(plx_op op, plx_op_info *info)
{
    const plx_operation *operation = plx_operation_of(op);
    if (operation == NULL)
        return false;
    plx_problem empty;
    memset(&empty, 0, sizeof empty);
    empty.op = op;
    empty.dtype = PLX_F32;
    operation->reshape(&empty, (const int64_t[PLX_MAX_SHAPE]){0});
    plx_extent extents[PLX_MAX_OPERANDS];
    operation->extents(&empty, extents);

    *info = (plx_op_info){
        .name = operation->name,
        .summary = operation->summary,
        .shape_form = operation->shape_form,
        .shape_rank = operation->shape_rank,
        .dtypes = operation->dtypes,
        .operand_count = operation->operand_count,
        .output = operation->output,
    };
    for (size_t i = 0; i < operation->operand_count; i++)
        info->operands[i] = extents[i].name;
    return true;
}

plx_status plx_problem_reshape(plx_problem *problem, const int64_t *shape, size_t rank, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    if (operation == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    if (rank != operation->shape_rank)
        return plx_fail(error, PLX_INVALID, "%s takes a shape of the form %s, not %zu number%s",
                        operation->name, operation->shape_form, rank, rank == 1 ? "" : "s");
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return plx_fail(error, PLX_INVALID, "%s: a size can't be negative", operation->name);
    }
    plx_problem reshaped = *problem;
    operation->reshape(&reshaped, shape);
    plx_status status = plx_problem_check(&reshaped, error);
    if (status == PLX_OK)
        *problem = reshaped;
    return status;
}

void plx_problem_shape(const plx_problem *problem, int64_t shape[PLX_MAX_SHAPE])
{
    const plx_operation *operation = plx_operation_of(problem->op);
    if (operation != NULL)
        operation->shape(problem, shape);
}
