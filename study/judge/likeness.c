/* What an error is like.  What rounding the operands to fewer digits does to a result follows from the operands,
 * whatever the order of the sums: how much of the error does it explain?  (doc/validation.md, "A likeness") */
#include "study/judge/judge.h"

#include "base/team.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ELEMENTS = 256, LEAST_ELEMENTS = 32, UNIT_TERMS = 8 };

/* Terms of all elements together that are looked at. */
static const double MOST_TERMS = 0x1p22;
/* The share of an error from which on a model explains it: the right one has 0.84 or more, any other none. */
static const double EXPLAINED = 0.5;
/* An error that is so many times that of a loop in the promised arithmetic is another's. */
static const double ROUGHER = 8.0;
/* An error that is so many times smaller than that of a loop in the promised compute type: its operands were not
 * rounded to it. */
static const double FINER = 64.0;

/* ---- models ------------------------------------------------------------------------------- */

typedef struct model {
    const char *name, *shown;
    int digits, lowest; /* of the significand; exponent of the smallest normal number */
    double largest;
    bool cut_off;
} model;

static const model models[PLX_MODEL_COUNT] = {
    [PLX_MODEL_F32] = {"f32", "f32", 24, -126, 0x1.fffffep127, false},
    [PLX_MODEL_F32_CUT] = {"f32-cut", "f32, cut off", 24, -126, 0x1.fffffep127, true},
    [PLX_MODEL_TF32] = {"tf32", "tf32", 11, -126, 0x1.ffcp127, false},
    [PLX_MODEL_TF32_CUT] = {"tf32-cut", "tf32, cut off", 11, -126, 0x1.ffcp127, true},
    [PLX_MODEL_F16] = {"f16", "f16", 11, -14, 65504.0, false},
    [PLX_MODEL_F16_CUT] = {"f16-cut", "f16, cut off", 11, -14, 65504.0, true},
    [PLX_MODEL_BF16] = {"bf16", "bf16", 8, -126, 0x1.fep127, false},
    [PLX_MODEL_BF16_CUT] = {"bf16-cut", "bf16, cut off", 8, -126, 0x1.fep127, true},
};

const char *plx_model_name(plx_model which)
{
    return (unsigned)which < PLX_MODEL_COUNT ? models[which].name : "unknown";
}

/* By what is added to and cut off from its bits; ties go away from zero, which is one number in thousands. */
static inline double rounded_by(const model *to, double value)
{
    const uint64_t unit = UINT64_C(1) << (53 - to->digits);
    uint64_t bits;
    double rounded;

    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < to->lowest) { /* a subnormal number there */
        const double last = ldexp(1.0, to->lowest - to->digits + 1);
        return (to->cut_off ? trunc(value / last) : rint(value / last)) * last;
    }
    bits += to->cut_off ? 0 : unit / 2;
    bits &= ~(unit - 1);
    memcpy(&rounded, &bits, sizeof rounded);
    if (fabs(rounded) <= to->largest)
        return rounded;
    return to->cut_off ? copysign(to->largest, value) : copysign((double)INFINITY, value);
}

/* Operands that have no more digits are the same in it. */
static bool applies(plx_dtype dtype, const model *to)
{
    return ldexp(1.0, -to->digits) > plx_unit_roundoff(dtype);
}

/* ---- the terms of an element ------------------------------------------------------------------ */

typedef struct line {
    const void *data;
    int64_t first, step;
} line;

/* Element (row, col) of a matrix is the sum of a row's and a column's products; that of a vector of a row's with the
 * only vector. */
static line line_of(const plx_inputs *inputs, size_t operand, int64_t element)
{
    const plx_extent *extent = &inputs->extents[operand], *output = &inputs->extents[inputs->operation->output];
    int64_t which = 0;

    if (inputs->operation->output_rank == 2)
        which = operand == 0 ? element / output->cols : element % output->cols;
    else if (inputs->operation->output_rank == 1 && operand == 0)
        which = element;
    return extent->sum_axis == 1 ? (line){inputs->data[operand], which * extent->ld, 1}
                                 : (line){inputs->data[operand], which, extent->ld};
}

