/* The bound of an element: what the arithmetic that a kernel declares can lose at most.
 * doc/validation.md derives it. */
#include "study/judge/judge.h"

#include <math.h>
#include <stdio.h>

/* What is lost of S at most.  A term that meets h roundings is multiplied by h factors within
 * 1 +- u; and n terms lose no more than n u in any order, however deep: neither has an end to
 * the lengths that it holds for.  The second needs roundings to the nearest. */
static double gamma_of_sum(double depth, double terms, double unit, bool nearest)
{
    const double by_depth = expm1(depth * log1p(unit));
    return nearest ? fmin(by_depth, terms * unit) : by_depth;
}

/* Signs at random, of the roundings or of the terms, add up like a random walk.  Steps of
 * LIKELY deviations have a probability of 2 exp(-32). */
static const double LIKELY = 8.0;

static double likely_gamma_of_sum(double depth, double unit)
{
    return expm1(LIKELY * sqrt(depth) * unit + depth * unit * unit / (1.0 - unit));
}

/* alpha and beta round twice more. */
static double scaled(double gamma, double unit)
{
    return gamma + (1.0 + gamma) * (2.0 * unit + unit * unit);
}

/* Generated terms of random signs and full mantissas; sums of positive terms may stop growing,
 * each rounding on the same side. */
static bool has_random_signs(const plx_inputs *inputs)
{
    return !inputs->from_arrays && inputs->input == PLX_INPUT_UNIFORM;
}

/* Of a subnormal factor, beside one up to 1: TF32 keeps ten digits behind the point of 2^-126. */
static const double lost_of_subnormals[PLX_COMPUTE_COUNT] = {
    [PLX_COMPUTE_TF32] = 0x1p-136,
};

/* Every product and every sum may lose a subnormal's worth, in any tree: so the
 * terms count here, not the depth.  A device that flushes loses whole operands. */
static double underflow_of(const plx_inputs *inputs, const plx_arithmetic *by, double alpha)
{
    double terms = (double)plx_sum_length(inputs), scale = fabs(alpha) > 1.0 ? fabs(alpha) : 1.0;
    double steps = (terms > by->depth ? terms : by->depth) + 2.0;
    plx_dtype result = plx_result_dtype(inputs);
    double least = fmax(plx_smallest(plx_sum_dtype(inputs->problem.dtype)), plx_smallest(by->accumulator));
    double parts = by->narrow_parts > 1 ? (double)by->narrow_parts : 0.5;   /* the last of them is the result */
    double last = plx_is_half(result) ? parts * plx_smallest(result) : 0.0; /* of what is rounded last */

    if (by->flushes)
        return (2.0 * steps) * fmax(0x1p-126, least) * scale + last;
    return (steps * least + 2.0 * terms * lost_of_subnormals[by->compute]) * scale + last;
}

static bool small_integer(double value)
{
    return value == rint(value) && fabs(value) <= 4.0;
}

/* Whether sums are kept in what the operands' own type asks for, or better. */
static bool sums_are_own(const plx_inputs *inputs, const plx_arithmetic *by)
{
    return plx_unit_roundoff(by->accumulator) <= plx_unit_roundoff(plx_sum_dtype(inputs->problem.dtype));
}

/* Numbers so small that no step rounds, where sums have the digits of their type. */
static bool never_rounds(const plx_inputs *inputs, const plx_arithmetic *by, double alpha, double beta)
{
    return !inputs->from_arrays && inputs->input == PLX_INPUT_INTEGER && small_integer(alpha) && small_integer(beta) &&
           sums_are_own(inputs, by);
}

/* The same of operands from files: every sum is a multiple of one power of two, and has few enough digits. */
static bool are_whole(const plx_inputs *inputs, const plx_arithmetic *by, double *unit)
{
    const plx_dtype result = plx_result_dtype(inputs);
    int digits = plx_digits(by->accumulator);

    if (by->narrow_parts > 1 && plx_digits(result) < digits)
        digits = plx_digits(result);
    return plx_sums_are_whole(inputs, digits, plx_lowest_exponent(by->accumulator), plx_largest(by->accumulator), unit);
}

/* What all results are multiples of where nothing rounds; else 0. */
static double unit_of(const plx_inputs *inputs, const plx_arithmetic *by, double alpha, double beta)
{
    double unit = 1.0;

    if (by->compute != PLX_COMPUTE_PLAIN)
        return 0.0;
    return never_rounds(inputs, by, alpha, beta) || are_whole(inputs, by, &unit) ? unit : 0.0;
}

