/* What the numbers of an operand from files are multiples of: where no sum of them can round, bytes are demanded. */
#include "study/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 53 };

/* The exponent of the last digit of a number that is not 0: it is an odd multiple of 2 to it. */
static int last_digit(double value)
{
    int exponent, zeros = 0;
    uint64_t digits = (uint64_t)ldexp(frexp(fabs(value), &exponent), MOST_DIGITS);

    while ((digits & 1) == 0) {
        digits >>= 1;
        ++zeros;
    }
    return exponent - MOST_DIGITS + zeros;
}

plx_grain plx_grain_of_number(double value)
{
    if (value == 0.0)
        return (plx_grain){.whole = true};
    if (!isfinite(value))
        return (plx_grain){.whole = false};
    return (plx_grain){.whole = true, .exponent = last_digit(value), .largest = fabs(value), .line = fabs(value)};
}

/* Of numbers with all their digits at random it is over after a few. */
static bool add_number(plx_grain *grain, double value)
{
    if (value == 0.0)
        return true;
    if (!isfinite(value))
        return false;
    const int last = last_digit(value);
    grain->exponent = grain->largest == 0.0 || last < grain->exponent ? last : grain->exponent;
    grain->largest = fmax(grain->largest, fabs(value));
    return grain->largest < ldexp(1.0, grain->exponent + MOST_DIGITS);
}

/* `lines`: what has been added of each line that is summed over. */
static bool add_all(const plx_inputs *inputs, size_t operand, plx_grain *grain, double *lines)
{
    const plx_extent *extent = &inputs->extents[operand];
    const plx_dtype dtype = plx_inputs_dtype(inputs, operand);

    for (int64_t row = 0; row < extent->rows; ++row)
        for (int64_t col = 0; col < extent->cols; ++col) {
            const double value = plx_element_value(dtype, inputs->data[operand], row * extent->ld + col);
            if (!add_number(grain, value))
                return false;
            if (extent->sum_axis >= 0)
                lines[extent->sum_axis == 1 ? row : col] += fabs(value);
        }
    return true;
}

static plx_grain grain_of_one(const plx_inputs *inputs, size_t operand)
{
    const plx_extent *extent = &inputs->extents[operand];
    const int64_t count = extent->sum_axis == 1 ? extent->rows : extent->sum_axis == 0 ? extent->cols : 1;
    plx_grain grain = {.whole = false};

    if (!plx_is_floating(plx_inputs_dtype(inputs, operand)) || inputs->data[operand] == NULL)
        return grain;
    double *lines = calloc(count > 0 ? (size_t)count : 1, sizeof *lines);
    if (lines == NULL)
        return grain; /* nothing is demanded then */
    grain.whole = add_all(inputs, operand, &grain, lines);
    for (int64_t i = 0; i < count; ++i)
        grain.line = fmax(grain.line, lines[i]);
    free(lines);
    return grain;
}

/* What holds of each problem of a batch. */
static void join(plx_grain *all, const plx_grain *one)
{
    if (one->largest > 0.0)
        all->exponent = all->largest == 0.0 || one->exponent < all->exponent ? one->exponent : all->exponent;
    all->whole = all->whole && one->whole;
    all->largest = fmax(all->largest, one->largest);
    all->line = fmax(all->line, one->line);
}

plx_grain plx_grain_of(const plx_inputs *inputs, size_t operand)
{
    const bool shared = inputs->apart[operand] == 0;
    plx_inputs one = plx_inputs_at(inputs, 0);
    plx_grain all = grain_of_one(&one, operand);

    for (int64_t i = 1; i < plx_inputs_count(inputs) && !shared && all.whole; ++i) {
        one = plx_inputs_at(inputs, i);
        const plx_grain more = grain_of_one(&one, operand);
        join(&all, &more);
    }
    all.whole = all.whole && all.largest < ldexp(1.0, all.exponent + MOST_DIGITS);
    return all;
}

/* ---- whether sums round --------------------------------------------------------------------- */

/* The factors of a term, and what all terms of an element can add up to. */
typedef struct whole {
    bool is;
    int exponent;   /* of what all terms are multiples of */
    int lowest;     /* the lowest exponent that something on the way is a multiple of */
    double total;   /* sums of magnitudes are at most that */
    double highest; /* and what is on the way at most this */
} whole;

static whole product_of_factors(const plx_inputs *inputs, double alpha)
{
    const plx_grain factor = plx_grain_of_number(alpha);
    const plx_grain *a = &inputs->grains[0], *b = &inputs->grains[1];
    whole made = {.is = factor.whole && a->whole, .exponent = factor.exponent + a->exponent};

    made.lowest = a->exponent < made.exponent ? a->exponent : made.exponent;
    made.total = factor.largest * a->line;
    made.highest = fmax(a->largest, fmax(1.0, factor.largest) * a->largest);
    if (plx_factor_count(inputs) < 2)
        return made;
    made.is = made.is && b->whole;
    made.exponent += b->exponent;
    const int lows[] = {made.exponent, b->exponent, a->exponent + b->exponent, b->exponent + factor.exponent};
    for (size_t i = 0; i < sizeof lows / sizeof lows[0]; ++i)
        made.lowest = lows[i] < made.lowest ? lows[i] : made.lowest;
    made.total = factor.largest * fmin(a->line * b->largest, b->line * a->largest);
    made.highest = fmax(made.highest, fmax(1.0, factor.largest) * b->largest);
    made.highest = fmax(made.highest, fmax(1.0, factor.largest) * fmin(a->line * b->largest, b->line * a->largest));
    return made;
}

static void add_old(const plx_inputs *inputs, double beta, whole *made)
{
    const plx_grain factor = plx_grain_of_number(beta), *old = &inputs->grains[inputs->operation->output];
    const int exponent = factor.exponent + old->exponent;

    made->is = made->is && factor.whole && old->whole;
    made->exponent = made->total == 0.0 || exponent < made->exponent ? exponent : made->exponent;
    made->lowest = exponent < made->lowest ? exponent : made->lowest;
    made->total += factor.largest * old->largest;
    made->highest = fmax(made->highest, fmax(made->total, old->largest));
}

/* So many digits hold every sum on the way, in whatever order. */
bool plx_sums_are_whole(const plx_inputs *inputs, int digits, int lowest, double highest, double *unit)
{
    double alpha, beta;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    if (!inputs->from_arrays || plx_factor_count(inputs) == 0 || alpha == 0.0)
        return false;
    whole made = product_of_factors(inputs, alpha);
    if (beta != 0.0)
        add_old(inputs, beta, &made);
    *unit = ldexp(1.0, made.exponent);
    return made.is && made.total <= ldexp(1.0, made.exponent + digits) && made.lowest >= lowest &&
           made.highest <= highest;
}
