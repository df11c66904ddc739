/* A candidate of a study: one kernel on one backend, run on a problem's inputs, judged,
 * and paired with the others. */
#include "study/run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- references ----------------------------------------------------------------------- */

plx_status plx_references_get(plx_references *references, const plx_inputs *inputs, bool baseline,
                              const plx_reference_result **reference, plx_error *error)
{
    bool *has = baseline ? &references->has_copy : &references->has_operation;
    plx_reference_result *wanted = baseline ? &references->copy : &references->operation;
    plx_status status = PLX_OK;

    if (!*has) {
        plx_check_phase before = plx_phase_turn(references->timer, PLX_CHECK_REFERENCE);
        status = plx_reference_result_until(inputs, baseline, references->until, wanted, error);
        references->given_up =
            status == PLX_FAILED && references->until != NULL && references->until->over(references->until->data);
        (void)plx_phase_turn(references->timer, before);
    }
    if (status != PLX_OK)
        return status;
    *has = true;
    *reference = wanted;
    return PLX_OK;
}

void plx_references_free(plx_references *references)
{
    if (references->has_operation)
        plx_reference_result_free(&references->operation);
    if (references->has_copy)
        plx_reference_result_free(&references->copy);
    plx_bits_forget(references);
    *references = (plx_references){.has_copy = false};
}

/* ---- running and judging ----------------------------------------------------------- */

static void conclude(plx_candidate *candidate, plx_outcome outcome, const char *reason)
{
    candidate->outcome = outcome;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", reason);
}

static void conclude_failure(plx_candidate *candidate, plx_status status, const char *reason)
{
    conclude(candidate, status == PLX_UNSUPPORTED ? PLX_OUTCOME_UNSUPPORTED : PLX_OUTCOME_FAILED, reason);
}

static uint64_t output_bytes(const plx_inputs *inputs)
{
    return (uint64_t)inputs->elements[inputs->operation->output] * plx_dtype_size(plx_result_dtype(inputs));
}

static bool run(plx_candidate *candidate, const plx_inputs *inputs, uint64_t shift, void *result)
{
    char violation[200];
    plx_error error = {.text = ""};
    plx_status status = plx_guarded_run(candidate->buffers, candidate->plan, inputs, shift, result, violation, &error);

    if (status != PLX_OK)
        conclude_failure(candidate, status, error.text);
    else if (violation[0] != '\0')
        conclude(candidate, PLX_OUTCOME_WRONG, violation);
    return status == PLX_OK;
}

/* The first run.  Its result stays with the candidate. */
static bool run_first(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references, uint64_t shift)
{
    plx_bits *bits = plx_bits_take(references, output_bytes(inputs));

    if (bits == NULL) {
        plx_error why = {.text = "no host memory for the result"};
        (void)plx_host_memory_has("the result takes", (double)output_bytes(inputs), &why);
        conclude(candidate, PLX_OUTCOME_FAILED, why.text);
        return false;
    }
    if (!run(candidate, inputs, shift, bits->data)) {
        plx_bits_spare(references, bits);
        return false;
    }
    candidate->bits = plx_bits_keep(references, bits);
    candidate->result = candidate->bits->data;
    return true;
}

/* Another run's result, which is wrong, instead of the first. */
static void replace_result(plx_candidate *candidate, plx_bits *bits)
{
    plx_bits_release(candidate->bits);
    candidate->bits = bits;
    candidate->result = bits->data;
}

static bool same_bound(const plx_bound *a, const plx_bound *b)
{
    return a->kind == b->kind && a->gamma == b->gamma && a->narrowing == b->narrowing && a->underflow == b->underflow &&
           a->rounded_once == b->rounded_once && a->flushes == b->flushes;
}

