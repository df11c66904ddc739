/* Judges a result, every element against a bound that follows from the arithmetic.
 * The check is written !(error <= bound), which a NaN does not pass. */
#include "study/judge/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What one thread judges at a time. */
enum { CHUNK = 1 << 16 };

/* ---- one element ------------------------------------------------------------------- */

typedef enum verdict { RIGHT, WRONG, INDETERMINATE } verdict;

typedef struct finding {
    verdict verdict;
    double over_bound, ulp, over_terms;
    bool hidden; /* zero would be within the bound, too */
} finding;

static double ratio_of(double error, double bound)
{
    if (error == 0.0)
        return 0.0;
    if (!(bound > 0.0) || isnan(error))
        return (double)INFINITY;
    return error / bound;
}

/* NaN must be NaN, Inf the same Inf. */
static finding judge_special(double got, double value)
{
    bool right = isnan(value) ? isnan(got) : got == value;
    double far = right ? 0.0 : (double)INFINITY;
    return (finding){.verdict = right ? RIGHT : WRONG, .over_bound = far, .ulp = far};
}

/* A zero of the wrong sign where the result is exact: of zeros alone, or where no term underflows. */
static bool has_wrong_sign(const plx_bound *bound, double got, double value, double tail, double magnitude)
{
    bool exact = value == 0.0 && tail == 0.0 && (magnitude == 0.0 || bound->signed_zeros);
    const bool either = bound->either_zero || (bound->zeros_of_terms && magnitude == 0.0);
    return exact && !either && got == 0.0 && signbit(got) != signbit(value);
}

/* The true result has a place in the range of the sums, but perhaps none in that of the result: what is
 * infinite must come from a sum that could have been that far, and what is finite from one that
 * could not have been. */
static finding judge_overflow(const plx_bound *bound, double got, double value, double magnitude)
{
    const double allowed = bound->gamma * magnitude + bound->underflow;
    const double toward = signbit(isinf(got) ? got : value) ? -value : value;
    const double away = isinf(got) ? bound->overflow - toward : toward - bound->overflow;
    const bool right = isinf(got) ? away <= allowed : away < allowed;
    return (finding){.verdict = right ? RIGHT : WRONG, .over_bound = ratio_of(away > 0.0 ? away : 0.0, allowed)};
}

static bool may_overflow(const plx_bound *bound, double got, double value)
{
    return isfinite(bound->overflow) && (isinf(got) || fabs(value) >= bound->overflow);
}

static finding judge_real(plx_dtype dtype, const plx_bound *bound, double got, double value, double tail,
                          double magnitude)
{
    double error, allowed;
    finding found = {.verdict = RIGHT};

    if (bound->cut_nans && isinf(got) && plx_nan_is_cut_off(value))
        return (finding){.verdict = RIGHT};
    if (isnan(value) || isinf(value))
        return judge_special(got, value);
    if (!(magnitude <= bound->range))
        return (finding){.verdict = INDETERMINATE};
    if (has_wrong_sign(bound, got, value, tail, magnitude))
        return (finding){.verdict = WRONG, .over_bound = (double)INFINITY, .ulp = 1.0};
    error = fabs((got - value) - tail);
    allowed = bound->gamma * magnitude + bound->narrowing * fabs(value) + bound->underflow;
    if (bound->rounded_once || magnitude == 0.0) { /* nothing but zeros rounds nothing */
        const double exact = plx_rounded_to(dtype, value);
        if (isinf(exact))
            return judge_special(got, exact);
        error = fabs(got - exact);
        allowed = bound->flushes ? 0x1p-126 : 0.0;
    } else if (may_overflow(bound, got, value)) {
        const finding beyond = judge_overflow(bound, got, value, magnitude);
        if (isinf(got) || beyond.verdict == WRONG)
            return beyond;
    }
    found.hidden =
        bound->may_hide && !bound->rounded_once && bound->gamma * magnitude >= fabs(value) && magnitude > 0.0;
    found.ulp = error / plx_spacing(dtype, value);
    if (isnan(found.ulp))
        found.ulp = (double)INFINITY;
    found.over_bound = ratio_of(error, allowed);
    found.over_terms = magnitude > 0.0 && isfinite(error) ? error / magnitude : 0.0;
    if (!(error <= allowed))
        found.verdict = WRONG;
    return found;
}

/* ---- all elements --------------------------------------------------------------------- */

typedef struct tally {
    double over_bound, ulp, over_terms;
    int64_t wrong, indeterminate, hidden, first_entry;
} tally;

