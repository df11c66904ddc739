/* plx_judge_result: a result that was computed elsewhere, by the reference, the bound and the verdicts that kernels
 * are judged by; the arithmetic is not a kernel's but what the result promises. */
#define _POSIX_C_SOURCE 200809L

#include "study/judge/judge.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of large products a sample is judged that nobody can know before. */
static uint64_t drawn_seed(void)
{
    uint64_t seed = 0;
    struct timespec now = {0};
    const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const bool drawn = source >= 0 && read(source, &seed, sizeof seed) == (ssize_t)sizeof seed;

    if (source >= 0)
        (void)close(source);
    if (drawn)
        return seed;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000007) + (uint64_t)now.tv_nsec + (uint64_t)getpid();
}

/* ---- what it is judged with ----------------------------------------------------------- */

/* The operands, dense, and the result as the output operand lies. */
typedef struct claim {
    plx_inputs inputs;
    plx_promise promise;
    void *result;
} claim;

static void forget(claim *made)
{
    plx_inputs_free(&made->inputs);
    free(made->result);
}

/* The same problem with rows as close as they can be. */
static plx_status tight_problem(const plx_problem *problem, plx_problem *tight, plx_error *error)
{
    int64_t shape[PLX_MAX_SHAPE] = {0};

    if (plx_operation_of(problem->op) == NULL)
        return plx_fail(error, PLX_INVALID, "%d is no operation", (int)problem->op);
    *tight = *problem;
    for (size_t i = 0; problem->batch.batched && i < PLX_MAX_OPERANDS; i++)
        tight->batch.stride[i] = problem->batch.stride[i] == 0 ? 0 : PLX_STRIDE_DENSE;
    plx_shape_of(problem, shape);
    return plx_problem_reshape(tight, shape, plx_shape_rank(plx_operation_of(problem->op)), error);
}

/* Kernels take any; but a result that is judged to be NaN by such a factor alone says nothing. */
static plx_status check_factors(const plx_problem *problem, plx_error *error)
{
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    if (isfinite(alpha) && isfinite(beta))
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%s is %s as a factor of %s: no result tells anything then",
                    isfinite(alpha) ? "beta" : "alpha",
                    isnan(isfinite(alpha) ? beta : alpha) ? "no number" : "infinite", plx_dtype_name(problem->dtype));
}

static plx_status check_count(const plx_problem *problem, size_t count, plx_error *error)
{
    const plx_operation *operation = plx_operation_of(problem->op);
    double alpha, beta;

    plx_problem_scalars(problem, &alpha, &beta);
    const size_t wanted = operation->operand_count - (beta != 0.0 ? 0 : 1);
    if (count == wanted)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%s reads %zu operand%s here, not %zu%s", operation->name, wanted,
                    wanted == 1 ? "" : "s", count, beta != 0.0 ? ", because beta is not 0" : "");
}

