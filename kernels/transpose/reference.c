/* The reference of transpose, byte for byte. */
#include "kernels/reference.h"

#include <string.h>

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

const plx_op_reference plx_transpose_reference = {
    .exact = plx_always_exact,
    .make = transpose_reference,
};
