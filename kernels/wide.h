/* Sums that are wider than f64: an unevaluated pair, after Ogita, Rump and Oishi,
 * "Accurate sum and dot product" (2005), algorithms Sum2 and Dot2: the result is
 * as good as one computed in twice the precision and rounded once.
 * The file that includes this is compiled without contraction of a*b+c. */
#ifndef PLX_KERNELS_WIDE_H
#define PLX_KERNELS_WIDE_H

#include <parallax/half.h>
#include <parallax/types.h>

#include <math.h>

typedef struct host_wide {
    double high; /* the plain sum, with IEEE's own NaN and Inf */
    double low;  /* the sum of its rounding errors; meaningless once high is not finite */
} host_wide;

static inline void host_wide_add(host_wide *sum, double x)
{
    double total = sum->high + x;
    double part = total - sum->high;
    sum->low += (sum->high - (total - part)) + (x - part);
    sum->high = total;
}

static inline void host_wide_add_product(host_wide *sum, double a, double b)
{
    double product = a * b;
    host_wide_add(sum, product);
    sum->low += fma(a, b, -product);
}

static inline void host_wide_join(host_wide *sum, host_wide other)
{
    host_wide_add(sum, other.high);
    sum->low += other.low;
}

/* What is below a product this small was rounded itself, perhaps to just half a place of it. */
static inline bool host_wide_is_rounded(host_wide sum)
{
    return sum.high != 0 && fabs(sum.high) < 0x1p-960 && sum.high + sum.low / 2 == sum.high;
}

/* Where there is no error the sum keeps the sign of its zero. */
static inline double host_wide_value(host_wide sum)
{
    double value = sum.low == 0 || host_wide_is_rounded(sum) ? sum.high : sum.high + sum.low;
    return isfinite(value) ? value : sum.high;
}

/* alpha * sum + beta * old; neither factor that is 0 reads what it multiplies. */
static inline double host_wide_scaled(host_wide sum, double alpha, double beta, double old)
{
    if (alpha == 0)
        return beta == 0 ? 0 : beta * old;
    host_wide result = {alpha * sum.high, alpha * sum.low};
    result.low += fma(alpha, sum.high, -result.high);
    if (beta != 0)
        host_wide_add_product(&result, beta, old);
    return host_wide_value(result);
}

/* Elements of floating-point arrays.  With a constant dtype of f32 or f64 these are one access. */
static inline double host_load(plx_dtype dtype, const void *array, int64_t index)
{
    if (dtype == PLX_F64)
        return ((const double *)array)[index];
    if (dtype == PLX_F32)
        return (double)((const float *)array)[index];
    return plx_half_as_value(dtype, ((const uint16_t *)array)[index]);
}

static inline void host_store(plx_dtype dtype, void *array, int64_t index, double value)
{
    if (dtype == PLX_F64)
        ((double *)array)[index] = value;
    else if (dtype == PLX_F32)
        ((float *)array)[index] = (float)value;
    else
        ((uint16_t *)array)[index] = plx_value_as_half(dtype, value);
}

/* alpha and beta as the kernels see them. */
static inline double host_factor(plx_dtype dtype, double factor)
{
    return dtype == PLX_F64 ? factor : (double)(float)factor;
}

#endif
