/* Problems: made, checked, and brought into the one form that can be compared. */
#include "core/core.h"

#include <string.h>

/* The smallest leading dimension of rows with this many elements. */
static int64_t tight(int64_t cols)
{
    return cols > 1 ? cols : 1;
}

/* memset, not an initialiser: the padding must be zero as well. */
static void clear(plx_problem *problem, plx_op op, plx_dtype dtype)
{
    memset(problem, 0, sizeof *problem);
    problem->op = op;
    problem->dtype = dtype;
}

plx_problem plx_problem_of(plx_op op, plx_dtype dtype)
{
    const plx_operation *operation = plx_operation_of(op);
    plx_problem problem;
    clear(&problem, op, dtype);
    for (size_t i = 0; operation != NULL && i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (plx_field_is_factor(field))
            plx_field_set_factor(&problem, field, field->initial);
        else
            plx_field_set_integer(&problem, field, field->initial);
    }
    if (operation != NULL)
        plx_shape_set(&problem, (const int64_t[PLX_MAX_SHAPE]){0});
    return problem;
}

plx_problem plx_reduce_of(plx_dtype dtype, plx_reduction reduction, int64_t n)
{
    plx_problem problem;
    clear(&problem, PLX_REDUCE, dtype);
    problem.of.reduce.n = n;
    problem.of.reduce.reduction = reduction;
    return problem;
}

plx_problem plx_batch_of(const plx_problem *one, int64_t count)
{
    plx_problem problem;
    memcpy(&problem, one, sizeof problem); /* with its padding */
    memset(&problem.batch, 0, sizeof problem.batch);
    problem.batch.batched = true;
    problem.batch.count = count;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; i++)
        problem.batch.stride[i] = PLX_STRIDE_DENSE;
    return problem;
}

/* An inner of 0 is no vector: there is no result. */
plx_problem plx_reduce_along_of(plx_dtype dtype, plx_reduction reduction, int64_t outer, int64_t n, int64_t inner)
{
    plx_problem problem = plx_reduce_of(dtype, reduction, n);
    problem.of.reduce.inner = inner > 0 ? inner : -1;
    return plx_batch_of(&problem, outer);
}

plx_problem plx_transpose_of(plx_dtype dtype, int64_t rows, int64_t cols)
{
    plx_problem problem;
    clear(&problem, PLX_TRANSPOSE, dtype);
    problem.of.transpose.rows = rows;
    problem.of.transpose.cols = cols;
    problem.of.transpose.ld_in = tight(cols);
    problem.of.transpose.ld_out = tight(rows);
    return problem;
}

plx_problem plx_matvec_of(plx_dtype dtype, bool trans, int64_t rows, int64_t cols)
{
    plx_problem problem;
    clear(&problem, PLX_MATVEC, dtype);
    problem.of.matvec.rows = rows;
    problem.of.matvec.cols = cols;
    problem.of.matvec.lda = tight(cols);
    problem.of.matvec.trans = trans;
    problem.of.matvec.alpha = 1.0;
    return problem;
}

plx_problem plx_gemm_of(plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k)
{
    plx_problem problem;
    clear(&problem, PLX_GEMM, dtype);
    problem.of.gemm.m = m;
    problem.of.gemm.n = n;
    problem.of.gemm.k = k;
    problem.of.gemm.lda = tight(trans_a ? m : k);
    problem.of.gemm.ldb = tight(trans_b ? k : n);
    problem.of.gemm.ldc = tight(n);
    problem.of.gemm.trans_a = trans_a;
    problem.of.gemm.trans_b = trans_b;
    problem.of.gemm.alpha = 1.0;
    return problem;
}

static int64_t power_of_two(int64_t least)
{
    int64_t power = 1;
    while (power < least && power < (INT64_C(1) << 40))
        power *= 2;
    return power;
}

plx_problem plx_probe_of(plx_dtype dtype, plx_probe_pattern pattern, int64_t n)
{
    bool repeats = pattern == PLX_PROBE_PARTITION || pattern == PLX_PROBE_FMA || pattern == PLX_PROBE_BANKS ||
                   pattern == PLX_PROBE_BRANCH || pattern >= PLX_PROBE_UNITS_F16;
    bool strides = pattern == PLX_PROBE_GATHER || pattern == PLX_PROBE_BANKS || pattern == PLX_PROBE_BRANCH;
    plx_problem problem;
    clear(&problem, PLX_PROBE, dtype);
    problem.of.probe.pattern = pattern;
    problem.of.probe.n = n;
    problem.of.probe.repeat = repeats ? 1 : 0;
    problem.of.probe.stride = strides ? 1 : 0;
    problem.of.probe.regions = pattern == PLX_PROBE_PARTITION ? 1 : 0;
    problem.of.probe.span = pattern == PLX_PROBE_GATHER ? power_of_two(n) : 0;
    return problem;
}

plx_status plx_problem_check(const plx_problem *problem, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    error->text[0] = '\0';
    if (operation == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT)
        return plx_fail(error, PLX_INVALID, "%s: %d is no element type", operation->name, (int)problem->dtype);
    if ((unsigned)problem->compute >= PLX_COMPUTE_COUNT)
        return plx_fail(error, PLX_INVALID, "%s: %d is no compute type", operation->name, (int)problem->compute);
    if (problem->output > PLX_DTYPE_COUNT)
        return plx_fail(error, PLX_INVALID, "%s: %lu says of no element type that it is the result's", operation->name,
                        (unsigned long)problem->output);
    if (problem->reserved != 0)
        return plx_fail(error, PLX_INVALID,
                        "%s: the problem's member `reserved` is %lu, and must be 0: zero the whole struct",
                        operation->name, (unsigned long)problem->reserved);
    if (problem->config != 0)
        return plx_fail(error, PLX_INVALID,
                        "%s: the problem's config is not 0; a plan names a configuration with its kernel",
                        operation->name);
    return plx_operation_check(problem, error);
}

/* A factor as the kernels see it.  -0 means the same as 0: not read. */
static double factor(plx_dtype dtype, double value)
{
    const double rounded = plx_factor_rounded(dtype, value);
    return rounded == 0.0 ? 0.0 : rounded;
}

/* One problem is no batch, and what is dense has strides like any other. */
static void normalise_batch(const plx_operation *operation, const plx_problem *problem, plx_problem *normal)
{
    plx_extent extents[PLX_MAX_OPERANDS];
    memset(extents, 0, sizeof extents);
    operation->extents(normal, extents);
    normal->batch.batched = true;
    normal->batch.count = problem->batch.count;
    for (size_t i = 0; i < operation->operand_count; i++)
        normal->batch.stride[i] = plx_batch_stride(problem, i, &extents[i]);
}

void plx_problem_normalise(const plx_problem *problem, plx_problem *normal)
{
    clear(normal, problem->op, problem->dtype);
    normal->compute = problem->compute;
    normal->output = plx_output_dtype(problem) == problem->dtype ? 0 : problem->output;
    const plx_operation *operation = plx_operation_of(problem->op);
    for (size_t i = 0; operation != NULL && i < operation->field_count; i++) {
        const plx_field *field = &operation->fields[i];
        if (plx_field_is_factor(field))
            plx_field_set_factor(normal, field, factor(problem->dtype, plx_field_factor(problem, field)));
        else
            plx_field_set_integer(normal, field, plx_field_integer(problem, field));
    }
    if (problem->op == PLX_REDUCE && problem->of.reduce.inner == 1)
        normal->of.reduce.inner = 0;
    if (problem->batch.batched && problem->batch.count != 1 && operation != NULL)
        normalise_batch(operation, problem, normal);
}
