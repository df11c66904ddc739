/* transpose, described without a device: out[j][i] = in[i][j]. */
#include "operation.h"

static void transpose_extents(const plx_problem *problem, plx_extent *extents)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    extents[0] = (plx_extent){"in", PLX_READ, p->rows, p->cols, p->ld_in, -1};
    extents[1] = (plx_extent){"out", PLX_WRITE, p->cols, p->rows, p->ld_out, -1};
}

static plx_status transpose_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    const int64_t shape[2] = {inputs[0].rows, inputs[0].cols};
    (void)error; /* a single input agrees with itself */
    plx_shape_set(problem, shape);
    return PLX_OK;
}

static double transpose_flops(const plx_problem *problem)
{
    (void)problem;
    return 0.0;
}

static const plx_field fields[] = {
    {.name = "rows", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(transpose.rows)},
    {.name = "cols", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(transpose.cols)},
    {.name = "ld_in", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(transpose.ld_in), .operand = 0},
    {.name = "ld_out", .kind = PLX_FIELD_PITCH, PLX_FIELD_AT(transpose.ld_out), .operand = 1},
};

const plx_operation plx_transpose_operation = {
    .op = PLX_TRANSPOSE,
    .name = "transpose",
    .summary = "rows become columns",
    .dtypes = PLX_DTYPE_BIT(PLX_DTYPE_COUNT) - 1,
    .operand_count = 2,
    .output = 1,
    .output_rank = 2,
    .shape_form = "RxC",
    .default_shape = {2048, 2048},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .extents = transpose_extents,
    .fit = transpose_fit,
    .flops = transpose_flops,
    .bytes = plx_operand_bytes,
};
