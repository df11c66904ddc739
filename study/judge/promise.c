/* What a result claims of its arithmetic, in words and as what a bound follows from
 * (doc/validation.md, "A promise"). */
#include "study/judge/judge.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Runs of so many terms are added one after the other at the end of a pairwise sum. */
enum { PAIRWISE_RUN = 128 };
/* Products of f32 as planes of 16 bits meet so many roundings however few terms there are (doc/validation.md). */
enum { LEAST_OF_PLANES = 60 };

static const char *const sums_names[PLX_SUMS_COUNT] = {
    [PLX_SUMS_ANY] = "any",
    [PLX_SUMS_SEQUENTIAL] = "sequential",
    [PLX_SUMS_PAIRWISE] = "pairwise",
    [PLX_SUMS_DEPTH] = "depth",
};

const char *plx_sums_name(plx_sums sums)
{
    return (unsigned)sums < PLX_SUMS_COUNT ? sums_names[sums] : "unknown";
}

/* ---- from words ------------------------------------------------------------------ */

static bool read_number(const char *word, int64_t least, int64_t most, int64_t *number)
{
    char *end;
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    *number = value;
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' && errno == 0 && value >= least && value <= most;
}

static plx_status set_sums(plx_promise *promise, const char *word, plx_error *error)
{
    for (int i = 0; i < PLX_SUMS_DEPTH; i++)
        if (strcmp(word, sums_names[i]) == 0) {
            promise->sums = (plx_sums)i;
            promise->depth = 0;
            return PLX_OK;
        }
    if (!read_number(word, 1, INT64_MAX, &promise->depth))
        return plx_fail(error, PLX_INVALID,
                        "--sums: '%.60s' is neither any, sequential nor pairwise, nor a depth from 1 on", word);
    promise->sums = PLX_SUMS_DEPTH;
    return PLX_OK;
}

static plx_status set_accumulator(plx_promise *promise, const char *word, plx_error *error)
{
    plx_dtype dtype;
    if (!plx_dtype_from_name(word, &dtype) || !plx_is_floating(dtype))
        return plx_fail(error, PLX_INVALID, "--accumulator: sums are kept in f16, bf16, f32 or f64, not in '%.60s'",
                        word);
    promise->accumulator = PLX_OUTPUT(dtype);
    return PLX_OK;
}

static plx_status set_parts(plx_promise *promise, const char *word, plx_error *error)
{
    int64_t parts;
    if (!read_number(word, 1, INT32_MAX, &parts))
        return plx_fail(error, PLX_INVALID, "--narrow-parts: '%.60s' is no number of parts from 1 on", word);
    promise->narrow_parts = (int32_t)parts;
    return PLX_OK;
}

plx_status plx_promise_set(plx_promise *promise, const char *name, const char *word, plx_error *error)
{
    static const struct {
        const char *name;
        plx_status (*set)(plx_promise *, const char *, plx_error *);
    } settings[] = {{"sums", set_sums}, {"accumulator", set_accumulator}, {"narrow-parts", set_parts}};
    bool *const flags[] = {&promise->no_matrix_units, &promise->flushes, &promise->typical};
    static const char *const flag_names[] = {"no-units", "flushes", "typical"};

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strcmp(name, settings[i].name) == 0)
            return word != NULL ? settings[i].set(promise, word, error)
                                : plx_fail(error, PLX_INVALID, "--%s needs an argument", name);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(name, flag_names[i]) == 0) {
            *flags[i] = true;
            return PLX_OK;
        }
    return plx_fail(error, PLX_INVALID, "'%.60s' is nothing that a promise says", name);
}

/* ---- what it is ------------------------------------------------------------------- */

/* Whether results of the problem are rounded at all, so that there is something to promise. */
static bool has_sums(const plx_problem *problem)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    return plx_operation_computes(operation) && plx_is_floating(problem->dtype) && !plx_is_exact(problem);
}

static plx_dtype accumulator_of(const plx_problem *problem, const plx_promise *promise)
{
    if (promise->accumulator != 0)
        return (plx_dtype)(promise->accumulator - 1);
    return plx_sum_dtype(problem->dtype);
}

static bool is_default(const plx_promise *promise)
{
    return promise->sums == PLX_SUMS_ANY && promise->narrow_parts == 0 && promise->accumulator == 0 &&
           !promise->no_matrix_units && !promise->flushes;
}

static plx_status check_accumulator(const plx_problem *problem, const plx_promise *promise, plx_error *error)
{
    const plx_dtype accumulator = accumulator_of(problem, promise);

    if (promise->accumulator > PLX_DTYPE_COUNT || !plx_is_floating(accumulator))
        return plx_fail(error, PLX_INVALID, "a promise: sums are kept in f16, bf16, f32 or f64");
    if (problem->dtype == PLX_F64 && accumulator != PLX_F64)
        return plx_fail(error, PLX_INVALID, "a promise: sums of f64 are kept in f64, not in %s",
                        plx_dtype_name(accumulator));
    if (problem->compute != PLX_COMPUTE_PLAIN && accumulator != PLX_F32)
        return plx_fail(error, PLX_INVALID, "a promise: products in %s are summed in f32, not in %s",
                        plx_compute_name(problem->compute), plx_dtype_name(accumulator));
    return PLX_OK;
}

