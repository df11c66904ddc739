/* Judges a result, every element against a bound that follows from the arithmetic.
 * The check is written !(error <= bound), which a NaN does not pass. */
#include "core/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What one thread judges at a time. */
enum { CHUNK = 1 << 16 };

/* ---- the bound ----------------------------------------------------------------- */

static double gamma_of(double roundings, double unit)
{
    double product = roundings * unit;
    return product < 1.0 ? product / (1.0 - product) : (double)INFINITY;
}

/* Every product and every sum may lose a subnormal's worth, in any tree: so the
 * terms count here, not the depth.  A device that flushes loses whole operands. */
static double underflow_of(const plx_inputs *inputs, double depth, double alpha, bool flushes)
{
    double terms = (double)plx_sum_length(inputs), scale = fabs(alpha) > 1.0 ? fabs(alpha) : 1.0;
    double steps = (terms > depth ? terms : depth) + 2.0;

    if (flushes)
        return (2.0 * steps) * 0x1p-126 * scale;
    return steps * plx_smallest(inputs->problem.dtype) * scale;
}

static bool small_integer(double value)
{
    return value == rint(value) && fabs(value) <= 4.0;
}

/* Numbers so small that no step rounds. */
static bool never_rounds(const plx_inputs *inputs, double alpha, double beta)
{
    return !inputs->from_arrays && inputs->input == PLX_INPUT_INTEGER && small_integer(alpha) &&
           small_integer(beta);
}

/* One product, or none that rounds. */
static bool rounds_once(const plx_inputs *inputs, double alpha, double beta)
{
    return (alpha == 1.0 && beta == 0.0 && plx_sum_length(inputs) <= 1) || never_rounds(inputs, alpha, beta);
}

plx_bound plx_bound_of(const plx_inputs *inputs, const plx_kernel *kernel, const plx_device_info *device)
{
    plx_dtype dtype = inputs->problem.dtype;
    plx_dtype accumulator = dtype == PLX_F32 ? kernel->accumulator_f32 : PLX_F64;
    plx_bound bound = {.gamma = 0.0};
    double alpha, beta, depth, unit;

    if (!plx_is_floating(dtype))
        return bound;
    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    unit = plx_unit_roundoff(accumulator == PLX_F64 ? PLX_F64 : PLX_F32);
    depth = (double)kernel->depth(&inputs->problem, device);
    bound.flushes = dtype == PLX_F32 && (device->features & PLX_FEATURE_FLUSHES_F32) != 0;
    bound.gamma = gamma_of(depth + (plx_factor_count(inputs) > 1 ? 2.0 : 0.0), unit);
    if (kernel->compute == PLX_COMPUTE_TF32)
        bound.gamma += 2.0 * 0x1p-10;
    bound.narrowing = accumulator != dtype ? plx_unit_roundoff(dtype) : 0.0;
    bound.underflow = underflow_of(inputs, depth, alpha, bound.flushes);
    bound.rounded_once = kernel->compute == PLX_COMPUTE_PLAIN && rounds_once(inputs, alpha, beta);
    bound.either_zero = alpha < 0.0 && beta == 0.0 && plx_sum_length(inputs) > 0;
    bound.signed_zeros = plx_factor_count(inputs) < 2 || never_rounds(inputs, alpha, beta);
    return bound;
}

/* ---- one element ------------------------------------------------------------------- */

typedef enum verdict { RIGHT, WRONG, INDETERMINATE } verdict;

typedef struct finding {
    verdict verdict;
    double over_bound, ulp;
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
    return (finding){right ? RIGHT : WRONG, right ? 0.0 : (double)INFINITY, right ? 0.0 : (double)INFINITY};
}

static double rounded(plx_dtype dtype, double value)
{
    return dtype == PLX_F32 ? (double)(float)value : value;
}

/* A zero of the wrong sign where the result is exact: of zeros alone, or where no term underflows. */
static bool has_wrong_sign(const plx_bound *bound, double got, double value, double tail, double magnitude)
{
    bool exact = value == 0.0 && tail == 0.0 && (magnitude == 0.0 || bound->signed_zeros);
    return exact && !bound->either_zero && got == 0.0 && signbit(got) != signbit(value);
}

