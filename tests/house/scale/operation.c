/* scale, described without a device: y = alpha * x. */
#include "kernels/operation.h"

static void scale_extents(const plx_problem *problem, plx_extent *extents)
{
    const int64_t n = problem->of.scale.n;
    extents[0] = (plx_extent){"x", PLX_READ, 1, n, n > 1 ? n : 1, -1};
    extents[1] = (plx_extent){"y", PLX_WRITE, 1, n, n > 1 ? n : 1, -1};
}

static plx_status scale_fit(plx_problem *problem, const plx_extent *inputs, plx_error *error)
{
    if (inputs[0].rows != 1)
        return plx_fail(error, PLX_INVALID, "scale: x is a matrix, not a vector");
    problem->of.scale.n = inputs[0].cols;
    return PLX_OK;
}

static double scale_flops(const plx_problem *problem)
{
    return (double)problem->of.scale.n;
}

static const plx_field fields[] = {
    {.name = "n", .kind = PLX_FIELD_SIZE, PLX_FIELD_AT(scale.n)},
    PLX_FIELD_ALPHA_AT(scale.alpha),
};

const plx_operation plx_scale_operation = {
    .op = PLX_SCALE,
    .name = "scale",
    .summary = "a vector times a number: y = alpha * x",
    .dtypes = PLX_DTYPE_BIT(PLX_F32) | PLX_DTYPE_BIT(PLX_F64),
    .operand_count = 2,
    .output = 1,
    .output_rank = 1,
    .shape_form = "N",
    .default_shape = {1 << 20},
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .extents = scale_extents,
    .fit = scale_fit,
    .flops = scale_flops,
    .bytes = plx_operand_bytes,
};