typedef struct sums {
    double error[PLX_MODEL_COUNT]; /* what rounding the operands so does */
    double own;                    /* what a loop in the promised arithmetic gives */
} sums;

static inline double cut_to_f32(double value)
{
    const float near = (float)value;
    if (fabs((double)near) > fabs(value))
        return (double)nextafterf(near, 0.0F);
    return (double)near;
}

/* A loop, one term after the other; in matrix units so many terms at once, and what hangs over is cut off. */
typedef struct loop {
    const plx_arithmetic *by;
    double sum, waiting;
    int count;
} loop;

static inline void loop_add(loop *of, double term)
{
    if (!of->by->matrix_units) {
        of->sum = plx_rounded_to(of->by->accumulator, of->sum + plx_rounded_to(of->by->accumulator, term));
        return;
    }
    of->waiting += term;
    if (++of->count < UNIT_TERMS)
        return;
    of->sum = cut_to_f32(of->sum + of->waiting);
    of->waiting = 0.0;
    of->count = 0;
}

static double loop_end(loop *of)
{
    if (of->count > 0)
        of->sum = cut_to_f32(of->sum + of->waiting);
    return of->sum;
}

static sums sum_terms(const plx_inputs *inputs, const plx_arithmetic *by, int64_t element)
{
    const int64_t terms = plx_sum_length(inputs);
    const plx_dtype dtype = inputs->problem.dtype;
    const bool product = plx_factor_count(inputs) == 2;
    const model *promised = by->compute == PLX_COMPUTE_TF32 ? &models[PLX_MODEL_TF32_CUT] : NULL;
    const line first = line_of(inputs, 0, element), second = product ? line_of(inputs, 1, element) : first;
    sums found = {.own = 0.0};
    loop own = {.by = by};

    for (int64_t l = 0; l < terms; ++l) {
        const double a = plx_element_value(dtype, first.data, first.first + l * first.step);
        const double b = product ? plx_element_value(dtype, second.data, second.first + l * second.step) : 1.0;
        for (int i = 0; i < PLX_MODEL_COUNT; ++i)
            if (applies(dtype, &models[i]))
                found.error[i] += rounded_by(&models[i], a) * (product ? rounded_by(&models[i], b) : 1.0) - a * b;
        loop_add(&own, promised != NULL ? rounded_by(promised, a) * rounded_by(promised, b) : a * b);
    }
    found.own = loop_end(&own);
    return found;
}

/* ---- all elements --------------------------------------------------------------------------------- */

/* Squares of what is left of the errors, each over the size of what was summed. */
typedef struct squares {
    double error, own, left[PLX_MODEL_COUNT], effect[PLX_MODEL_COUNT];
    int64_t count;
} squares;

static void add_squares(squares *all, const squares *one)
{
    all->error += one->error;
    all->own += one->own;
    all->count += one->count;
    for (int i = 0; i < PLX_MODEL_COUNT; ++i) {
        all->left[i] += one->left[i];
        all->effect[i] += one->effect[i];
    }
}

static double square(double value)
{
    return value * value;
}

/* What is no number, or may overflow, tells nothing. */
static squares look_at(const plx_inputs *inputs, const plx_arithmetic *by, const void *result, int64_t element)
{
    const size_t output = inputs->operation->output;
    const plx_dtype dtype = plx_result_dtype(inputs);
    const int64_t place = plx_output_place(inputs, false, element);
    plx_host_operands operands = {{NULL}};
    double value, tail, size, alpha, beta;
    plx_reference one = {NULL, &value, &tail, &size};
    squares found = {.count = 0};

    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        operands.at[i] = inputs->data[i];
    plx_reference_make(&inputs->problem, &operands, element, 1, &one);
    const double error = (plx_element_value(dtype, result, place) - value) - tail;
    if (!isfinite(error) || !isfinite(size) || !(size > 0.0))
        return found;
    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    const sums of = sum_terms(inputs, by, element);
    const double old = beta != 0.0 ? beta * plx_element_value(dtype, inputs->data[output], place) : 0.0;
    const double own = plx_rounded_to(dtype, plx_rounded_to(by->accumulator, alpha * of.own + old));
    found.count = 1;
    found.error = square(error / size);
    found.own = square(((own - value) - tail) / size);
    for (int i = 0; i < PLX_MODEL_COUNT; ++i) {
        found.left[i] = square((error - alpha * of.error[i]) / size);
        found.effect[i] = square(alpha * of.error[i] / size);
    }
    return found;
}

