/* The list of operations, and what their checks share. */
#include "kernels/operation.h"

#include <assert.h>

#define OPERATION(name) extern const plx_operation plx_##name##_operation;
PLX_OPERATIONS
#undef OPERATION

static const plx_operation *const all[] = {
#define OPERATION(name) &plx_##name##_operation,
    PLX_OPERATIONS
#undef OPERATION
};
_Static_assert(sizeof all / sizeof all[0] == PLX_OP_COUNT, "plx_op has a name for each directory");

const plx_operation *plx_operation_of(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? all[op] : NULL;
}

/* Of a problem that was checked: it has one. */
static const plx_operation *its_operation(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    assert(operation != NULL);
    return operation;
}

plx_dtype plx_operand_dtype(const plx_problem *problem, size_t operand)
{
    return operand == its_operation(problem)->output ? plx_output_dtype(problem) : problem->dtype;
}

double plx_operand_bytes(const plx_problem *problem)
{
    const plx_operation *operation = its_operation(problem);
    plx_extent extents[PLX_MAX_OPERANDS];
    double alpha, beta, bytes = 0.0;
    plx_problem_scalars(problem, &alpha, &beta);
    operation->extents(problem, extents);
    for (size_t i = 0; i < operation->operand_count; i++) {
        const bool shared = i != operation->output && problem->batch.stride[i] == 0;
        const double each = i != operation->output ? (alpha != 0.0 ? 1.0 : 0.0) : beta != 0.0 ? 2.0 : 1.0;
        const double times = shared ? each : each * (double)plx_problem_count(problem);
        bytes += times * (double)extents[i].rows * (double)extents[i].cols *
                 (double)plx_element_size(plx_operand_dtype(problem, i));
    }
    return bytes;
}

bool plx_extent_elements(int64_t rows, int64_t cols, int64_t ld, size_t element_size, int64_t *elements)
{
    int64_t count, bytes;
    if (rows == 0 || cols == 0) {
        *elements = 0;
        return true;
    }
    if (rows < 0 || cols < 0 || ld < 0 || element_size > (size_t)INT64_MAX)
        return false;
    if (__builtin_mul_overflow(rows - 1, ld, &count) || __builtin_add_overflow(count, cols, &count) ||
        __builtin_mul_overflow(count, (int64_t)element_size, &bytes))
        return false;
    *elements = count;
    return true;
}

int64_t plx_summed_terms(const plx_operation *operation, const plx_extent *extents)
{
    for (size_t i = 0; i < operation->operand_count; i++)
        if (extents[i].sum_axis >= 0)
            return extents[i].sum_axis == 0 ? extents[i].rows : extents[i].cols;
    return 0;
}
