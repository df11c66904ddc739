/* transpose, described without a device: out[j][i] = in[i][j], byte for byte. */
#include "operation.h"

#include <string.h>

static size_t element_size(plx_dtype dtype)
{
    static const size_t sizes[PLX_DTYPE_COUNT] = {
        [PLX_I8] = 1,  [PLX_I16] = 2, [PLX_I32] = 4, [PLX_I64] = 8,
        [PLX_F32] = 4, [PLX_F64] = 8, [PLX_C64] = 8, [PLX_C128] = 16,
    };
    return sizes[dtype];
}

static plx_status check_sizes(const plx_problem *problem, plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    int64_t in_elements, out_elements, dense = p->cols > 0 ? p->cols : 1;
    size_t size = element_size(problem->dtype);

    if (!plx_extent_elements(p->rows, p->cols, p->ld_in, size, &in_elements) ||
        !plx_extent_elements(p->rows, p->cols, dense, size, &in_elements))
        return plx_fail(error, PLX_INVALID,
                        "transpose: in, %lld x %lld with leading dimension %lld, is too large",
                        (long long)p->rows, (long long)p->cols, (long long)p->ld_in);
    if (!plx_extent_elements(p->cols, p->rows, p->ld_out, size, &out_elements))
        return plx_fail(error, PLX_INVALID,
                        "transpose: out, %lld x %lld with leading dimension %lld, is too large",
                        (long long)p->cols, (long long)p->rows, (long long)p->ld_out);
    return PLX_OK;
}

static plx_status transpose_check(const plx_problem *problem, plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;

    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT)
        return plx_fail(error, PLX_INVALID, "transpose: unknown element type");
    if (problem->compute != PLX_COMPUTE_PLAIN)
        return plx_fail(error, PLX_INVALID, "transpose: has no other compute type than plain");
    if (p->rows < 0 || p->cols < 0)
        return plx_fail(error, PLX_INVALID, "transpose: %lld x %lld, a size can't be negative",
                        (long long)p->rows, (long long)p->cols);
    if (p->ld_in < 1 || p->ld_in < p->cols)
        return plx_fail(error, PLX_INVALID,
                        "transpose: ld_in is %lld, it must be at least max(1, cols) = %lld",
                        (long long)p->ld_in, (long long)(p->cols > 0 ? p->cols : 1));
    if (p->ld_out < 1 || p->ld_out < p->rows)
        return plx_fail(error, PLX_INVALID,
                        "transpose: ld_out is %lld, it must be at least max(1, rows) = %lld",
                        (long long)p->ld_out, (long long)(p->rows > 0 ? p->rows : 1));
    return check_sizes(problem, error);
}

static void transpose_reshape(plx_problem *problem, const int64_t *shape)
{
    plx_transpose_problem *p = &problem->of.transpose;
    p->rows = shape[0];
    p->cols = shape[1];
    p->ld_in = p->cols > 0 ? p->cols : 1;
    p->ld_out = p->rows > 0 ? p->rows : 1;
}

static void transpose_shape(const plx_problem *problem, int64_t *shape)
{
    shape[0] = problem->of.transpose.rows;
    shape[1] = problem->of.transpose.cols;
}

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
    transpose_reshape(problem, shape);
    return PLX_OK;
}

static double transpose_flops(const plx_problem *problem)
{
    (void)problem;
    return 0.0;
}

static double transpose_bytes(const plx_problem *problem)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    return 2.0 * (double)p->rows * (double)p->cols * (double)element_size(problem->dtype);
}

static bool transpose_exact(const plx_problem *problem)
{
    (void)problem;
    return true;
}

/* `count` elements one below the other become neighbours; `size` is a constant in every
 * call, so that each is one load and one store. */
static inline void take_column(unsigned char *to, const unsigned char *from, size_t step, int64_t count, size_t size)
{
    for (int64_t k = 0; k < count; ++k)
        memcpy(to + (size_t)k * size, from + (size_t)k * step, size);
}

static void take_part(unsigned char *to, const unsigned char *from, size_t step, int64_t count, size_t size)
{
    switch (size) {
    case 1:
        take_column(to, from, step, count, 1);
        break;
    case 2:
        take_column(to, from, step, count, 2);
        break;
    case 4:
        take_column(to, from, step, count, 4);
        break;
    case 8:
        take_column(to, from, step, count, 8);
        break;
    default:
        take_column(to, from, step, count, 16);
        break;
    }
}

/* A row of the result is a column of the input. */
static void transpose_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                                int64_t count, plx_reference *reference)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    size_t size = element_size(problem->dtype);
    const unsigned char *in = operands->at[0];
    unsigned char *to = reference->exact;

    while (count > 0) {
        int64_t j = first / p->rows, i = first % p->rows, part = p->rows - i < count ? p->rows - i : count;
        take_part(to, in + (size_t)(i * p->ld_in + j) * size, (size_t)p->ld_in * size, part, size);
        to += (size_t)part * size;
        first += part;
        count -= part;
    }
}

const plx_operation plx_transpose_operation = {
    .op = PLX_TRANSPOSE,
    .name = "transpose",
    .summary = "rows become columns",
    .dtypes = PLX_DTYPE_BIT(PLX_DTYPE_COUNT) - 1,
    .operand_count = 2,
    .output = 1,
    .shape_form = "RxC",
    .shape_rank = 2,
    .check = transpose_check,
    .reshape = transpose_reshape,
    .shape = transpose_shape,
    .extents = transpose_extents,
    .fit = transpose_fit,
    .flops = transpose_flops,
    .bytes = transpose_bytes,
    .exact = transpose_exact,
    .reference = transpose_reference,
};
