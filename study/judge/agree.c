/* Agreement of two results: NaN positions, signs of Inf, and for every other element
 * a difference within the sum of the two bounds. */
#include "study/judge/judge.h"

#include <math.h>
#include <string.h>

/* What one thread compares at a time. */
enum { CHUNK = 1 << 16 };

typedef struct contrast {
    const plx_inputs *inputs;
    const plx_reference_result *reference;
    const plx_judged_result *first, *second;
} contrast;

/* Magnitude and value as far as they are known; for what was not sampled, the
 * Cauchy-Schwarz inequality bounds the magnitude. */
static void known(const contrast *of, int64_t element, double largest, double *magnitude, double *value)
{
    const plx_extent *output = &of->inputs->extents[of->inputs->operation->output];
    double alpha, beta;

    if (of->reference->sample == NULL) {
        *magnitude = of->reference->of.magnitude[element];
        *value = of->reference->of.value[element];
        return;
    }
    plx_problem_scalars(&of->inputs->problem, &alpha, &beta);
    const int64_t each = plx_output_each(of->inputs), problem = element / each, within = element % each;
    *magnitude = fabs(alpha) * of->reference->row_norm[problem * output->rows + within / output->cols] *
                 of->reference->column_norm[problem * output->cols + within % output->cols];
    if (beta != 0.0)
        *magnitude +=
            fabs(beta * plx_element_value(plx_result_dtype(of->inputs), of->inputs->data[of->inputs->operation->output],
                                          plx_output_place(of->inputs, false, element)));
    *value = largest;
}

static double allowed(const plx_bound *bound, double magnitude, double value)
{
    if (bound->rounded_once)
        return bound->flushes ? 0x1p-126 : 0.0;
    return bound->gamma * magnitude + bound->narrowing * fabs(value) + bound->underflow;
}

typedef struct difference {
    bool agree;
    double over_bound, ulp;
} difference;

/* Where the result is narrower than its sum, what is infinite may have just come to be so: it is as
 * far as the least that is. */
static double in_range(const plx_bound *bound, double value)
{
    return isinf(value) && isfinite(bound->overflow) ? copysign(bound->overflow, value) : value;
}

static difference contrast_real(const contrast *of, int64_t element, int64_t place)
{
    const double range = fmin(of->first->bound.range, of->second->bound.range);
    plx_dtype dtype = plx_result_dtype(of->inputs);
    double a = in_range(&of->first->bound, plx_element_value(dtype, of->first->result, place));
    double b = in_range(&of->second->bound, plx_element_value(dtype, of->second->result, place));
    double largest = fabs(a) > fabs(b) ? fabs(a) : fabs(b), magnitude, value, bound, apart = fabs(a - b);

    if (a == b || (isnan(a) && isnan(b)))
        return (difference){true, 0.0, 0.0};
    known(of, element, largest, &magnitude, &value);
    if ((of->first->bound.cut_nans || of->second->bound.cut_nans) && !isfinite(a) && !isfinite(b) &&
        plx_nan_is_cut_off(value))
        return (difference){true, 0.0, (double)INFINITY};
    if (isfinite(value) && !(magnitude <= range))
        return (difference){true, 0.0, isfinite(apart) ? apart / plx_spacing(dtype, largest) : (double)INFINITY};
    if (!isfinite(apart))
        return (difference){false, (double)INFINITY, (double)INFINITY};
    bound = allowed(&of->first->bound, magnitude, value) + allowed(&of->second->bound, magnitude, value);
    return (difference){apart <= bound, bound > 0.0 ? apart / bound : (double)INFINITY,
                        apart / plx_spacing(dtype, largest)};
}

static difference contrast_exact(const contrast *of, int64_t place)
{
    const plx_dtype dtype = plx_result_dtype(of->inputs);
    const bool computed = plx_factor_count(of->inputs) > 0 && plx_is_floating(dtype);
    const double a = computed ? plx_element_value(dtype, of->first->result, place) : 1.0,
                 b = computed ? plx_element_value(dtype, of->second->result, place) : 2.0;
    const bool any_zero = of->first->bound.either_zero || of->second->bound.either_zero;

    if ((isnan(a) && isnan(b)) || (any_zero && a == 0.0 && b == 0.0))
        return (difference){true, 0.0, 0.0};
    return (difference){false, (double)INFINITY, (double)INFINITY};
}

/* What a stretch of elements showed. */
typedef struct tally {
    bool identical, agree;
    double over_bound, ulp;
    int64_t first_different; /* -1: none */
} tally;

static tally contrast_stretch(const contrast *of, bool baseline, int64_t first, int64_t end)
{
    size_t size = plx_dtype_size(plx_result_dtype(of->inputs));
    tally found = {.identical = true, .agree = true, .first_different = -1};
    const plx_floats before = plx_floats_begin();

    for (int64_t element = first; element < end; ++element) {
        int64_t place = plx_output_place(of->inputs, baseline, element);
        const char *a = (const char *)of->first->result + (size_t)place * size;
        const char *b = (const char *)of->second->result + (size_t)place * size;
        difference one;
        if (memcmp(a, b, size) == 0)
            continue;
        one = of->reference->exact ? contrast_exact(of, place) : contrast_real(of, element, place);
        found.identical = false;
        found.agree = found.agree && one.agree;
        found.over_bound = one.over_bound > found.over_bound ? one.over_bound : found.over_bound;
        found.ulp = one.ulp > found.ulp ? one.ulp : found.ulp;
        if (found.first_different < 0)
            found.first_different = element;
    }
    plx_floats_back(before);
    return found;
}

static void add_tally(tally *all, const tally *part)
{
    all->identical = all->identical && part->identical;
    all->agree = all->agree && part->agree;
    if (part->over_bound > all->over_bound)
        all->over_bound = part->over_bound;
    if (part->ulp > all->ulp)
        all->ulp = part->ulp;
    if (part->first_different >= 0 && (all->first_different < 0 || part->first_different < all->first_different))
        all->first_different = part->first_different;
}

static tally contrast_all(const contrast *of, bool baseline)
{
    int64_t count = of->reference->elements;
    tally all = {.identical = true, .agree = true, .first_different = -1};

    if (of->first->result == of->second->result) /* kept once */
        return all;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (count > CHUNK)
#endif
    for (int64_t first = 0; first < count; first += CHUNK) {
        tally part = contrast_stretch(of, baseline, first, count - first < CHUNK ? count : first + CHUNK);
#ifdef _OPENMP
#pragma omp critical
#endif
        add_tally(&all, &part);
    }
    return all;
}

void plx_agree(const plx_inputs *inputs, const plx_reference_result *reference, bool baseline,
               const plx_judged_result *first, const plx_judged_result *second, plx_pair *pair)
{
    contrast of = {.inputs = inputs, .reference = reference, .first = first, .second = second};
    const plx_floats before = plx_floats_begin();
    tally all = contrast_all(&of, baseline);

    pair->compared = true;
    pair->identical = all.identical;
    pair->agree = all.agree;
    pair->elements = reference->elements;
    pair->max_ulp = all.ulp;
    pair->max_over_bound = all.over_bound;
    pair->first_different = all.first_different;
    pair->value_first[0] = pair->value_second[0] = '\0';
    if (all.first_different >= 0) {
        int64_t place = plx_output_place(inputs, baseline, all.first_different);
        plx_element_text(plx_result_dtype(inputs), first->result, place, pair->value_first);
        plx_element_text(plx_result_dtype(inputs), second->result, place, pair->value_second);
    }
    plx_floats_back(before);
}