/* The same bits by the same bound have the same verdict. */
static plx_status judge_bits(const plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                             plx_error *error)
{
    plx_bits *bits = candidate->bits;
    bool baseline = plx_candidate_is_baseline(candidate);
    const plx_reference_result *reference;
    plx_status status = PLX_OK;

    if (bits->judged && bits->baseline == baseline && same_bound(&bits->bound, &candidate->bound))
        return PLX_OK;
    status = plx_references_get(references, inputs, baseline, &reference, error);
    if (status == PLX_OK)
        status = plx_judge(inputs, reference, &candidate->bound, baseline, bits->data, &bits->error, error);
    bits->judged = status == PLX_OK;
    bits->baseline = baseline;
    bits->bound = candidate->bound;
    return status;
}

static const plx_device_info *device_of(const plx_candidate *candidate)
{
    return candidate->info != NULL ? candidate->info : plx_backend_device(candidate->backend);
}

static void judge(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references)
{
    plx_error error = {.text = ""};
    const int64_t depth = plx_plan_depth(candidate->plan);
    plx_status status;

    if (!plx_depth_is_possible(inputs, candidate->kernel, depth, candidate->reason, sizeof candidate->reason)) {
        candidate->outcome = PLX_OUTCOME_WRONG;
        return;
    }
    candidate->bound = plx_bound_of_depth(inputs, candidate->kernel, depth, device_of(candidate));
    status = judge_bits(candidate, inputs, references, &error);
    if (status != PLX_OK) {
        conclude(candidate, PLX_OUTCOME_FAILED, error.text);
        return;
    }
    candidate->error = candidate->bits->error;
    if (candidate->outcome == PLX_OUTCOME_OK)
        candidate->outcome =
            plx_outcome_of(inputs, &candidate->error, depth, plx_kept_in(candidate->kernel, inputs->problem.dtype),
                           candidate->reason, sizeof candidate->reason);
}

/* Small results that are wrong, and whose ends are those of memory: what was read there may be why. */
static void find_reading(plx_candidate *candidate, const plx_inputs *inputs, uint64_t shift)
{
    enum { MOST_BYTES = 1 << 22 };
    char was[401];
    plx_error error = {.text = ""};
    size_t operand;

    if (candidate->outcome != PLX_OUTCOME_WRONG || candidate->error.wrong == 0 ||
        plx_candidate_is_baseline(candidate) || output_bytes(inputs) > MOST_BYTES ||
        plx_guarded_reads_beyond(candidate->buffers, candidate->plan, inputs, shift, output_bytes(inputs), &operand,
                                 &error) != PLX_OK ||
        operand == PLX_MAX_OPERANDS)
        return;
    (void)snprintf(was, sizeof was, "%.400s", candidate->reason);
    (void)snprintf(candidate->reason, sizeof candidate->reason, "reads beyond %s: %s", inputs->extents[operand].name,
                   was);
}

/* Of a copy there is nothing to be said. */
static void find_likeness(plx_candidate *candidate, const plx_inputs *inputs)
{
    const plx_arithmetic by =
        plx_arithmetic_of(inputs, candidate->kernel, plx_plan_depth(candidate->plan), device_of(candidate));

    if (plx_candidate_has_result(candidate) && !plx_candidate_is_baseline(candidate))
        candidate->likeness = plx_likeness_of(inputs, &by, candidate->result);
}

static void report_unsteady(plx_candidate *candidate, const plx_inputs *inputs, const char *which, int64_t element)
{
    char where[96];

    plx_output_element_text(inputs, element, where, sizeof where);
    candidate->outcome = PLX_OUTCOME_WRONG;
    (void)snprintf(candidate->reason, sizeof candidate->reason,
                   "declared the same from run to run, but %s gave other bits at %s", which, where);
}

/* The first element that another run, on other canaries, gave other bits; -1: none. */
static int64_t run_second(plx_candidate *candidate, const plx_inputs *inputs, const plx_trial_effort *effort,
                          void *result)
{
    int64_t different;

    if (!run(candidate, inputs, effort->shift, result))
        return -1;
    ++candidate->repeats;
    different = plx_first_different(inputs, plx_candidate_is_baseline(candidate), candidate->result, result);
    if (candidate->outcome == PLX_OUTCOME_OK && different >= 0)
        report_unsteady(candidate, inputs, "a second run", different);
    return different;
}

