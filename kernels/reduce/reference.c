/* The reference of reduce.  That of a floating-point sum keeps the positive and the negative
 * terms in two double-double sums: their difference is the result, their sum the magnitude,
 * and each by itself says whether some order of adding could overflow. */
#include "kernels/reference.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PARTS = 64, LANES = 8, RUN = 4096 * LANES };

static bool reduce_exact(const plx_problem *problem)
{
    bool integer = problem->dtype == PLX_I32 || problem->dtype == PLX_I64;
    return integer || problem->of.reduce.reduction != PLX_SUM;
}

/* ---- sums of floating-point numbers ----------------------------------- */

typedef struct pair {
    double high, low;
} pair;

/* What a stretch of x contributes. */
typedef struct part {
    pair positive, negative; /* sums of |x| over the finite elements above and below zero */
    bool nan, plus_inf, minus_inf;
} part;

static pair pair_of_sum(double a, double b)
{
    double sum = a + b, b_part = sum - a;
    return (pair){sum, (a - (sum - b_part)) + (b - b_part)};
}

static pair pair_add(pair a, pair b)
{
    pair high = pair_of_sum(a.high, b.high), low = pair_of_sum(a.low, b.low);
    high.low += low.high;
    high = pair_of_sum(high.high, high.low);
    high.low += low.low;
    return pair_of_sum(high.high, high.low);
}

static void note_special(part *result, double value)
{
    if (isnan(value))
        result->nan = true;
    else if (value > 0.0)
        result->plus_inf = true;
    else
        result->minus_inf = true;
}

/* At most RUN elements: short enough that the plainly added rounding errors of each
 * lane (4096 of them) stay below 2^-80 of the magnitude. */
static void add_run(plx_dtype dtype, const void *x, int64_t step, int64_t first, int64_t last, part *result)
{
    pair positive[LANES] = {{0.0, 0.0}}, negative[LANES] = {{0.0, 0.0}};

    for (int64_t i = first; i < last; ++i) {
        double value = plx_real_element(dtype, x, i * step);
        pair *sum = value < 0.0 ? &negative[i % LANES] : &positive[i % LANES];
        if (!isfinite(value)) {
            note_special(result, value);
            continue;
        }
        pair next = pair_of_sum(sum->high, fabs(value));
        sum->high = next.high;
        sum->low += next.low;
    }
    for (int lane = 0; lane < LANES; ++lane) {
        result->positive = pair_add(result->positive, positive[lane]);
        result->negative = pair_add(result->negative, negative[lane]);
    }
}

static part sum_stretch(plx_dtype dtype, const void *x, int64_t step, int64_t first, int64_t last)
{
    part result = {{0.0, 0.0}, {0.0, 0.0}, false, false, false};
    for (int64_t i = first; i < last; i += RUN)
        add_run(dtype, x, step, i, last - i < RUN ? last : i + RUN, &result);
    return result;
}

/* Stretch number `i` of PARTS, the same for any number of threads: elements first .. end-1. */
typedef struct stretch {
    int64_t first, end;
} stretch;

static stretch stretch_at(int64_t n, int64_t i)
{
    int64_t length = n / PARTS + 1, first = i * length < n ? i * length : n;
    return (stretch){first, n - first < length ? n : first + length};
}

/* Joined in their order. */
static part sum_all(plx_dtype dtype, const void *x, int64_t step, int64_t n)
{
    part parts[PARTS], all = {{0.0, 0.0}, {0.0, 0.0}, false, false, false};

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (n > 1 << 20)
#endif
    for (int64_t i = 0; i < PARTS; ++i) {
        const stretch at = stretch_at(n, i);
        const plx_floats before = plx_floats_begin(); /* of this thread */
        parts[i] = sum_stretch(dtype, x, step, at.first, at.end);
        plx_floats_back(before);
    }
    for (int i = 0; i < PARTS; ++i) {
        all.positive = pair_add(all.positive, parts[i].positive);
        all.negative = pair_add(all.negative, parts[i].negative);
        all.nan = all.nan || parts[i].nan;
        all.plus_inf = all.plus_inf || parts[i].plus_inf;
        all.minus_inf = all.minus_inf || parts[i].minus_inf;
    }
    return all;
}

