/* The reference of scale: the product and its rounding error. */
#include "kernels/reference.h"

#include "compensated.h"

static void scale_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first, int64_t count,
                            plx_reference *reference)
{
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    for (int64_t i = 0; i < count; i++) {
        const bool narrow = problem->dtype == PLX_F32;
        const double x = alpha == 0.0 ? 0.0
                         : narrow     ? (double)((const float *)operands->at[0])[first + i]
                                      : ((const double *)operands->at[0])[first + i];
        const plx_compensated product = plx_product_of(alpha, x);
        reference->value[i] = product.value != 0.0 ? product.value : alpha * x; /* with its sign */
        reference->tail[i] = product.tail;
        reference->magnitude[i] = fabs(product.value);
    }
}

const plx_op_reference plx_scale_reference = {
    .exact = plx_never_exact,
    .make = scale_reference,
};