static int64_t run_busily(plx_candidate *candidate, const plx_inputs *inputs, const plx_trial_effort *effort,
                          void *result)
{
    plx_repeats found = {.first_different = -1};
    plx_error error = {.text = ""};
    plx_status status = plx_repeat(candidate->backend, candidate->plan, inputs, plx_candidate_is_baseline(candidate),
                                   effort->shift, candidate->result, effort->busy, result, &found, &error);
    char which[80];

    if (status != PLX_OK) {
        conclude_failure(candidate, status, error.text);
        return -1;
    }
    candidate->repeats += found.runs;
    (void)snprintf(which, sizeof which, "run %zu next to a busy queue", found.runs);
    if (found.first_different >= 0)
        report_unsteady(candidate, inputs, which, found.first_different);
    return found.first_different;
}

/* Whether what was declared of the bits holds for more runs. */
static void repeat(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                   const plx_trial_effort *effort, bool busily)
{
    plx_bits *again = plx_bits_take(references, output_bytes(inputs));

    if (again == NULL)
        conclude(candidate, PLX_OUTCOME_FAILED, "no host memory for a second result");
    else if ((busily ? run_busily : run_second)(candidate, inputs, effort, again->data) >= 0)
        replace_result(candidate, again);
    else
        plx_bits_spare(references, again);
}

static void check_precision(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references)
{
    double worst;

    if (candidate->kernel->compute != PLX_COMPUTE_PLAIN || !plx_is_floating(inputs->problem.dtype) ||
        plx_candidate_is_baseline(candidate) || !plx_kept_in_own(candidate->kernel, inputs->problem.dtype))
        return;
    worst = plx_precision_error(inputs, &references->operation, candidate->result);
    if (worst <= PLX_PRECISION_LIMIT)
        return;
    candidate->outcome = PLX_OUTCOME_WRONG;
    plx_precision_text(inputs, worst, candidate->reason, sizeof candidate->reason);
}

void plx_candidate_name(const plx_candidate *candidate, char name[64])
{
    (void)snprintf(name, 64, "%s%s%s", candidate->kernel != NULL ? candidate->kernel->name : "best",
                   candidate->config[0] != '\0' ? ":" : "", candidate->config);
}

plx_config *plx_candidate_configs(const plx_candidate *candidate, const plx_problem *problem, size_t *count)
{
    const char *name = candidate->kernel->name;
    plx_config *configs = NULL;
    size_t capacity = 0;

    *count = 0;
    if (plx_kernel_configs(candidate->backend, problem, name, NULL, 0, &capacity) == PLX_OK && capacity > 0)
        configs = calloc(capacity, sizeof *configs);
    if (configs != NULL)
        (void)plx_kernel_configs(candidate->backend, problem, name, configs, capacity, count);
    *count = *count < capacity ? *count : capacity;
    return configs;
}

static bool plan(plx_candidate *candidate, const plx_inputs *inputs)
{
    char name[64];
    plx_status status;

    plx_candidate_name(candidate, name);
    status = candidate->code != NULL || candidate->plain
                 ? plx_plan_of_code(candidate->backend, &inputs->problem, name, candidate->code, &candidate->plan)
                 : plx_plan_create(candidate->backend, &inputs->problem, name, &candidate->plan);

    if (status != PLX_OK) {
        conclude_failure(candidate, status, plx_message(plx_backend_context(candidate->backend)));
        return false;
    }
    candidate->kernel = plx_plan_kernel(candidate->plan);
    return true;
}

/* A kernel that is the same from run to run also is for exact results. */
static bool repeatable(const plx_candidate *candidate, const plx_inputs *inputs)
{
    return candidate->kernel->reproducibility != PLX_R2 || plx_is_exact(&inputs->problem);
}