/* How a sum that may overflow ends: 0 if that depends on the order, +Inf or -Inf if
 * it does so in every order.  positive, negative and `largest` carry one scale.
 * Within a 256th of the largest number nothing is certain. */
static double overflow_verdict(double positive, double negative, double largest)
{
    double below = largest * (1.0 - 0x1p-8), above = largest * (1.0 + 0x1p-8);

    if (negative < below && positive - negative > above)
        return (double)INFINITY;
    if (positive < below && negative - positive > above)
        return -(double)INFINITY;
    return 0.0;
}

/* The finite terms of one sign, scaled so that f64 does not overflow. */
static void scaled_sums(plx_dtype dtype, const void *x, int64_t step, int64_t n, double *positive, double *negative)
{
    double sums[2] = {0.0, 0.0};
    for (int64_t i = 0; i < n; ++i) {
        double value = plx_real_element(dtype, x, i * step);
        if (isfinite(value))
            sums[value < 0.0] += fabs(value) * 0x1p-72;
    }
    *positive = sums[0];
    *negative = sums[1];
}

/* Some order overflows on the finite terms alone. */
static double overflowing_sum(plx_dtype dtype, const void *x, int64_t step, int64_t n, const part *all)
{
    double positive, negative, largest = (dtype == PLX_F64 ? DBL_MAX : (double)FLT_MAX) * 0x1p-72;

    scaled_sums(dtype, x, step, n, &positive, &negative);
    if (all->plus_inf)
        return negative < largest * (1.0 - 0x1p-8) ? (double)INFINITY : 0.0;
    if (all->minus_inf)
        return positive < largest * (1.0 - 0x1p-8) ? -(double)INFINITY : 0.0;
    return overflow_verdict(positive, negative, largest);
}

static bool may_overflow(plx_dtype dtype, const part *all)
{
    double below = (dtype == PLX_F64 ? DBL_MAX : (double)FLT_MAX) * (1.0 - 0x1p-8);
    return !(all->positive.high < below && all->negative.high < below);
}

/* Where the result is the same in every order though not finite, value is that NaN or
 * Inf.  Where it depends on the order, value is finite and magnitude +Inf. */
static void reference_sum(plx_dtype dtype, const void *x, int64_t step, int64_t n, plx_reference *reference)
{
    part all = sum_all(dtype, x, step, n);
    pair negated = {-all.negative.high, -all.negative.low};
    pair result = pair_add(all.positive, negated);
    double magnitude = all.positive.high + all.negative.high;

    if (all.nan || (all.plus_inf && all.minus_inf))
        result = (pair){(double)NAN, 0.0};
    else if (may_overflow(dtype, &all))
        result = (pair){overflowing_sum(dtype, x, step, n, &all), 0.0};
    else if (all.plus_inf || all.minus_inf)
        result = (pair){all.plus_inf ? (double)INFINITY : -(double)INFINITY, 0.0};
    if (!isfinite(result.high) || may_overflow(dtype, &all))
        magnitude = (double)INFINITY;
    reference->value[0] = result.high;
    reference->tail[0] = result.low;
    reference->magnitude[0] = magnitude;
}

/* ---- exact results ----------------------------------------------------- */

static int64_t integer_element(plx_dtype dtype, const void *x, int64_t index)
{
    return dtype == PLX_I32 ? ((const int32_t *)x)[index] : ((const int64_t *)x)[index];
}

static int64_t integer_of_nothing(plx_dtype dtype, plx_reduction reduction)
{
    if (reduction == PLX_SUM)
        return 0;
    if (dtype == PLX_I32)
        return reduction == PLX_MIN ? INT32_MAX : INT32_MIN;
    return reduction == PLX_MIN ? INT64_MAX : INT64_MIN;
}

/* A sum modulo 2^64 is one modulo 2^32 as well. */
static int64_t integer_join(plx_reduction reduction, int64_t a, int64_t b)
{
    if (reduction == PLX_SUM)
        return (int64_t)((uint64_t)a + (uint64_t)b);
    return (reduction == PLX_MIN) == (a < b) ? a : b;
}