static finding judge_real(plx_dtype dtype, const plx_bound *bound, double got, double value, double tail,
                          double magnitude)
{
    double error, allowed;
    finding found = {RIGHT, 0.0, 0.0};

    if (isnan(value) || isinf(value))
        return judge_special(got, value);
    if (!(magnitude <= plx_largest(dtype)))
        return (finding){INDETERMINATE, 0.0, 0.0};
    if (has_wrong_sign(bound, got, value, tail, magnitude))
        return (finding){WRONG, (double)INFINITY, 1.0};
    error = fabs((got - value) - tail);
    allowed = bound->gamma * magnitude + bound->narrowing * fabs(value) + bound->underflow;
    if (bound->rounded_once || magnitude == 0.0) { /* nothing but zeros rounds nothing */
        error = fabs(got - rounded(dtype, value));
        allowed = bound->flushes ? 0x1p-126 : 0.0;
    }
    found.ulp = error / plx_spacing(dtype, value);
    if (isnan(found.ulp))
        found.ulp = (double)INFINITY;
    found.over_bound = ratio_of(error, allowed);
    if (!(error <= allowed))
        found.verdict = WRONG;
    return found;
}

/* ---- all elements --------------------------------------------------------------------- */

typedef struct tally {
    double over_bound, ulp;
    int64_t wrong, indeterminate, first_entry;
} tally;

static void count(tally *sum, const finding *found, int64_t entry)
{
    if (found->verdict == INDETERMINATE)
        ++sum->indeterminate;
    if (found->verdict == WRONG && sum->wrong++ == 0)
        sum->first_entry = entry;
    if (found->over_bound > sum->over_bound)
        sum->over_bound = found->over_bound;
    if (found->ulp > sum->ulp)
        sum->ulp = found->ulp;
}

/* In any order: the first wrong entry stays the first. */
static void add_tally(tally *all, const tally *part)
{
    if (part->wrong > 0 && (all->wrong == 0 || part->first_entry < all->first_entry))
        all->first_entry = part->first_entry;
    all->wrong += part->wrong;
    all->indeterminate += part->indeterminate;
    if (part->over_bound > all->over_bound)
        all->over_bound = part->over_bound;
    if (part->ulp > all->ulp)
        all->ulp = part->ulp;
}

static int64_t element_of(const plx_truth *truth, int64_t entry)
{
    return truth->sample != NULL ? truth->sample[entry] : entry;
}

/* The bytes; of floating-point minima and maxima one NaN is as good as another. */
static finding judge_bytes(const plx_inputs *inputs, const void *expected, int64_t entry, const void *result,
                           int64_t place)
{
    size_t size = plx_dtype_size(inputs->problem.dtype);
    plx_dtype dtype = inputs->problem.dtype;
    bool right = memcmp((const char *)expected + (size_t)entry * size,
                        (const char *)result + (size_t)place * size, size) == 0;
    finding found = {RIGHT, 0.0, 0.0};

    if (right)
        return found;
    if (plx_factor_count(inputs) > 0 && plx_element_is_nan(dtype, expected, entry) &&
        plx_element_is_nan(dtype, result, place))
        return found;
    found = (finding){WRONG, (double)INFINITY, (double)INFINITY};
    if (plx_is_floating(dtype)) {
        double value = plx_element_value(dtype, expected, entry);
        double ulp = fabs(plx_element_value(dtype, result, place) - value) / plx_spacing(dtype, value);
        found.ulp = isnan(ulp) ? (double)INFINITY : ulp;
    }
    return found;
}

static finding judge_entry(const plx_inputs *inputs, const plx_truth *truth, const plx_bound *bound,
                           bool yardstick, const void *result, int64_t entry)
{
    int64_t place = plx_output_place(inputs, yardstick, element_of(truth, entry));
    plx_dtype dtype = inputs->problem.dtype;

    if (truth->exact)
        return judge_bytes(inputs, truth->of.exact, entry, result, place);
    return judge_real(dtype, bound, plx_element_value(dtype, result, place), truth->of.value[entry],
                      truth->of.tail[entry], truth->of.magnitude[entry]);
}

/* Most results of data that is only moved are right: one memcmp says so. */
static bool all_bytes_equal(const plx_inputs *inputs, const plx_truth *truth, bool yardstick,
                            const void *result)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    size_t size = plx_dtype_size(inputs->problem.dtype);

    if (!truth->exact || truth->count == 0)
        return false;
    if (yardstick || output->ld == output->cols)
        return plx_same_bytes(truth->of.exact, result, (uint64_t)truth->count * size);
    for (int64_t row = 0; row < output->rows; ++row)
        if (memcmp((const char *)truth->of.exact + (size_t)(row * output->cols) * size,
                   (const char *)result + (size_t)(row * output->ld) * size,
                   (size_t)output->cols * size) != 0)
            return false;
    return true;
}