/* A verdict needs its inputs as they were given, also those that no run looked at. */
static void end_runs(plx_candidate *candidate)
{
    char violation[200];
    plx_error error = {.text = ""};
    plx_status status = plx_guarded_runs_end(candidate->buffers, violation, &error);

    if (!plx_candidate_has_result(candidate) && candidate->outcome != PLX_OUTCOME_NOT_JUDGED)
        return;
    if (status != PLX_OK)
        conclude_failure(candidate, status, error.text);
    else if (violation[0] != '\0' && candidate->outcome != PLX_OUTCOME_WRONG)
        conclude(candidate, PLX_OUTCOME_WRONG, violation);
    else if (candidate->outcome == PLX_OUTCOME_OK && !plx_rule_left_out(PLX_RULE_ZERO) &&
             plx_plan_check_pieces(candidate->plan) != PLX_OK)
        conclude(candidate, PLX_OUTCOME_WRONG, plx_message(plx_backend_context(candidate->backend)));
}

static void run_again(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                      const plx_trial_effort *effort)
{
    (void)plx_phase_turn(references->timer, PLX_CHECK_REPEAT);
    if (candidate->outcome == PLX_OUTCOME_OK && effort->repeat && repeatable(candidate, inputs))
        repeat(candidate, inputs, references, effort, false);
    if (candidate->outcome == PLX_OUTCOME_OK && effort->busy > 0 && repeatable(candidate, inputs))
        repeat(candidate, inputs, references, effort, true);
}

static void try_plan(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                     const plx_trial_effort *effort)
{
    (void)plx_phase_turn(references->timer, PLX_CHECK_RUN);
    if (run_first(candidate, inputs, references, effort->shift)) {
        (void)plx_phase_turn(references->timer, PLX_CHECK_JUDGE);
        judge(candidate, inputs, references);
        find_reading(candidate, inputs, effort->shift);
        if (effort->likeness)
            find_likeness(candidate, inputs);
    }
    if (candidate->outcome == PLX_OUTCOME_OK && effort->precision)
        check_precision(candidate, inputs, references);
    run_again(candidate, inputs, references, effort);
    end_runs(candidate);
}

void plx_candidate_run(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                       const plx_trial_effort *effort)
{
    plx_guarded_operands own = {.backend = candidate->backend}, *given = candidate->buffers;

    candidate->outcome = PLX_OUTCOME_OK;
    candidate->reason[0] = '\0';
    candidate->error = (plx_error_measure){.first_bad = -1};
    candidate->likeness = (plx_likeness){.measured = false};
    candidate->repeats = 0;
    candidate->time = (plx_timing){.measured = false};
    (void)plx_phase_turn(references->timer, PLX_CHECK_PLAN);
    if (!plan(candidate, inputs))
        return;
    if (given == NULL)
        candidate->buffers = &own;
    try_plan(candidate, inputs, references, effort);
    plx_guarded_operands_clear(&own);
    candidate->buffers = given;
    if (!plx_candidate_has_result(candidate))
        plx_candidate_clear(candidate);
}

void plx_candidate_drop_result(plx_candidate *candidate)
{
    if (candidate->bits != NULL)
        plx_bits_release(candidate->bits);
    else
        free(candidate->result);
    candidate->bits = NULL;
    candidate->result = NULL;
}

void plx_candidate_clear(plx_candidate *candidate)
{
    plx_plan_destroy(candidate->plan);
    candidate->plan = NULL;
    plx_candidate_drop_result(candidate);
}

/* ---- pairs ---------------------------------------------------------------------------- */

/* The last candidate with a result before `end` on the same backend; `end` itself if none. */
static size_t step_before(const plx_candidate *candidates, size_t end)
{
    for (size_t i = end; i-- > 0;)
        if (candidates[i].backend == candidates[end].backend && plx_candidate_has_result(&candidates[i]) &&
            !plx_candidate_is_baseline(&candidates[i]))
            return i;
    return end;
}

static bool last_of_backend(const plx_candidate *candidates, size_t count, size_t which)
{
    for (size_t i = which + 1; i < count; ++i)
        if (candidates[i].backend == candidates[which].backend && plx_candidate_has_result(&candidates[i]) &&
            !plx_candidate_is_baseline(&candidates[i]))
            return false;
    return true;
}