static plx_status take_result(claim *made, const plx_strided *result, plx_error *error)
{
    const size_t output = made->inputs.operation->output;
    const plx_dtype dtype = plx_result_dtype(&made->inputs);
    plx_status status = plx_strided_check(&made->inputs, output, result, "the result", error);

    if (status != PLX_OK)
        return status;
    const uint64_t bytes = (uint64_t)made->inputs.elements[output] * plx_dtype_size(dtype);
    made->result = plx_large_alloc(bytes > 0 ? bytes : 1);
    if (made->result == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the result (%llu bytes)", (unsigned long long)bytes);
    plx_strided_gather(&made->inputs, output, result, made->result);
    return PLX_OK;
}

static plx_status make_claim(const plx_problem *problem, const plx_strided *operands, size_t count,
                             const plx_strided *result, const plx_promise *promise, claim *made, plx_error *error)
{
    plx_problem tight;
    plx_status status = tight_problem(problem, &tight, error);

    *made = (claim){.result = NULL};
    if (promise != NULL)
        made->promise = *promise;
    if (status == PLX_OK)
        status = plx_promise_check(&tight, &made->promise, error);
    if (status == PLX_OK)
        status = check_factors(&tight, error);
    if (status == PLX_OK)
        status = check_count(&tight, count, error);
    if (status == PLX_OK)
        status = plx_inputs_from_strided(&tight, operands, count, drawn_seed(), &made->inputs, error);
    if (status == PLX_OK)
        status = take_result(made, result, error);
    if (status != PLX_OK)
        forget(made);
    return status;
}

/* ---- the verdict ----------------------------------------------------------------------- */

static bool none_has_a_bound(const plx_error_measure *measure)
{
    return measure->wrong == 0 && measure->compared > 0 && measure->indeterminate >= measure->compared;
}

static void conclude(const claim *made, const plx_arithmetic *by, plx_verdict *verdict)
{
    verdict->outcome = plx_outcome_of(&made->inputs, &verdict->error, (int64_t)by->depth, by->accumulator,
                                      verdict->reason, sizeof verdict->reason);
    if (verdict->outcome != PLX_OUTCOME_OK || !none_has_a_bound(&verdict->error))
        return;
    verdict->outcome = PLX_OUTCOME_NOT_JUDGED;
    (void)snprintf(verdict->reason, sizeof verdict->reason,
                   "the sums of every element may leave the range of %s in some order, so that no bound holds",
                   plx_dtype_name(by->accumulator));
}

static plx_bound bound_of(const claim *made, const plx_arithmetic *by)
{
    plx_bound bound = plx_bound_of_arithmetic(&made->inputs, by);
    bound.zeros_of_terms = true;
    return bound;
}

/* Unless sums were promised to be kept in something narrower. */
static void check_precision(const claim *made, const plx_arithmetic *by, const plx_reference_result *reference,
                            plx_verdict *verdict)
{
    const plx_dtype dtype = made->inputs.problem.dtype;

    if (by->compute != PLX_COMPUTE_PLAIN || !plx_is_floating(dtype) || reference->exact ||
        plx_unit_roundoff(by->accumulator) > plx_unit_roundoff(plx_sum_dtype(dtype)) || by->narrow_parts > 1)
        return;
    const double worst = plx_precision_error(&made->inputs, reference, made->result);
    if (worst <= PLX_PRECISION_LIMIT)
        return;
    verdict->outcome = PLX_OUTCOME_WRONG;
    plx_precision_text(&made->inputs, worst, verdict->reason, sizeof verdict->reason);
}

/* An observation, no proof: it counts where it was asked to. */
static void weigh_likeness(const claim *made, const plx_arithmetic *by, plx_verdict *verdict)
{
    verdict->likeness = plx_likeness_of(&made->inputs, by, made->result);
    if (!made->promise.typical || verdict->outcome != PLX_OUTCOME_OK ||
        !plx_is_less_exact(&verdict->likeness, by->compute))
        return;
    verdict->outcome = PLX_OUTCOME_WRONG;
    (void)snprintf(verdict->reason, sizeof verdict->reason, "within the bound, but not typical of it: %s",
                   verdict->likeness.text);
}

static plx_status judge_claim(const claim *made, const plx_reference_result *reference, bool precise,
                              plx_verdict *verdict, plx_error *error)
{
    const plx_arithmetic by = plx_promised_arithmetic(&made->inputs, &made->promise);
    const plx_bound bound = bound_of(made, &by);
    plx_verdict found = {.outcome = PLX_OUTCOME_OK};
    plx_status status = plx_judge(&made->inputs, reference, &bound, false, made->result, &found.error, error);

    if (status != PLX_OK)
        return status;
    conclude(made, &by, &found);
    if (precise && found.outcome == PLX_OUTCOME_OK)
        check_precision(made, &by, reference, &found);
    weigh_likeness(made, &by, &found);
    *verdict = found;
    return PLX_OK;
}

plx_status plx_judge_result_as(const plx_problem *problem, const plx_strided *operands, size_t count,
                               const plx_strided *result, const plx_promise *promise, bool precise,
                               plx_verdict *verdict, plx_error *error)
{
    plx_reference_result reference = {.count = 0};
    claim made;
    plx_status status = make_claim(problem, operands, count, result, promise, &made, error);

    if (status != PLX_OK)
        return status;
    status = plx_reference_result_make(&made.inputs, false, &reference, error);
    if (status == PLX_OK)
        status = judge_claim(&made, &reference, precise, verdict, error);
    plx_reference_result_free(&reference);
    forget(&made);
    return status;
}

plx_status plx_judge_result(const plx_problem *problem, const plx_strided *operands, size_t count,
                            const plx_strided *result, const plx_promise *promise, plx_verdict *verdict,
                            plx_error *error)
{
    return plx_judge_result_as(problem, operands, count, result, promise, false, verdict, error);
}

int plx_judged_status(const plx_judged *judged, size_t count)
{
    int64_t compared = 0;
    bool left = false;

    for (size_t i = 0; i < count; ++i) {
        if (judged[i].verdict.outcome == PLX_OUTCOME_WRONG)
            return 1;
        left = left || judged[i].verdict.outcome != PLX_OUTCOME_OK;
        compared += judged[i].verdict.error.compared;
    }
    return left || compared == 0 ? 4 : 0;
}

/* ---- files ------------------------------------------------------------------------------ */

static plx_status save_story(const char *directory, const char *stem, const plx_judged *judged, plx_error *error)
{
    char path[4096], shape[80], variant[128], promise[400];
    plx_output *output;
    plx_status status = plx_save_path(directory, stem, ".txt", path, error);

    if (status == PLX_OK)
        status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    plx_shape_text(&judged->problem, shape, sizeof shape);
    plx_variant_text(&judged->problem, variant, sizeof variant);
    plx_promise_text(&judged->problem, &judged->promise, promise, sizeof promise);
    (void)fprintf(plx_output_stream(output), "%s: %s\n%s\n%s %s %s%s%s\npromise: %s\n", judged->name,
                  plx_outcome_name(judged->verdict.outcome), judged->verdict.reason, plx_op_name(judged->problem.op),
                  plx_dtype_name(judged->problem.dtype), shape, variant[0] != '\0' ? " " : "", variant, promise);
    return plx_output_close(output, error);
}

plx_status plx_judged_save(const char *directory, const char *stem, const plx_judged *judged,
                           const plx_strided *operands, size_t count, const plx_strided *result, plx_error *error)
{
    plx_reference_result reference = {.count = 0};
    claim made;
    plx_status status = make_claim(&judged->problem, operands, count, result, &judged->promise, &made, error);

    if (status != PLX_OK)
        return status;
    const size_t output_operand = made.inputs.operation->output;
    status = plx_save_directory(directory, error);
    if (status == PLX_OK)
        status = plx_save_operands(directory, stem, &made.inputs, error);
    if (status == PLX_OK)
        status = plx_save_rows(directory, stem, "result", &made.inputs, output_operand, false, made.result, error);
    if (status == PLX_OK)
        status = plx_reference_result_make(&made.inputs, false, &reference, error);
    if (status == PLX_OK)
        status = plx_save_reference(directory, stem, &made.inputs, output_operand, &reference, error);
    if (status == PLX_OK)
        status = save_story(directory, stem, judged, error);
    plx_reference_result_free(&reference);
    forget(&made);
    return status;
}