plx_status plx_promise_check(const plx_problem *problem, const plx_promise *promise, plx_error *error)
{
    plx_status status;

    if ((unsigned)promise->sums >= PLX_SUMS_COUNT || promise->narrow_parts < 0 ||
        (promise->sums == PLX_SUMS_DEPTH) != (promise->depth > 0))
        return plx_fail(error, PLX_INVALID, "a promise: its sums, their depth or their parts are none");
    if (!has_sums(problem))
        return is_default(promise) ? PLX_OK
                                   : plx_fail(error, PLX_INVALID,
                                              "a promise: %s of %s rounds nothing here, so there is nothing to promise",
                                              plx_op_name(problem->op), plx_dtype_name(problem->dtype));
    status = check_accumulator(problem, promise, error);
    if (status != PLX_OK)
        return status;
    if (promise->narrow_parts > 0 &&
        plx_unit_roundoff(plx_output_dtype(problem)) <= plx_unit_roundoff(accumulator_of(problem, promise)))
        return plx_fail(error, PLX_INVALID,
                        "a promise: the result is no narrower than its sums, so that no part of them is "
                        "rounded to it");
    if (promise->flushes && problem->dtype == PLX_F64)
        return plx_fail(error, PLX_INVALID, "a promise: subnormals of f64 are flushed nowhere");
    return PLX_OK;
}

/* ---- as arithmetic ------------------------------------------------------------------ */

static bool may_be_in_units(const plx_problem *problem, const plx_promise *promise)
{
    if (promise->no_matrix_units || (promise->sums != PLX_SUMS_ANY && promise->sums != PLX_SUMS_DEPTH))
        return false;
    return problem->compute != PLX_COMPUTE_PLAIN ||
           (plx_is_half(problem->dtype) && accumulator_of(problem, promise) != PLX_F64);
}

/* Halves that are not quite even: a part of n terms has two of at most n / 2 + 8, so after j steps at most
 * n / 2^j + 16 are left. */
static double pairwise_depth(double terms)
{
    const double run = fmin(terms, PAIRWISE_RUN);
    return terms > run ? run + ceil(log2(terms / (PAIRWISE_RUN - 16))) : run;
}

/* In units eight products at least are added at a time, eleven roundings for them; parts of any length, each with fewer
 * than eight left over, add seven at most, and a library whose parts are not known is judged by sixteen more. */
static double any_depth(const plx_problem *problem, bool units, double terms)
{
    if (problem->compute == PLX_COMPUTE_F16X3 || problem->compute == PLX_COMPUTE_BF16X6)
        return fmax(terms, LEAST_OF_PLANES);
    return units ? 11.0 * ceil(terms / 8.0) + 16.0 : terms;
}

/* What beta multiplies is one more to be added. */
plx_arithmetic plx_promised_arithmetic(const plx_inputs *inputs, const plx_promise *promise)
{
    const plx_problem *problem = &inputs->problem;
    const double terms = (double)plx_sum_length(inputs);
    double alpha, beta;
    plx_arithmetic by = {
        .compute = problem->compute,
        .accumulator = accumulator_of(problem, promise),
        .matrix_units = may_be_in_units(problem, promise),
        .flushes = promise->flushes,
        .narrow_parts = promise->narrow_parts,
    };

    plx_problem_scalars(problem, &alpha, &beta);
    by.depth = any_depth(problem, by.matrix_units, terms);
    if (promise->sums == PLX_SUMS_PAIRWISE)
        by.depth = pairwise_depth(terms);
    by.depth += beta != 0.0 ? 1.0 : 0.0;
    if (promise->sums == PLX_SUMS_DEPTH)
        by.depth = fmin(by.depth, (double)promise->depth);
    return by;
}

/* ---- for people ----------------------------------------------------------------------- */

void plx_promise_text(const plx_problem *problem, const plx_promise *promise, char *text, size_t capacity)
{
    plx_line line = {.length = 0};

    if (!has_sums(problem)) {
        (void)snprintf(text, capacity, "exact");
        return;
    }
    if (promise->sums == PLX_SUMS_DEPTH)
        plx_line_add(&line, "sums of depth %lld", (long long)promise->depth);
    else if (promise->sums == PLX_SUMS_ANY)
        plx_line_add(&line, "sums in any order");
    else
        plx_line_add(&line, "%s sums", plx_sums_name(promise->sums));
    plx_line_add(&line, ", kept in %s", plx_dtype_name(accumulator_of(problem, promise)));
    if (problem->compute != PLX_COMPUTE_PLAIN)
        plx_line_add(&line, ", of operands as %s", plx_compute_name(problem->compute));
    else if (may_be_in_units(problem, promise))
        plx_line_add(&line, ", in matrix units or not");
    if (promise->narrow_parts > 1)
        plx_line_add(&line, ", %d parts rounded to %s", (int)promise->narrow_parts,
                     plx_dtype_name(plx_output_dtype(problem)));
    if (promise->flushes)
        plx_line_add(&line, ", subnormals flushed");
    if (promise->typical)
        plx_line_add(&line, ", errors typical of that");
    (void)snprintf(text, capacity, "%s", line.text);
}