/* One product. */
static bool rounds_once(const plx_inputs *inputs, double alpha, double beta)
{
    return alpha == 1.0 && beta == 0.0 && plx_sum_length(inputs) <= 1;
}

/* Terms of random signs have S/|R| of about sqrt(n).  Where gamma sqrt(n) is below this and a
 * result of zero is within the bound all the same, it is the data that cancels, not the bound
 * that is wide. */
static const double WIDE = 0.25;

/* What operands lose of their products before any sum, of S: by compute type.  TF32 keeps 11 bits of
 * either factor, and hardware may cut off the others. */
static const double lost_by_compute[PLX_COMPUTE_COUNT] = {
    [PLX_COMPUTE_TF32] = 2.0 * 0x1p-10,
};

/* The matrix units add products of 16 bits, and what f32 is made of there, neither in any order of
 * IEEE additions nor rounded to the nearest; those of f64 are chains of multiply-adds. */
static bool sums_in_matrix_units(const plx_inputs *inputs, const plx_kernel *kernel)
{
    return (kernel->flags & PLX_KERNEL_MATRIX_UNITS) != 0 && inputs->problem.dtype != PLX_F64;
}

/* Each of the parts is rounded to the result's type, and so is each of their sums. */
static double with_parts(double gamma, double narrowing, int64_t parts)
{
    return parts > 1 ? (1.0 + gamma) * exp((double)parts * log1p(narrowing)) - 1.0 : gamma;
}

/* An operation without sums rounds each element as often as its kernel says. */
static double terms_of(const plx_inputs *inputs, double depth)
{
    return plx_factor_count(inputs) > 0 ? (double)plx_sum_length(inputs) : depth;
}

static void choose_gamma(const plx_inputs *inputs, const plx_arithmetic *by, plx_bound *bound)
{
    const double unit = plx_unit_roundoff(by->accumulator);
    double terms = terms_of(inputs, by->depth), likely = likely_gamma_of_sum(by->depth, unit);

    bound->kind = PLX_BOUND_DETERMINISTIC;
    bound->gamma = gamma_of_sum(by->depth, terms, unit, !by->matrix_units);
    if (has_random_signs(inputs) && likely < bound->gamma) {
        bound->kind = PLX_BOUND_PROBABILISTIC;
        bound->gamma = likely;
    }
    if (plx_factor_count(inputs) > 1)
        bound->gamma = scaled(bound->gamma, unit);
    bound->gamma = with_parts(bound->gamma, bound->narrowing, by->narrow_parts);
    bound->may_hide = bound->gamma * sqrt(terms) >= WIDE;
    bound->gamma += lost_by_compute[by->compute];
}

/* Whether depths matter to the verdict. */
static bool is_rounded(const plx_inputs *inputs)
{
    return plx_is_floating(inputs->problem.dtype) && !plx_is_exact(&inputs->problem) && plx_sum_length(inputs) > 0;
}

bool plx_depth_is_possible(const plx_inputs *inputs, const plx_kernel *kernel, int64_t depth, char *reason,
                           size_t capacity)
{
    int64_t most, terms = plx_sum_length(inputs);

    if (!is_rounded(inputs) || (kernel->flags & PLX_KERNEL_BASELINE) != 0)
        return true;
    const bool units = sums_in_matrix_units(inputs, kernel); /* its terms are products, and a chunk is cut off as one */
    most = (plx_factor_count(inputs) > 1 || units) && terms <= INT64_MAX / 4 ? 2 * terms : terms;
    if (units)
        most += 64;
    if (depth >= 0 && depth <= most)
        return true;
    (void)snprintf(reason, capacity,
                   "declares an impossible depth: %lld roundings for a term of a sum whose elements take at most "
                   "%lld additions and multiplications",
                   (long long)depth, (long long)most);
    return false;
}

/* Where sums are as wide as their type asks for, they leave its range alone. */
static double range_of(const plx_inputs *inputs, const plx_arithmetic *by, const plx_bound *bound)
{
    const plx_dtype result = plx_result_dtype(inputs);
    double range = plx_largest(plx_sum_dtype(inputs->problem.dtype));

    if (!sums_are_own(inputs, by))
        range = fmin(range, plx_largest(by->accumulator) / (1.0 + bound->gamma));
    if (by->narrow_parts > 1)
        range = fmin(range, plx_largest(result) / (1.0 + bound->gamma));
    return range;
}

