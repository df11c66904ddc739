/* Judging begins with a proof: that the thread keeps subnormal numbers, and rounds to the nearest.  A build
 * whose compiler, or whose processor, does otherwise must not judge. */
#include "study/judge/judge.h"

#include <float.h>
#include <math.h>

/* volatile: the processor computes, at that moment. */
static bool keeps_subnormals(void)
{
    volatile double small = DBL_MIN, half = 0.5, large = 0x1p60, tiny = 0x1p-1070;
    volatile float small_f32 = FLT_MIN, half_f32 = 0.5F, large_f32 = 0x1p60F, tiny_f32 = 0x1p-145F;
    const volatile double below = small * half, above = tiny * large;
    const volatile float below_f32 = small_f32 * half_f32, above_f32 = tiny_f32 * large_f32;
    return below == 0x1p-1023 && above == 0x1p-1010 && below_f32 == 0x1p-127F && above_f32 == 0x1p-85F;
}

/* (1 + e)(1 + e) = 1 + 2e + e^2, and (1 + e)(1 - e) = 1 - e^2: each lies next to the nearest on another side.
 */
static bool rounds_to_nearest(void)
{
    volatile double above = 1.0 + DBL_EPSILON, below = 1.0 - DBL_EPSILON, minus = -1.0;
    volatile float above_f32 = 1.0F + FLT_EPSILON, below_f32 = 1.0F - FLT_EPSILON;
    const volatile double square = above * above, product = above * below, negative = square * minus;
    const volatile float square_f32 = above_f32 * above_f32, product_f32 = above_f32 * below_f32;
    return square == 1.0 + 2.0 * DBL_EPSILON && product == 1.0 && negative == -1.0 - 2.0 * DBL_EPSILON &&
           square_f32 == 1.0F + 2.0F * FLT_EPSILON && product_f32 == 1.0F;
}

plx_status plx_floats_check(plx_error *error)
{
    if (!keeps_subnormals())
        return plx_fail(error, PLX_FAILED,
                        "nothing is judged: this process turns subnormal numbers into zero; build without -ffast-math "
                        "and -Ofast");
    if (!rounds_to_nearest())
        return plx_fail(error, PLX_FAILED,
                        "nothing is judged: this process does not round to the nearest; run without what sets the "
                        "rounding mode");
    return PLX_OK;
}
