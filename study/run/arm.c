/* An arm of a study: one kernel on one backend, run on a problem's inputs, judged,
 * and paired with the others. */
#include "study/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- truths ----------------------------------------------------------------------- */

plx_status plx_truths_get(plx_truths *truths, const plx_inputs *inputs, bool yardstick,
                          const plx_truth **truth, plx_error *error)
{
    bool *has = yardstick ? &truths->has_copy : &truths->has_operation;
    plx_truth *wanted = yardstick ? &truths->copy : &truths->operation;
    plx_status status = PLX_OK;

    if (!*has) {
        plx_check_phase before = plx_watch_turn(truths->watch, PLX_CHECK_REFERENCE);
        status = plx_truth_make(inputs, yardstick, wanted, error);
        (void)plx_watch_turn(truths->watch, before);
    }
    if (status != PLX_OK)
        return status;
    *has = true;
    *truth = wanted;
    return PLX_OK;
}

void plx_truths_free(plx_truths *truths)
{
    if (truths->has_operation)
        plx_truth_free(&truths->operation);
    if (truths->has_copy)
        plx_truth_free(&truths->copy);
    plx_bits_forget(truths);
    *truths = (plx_truths){.has_copy = false};
}

/* ---- running and judging ----------------------------------------------------------- */

static void conclude(plx_arm *arm, plx_outcome outcome, const char *reason)
{
    arm->outcome = outcome;
    (void)snprintf(arm->reason, sizeof arm->reason, "%s", reason);
}

static void conclude_failure(plx_arm *arm, plx_status status, const char *reason)
{
    conclude(arm, status == PLX_UNSUPPORTED ? PLX_OUTCOME_UNSUPPORTED : PLX_OUTCOME_FAILED, reason);
}

static uint64_t output_bytes(const plx_inputs *inputs)
{
    return (uint64_t)inputs->elements[inputs->operation->output] * plx_dtype_size(inputs->problem.dtype);
}

static bool run(plx_arm *arm, const plx_inputs *inputs, uint64_t shift, void *result)
{
    char violation[200];
    plx_error error = {.text = ""};
    plx_status status = plx_trial_run(arm->stage, arm->plan, inputs, shift, result, violation, &error);

    if (status != PLX_OK)
        conclude_failure(arm, status, error.text);
    else if (violation[0] != '\0')
        conclude(arm, PLX_OUTCOME_WRONG, violation);
    return status == PLX_OK;
}

/* The first run.  Its result stays with the arm. */
static bool run_first(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, uint64_t shift)
{
    plx_bits *bits = plx_bits_take(truths, output_bytes(inputs));

    if (bits == NULL) {
        conclude(arm, PLX_OUTCOME_FAILED, "no host memory for the result");
        return false;
    }
    if (!run(arm, inputs, shift, bits->data)) {
        plx_bits_spare(truths, bits);
        return false;
    }
    arm->bits = plx_bits_keep(truths, bits);
    arm->result = arm->bits->data;
    return true;
}

/* Another run's result, which is wrong, instead of the first. */
static void replace_result(plx_arm *arm, plx_bits *bits)
{
    plx_bits_release(arm->bits);
    arm->bits = bits;
    arm->result = bits->data;
}

static plx_dtype accumulator_of(const plx_arm *arm, const plx_inputs *inputs)
{
    return inputs->problem.dtype == PLX_F32 ? arm->kernel->accumulator_f32 : inputs->problem.dtype;
}

static void say_wrong(plx_arm *arm, const plx_inputs *inputs)
{
    const plx_error_measure *error = &arm->error;
    const plx_extent *output = &inputs->extents[inputs->operation->output];

    if (arm->outcome == PLX_OUTCOME_WRONG || error->wrong == 0)
        return;
    arm->outcome = PLX_OUTCOME_WRONG;
    if (error->got[0] == '\0')
        (void)snprintf(arm->reason, sizeof arm->reason,
                       "row %lld: no element of it alone, but their sum is off",
                       (long long)(error->first_bad / output->cols));
    else
        (void)snprintf(
            arm->reason, sizeof arm->reason,
            "%lld of %lld elements outside the bound (largest %.3g times it); %s[%lld][%lld] is %s, not %s",
            (long long)error->wrong, (long long)error->compared, error->max_over_bound, output->name,
            (long long)(error->first_bad / output->cols), (long long)(error->first_bad % output->cols),
            error->got, error->expected);
}

