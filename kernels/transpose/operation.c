/* transpose, described without a device: out[j][i] = in[i][j], byte for byte. */
#include "operation.h"

#include <string.h>

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
    size_t size = plx_element_size(problem->dtype);
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
    .exact = plx_always_exact,
    .reference = transpose_reference,
};