static void reference_integer(plx_dtype dtype, plx_reduction reduction, const void *x, int64_t step, int64_t n,
                              void *exact)
{
    int64_t parts[PARTS], all = integer_of_nothing(dtype, reduction);

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (n > 1 << 20)
#endif
    for (int64_t i = 0; i < PARTS; ++i) {
        const stretch at = stretch_at(n, i);
        parts[i] = integer_of_nothing(dtype, reduction);
        for (int64_t j = at.first; j < at.end; ++j)
            parts[i] = integer_join(reduction, parts[i], integer_element(dtype, x, j * step));
    }
    for (int i = 0; i < PARTS; ++i)
        all = integer_join(reduction, all, parts[i]);
    if (dtype == PLX_I32) {
        uint32_t bits = (uint32_t)((uint64_t)all & UINT32_MAX);
        memcpy(exact, &bits, sizeof bits);
    } else {
        memcpy(exact, &all, sizeof all);
    }
}

/* IEEE 754-2019 minimum or maximum: NaN wins, -0 is less than +0. */
static double extremum_join(plx_reduction reduction, double a, double b)
{
    if (isnan(a))
        return a;
    if (isnan(b))
        return b;
    if (a == b)
        return (reduction == PLX_MIN) == (signbit(a) != 0) ? a : b;
    return (reduction == PLX_MIN) == (a < b) ? a : b;
}

/* Elements keep their value in f64.  A NaN comes out as the one quiet, positive
 * NaN without a payload, whatever NaNs went in. */
static void write_exact(plx_dtype dtype, double value, void *exact)
{
    const float narrow = (float)value;
    const uint16_t half = plx_value_as_half(dtype, value);
    if (dtype == PLX_F64)
        memcpy(exact, &value, sizeof value);
    else if (dtype == PLX_F32)
        memcpy(exact, &narrow, sizeof narrow);
    else
        memcpy(exact, &half, sizeof half);
}

static void reference_extremum(plx_dtype dtype, plx_dtype output, plx_reduction reduction, const void *x, int64_t step,
                               int64_t n, void *exact)
{
    double nothing = reduction == PLX_MIN ? (double)INFINITY : -(double)INFINITY;
    double parts[PARTS], all = nothing;

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (n > 1 << 20)
#endif
    for (int64_t i = 0; i < PARTS; ++i) {
        const stretch at = stretch_at(n, i);
        const plx_floats before = plx_floats_begin();
        parts[i] = nothing;
        for (int64_t j = at.first; j < at.end; ++j)
            parts[i] = extremum_join(reduction, parts[i], plx_real_element(dtype, x, j * step));
        plx_floats_back(before);
    }
    for (int i = 0; i < PARTS; ++i)
        all = extremum_join(reduction, all, parts[i]);
    write_exact(output, isnan(all) ? (double)NAN : all, exact);
}

/* Element `index` of the result, of those `step` apart. */
static void reference_one(const plx_problem *problem, const void *x, int64_t step, int64_t index,
                          plx_reference *reference)
{
    const plx_reduce_problem *p = &problem->of.reduce;
    const plx_dtype output = plx_output_dtype(problem);
    void *exact = reference->exact != NULL ? (char *)reference->exact + (size_t)index * plx_element_size(output) : NULL;

    if (problem->dtype == PLX_I32 || problem->dtype == PLX_I64) {
        reference_integer(problem->dtype, p->reduction, x, step, p->n, exact);
    } else if (p->reduction != PLX_SUM) {
        reference_extremum(problem->dtype, output, p->reduction, x, step, p->n, exact);
    } else {
        plx_reference one = {NULL, reference->value + index, reference->tail + index, reference->magnitude + index};
        reference_sum(problem->dtype, x, step, p->n, &one);
    }
}

static void reduce_reference(const plx_problem *problem, const plx_host_operands *operands, int64_t first,
                             int64_t count, plx_reference *reference)
{
    const int64_t columns = problem->of.reduce.inner > 1 ? problem->of.reduce.inner : 1;

    for (int64_t i = 0; i < count && first + i < columns; ++i) {
        const char *x = operands->at[0];
        if (x != NULL)
            x += (size_t)(first + i) * plx_element_size(problem->dtype);
        reference_one(problem, x, columns, i, reference);
    }
}

const plx_op_reference plx_reduce_reference = {
    .exact = reduce_exact,
    .make = reduce_reference,
    .spreads = true,
};