static void count(tally *sum, const finding *found, int64_t entry)
{
    if (found->verdict == INDETERMINATE)
        ++sum->indeterminate;
    if (found->verdict == WRONG && sum->wrong++ == 0)
        sum->first_entry = entry;
    sum->hidden += found->hidden ? 1 : 0;
    if (found->over_bound > sum->over_bound)
        sum->over_bound = found->over_bound;
    if (found->ulp > sum->ulp)
        sum->ulp = found->ulp;
    if (found->over_terms > sum->over_terms)
        sum->over_terms = found->over_terms;
}

/* In any order: the first wrong entry stays the first. */
static void add_tally(tally *all, const tally *part)
{
    if (part->wrong > 0 && (all->wrong == 0 || part->first_entry < all->first_entry))
        all->first_entry = part->first_entry;
    all->wrong += part->wrong;
    all->indeterminate += part->indeterminate;
    all->hidden += part->hidden;
    if (part->over_bound > all->over_bound)
        all->over_bound = part->over_bound;
    if (part->ulp > all->ulp)
        all->ulp = part->ulp;
    if (part->over_terms > all->over_terms)
        all->over_terms = part->over_terms;
}

static int64_t element_of(const plx_reference_result *reference, int64_t entry)
{
    return reference->sample != NULL ? reference->sample[entry] : entry;
}

/* Of floating-point minima and maxima one NaN is as good as another, and for some kernels one zero. */
static bool is_as_good(const plx_inputs *inputs, const plx_bound *bound, const void *expected, int64_t entry,
                       const void *result, int64_t place)
{
    const plx_dtype dtype = plx_result_dtype(inputs);
    if (plx_factor_count(inputs) == 0 || !plx_is_floating(dtype))
        return false;
    const double value = plx_element_value(dtype, expected, entry), got = plx_element_value(dtype, result, place);
    return (isnan(value) && isnan(got)) || (bound->either_zero && value == 0.0 && got == 0.0);
}

/* The bytes. */
static finding judge_bytes(const plx_inputs *inputs, const plx_bound *bound, const void *expected, int64_t entry,
                           const void *result, int64_t place)
{
    plx_dtype dtype = plx_result_dtype(inputs);
    size_t size = plx_dtype_size(dtype);
    bool right =
        memcmp((const char *)expected + (size_t)entry * size, (const char *)result + (size_t)place * size, size) == 0;
    finding found = {.verdict = RIGHT};

    if (right || is_as_good(inputs, bound, expected, entry, result, place))
        return found;
    found = (finding){.verdict = WRONG, .over_bound = (double)INFINITY, .ulp = (double)INFINITY};
    if (plx_is_floating(dtype)) {
        double value = plx_element_value(dtype, expected, entry);
        double ulp = fabs(plx_element_value(dtype, result, place) - value) / plx_spacing(dtype, value);
        found.ulp = isnan(ulp) ? (double)INFINITY : ulp;
    }
    return found;
}

static finding judge_entry(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                           bool baseline, const void *result, int64_t entry)
{
    int64_t place = plx_output_place(inputs, baseline, element_of(reference, entry));
    plx_dtype dtype = plx_result_dtype(inputs);

    if (reference->exact)
        return judge_bytes(inputs, bound, reference->of.exact, entry, result, place);
    return judge_real(dtype, bound, plx_element_value(dtype, result, place), reference->of.value[entry],
                      reference->of.tail[entry], reference->of.magnitude[entry]);
}

/* Most results of data that is only moved are right: one memcmp says so. */
static bool all_bytes_equal(const plx_inputs *inputs, const plx_reference_result *reference, bool baseline,
                            const void *result)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    size_t size = plx_dtype_size(plx_result_dtype(inputs));

    if (!reference->exact || reference->count == 0)
        return false;
    if (plx_output_is_dense(inputs, baseline))
        return plx_same_bytes(reference->of.exact, result, (uint64_t)reference->count * size);
    for (int64_t row = 0; row < plx_inputs_count(inputs) * output->rows; ++row) {
        const int64_t place = plx_output_place(inputs, baseline, row * output->cols);
        if (memcmp((const char *)reference->of.exact + (size_t)(row * output->cols) * size,
                   (const char *)result + (size_t)place * size, (size_t)output->cols * size) != 0)
            return false;
    }
    return true;
}

