/* reduce, described without a device: result[0] = sum, min or max of x[0 .. n-1], or of each column of a matrix. */
#include "operation.h"

#define REDUCE_DTYPES                                                                                    \
    (PLX_DTYPE_BIT(PLX_I32) | PLX_DTYPE_BIT(PLX_I64) | PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | \
     PLX_HALF_DTYPES)

static void reduce_extents(const plx_problem *problem, plx_extent *extents)
{
    const int64_t n = problem->of.reduce.n, inner = problem->of.reduce.inner;
    if (inner > 1) {
        extents[0] = (plx_extent){"x", PLX_READ, n, inner, inner, 0};
        extents[1] = (plx_extent){"result", PLX_WRITE, 1, inner, inner, -1};
        return;
    }
    extents[0] = (plx_extent){"x", PLX_READ, 1, n, n > 0 ? n : 1, 1};
    extents[1] = (plx_extent){"result", PLX_WRITE, 1, 1, 1, -1};
}

static plx_status reduce_check(const plx_problem *problem, plx_error *error)
{
    if (problem->of.reduce.inner >= 0)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "reduce: inner is %lld: the axes behind the one that is reduced have at least one element, or "
                    "there is no result",
                    (long long)problem->of.reduce.inner);
}

/* A matrix is reduced over all its elements, unless it is along its first axis. */
static plx_status reduce_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    int64_t rows = inputs[0].rows, cols = inputs[0].cols;

    if (problem->of.reduce.inner > 1) {
        if (cols != problem->of.reduce.inner)
            return plx_fail(error, PLX_INVALID, "reduce: x has %lld columns, and inner is %lld", (long long)cols,
                            (long long)problem->of.reduce.inner);
        problem->of.reduce.n = rows;
        return PLX_OK;
    }
    if (rows > 0 && cols > INT64_MAX / rows)
        return plx_fail(error, PLX_INVALID, "x: %lld rows of %lld elements are too many", (long long)rows,
                        (long long)cols);
    problem->of.reduce.n = rows * cols;
    return PLX_OK;
}

/* Additions or comparisons. */
static double reduce_flops(const plx_problem *problem)
{
    const int64_t n = problem->of.reduce.n, inner = problem->of.reduce.inner;
    return n > 1 ? (double)(n - 1) * (double)(inner > 1 ? inner : 1) : 0.0;
}

static const char *const reductions[] = {[PLX_SUM] = "sum", [PLX_MIN] = "min", [PLX_MAX] = "max"};

static const plx_field fields[] = {
    {.name = "n", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(reduce.n)},
    {.name = "reduction",
     .kind = PLX_FIELD_CHOICE,
     PLX_FIELD_AT(reduce.reduction),
     .values = reductions,
     .value_count = PLX_REDUCTION_COUNT,
     .option = "reduce",
     .argument = "HOW",
     .help = "sum, min or max"},
    {.name = "inner",
     .kind = PLX_FIELD_INTEGER,
     PLX_FIELD_AT(reduce.inner),
     .option = "inner",
     .argument = "N",
     .help = "reduce: along the first axis of a matrix of so many columns"},
};

const plx_operation plx_reduce_operation = {
    .op = PLX_REDUCE,
    .name = "reduce",
    .summary = "sum, minimum or maximum of a vector",
    .dtypes = REDUCE_DTYPES,
    .operand_count = 2,
    .output = 1,
    .output_rank = 0,
    .shape_form = "N",
    .default_shape = {1 << 22},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .check = reduce_check,
    .extents = reduce_extents,
    .fit = reduce_fit,
    .flops = reduce_flops,
    .bytes = plx_operand_bytes,
};