/* A verdict by a bound that zero would pass is none. */
static void say_not_judged(plx_arm *arm, const plx_inputs *inputs)
{
    const plx_device_info *device = plx_backend_device(arm->backend);

    if (arm->outcome != PLX_OUTCOME_OK || !arm->error.too_wide)
        return;
    arm->outcome = PLX_OUTCOME_NOT_JUDGED;
    (void)snprintf(arm->reason, sizeof arm->reason,
                   "a result of zero would pass: the bound of a sum of depth %lld in %s is %.3g times the size of "
                   "its terms",
                   (long long)arm->kernel->depth(&inputs->problem, device), plx_dtype_name(accumulator_of(arm, inputs)),
                   arm->error.gamma);
}

static bool same_bound(const plx_bound *a, const plx_bound *b)
{
    return a->kind == b->kind && a->gamma == b->gamma && a->narrowing == b->narrowing && a->underflow == b->underflow &&
           a->rounded_once == b->rounded_once && a->flushes == b->flushes;
}

/* The same bits by the same bound have the same verdict. */
static plx_status judge_bits(const plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, plx_error *error)
{
    plx_bits *bits = arm->bits;
    bool yardstick = plx_arm_is_yardstick(arm);
    const plx_truth *truth;
    plx_status status = PLX_OK;

    if (bits->judged && bits->yardstick == yardstick && same_bound(&bits->bound, &arm->bound))
        return PLX_OK;
    status = plx_truths_get(truths, inputs, yardstick, &truth, error);
    if (status == PLX_OK)
        status = plx_judge(inputs, truth, &arm->bound, yardstick, bits->data, &bits->error, error);
    bits->judged = status == PLX_OK;
    bits->yardstick = yardstick;
    bits->bound = arm->bound;
    return status;
}

static const plx_device_info *device_of(const plx_arm *arm)
{
    return arm->info != NULL ? arm->info : plx_backend_device(arm->backend);
}

static void judge(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths)
{
    plx_error error = {.text = ""};
    plx_status status;

    if (!plx_depth_is_possible(inputs, arm->kernel, device_of(arm), arm->reason, sizeof arm->reason)) {
        arm->outcome = PLX_OUTCOME_WRONG;
        return;
    }
    arm->bound = plx_bound_of(inputs, arm->kernel, device_of(arm));
    status = judge_bits(arm, inputs, truths, &error);
    if (status != PLX_OK) {
        conclude(arm, PLX_OUTCOME_FAILED, error.text);
        return;
    }
    arm->error = arm->bits->error;
    say_wrong(arm, inputs);
    say_not_judged(arm, inputs);
}

static void say_unsteady(plx_arm *arm, const plx_inputs *inputs, const char *which, int64_t element)
{
    const plx_extent *output = &inputs->extents[inputs->operation->output];

    arm->outcome = PLX_OUTCOME_WRONG;
    (void)snprintf(arm->reason, sizeof arm->reason,
                   "declared the same from run to run, but %s gave other bits at %s[%lld][%lld]", which,
                   output->name, (long long)(element / output->cols), (long long)(element % output->cols));
}

/* Whether what was declared of the bits holds for a second run on other canaries. */
static void repeat(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, uint64_t shift)
{
    plx_bits *again = plx_bits_take(truths, output_bytes(inputs));
    int64_t different = -1;

    if (again == NULL) {
        conclude(arm, PLX_OUTCOME_FAILED, "no host memory for a second result");
        return;
    }
    if (run(arm, inputs, shift, again->data)) {
        ++arm->repeats;
        different = plx_first_different(inputs, plx_arm_is_yardstick(arm), arm->result, again->data);
    }
    if (arm->outcome == PLX_OUTCOME_OK && different >= 0)
        say_unsteady(arm, inputs, "a second run", different);
    if (different >= 0)
        replace_result(arm, again);
    else
        plx_bits_spare(truths, again);
}

static void run_busily(plx_arm *arm, const plx_inputs *inputs, const plx_rigour *rigour, void *result,
                       plx_repeats *found)
{
    plx_error error = {.text = ""};
    plx_status status = plx_repeat(arm->backend, arm->plan, inputs, plx_arm_is_yardstick(arm), rigour->shift,
                                   arm->result, rigour->busy, result, found, &error);
    char which[80];

    if (status != PLX_OK) {
        conclude_failure(arm, status, error.text);
        return;
    }
    arm->repeats += found->runs;
    (void)snprintf(which, sizeof which, "run %zu beside a busy queue", found->runs);
    if (found->first_different >= 0)
        say_unsteady(arm, inputs, which, found->first_different);
}

static void repeat_busily(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, const plx_rigour *rigour)
{
    plx_bits *again = plx_bits_take(truths, output_bytes(inputs));
    plx_repeats found = {.first_different = -1};

    if (again == NULL) {
        conclude(arm, PLX_OUTCOME_FAILED, "no host memory for a repeated result");
        return;
    }
    run_busily(arm, inputs, rigour, again->data, &found);
    if (found.first_different >= 0)
        replace_result(arm, again);
    else
        plx_bits_spare(truths, again);
}