static void note_first(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                       bool baseline, const void *result, int64_t entry, plx_error_measure *measure)
{
    plx_dtype dtype = plx_result_dtype(inputs);
    int64_t element = element_of(reference, entry);
    double value;

    measure->first_bad = element;
    measure->first_over_bound = judge_entry(inputs, reference, bound, baseline, result, entry).over_bound;
    plx_element_text(dtype, result, plx_output_place(inputs, baseline, element), measure->got);
    if (reference->exact) {
        plx_element_text(dtype, reference->of.exact, entry, measure->expected);
        return;
    }
    plx_element_put(dtype, &value, 0, reference->of.value[entry]);
    plx_element_text(dtype, &value, 0, measure->expected);
}

static tally judge_entries(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                           bool baseline, const void *result, int64_t first, int64_t end)
{
    tally sum = {.first_entry = -1};
    const plx_floats before = plx_floats_begin();

    for (int64_t entry = first; entry < end; ++entry) {
        finding found = judge_entry(inputs, reference, bound, baseline, result, entry);
        count(&sum, &found, entry);
    }
    plx_floats_back(before);
    return sum;
}

static tally judge_all(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                       bool baseline, const void *result)
{
    tally all = {.first_entry = -1};

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads()) if (reference->count > CHUNK)
#endif
    for (int64_t first = 0; first < reference->count; first += CHUNK) {
        tally part = judge_entries(inputs, reference, bound, baseline, result, first,
                                   reference->count - first < CHUNK ? reference->count : first + CHUNK);
#ifdef _OPENMP
#pragma omp critical
#endif
        add_tally(&all, &part);
    }
    return all;
}

void plx_judge_elements(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                        bool baseline, const void *result, plx_error_measure *measure)
{
    tally sum = {.first_entry = -1};

    *measure = (plx_error_measure){.measured = true, .compared = reference->count, .first_bad = -1};
    if (!all_bytes_equal(inputs, reference, baseline, result))
        sum = judge_all(inputs, reference, bound, baseline, result);
    measure->max_over_bound = sum.over_bound;
    measure->max_ulp = sum.ulp;
    measure->max_over_terms = sum.over_terms;
    measure->wrong = sum.wrong;
    measure->indeterminate = sum.indeterminate;
    measure->bound = reference->exact || bound->rounded_once ? PLX_BOUND_EXACT : bound->kind;
    measure->gamma = measure->bound == PLX_BOUND_EXACT ? 0.0 : bound->gamma;
    measure->narrowing = measure->bound == PLX_BOUND_EXACT ? 0.0 : bound->narrowing;
    measure->too_wide = sum.hidden > reference->count / 2;
    if (sum.wrong > 0)
        note_first(inputs, reference, bound, baseline, result, sum.first_entry, measure);
}

/* The row that failed Freivalds' test, element by element, to name the culprit. */
static plx_status judge_row(const plx_inputs *inputs, const plx_bound *bound, const void *result, int64_t row,
                            plx_error_measure *measure)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    plx_host_operands operands = {{NULL}};
    double value, tail, magnitude;
    plx_reference one = {NULL, &value, &tail, &magnitude};

    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        operands.at[i] = inputs->data[i];
    for (int64_t col = 0; col < output->cols; ++col) {
        int64_t element = row * output->cols + col;
        plx_reference_result single = {.elements = 1, .count = 1, .sample = &element, .of = one};
        finding found;
        plx_reference_make(&inputs->problem, &operands, element, 1, &one);
        found = judge_entry(inputs, &single, bound, false, result, 0);
        if (found.verdict == WRONG) {
            measure->max_over_bound = found.over_bound;
            note_first(inputs, &single, bound, false, result, 0, measure);
            return PLX_OK;
        }
    }
    measure->first_bad = row * output->cols; /* no element alone, but their sum */
    return PLX_OK;
}

/* The result of one problem. */
static const void *result_at(const plx_inputs *inputs, const void *result, int64_t which)
{
    const int64_t begin = which > 0 ? which * inputs->apart[inputs->operation->output] : 0;
    return (const char *)result + (size_t)begin * plx_dtype_size(plx_result_dtype(inputs));
}