static void note_first(const plx_inputs *inputs, const plx_truth *truth, bool yardstick, const void *result,
                       int64_t entry, plx_error_measure *measure)
{
    plx_dtype dtype = inputs->problem.dtype;
    int64_t element = element_of(truth, entry);

    measure->first_bad = element;
    plx_element_text(dtype, result, plx_output_place(inputs, yardstick, element), measure->got);
    if (truth->exact) {
        plx_element_text(dtype, truth->of.exact, entry, measure->expected);
        return;
    }
    if (dtype == PLX_F32) {
        float value = (float)truth->of.value[entry];
        plx_element_text(dtype, &value, 0, measure->expected);
    } else {
        plx_element_text(dtype, truth->of.value, entry, measure->expected);
    }
}

static tally judge_entries(const plx_inputs *inputs, const plx_truth *truth, const plx_bound *bound,
                           bool yardstick, const void *result, int64_t first, int64_t end)
{
    tally sum = {.first_entry = -1};

    for (int64_t entry = first; entry < end; ++entry) {
        finding found = judge_entry(inputs, truth, bound, yardstick, result, entry);
        count(&sum, &found, entry);
    }
    return sum;
}

static tally judge_all(const plx_inputs *inputs, const plx_truth *truth, const plx_bound *bound, bool yardstick,
                       const void *result)
{
    tally all = {.first_entry = -1};

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (truth->count > CHUNK)
#endif
    for (int64_t first = 0; first < truth->count; first += CHUNK) {
        tally part = judge_entries(inputs, truth, bound, yardstick, result, first,
                                   truth->count - first < CHUNK ? truth->count : first + CHUNK);
#ifdef _OPENMP
#pragma omp critical
#endif
        add_tally(&all, &part);
    }
    return all;
}

void plx_judge_elements(const plx_inputs *inputs, const plx_truth *truth, const plx_bound *bound,
                        bool yardstick, const void *result, plx_error_measure *measure)
{
    tally sum = {.first_entry = -1};

    *measure = (plx_error_measure){.measured = true, .compared = truth->count, .first_bad = -1};
    if (!all_bytes_equal(inputs, truth, yardstick, result))
        sum = judge_all(inputs, truth, bound, yardstick, result);
    measure->max_over_bound = sum.over_bound;
    measure->max_ulp = sum.ulp;
    measure->wrong = sum.wrong;
    measure->indeterminate = sum.indeterminate;
    if (sum.wrong > 0)
        note_first(inputs, truth, yardstick, result, sum.first_entry, measure);
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
        plx_truth single = {.elements = 1, .count = 1, .sample = &element, .of = one};
        finding found;
        inputs->operation->reference(&inputs->problem, &operands, element, 1, &one);
        found = judge_entry(inputs, &single, bound, false, result, 0);
        if (found.verdict == WRONG) {
            measure->max_over_bound = found.over_bound;
            note_first(inputs, &single, false, result, 0, measure);
            return PLX_OK;
        }
    }
    measure->first_bad = row * output->cols; /* no element alone, but their sum */
    return PLX_OK;
}

plx_status plx_judge(const plx_inputs *inputs, const plx_truth *truth, const plx_bound *bound, bool yardstick,
                     const void *result, plx_error_measure *measure, plx_error *error)
{
    double worst;
    int64_t row;
    plx_status status;

    plx_judge_elements(inputs, truth, bound, yardstick, result, measure);
    if (truth->sample == NULL)
        return PLX_OK;
    status = plx_freivalds(inputs, truth->projection, bound, result, &worst, &row, error);
    if (status != PLX_OK)
        return status;
    measure->compared = truth->elements;
    if (worst <= 1.0 || measure->wrong > 0)
        return PLX_OK;
    measure->wrong = 1;
    measure->max_over_bound = worst;
    return judge_row(inputs, bound, result, row, measure);
}

double plx_honesty(const plx_inputs *inputs, const plx_truth *truth, const void *result)
{
    plx_dtype dtype = inputs->problem.dtype;
    double scale = sqrt((double)plx_sum_length(inputs)) * plx_unit_roundoff(dtype), largest = 0.0;

    for (int64_t entry = 0; entry < truth->count; ++entry) {
        int64_t place = plx_output_place(inputs, false, element_of(truth, entry));
        double got = plx_element_value(dtype, result, place);
        double error = fabs((got - truth->of.value[entry]) - truth->of.tail[entry]);
        double ratio = ratio_of(error, scale * truth->of.magnitude[entry]);
        if (ratio > largest)
            largest = ratio;
    }
    return largest;
}
