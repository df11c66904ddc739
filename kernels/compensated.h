/* Sums of products in twice the precision of f64 (the dot product of Ogita, Rump and
 * Oishi, "Accurate sum and dot product", SIAM J. Sci. Comput. 26, 2005), for the
 * references of gemm and matvec. */
#ifndef PLX_KERNELS_GEMM_COMPENSATED_H
#define PLX_KERNELS_GEMM_COMPENSATED_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* An unevaluated sum. */
typedef struct plx_compensated {
    double value, tail;
} plx_compensated;

/* A product goes through fma, so that no compiler contracts it with a later addition:
 * the errors below are exact only if each operation is rounded by itself. */
static inline double plx_rounded_product(double a, double b)
{
    return fma(a, b, 0.0);
}

static inline plx_compensated plx_product_of(double a, double b)
{
    double product = plx_rounded_product(a, b);
    return (plx_compensated){product, fma(a, b, -product)};
}

static inline plx_compensated plx_sum_of(double a, double b)
{
    double sum = a + b, b_part = sum - a;
    return (plx_compensated){sum, (a - (sum - b_part)) + (b - b_part)};
}

/* The same number, with a value that is rounded to the nearest.  The tail of a product this small was rounded itself,
 * perhaps to just half a place of the value, and does not decide to which side that goes. */
static inline plx_compensated plx_to_nearest(plx_compensated sum)
{
    const bool is_small = sum.value != 0.0 && fabs(sum.value) < 0x1p-960;
    return is_small && sum.value + sum.tail / 2 == sum.value ? sum : plx_sum_of(sum.value, sum.tail);
}

/* alpha * sum + beta * c; without a beta, c is not looked at. */
static inline plx_compensated plx_scaled_sum(double alpha, plx_compensated sum, double beta, double c)
{
    plx_compensated product = plx_product_of(alpha, sum.value);
    product.tail += alpha * sum.tail;
    if (beta == 0.0)
        return plx_to_nearest(product);
    plx_compensated old = plx_product_of(beta, c);
    plx_compensated total = plx_sum_of(product.value, old.value);
    return plx_sum_of(total.value, total.tail + (product.tail + old.tail));
}

/* The same where the result is exactly zero, as IEEE 754 has its sign; `terms` says of how
 * many the sum is. */
static inline double plx_signed_zero(double alpha, double sum, double beta, double c, double terms)
{
    if (sum != 0.0) /* what cancels is +0 */
        return 0.0;
    if (terms == 0.0)
        return beta == 0.0 ? 0.0 : beta * c;
    return beta == 0.0 ? alpha * sum : alpha * sum + beta * c;
}

/* One element of a reference. */
typedef struct plx_reference_sum {
    plx_compensated sum;
    double magnitude; /* sum of |a||b| over the finite factors; 0: every term is a zero */
} plx_reference_sum;

/* Whether the sum must be done again, plainly: NaN, Inf or overflow spoiled it, or products of
 * f64 may have underflowed, which is not the same as being zero. */
static inline bool plx_is_spoiled(const plx_reference_sum *sum)
{
    return !isfinite(sum->magnitude) || !isfinite(sum->sum.value) || sum->magnitude == 0.0;
}

/* A magnitude that is 0 only where both factors of something are not. */
static inline double plx_magnitude_of(double a, double b)
{
    double product = fabs(a) * fabs(b);
    return product == 0.0 && a != 0.0 && b != 0.0 ? DBL_TRUE_MIN : product;
}

/* Sums such an element: feed it every product.  Terms with a factor that is not finite
 * decide the result in any order; the finite ones only say how likely an overflow is. */
typedef struct plx_plain_sum {
    double finite, special, magnitude;
    bool any_special;
} plx_plain_sum;

static inline void plx_plain_add(plx_plain_sum *to, double a, double b)
{
    if (isfinite(a) && isfinite(b)) {
        to->finite += a * b;
        to->magnitude += plx_magnitude_of(a, b);
    } else {
        to->special = to->any_special ? to->special + a * b : a * b;
        to->any_special = true;
    }
}

/* A finite part that overflowed is 0: its magnitude says that nothing is known. */
static inline plx_reference_sum plx_plain_result(const plx_plain_sum *from)
{
    double finite = isfinite(from->finite) ? from->finite : 0.0;
    return (plx_reference_sum){{from->any_special ? from->special : finite, 0.0}, from->magnitude};
}

/* The range in which sums of `terms` terms are rounded. */
typedef struct plx_range {
    double unit, largest;
} plx_range;

static inline plx_range plx_range_of(bool f32)
{
    return f32 ? (plx_range){FLT_EPSILON / 2, (double)FLT_MAX} : (plx_range){DBL_EPSILON / 2, DBL_MAX};
}

/* alpha * sum + beta * c and the magnitude a judge may rely on: +Inf when the sums may
 * leave the dtype's range, before or after alpha and beta.  Then a value that is not
 * finite is kept only where it is NaN in every order, and is 0 otherwise. */
static inline plx_compensated plx_finish_sum(const plx_reference_sum *from, double alpha, double beta, double c,
                                             double terms, plx_range range, double *magnitude)
{
    double scaled = plx_magnitude_of(alpha, from->magnitude);
    bool nan_for_sure = isnan(from->sum.value) || isnan(alpha) || (beta != 0.0 && (isnan(beta) || isnan(c)));
    plx_compensated result = plx_scaled_sum(alpha, from->sum, beta, c);

    if (beta != 0.0 && isfinite(c))
        scaled += plx_magnitude_of(beta, c);
    double widest = (from->magnitude > scaled ? from->magnitude : scaled) * (1.0 + (terms + 2.0) * range.unit);
    *magnitude = isfinite(scaled) && widest <= range.largest ? scaled : (double)INFINITY;
    if (!isfinite(result.value) || !isfinite(result.tail)) {
        double plain = alpha * from->sum.value + (beta != 0.0 ? beta * c : 0.0);
        bool unknown = isinf(*magnitude) && !isfinite(plain) && !nan_for_sure;
        result = (plx_compensated){unknown ? 0.0 : plain, 0.0};
    }
    if (result.value == 0.0 && result.tail == 0.0)
        result.value = plx_signed_zero(alpha, from->sum.value, beta, c, terms);
    return result;
}

#endif
