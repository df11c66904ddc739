/* Batches: what many problems of one form need of memory, and which can't be. */
#include "kernels/operation.h"

#include <string.h>

/* Launches count in 31 bits, here and in every library that has batches. */
#define MOST_PROBLEMS INT64_C(0x7fffffff)

static int64_t dense(const plx_extent *extent)
{
    int64_t elements;
    if (extent->rows <= 0 || extent->cols <= 0)
        return 0;
    return __builtin_mul_overflow(extent->rows, extent->ld, &elements) ? INT64_MAX : elements;
}

int64_t plx_batch_stride(const plx_problem *problem, size_t operand, const plx_extent *extent)
{
    if (!problem->batch.batched)
        return 0;
    const int64_t stride = problem->batch.stride[operand];
    return stride == PLX_STRIDE_DENSE ? dense(extent) : stride;
}

bool plx_operand_elements(const plx_problem *problem, size_t operand, const plx_extent *extent, int64_t *elements)
{
    const size_t size = plx_element_size(plx_operand_dtype(problem, operand));
    int64_t one, all, bytes;
    if (!plx_extent_elements(extent->rows, extent->cols, extent->ld, size, &one))
        return false;
    *elements = one;
    if (!problem->batch.batched || one == 0)
        return true;
    if (__builtin_mul_overflow(plx_problem_count(problem) - 1, plx_batch_stride(problem, operand, extent), &all) ||
        __builtin_add_overflow(all, one, &all) || __builtin_mul_overflow(all, (int64_t)size, &bytes))
        return false;
    *elements = all;
    return true;
}

/* ---- checks ------------------------------------------------------------------------------------ */

static bool is_zero(const plx_batch *batch)
{
    bool zero = batch->count == 0;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        zero = zero && batch->stride[i] == 0;
    return zero;
}

static plx_status check_count(const plx_operation *operation, const plx_problem *problem, plx_error *error)
{
    const long long count = (long long)problem->batch.count;
    if (operation->verb != NULL)
        return plx_fail(error, PLX_INVALID, "%s: there are no batches of it", operation->name);
    if (count == 0)
        return plx_fail(error, PLX_INVALID, "%s: a batch of 0 has nothing to compute; leave the call out",
                        operation->name);
    if (count < 0 || count > MOST_PROBLEMS)
        return plx_fail(error, PLX_INVALID, "%s: a batch of %lld; it is 1 to %lld", operation->name, count,
                        (long long)MOST_PROBLEMS);
    return PLX_OK;
}

static plx_status check_stride(const plx_operation *operation, const plx_problem *problem, size_t operand,
                               const plx_extent *extent, plx_error *error)
{
    const int64_t stride = problem->batch.stride[operand];
    int64_t elements;
    if (stride < PLX_STRIDE_DENSE)
        return plx_fail(error, PLX_INVALID, "%s: the stride of %s is %lld elements; it is 0 or more, or %d for dense",
                        operation->name, extent->name, (long long)stride, PLX_STRIDE_DENSE);
    if (plx_operand_elements(problem, operand, extent, &elements))
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%s: %lld times %s, %lld elements apart, does not fit in 63 bits of bytes",
                    operation->name, (long long)problem->batch.count, extent->name,
                    (long long)plx_batch_stride(problem, operand, extent));
}

/* One after the other, or row by row in turn: the first rows of all, then the second ones. */
static plx_status check_apart(const plx_operation *operation, const plx_problem *problem, const plx_extent *extent,
                              plx_error *error)
{
    const int64_t stride = plx_batch_stride(problem, operation->output, extent), count = problem->batch.count;
    int64_t one = 0, turns;
    (void)plx_extent_elements(extent->rows, extent->cols, extent->ld, 1, &one); /* it was checked */
    const bool in_turn = stride >= extent->cols && !__builtin_mul_overflow(count - 1, stride, &turns) &&
                         !__builtin_add_overflow(turns, extent->cols, &turns) && turns <= extent->ld;
    if (count == 1 || one == 0 || stride >= one || in_turn)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: results would overlap: the stride of %s is %lld elements, and one takes %lld%s",
                    operation->name, extent->name, (long long)stride, (long long)one,
                    stride == 0 ? "; only inputs can be shared" : "");
}

plx_status plx_batch_check(const plx_problem *problem, const plx_extent *extents, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    if (!problem->batch.batched) {
        if (is_zero(&problem->batch))
            return PLX_OK;
        return plx_fail(error, PLX_INVALID,
                        "%s: the problem says more of a batch, and not that it is one: set batch.batched, or zero it",
                        operation->name);
    }
    plx_status status = check_count(operation, problem, error);
    for (size_t i = 0; i < operation->operand_count && status == PLX_OK; i++)
        status = check_stride(operation, problem, i, &extents[i], error);
    return status == PLX_OK ? check_apart(operation, problem, &extents[operation->output], error) : status;
}

/* ---- of a problem that was checked ---------------------------------------------------------------- */

plx_problem plx_batch_one(const plx_problem *problem)
{
    plx_problem one;
    memcpy(&one, problem, sizeof one); /* with the padding, which is compared */
    memset(&one.batch, 0, sizeof one.batch);
    return one;
}

double plx_problem_flops(const plx_problem *problem)
{
    return plx_operation_of(problem->op)->flops(problem) * (double)plx_problem_count(problem);
}