static squares look_at_sample(const plx_inputs *inputs, const plx_arithmetic *by, const void *result, int64_t count,
                              int64_t elements)
{
    squares each[MOST_ELEMENTS], all = {.count = 0};

#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(plx_team_threads())
#endif
    for (int64_t i = 0; i < count; ++i) {
        const int64_t element =
            count == elements ? i : (int64_t)(plx_random(inputs->seed, 129, (uint64_t)i) % (uint64_t)elements);
        const plx_floats before = plx_floats_begin();
        each[i] = look_at(inputs, by, result, element);
        plx_floats_back(before);
    }
    for (int64_t i = 0; i < count; ++i) /* in their order, whatever the threads */
        add_squares(&all, &each[i]);
    return all;
}

/* ---- what it is like ---------------------------------------------------------------------------------- */

static const char *own_name(const plx_arithmetic *by)
{
    return by->compute != PLX_COMPUTE_PLAIN ? plx_compute_name(by->compute) : plx_dtype_name(by->accumulator);
}

static void unknown(plx_likeness *likeness, const char *why)
{
    likeness->like = PLX_LIKE_UNKNOWN;
    (void)snprintf(likeness->text, sizeof likeness->text, "can't tell: %s", why);
}

/* Every model explains that there is no error where operands are the same in it. */
static void fill_shares(const plx_inputs *inputs, const squares *all, plx_likeness *likeness)
{
    for (int i = 0; i < PLX_MODEL_COUNT; ++i) {
        const bool told = applies(inputs->problem.dtype, &models[i]) && all->effect[i] > 0.0 && isfinite(all->left[i]);
        likeness->explained[i] = !told              ? (double)NAN
                                 : all->error > 0.0 ? 1.0 - all->left[i] / all->error
                                                    : -(double)INFINITY;
    }
}

/* Of those that explain as much, as tf32 and f16 with as many digits do, the first. */
static int best_of(const plx_likeness *likeness)
{
    int best = -1;
    for (int i = 0; i < PLX_MODEL_COUNT; ++i)
        if (!isnan(likeness->explained[i]) && (best < 0 || likeness->explained[i] > likeness->explained[best] + 1e-3))
            best = i;
    return best;
}

/* Whether rounding to the model that keeps the most digits would have been seen. */
static bool finest_is_told(const plx_inputs *inputs, const plx_likeness *likeness)
{
    for (int i = 0; i < PLX_MODEL_COUNT; ++i)
        if (applies(inputs->problem.dtype, &models[i]))
            return !isnan(likeness->explained[i]);
    return true; /* no type has fewer digits that operands are rounded to */
}