static void check_precision(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths)
{
    double worst;

    if (arm->kernel->compute != PLX_COMPUTE_PLAIN || !plx_is_floating(inputs->problem.dtype) ||
        plx_arm_is_yardstick(arm))
        return;
    worst = plx_precision_error(inputs, &truths->operation, arm->result);
    if (worst <= PLX_PRECISION_LIMIT)
        return;
    arm->outcome = PLX_OUTCOME_WRONG;
    (void)snprintf(
        arm->reason, sizeof arm->reason,
        "fails the precision check of %s: an error of %.3g sqrt(k) u S, where %.3g is the limit; inputs or "
        "sums are rounded to something narrower",
        plx_dtype_name(inputs->problem.dtype), worst, PLX_PRECISION_LIMIT);
}

static bool plan(plx_arm *arm, const plx_inputs *inputs)
{
    const char *name = arm->kernel != NULL ? arm->kernel->name : NULL;
    plx_status status = plx_plan_create(arm->backend, &inputs->problem, name, &arm->plan);

    if (status != PLX_OK) {
        conclude_failure(arm, status, plx_message(plx_backend_context(arm->backend)));
        return false;
    }
    arm->kernel = plx_plan_kernel(arm->plan);
    return true;
}

/* A kernel that is the same from run to run also is for exact results. */
static bool repeatable(const plx_arm *arm, const plx_inputs *inputs)
{
    return arm->kernel->reproducibility != PLX_R2 || plx_is_exact(&inputs->problem);
}

/* A verdict needs its inputs as they were given, also those that no run looked at. */
static void end_runs(plx_arm *arm)
{
    char violation[200];
    plx_error error = {.text = ""};
    plx_status status = plx_trial_end(arm->stage, violation, &error);

    if (!plx_arm_has_result(arm) && arm->outcome != PLX_OUTCOME_NOT_JUDGED)
        return;
    if (status != PLX_OK)
        conclude_failure(arm, status, error.text);
    else if (violation[0] != '\0' && arm->outcome != PLX_OUTCOME_WRONG)
        conclude(arm, PLX_OUTCOME_WRONG, violation);
}

static void run_again(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, const plx_rigour *rigour)
{
    (void)plx_watch_turn(truths->watch, PLX_CHECK_REPEAT);
    if (arm->outcome == PLX_OUTCOME_OK && rigour->repeat && repeatable(arm, inputs))
        repeat(arm, inputs, truths, rigour->shift);
    if (arm->outcome == PLX_OUTCOME_OK && rigour->busy > 0 && repeatable(arm, inputs))
        repeat_busily(arm, inputs, truths, rigour);
}

static void try_plan(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, const plx_rigour *rigour)
{
    (void)plx_watch_turn(truths->watch, PLX_CHECK_RUN);
    if (run_first(arm, inputs, truths, rigour->shift)) {
        (void)plx_watch_turn(truths->watch, PLX_CHECK_JUDGE);
        judge(arm, inputs, truths);
    }
    if (arm->outcome == PLX_OUTCOME_OK && rigour->precision)
        check_precision(arm, inputs, truths);
    run_again(arm, inputs, truths, rigour);
    end_runs(arm);
}

void plx_arm_run(plx_arm *arm, const plx_inputs *inputs, plx_truths *truths, const plx_rigour *rigour)
{
    plx_stage own = {.backend = arm->backend}, *given = arm->stage;

    arm->outcome = PLX_OUTCOME_OK;
    arm->reason[0] = '\0';
    arm->error = (plx_error_measure){.first_bad = -1};
    arm->repeats = 0;
    arm->time = (plx_timing){.measured = false};
    (void)plx_watch_turn(truths->watch, PLX_CHECK_PLAN);
    if (!plan(arm, inputs))
        return;
    if (given == NULL)
        arm->stage = &own;
    try_plan(arm, inputs, truths, rigour);
    plx_stage_clear(&own);
    arm->stage = given;
    if (!plx_arm_has_result(arm))
        plx_arm_clear(arm);
}

void plx_arm_drop_result(plx_arm *arm)
{
    if (arm->bits != NULL)
        plx_bits_release(arm->bits);
    else
        free(arm->result);
    arm->bits = NULL;
    arm->result = NULL;
}

void plx_arm_clear(plx_arm *arm)
{
    plx_plan_destroy(arm->plan);
    arm->plan = NULL;
    plx_arm_drop_result(arm);
}

/* ---- pairs ---------------------------------------------------------------------------- */

