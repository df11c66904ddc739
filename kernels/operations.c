/* The list of operations, and what their checks share. */
#include "kernels/operation.h"

static const plx_operation *const operations[PLX_OP_COUNT] = {
    [PLX_REDUCE] = &plx_reduce_operation,
    [PLX_TRANSPOSE] = &plx_transpose_operation,
    [PLX_MATVEC] = &plx_matvec_operation,
    [PLX_GEMM] = &plx_gemm_operation,
    [PLX_PROBE] = &plx_probe_operation,
};

const plx_operation *plx_operation_of(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? operations[op] : NULL;
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