plx_bound plx_bound_of_arithmetic(const plx_inputs *inputs, const plx_arithmetic *by)
{
    const plx_dtype result = plx_result_dtype(inputs);
    plx_bound bound = {.gamma = 0.0, .overflow = (double)INFINITY, .range = (double)INFINITY};
    double alpha, beta;

    if (!plx_is_floating(inputs->problem.dtype))
        return bound;
    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    bound.flushes = by->flushes;
    bound.cut_nans = by->compute == PLX_COMPUTE_TF32;
    if (plx_unit_roundoff(by->accumulator) < plx_unit_roundoff(result))
        bound.narrowing = plx_unit_roundoff(result);
    choose_gamma(inputs, by, &bound);
    if (plx_is_half(result))
        bound.overflow = plx_overflow_threshold(result);
    bound.gamma *= 1.0 + bound.narrowing; /* what is rounded last is the sum with its error */
    bound.underflow = underflow_of(inputs, by, alpha);
    bound.range = range_of(inputs, by, &bound);
    bound.unit = unit_of(inputs, by, alpha, beta);
    bound.rounded_once = bound.unit > 0.0 || (by->compute == PLX_COMPUTE_PLAIN && sums_are_own(inputs, by) &&
                                              rounds_once(inputs, alpha, beta));
    bound.either_zero = by->any_zero || (alpha < 0.0 && beta == 0.0 && plx_sum_length(inputs) > 0);
    bound.signed_zeros = bound.unit > 0.0 || never_rounds(inputs, by, alpha, beta) ||
                         (sums_are_own(inputs, by) && plx_factor_count(inputs) < 2);
    return bound;
}

/* Of f64 it is f64, whatever is said of the others. */
plx_dtype plx_kept_in(const plx_kernel *kernel, plx_dtype dtype)
{
    return dtype == PLX_F64 ? PLX_F64 : plx_is_floating(kernel->accumulator_f32) ? kernel->accumulator_f32 : PLX_F32;
}

bool plx_kept_in_own(const plx_kernel *kernel, plx_dtype dtype)
{
    return plx_unit_roundoff(plx_kept_in(kernel, dtype)) <= plx_unit_roundoff(plx_sum_dtype(dtype));
}

plx_arithmetic plx_arithmetic_of(const plx_inputs *inputs, const plx_kernel *kernel, int64_t roundings,
                                 const plx_device_info *device)
{
    const plx_dtype dtype = inputs->problem.dtype;

    return (plx_arithmetic){
        .compute = kernel->compute,
        .accumulator = plx_kept_in(kernel, dtype),
        .matrix_units = sums_in_matrix_units(inputs, kernel),
        .flushes = dtype != PLX_F64 &&
                   ((device->features & PLX_FEATURE_FLUSHES_F32) != 0 || (kernel->flags & PLX_KERNEL_FLUSHES) != 0),
        .any_zero = (kernel->flags & PLX_KERNEL_ANY_ZERO) != 0,
        .depth = (double)roundings,
    };
}

plx_bound plx_bound_of_depth(const plx_inputs *inputs, const plx_kernel *kernel, int64_t roundings,
                             const plx_device_info *device)
{
    const plx_arithmetic by = plx_arithmetic_of(inputs, kernel, roundings, device);

    return plx_bound_of_arithmetic(inputs, &by);
}

/* Of sums with at most 16 terms that are not 0 a term meets at most 16 roundings and alpha's; f32 as planes of
 * 16 bits loses up to 60 (doc/validation.md).  Inputs rounded to TF32 lose hundreds in the largest of many. */
static const double FEW_ROUNDINGS = 64.0;

plx_bound plx_bound_of_few(const plx_inputs *inputs, const plx_kernel *kernel, const plx_bound *whole)
{
    const double unit = plx_unit_roundoff(plx_kept_in(kernel, inputs->problem.dtype));
    const double gamma = (FEW_ROUNDINGS * unit + lost_by_compute[kernel->compute]) * (1.0 + whole->narrowing);
    plx_bound bound = *whole;

    if (gamma < bound.gamma) {
        bound.gamma = gamma;
        bound.kind = PLX_BOUND_DETERMINISTIC;
    }
    bound.may_hide = false;
    return bound;
}