/* The last arm with a result before `end` on the same backend; `end` itself if none. */
static size_t step_before(const plx_arm *arms, size_t end)
{
    for (size_t i = end; i-- > 0;)
        if (arms[i].backend == arms[end].backend && plx_arm_has_result(&arms[i]) &&
            !plx_arm_is_yardstick(&arms[i]))
            return i;
    return end;
}

static bool last_of_backend(const plx_arm *arms, size_t count, size_t which)
{
    for (size_t i = which + 1; i < count; ++i)
        if (arms[i].backend == arms[which].backend && plx_arm_has_result(&arms[i]) &&
            !plx_arm_is_yardstick(&arms[i]))
            return false;
    return true;
}

static bool comparable(const plx_arm *a, const plx_arm *b)
{
    return plx_arm_has_result(a) && plx_arm_has_result(b) && a->kernel->compute == b->kernel->compute &&
           plx_arm_is_yardstick(a) == plx_arm_is_yardstick(b);
}

static bool is_twin(const plx_arm *a, const plx_arm *b)
{
    return a->backend != b->backend && strcmp(a->kernel->name, b->kernel->name) == 0;
}

/* Whether the same kernel is right on another backend. */
static bool has_right_twin(const plx_arm *arms, size_t count, size_t which)
{
    for (size_t i = 0; i < count; ++i)
        if (comparable(&arms[i], &arms[which]) && is_twin(&arms[i], &arms[which]) &&
            arms[i].outcome == PLX_OUTCOME_OK)
            return true;
    return false;
}

/* Whether `which` speaks for its backend to a lone kernel of another: the last that is
 * right, or the last at all where none is. */
static bool speaks_for_backend(const plx_arm *arms, size_t count, size_t which)
{
    for (size_t i = 0; i < count; ++i) {
        if (arms[i].backend != arms[which].backend || i == which || !comparable(&arms[i], &arms[which]))
            continue;
        if (arms[i].outcome == arms[which].outcome ? i > which : arms[i].outcome == PLX_OUTCOME_OK)
            return false;
    }
    return true;
}

/* What is right is confirmed by some other backend, whatever its kernels are called. */
static bool confirms(const plx_arm *arms, size_t count, size_t lone, size_t other)
{
    return arms[lone].outcome == PLX_OUTCOME_OK && !has_right_twin(arms, count, lone) &&
           speaks_for_backend(arms, count, other);
}

/* Every kernel is linked to its neighbours, so that the list stays readable and what
 * disagrees anywhere still shows. */
static bool worth_comparing(const plx_arm *arms, size_t count, size_t first, size_t second)
{
    const plx_arm *a = &arms[first], *b = &arms[second];

    if (!comparable(a, b))
        return false;
    if (is_twin(a, b))
        return true;
    if (plx_arm_is_yardstick(a))
        return false;
    if (a->backend == b->backend)
        return step_before(arms, second) == first;
    return (last_of_backend(arms, count, first) && last_of_backend(arms, count, second)) ||
           confirms(arms, count, first, second) || confirms(arms, count, second, first);
}

static plx_status compare_two(const plx_arm *first, const plx_arm *second, const plx_inputs *inputs,
                              plx_truths *truths, plx_pair *pair, plx_error *error)
{
    plx_viewpoint one = {first->result, first->bound}, other = {second->result, second->bound};
    const plx_truth *truth;
    bool yardstick = plx_arm_is_yardstick(first);
    plx_status status = plx_truths_get(truths, inputs, yardstick, &truth, error);

    if (status != PLX_OK)
        return status;
    plx_agree(inputs, truth, yardstick, &one, &other, pair);
    pair->agree = pair->agree && first->outcome == PLX_OUTCOME_OK && second->outcome == PLX_OUTCOME_OK;
    if (first->kernel->reproducibility == PLX_R0 && second->kernel->reproducibility == PLX_R0 &&
        !truth->exact)
        pair->agree = pair->agree && pair->identical; /* what is exact was compared by its bytes */
    return PLX_OK;
}

plx_status plx_arms_pair(const plx_arm *arms, size_t count, const plx_inputs *inputs, plx_truths *truths,
                         plx_pair_found *found, void *data, plx_error *error)
{
    for (size_t first = 0; first < count; ++first)
        for (size_t second = first + 1; second < count; ++second) {
            plx_pair pair = {.first_different = -1};
            plx_status status;
            if (!worth_comparing(arms, count, first, second))
                continue;
            status = compare_two(&arms[first], &arms[second], inputs, truths, &pair, error);
            if (status == PLX_OK)
                status = found(data, first, second, &pair, error);
            if (status != PLX_OK)
                return status;
        }
    return PLX_OK;
}