static void decide(const plx_inputs *inputs, const plx_arithmetic *by, plx_likeness *likeness)
{
    const double own = fmax(likeness->own_rms, 0.125);
    const int best = best_of(likeness);
    char why[100];

    likeness->model = best < 0 ? PLX_MODEL_COUNT : (plx_model)best;
    if (best >= 0 && likeness->explained[best] >= EXPLAINED) {
        likeness->like = PLX_LIKE_ROUNDED;
        (void)snprintf(likeness->text, sizeof likeness->text,
                       "like %s: the rounding of its operands explains %.1f %% of the error", models[best].shown,
                       100.0 * likeness->explained[best]);
    } else if (likeness->rms > ROUGHER * own) {
        likeness->like = PLX_LIKE_ROUGHER;
        (void)snprintf(likeness->text, sizeof likeness->text,
                       "rougher than %s: %.3g times the error of a loop, and no rounding of operands explains it",
                       own_name(by), likeness->rms / own);
    } else if (best >= 0 && likeness->explained[best] > 0.0) {
        (void)snprintf(why, sizeof why, "%s explains %.0f %% of the error", models[best].shown,
                       100.0 * likeness->explained[best]);
        unknown(likeness, why);
    } else if (!finest_is_told(inputs, likeness)) {
        unknown(likeness, "its operands are the same with fewer digits");
    } else if (by->compute != PLX_COMPUTE_PLAIN && likeness->rms * FINER < likeness->own_rms) {
        likeness->like = PLX_LIKE_FINER;
        (void)snprintf(likeness->text, sizeof likeness->text,
                       "more exact than %s: its error is %.2g times that of a loop in %s", own_name(by),
                       likeness->rms / own, own_name(by));
    } else {
        likeness->like = PLX_LIKE_OWN;
        (void)snprintf(likeness->text, sizeof likeness->text, "like %s: its error is %.2g times that of a loop",
                       own_name(by), likeness->rms / own);
    }
}

static void conclude(const plx_inputs *inputs, const plx_arithmetic *by, const squares *all, plx_likeness *likeness)
{
    const double unit = plx_unit_roundoff(by->accumulator);

    likeness->elements = all->count;
    if (all->count < LEAST_ELEMENTS) {
        unknown(likeness, "fewer than 32 elements are finite");
        return;
    }
    likeness->rms = sqrt(all->error / (double)all->count) / unit;
    likeness->own_rms = sqrt(all->own / (double)all->count) / unit;
    fill_shares(inputs, all, likeness);
    decide(inputs, by, likeness);
}

/* What is only moved, or exact, is like nothing else. */
static bool is_rounded(const plx_inputs *inputs)
{
    double alpha, beta;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    return plx_is_floating(inputs->problem.dtype) && !plx_is_exact(&inputs->problem) && plx_sum_length(inputs) > 0 &&
           alpha != 0.0;
}

static plx_likeness likeness_of_one(const plx_inputs *inputs, const plx_arithmetic *by, const void *result)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];
    const int64_t elements = output->rows * output->cols;
    plx_likeness likeness = {.measured = is_rounded(inputs), .model = PLX_MODEL_COUNT};

    if (!likeness.measured)
        return likeness;
    const double affordable = MOST_TERMS / (double)plx_sum_length(inputs);
    int64_t count = elements < MOST_ELEMENTS ? elements : MOST_ELEMENTS;
    count = (double)count > affordable ? (int64_t)affordable : count;
    if (count < LEAST_ELEMENTS) {
        unknown(&likeness, elements < LEAST_ELEMENTS ? "fewer than 32 elements" : "its sums are too long");
        return likeness;
    }
    const plx_floats before = plx_floats_begin();
    const squares all = look_at_sample(inputs, by, result, count, elements);
    conclude(inputs, by, &all, &likeness);
    plx_floats_back(before);
    return likeness;
}

/* Of a batch one problem tells, which nobody knows before. */
plx_likeness plx_likeness_of(const plx_inputs *inputs, const plx_arithmetic *by, const void *result)
{
    const int64_t which = (int64_t)(plx_random(inputs->seed, 257, 0) % (uint64_t)plx_inputs_count(inputs));
    const int64_t begin = which * inputs->apart[inputs->operation->output];
    const plx_inputs one = plx_inputs_at(inputs, which);

    return likeness_of_one(plx_inputs_is_batch(inputs) ? &one : inputs, by,
                           (const char *)result + (size_t)begin * plx_dtype_size(plx_result_dtype(inputs)));
}

/* Eleven digits are what TF32 keeps, and f16 as well. */
bool plx_is_less_exact(const plx_likeness *likeness, plx_compute promised)
{
    if (likeness->like == PLX_LIKE_ROUGHER)
        return true;
    return likeness->like == PLX_LIKE_ROUNDED &&
           !(promised == PLX_COMPUTE_TF32 && models[likeness->model].digits >= models[PLX_MODEL_TF32].digits);
}