static bool comparable(const plx_candidate *a, const plx_candidate *b)
{
    return plx_candidate_has_result(a) && plx_candidate_has_result(b) && a->kernel->compute == b->kernel->compute &&
           plx_candidate_is_baseline(a) == plx_candidate_is_baseline(b);
}

static bool is_twin(const plx_candidate *a, const plx_candidate *b)
{
    return a->backend != b->backend && strcmp(a->kernel->name, b->kernel->name) == 0 &&
           strcmp(a->config, b->config) == 0;
}

/* Whether the same kernel is right on another backend. */
static bool has_right_twin(const plx_candidate *candidates, size_t count, size_t which)
{
    for (size_t i = 0; i < count; ++i)
        if (comparable(&candidates[i], &candidates[which]) && is_twin(&candidates[i], &candidates[which]) &&
            candidates[i].outcome == PLX_OUTCOME_OK)
            return true;
    return false;
}

/* Whether `which` speaks for its backend to a lone kernel of another: the last that is
 * right, or the last at all where none is. */
static bool speaks_for_backend(const plx_candidate *candidates, size_t count, size_t which)
{
    for (size_t i = 0; i < count; ++i) {
        if (candidates[i].backend != candidates[which].backend || i == which ||
            !comparable(&candidates[i], &candidates[which]))
            continue;
        if (candidates[i].outcome == candidates[which].outcome ? i > which : candidates[i].outcome == PLX_OUTCOME_OK)
            return false;
    }
    return true;
}

/* What is right is confirmed by some other backend, whatever its kernels are called. */
static bool confirms(const plx_candidate *candidates, size_t count, size_t lone, size_t other)
{
    return candidates[lone].outcome == PLX_OUTCOME_OK && !has_right_twin(candidates, count, lone) &&
           speaks_for_backend(candidates, count, other);
}

/* Every kernel is linked to its neighbours, so that the list stays readable and what
 * disagrees anywhere still shows. */
static bool worth_comparing(const plx_candidate *candidates, size_t count, size_t first, size_t second)
{
    const plx_candidate *a = &candidates[first], *b = &candidates[second];

    if (!comparable(a, b))
        return false;
    if (is_twin(a, b))
        return true;
    if (plx_candidate_is_baseline(a))
        return false;
    if (a->backend == b->backend)
        return step_before(candidates, second) == first;
    return (last_of_backend(candidates, count, first) && last_of_backend(candidates, count, second)) ||
           confirms(candidates, count, first, second) || confirms(candidates, count, second, first);
}

static plx_status compare_two(const plx_candidate *first, const plx_candidate *second, const plx_inputs *inputs,
                              plx_references *references, plx_pair *pair, plx_error *error)
{
    plx_judged_result one = {first->result, first->bound}, other = {second->result, second->bound};
    const plx_reference_result *reference;
    bool baseline = plx_candidate_is_baseline(first);
    plx_status status = plx_references_get(references, inputs, baseline, &reference, error);

    if (status != PLX_OK)
        return status;
    plx_agree(inputs, reference, baseline, &one, &other, pair);
    pair->agree = pair->agree && first->outcome == PLX_OUTCOME_OK && second->outcome == PLX_OUTCOME_OK;
    if (first->kernel->reproducibility == PLX_R0 && second->kernel->reproducibility == PLX_R0 && !reference->exact)
        pair->agree = pair->agree && pair->identical; /* what is exact was compared by its bytes */
    return PLX_OK;
}

plx_status plx_candidates_pair(const plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                               plx_references *references, plx_pair_found *found, void *data, plx_error *error)
{
    for (size_t first = 0; first < count; ++first)
        for (size_t second = first + 1; second < count; ++second) {
            plx_pair pair = {.first_different = -1};
            plx_status status;
            if (!worth_comparing(candidates, count, first, second))
                continue;
            status = compare_two(&candidates[first], &candidates[second], inputs, references, &pair, error);
            if (status == PLX_OK)
                status = found(data, first, second, &pair, error);
            if (status != PLX_OK)
                return status;
        }
    return PLX_OK;
}
