/* A matrix unit in C: what it makes of its factors if it computes as the model says, and what such a unit may
 * lose. */
#include "study/probe/units.h"

#include <math.h>

enum { DIGITS = 24 /* of f32 */, LOWEST = -126 /* exponent of its smallest normal number */ };

/* To a multiple of a power of two. */
static double rounded(plx_rounding rounding, double value, int exponent)
{
    const double units = ldexp(value, -exponent);
    switch (rounding) {
    case PLX_ROUNDING_NEAREST:
        return ldexp(nearbyint(units), exponent);
    case PLX_ROUNDING_NEAREST_AWAY:
        return ldexp(round(units), exponent);
    case PLX_ROUNDING_DOWN:
        return ldexp(floor(units), exponent);
    case PLX_ROUNDING_UP:
        return ldexp(ceil(units), exponent);
    case PLX_ROUNDING_TO_ZERO:
        return ldexp(trunc(units), exponent);
    default:
        return value;
    }
}

static int exponent_of(double value)
{
    return value != 0.0 ? ilogb(value) : -2000;
}

static int exponent_of_product(const plx_unit_model *model, double a, double b)
{
    if (a == 0.0 || b == 0.0)
        return -2000;
    return model->by_exponents ? ilogb(a) + ilogb(b) : ilogb(a * b);
}

static double in_f32(const plx_unit_model *model, double sum)
{
    const int exponent = exponent_of(sum);
    if (exponent >= LOWEST)
        return rounded(model->result, sum, exponent - DIGITS + 1);
    return model->results == PLX_SUBNORMALS_FLUSHED ? 0.0 : rounded(model->result, sum, LOWEST - DIGITS + 1);
}

/* A group's products and the sum before. */
static double add_group(const plx_unit_model *model, const double *a, const double *b, int count, double sum)
{
    int largest = exponent_of(sum);
    for (int l = 0; l < count; l++) {
        const int exponent = exponent_of_product(model, a[l], b[l]);
        largest = exponent > largest ? exponent : largest;
    }
    if (largest == -2000)
        return 0.0;
    sum = rounded(model->aligned, sum, largest - DIGITS + 1 - model->digits_of_sum);
    for (int l = 0; l < count; l++)
        sum += rounded(model->aligned, a[l] * b[l], largest - DIGITS + 1 - model->digits);
    return sum;
}

float plx_unit_sum(const plx_unit_model *model, const double *a, const double *b, size_t count)
{
    const size_t group = model->at_once > 0 ? (size_t)model->at_once : 1;
    double sum = 0.0;
    for (size_t at = 0; at < count; at += group) {
        const size_t left = count - at < group ? count - at : group;
        sum = add_group(model, a + at, b + at, (int)left, sum);
        if (!model->wide_between)
            sum = in_f32(model, sum);
    }
    return (float)in_f32(model, sum);
}

/* ---- what it may lose --------------------------------------------------------------------- */

static bool to_nearest(plx_rounding rounding)
{
    return rounding == PLX_ROUNDING_NEAREST || rounding == PLX_ROUNDING_NEAREST_AWAY;
}

/* Roundings are of u = 2^-24 of the largest: with digits beyond 24, an aligned number loses less than 2^(1 -
 * digits) of them, half of that to the nearest; the sum less than 2, or 1. */
double plx_unit_loses(const plx_unit_model *model, size_t products)
{
    const double of_result = to_nearest(model->result) ? 1.0 : 2.0;
    if (!model->exact_products || model->result == PLX_ROUNDING_UNKNOWN)
        return 0.0;
    if (model->at_once == 1)
        return (double)products * of_result;
    if (model->digits == PLX_ALL_DIGITS)
        return of_result;
    if (model->at_once == 0 || model->aligned == PLX_ROUNDING_UNKNOWN)
        return 0.0;
    const double groups = ceil((double)products / model->at_once), half = to_nearest(model->aligned) ? 0.5 : 1.0;
    return groups *
           (half * (ldexp(model->at_once, 1 - model->digits) + ldexp(1.0, 1 - model->digits_of_sum)) + of_result);
}
