/* matvec, described without a device: y = alpha * op(A) * x + beta * y. */
#include "operation.h"

#define MATVEC_DTYPES (PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64) | PLX_HALF_DTYPES)

/* ---- shape ------------------------------------------------------------- */

static plx_extent vector_extent(const char *name, plx_access access, int64_t length, int sum_axis)
{
    return (plx_extent){name, access, 1, length, length > 1 ? length : 1, sum_axis};
}

static void matvec_extents(const plx_problem *problem, plx_extent *extents)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    extents[0] = (plx_extent){"A", PLX_READ, p->rows, p->cols, p->lda, p->trans ? 0 : 1};
    extents[1] = vector_extent("x", PLX_READ, p->trans ? p->rows : p->cols, 1);
    extents[2] = vector_extent("y", beta != 0.0 ? PLX_READ_WRITE : PLX_WRITE, p->trans ? p->cols : p->rows, -1);
}

/* x may also come as one column. */
static plx_status matvec_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    bool trans = problem->of.matvec.trans;
    int64_t needed = trans ? inputs[0].rows : inputs[0].cols;
    int64_t length = inputs[1].rows == 1 ? inputs[1].cols : inputs[1].rows;

    if (inputs[1].rows != 1 && inputs[1].cols != 1)
        return plx_fail(error, PLX_INVALID, "matvec: x is %lldx%lld, not a vector", (long long)inputs[1].rows,
                        (long long)inputs[1].cols);
    if (length != needed)
        return plx_fail(error, PLX_INVALID, "matvec: A%s is %lldx%lld and takes an x of %lld, not of %lld",
                        trans ? " (to be transposed)" : "", (long long)inputs[0].rows, (long long)inputs[0].cols,
                        (long long)needed, (long long)length);
    plx_shape_set(problem, (const int64_t[]){inputs[0].rows, inputs[0].cols});
    return PLX_OK;
}

/* ---- cost -------------------------------------------------------------- */

static double matvec_flops(const plx_problem *problem)
{
    return 2.0 * (double)problem->of.matvec.rows * (double)problem->of.matvec.cols;
}

static const char *const transposed[] = {"n", "t"};

static const plx_field fields[] = {
    {.name = "rows", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(matvec.rows)},
    {.name = "cols", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(matvec.cols)},
    {.name = "trans",
     .kind = PLX_FIELD_FLAG,
     PLX_FIELD_AT(matvec.trans),
     .values = transposed,
     .option = "trans",
     .help = "matvec: multiply by A transposed"},
    PLX_FIELD_ALPHA_AT(matvec.alpha),
    PLX_FIELD_BETA_AT(matvec.beta),
    {.name = "lda", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(matvec.lda), .operand = 0},
};

const plx_operation plx_matvec_operation = {
    .op = PLX_MATVEC,
    .name = "matvec",
    .summary = "matrix times vector: y = alpha * op(A) * x + beta * y",
    .dtypes = MATVEC_DTYPES,
    .operand_count = 3,
    .output = 2,
    .output_rank = 1,
    .shape_form = "RxC",
    .default_shape = {2048, 2048},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .extents = matvec_extents,
    .fit = matvec_fit,
    .flops = matvec_flops,
    .bytes = plx_operand_bytes,
};