static plx_status judge(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                        bool baseline, const void *result, plx_error_measure *measure, plx_error *error)
{
    plx_freivalds_finding found;
    plx_status status;

    plx_judge_elements(inputs, reference, bound, baseline, result, measure);
    if (reference->sample == NULL)
        return PLX_OK;
    measure->compared = reference->elements;
    for (int64_t i = 0; i < reference->projection_count; ++i) {
        const plx_inputs one = plx_inputs_at(inputs, i);
        const void *own = result_at(inputs, result, i);
        status = plx_freivalds(&one, reference->projections[i], bound, own, &found, error);
        if (status != PLX_OK)
            return status;
        measure->indeterminate += found.beyond * inputs->extents[inputs->operation->output].cols;
        if (found.worst <= 1.0 || measure->wrong > 0)
            continue;
        measure->wrong = 1;
        measure->max_over_bound = found.worst;
        status = judge_row(&one, bound, own, found.row, measure);
        if (status != PLX_OK)
            return status;
        measure->first_bad += i * plx_output_each(inputs);
    }
    return PLX_OK;
}

plx_status plx_judge(const plx_inputs *inputs, const plx_reference_result *reference, const plx_bound *bound,
                     bool baseline, const void *result, plx_error_measure *measure, plx_error *error)
{
    const plx_floats before = plx_floats_begin();
    plx_status status = plx_floats_check(error);

    if (status == PLX_OK)
        status = judge(inputs, reference, bound, baseline, result, measure, error);
    plx_floats_back(before);
    return status;
}

/* What a result that is narrower than its sum loses at the end is none of the sum's. */
static double last_rounding(plx_dtype sum, plx_dtype result, double value)
{
    return sum == result ? 0.0 : plx_unit_roundoff(result) * fabs(value) + 0.5 * plx_smallest(result);
}

void plx_precision_text(const plx_inputs *inputs, double worst, char *text, size_t capacity)
{
    (void)snprintf(text, capacity,
                   "fails the precision check of %s: an error of %.3g sqrt(k) u S, where %.3g is the limit; inputs or "
                   "sums are rounded to something narrower",
                   plx_dtype_name(inputs->problem.dtype), worst, PLX_PRECISION_LIMIT);
}

double plx_precision_error(const plx_inputs *inputs, const plx_reference_result *reference, const void *result)
{
    plx_dtype dtype = plx_result_dtype(inputs), sum = plx_sum_dtype(inputs->problem.dtype);
    double scale = sqrt((double)plx_sum_length(inputs)) * plx_unit_roundoff(sum), largest = 0.0;

    for (int64_t entry = 0; entry < reference->count; ++entry) {
        int64_t place = plx_output_place(inputs, false, element_of(reference, entry));
        double got = plx_element_value(dtype, result, place);
        double error = fabs((got - reference->of.value[entry]) - reference->of.tail[entry]);
        double last = last_rounding(sum, dtype, reference->of.value[entry]);
        error = error <= last ? 0.0 : error - last;
        double ratio = ratio_of(error, scale * reference->of.magnitude[entry]);
        if (ratio > largest)
            largest = ratio;
    }
    return largest;
}

void plx_wrong_text(const plx_inputs *inputs, const plx_error_measure *measure, const char *where, char *text,
                    size_t capacity)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    const long long row = (long long)(measure->first_bad / output->cols);
    char element[96];

    plx_output_element_text(inputs, measure->first_bad, element, sizeof element);
    if (measure->got[0] == '\0')
        (void)snprintf(text, capacity, "row %lld: no element of it alone, but their sum is off", row);
    else
        (void)snprintf(text, capacity, "%lld of %lld elements outside the bound%s; %s is %s, not %s",
                       (long long)measure->wrong, (long long)measure->compared, where, element, measure->got,
                       measure->expected);
}

/* A verdict by a bound that zero would pass is none. */
plx_outcome plx_outcome_of(const plx_inputs *inputs, const plx_error_measure *measure, int64_t depth,
                           plx_dtype accumulator, char *reason, size_t capacity)
{
    char how[40];

    reason[0] = '\0';
    if (measure->wrong > 0) {
        how[0] = '\0'; /* of a bound of 0 nothing is a multiple */
        if (isfinite(measure->max_over_bound))
            (void)snprintf(how, sizeof how, " (largest %.3g times it)", measure->max_over_bound);
        plx_wrong_text(inputs, measure, how, reason, capacity);
        return PLX_OUTCOME_WRONG;
    }
    if (!measure->too_wide)
        return PLX_OUTCOME_OK;
    (void)snprintf(reason, capacity,
                   "a result of zero would pass: the bound of a sum of depth %lld in %s is %.3g times the size of "
                   "its terms",
                   (long long)depth, plx_dtype_name(accumulator), measure->gamma);
    return PLX_OUTCOME_NOT_JUDGED;
}
