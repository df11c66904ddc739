/* plx_compare: the same bytes through every backend and kernel, each result judged,
 * all compared, and only what is right timed. */
#include "study/compare/comparison.h"
#include "study/measure/ceiling.h"
#include "study/measure/measure.h"
#include "study/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was not begun when Ctrl-C came. */
static bool is_stopped(plx_candidate *candidate)
{
    if (!plx_studies_stopped())
        return false;
    (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", plx_reason_interrupted);
    return true;
}

/* What takes long is told by its share of all, in parts: one for a kernel that is validated, more for one that is
 * timed.  It is told when it begins, so that all is only done at the end. */
enum { PARTS_OF_TIMING = 8, PARTS_OF_CEILINGS = 8, FINENESS = 100 };

static void tell(const plx_comparison *c, double parts, const char *what)
{
    const double done = c->parts_done + parts, total = c->parts > done ? c->parts : done + 1.0;

    if (c->options->progress != NULL)
        c->options->progress(c->options->progress_data, (size_t)(FINENESS * done), (size_t)(FINENESS * total), what);
}

static void tell_validation(plx_comparison *c, const plx_candidate *candidate)
{
    char text[160];

    ++c->done;
    (void)snprintf(text, sizeof text, "validating %s %s", plx_backend_label(candidate->backend),
                   candidate->kernel != NULL ? candidate->kernel->name : "best");
    tell(c, 0.0, text);
    c->parts_done += 1.0;
}

/* Of so many kernels, the share of the time that they have at most. */
typedef struct timing_told {
    const plx_comparison *c;
    size_t kernels;
} timing_told;

static void tell_timing(void *data, double share)
{
    const timing_told *of = data;
    char text[64];

    (void)snprintf(text, sizeof text, "timing %zu kernel%s", of->kernels, of->kernels == 1 ? "" : "s");
    tell(of->c, share * PARTS_OF_TIMING * (double)of->kernels, text);
}

/* Of all problems, as if each had so many candidates. */
static double all_parts(const plx_comparison *c, size_t candidates)
{
    const double timing = c->options->no_timing ? 0.0 : PARTS_OF_TIMING + PARTS_OF_CEILINGS / 8.0;

    return (1.0 + timing + (c->options->counters ? 1.0 : 0.0)) * (double)(candidates * c->options->problem_count);
}

/* ---- records -------------------------------------------------------------------- */

static double rate(double amount, const plx_timing *time)
{
    return plx_timing_counts(time) ? amount / time->median_ns : 0.0;
}

/* A kernel as the ladder has it: no library's, none for special shapes, and not in a configuration that was asked for.
 */
static bool is_timed_step(const plx_candidate *candidate)
{
    return plx_timing_counts(&candidate->time) && !plx_candidate_is_baseline(candidate) &&
           candidate->config[0] == '\0' && (candidate->kernel->flags & (PLX_KERNEL_VENDOR | PLX_KERNEL_SPECIAL)) == 0;
}

/* The time of the step before, over this one's; 0 where either has none, or a noisy one, by which nothing is ranked. */
static double gain(const plx_candidate *candidates, size_t which)
{
    if (!is_timed_step(&candidates[which]) || plx_timing_is_noisy(&candidates[which].time))
        return 0.0;
    for (size_t i = which; i-- > 0;)
        if (candidates[i].backend == candidates[which].backend && is_timed_step(&candidates[i]))
            return plx_timing_is_noisy(&candidates[i].time)
                       ? 0.0
                       : candidates[i].time.median_ns / candidates[which].time.median_ns;
    return 0.0;
}

/* What a candidate's kernel asks of its device. */
static plx_workload workload_of(const plx_candidate *candidate, const plx_inputs *inputs)
{
    plx_workload workload = plx_workload_of(inputs->operation, &inputs->problem);

    workload.cached = candidate->cached;
    workload.reused = candidate->time.hot;
    workload.queues = candidate->time.queues;
    plx_workload_by(&workload, &inputs->problem, candidate->kernel,
                    (plx_backend_device(candidate->backend)->features & PLX_FEATURE_CPU) != 0);
    return workload;
}

static plx_status add_records(plx_comparison *c, const plx_candidate *candidates, size_t count,
                              const plx_inputs *inputs, size_t group)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < count; ++i) {
        plx_record record;
        plx_record_fill(&record, &candidates[i], inputs, group);
        plx_record_take_config(&record, candidates[i].plan);
        record.gbps = rate(inputs->operation->bytes(&inputs->problem), &candidates[i].time);
        record.gflops = rate(plx_problem_flops(&inputs->problem), &candidates[i].time);
        record.gain = gain(candidates, i);
        if (plx_timing_counts(&candidates[i].time)) {
            const plx_workload workload = workload_of(&candidates[i], inputs);
            record.ceiling = plx_ceiling_of(&c->results->devices[candidates[i].device].ceilings, &workload,
                                            candidates[i].time.median_ns);
        }
        record.formula_bytes = inputs->operation->bytes(&inputs->problem);
        status = plx_results_add_record(c->results, &record, c->error);
    }
    return status;
}

static plx_status add_unopened(plx_comparison *c, const plx_inputs *inputs, size_t group)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < c->opened.unopened_count; ++i) {
        plx_record record = plx_backends_unopened(&c->opened, i);
        record.problem = inputs->problem;
        record.input = inputs->input;
        record.seed = inputs->seed;
        record.shift = inputs->shift;
        record.from_files = inputs->from_arrays;
        record.group = group;
        status = plx_results_add_record(c->results, &record, c->error);
    }
    return status;
}

static plx_status add_pair(void *data, size_t first, size_t second, const plx_pair *found, plx_error *error)
{
    plx_comparison *c = data;
    plx_pair pair = *found;
    size_t base = c->results->record_count; /* the group's records come after its pairs */

    pair.first = base + first;
    pair.second = base + second;
    return plx_results_add_pair(c->results, &pair, error);
}

/* ---- groups ---------------------------------------------------------------------- */

/* Asked before anything is allocated.  A candidate that will not run says why: it is refused, or it has failed
 * because its device or the host has no room for the operands. */
static bool will_run(const plx_comparison *c, plx_candidate *candidate, const plx_inputs *described)
{
    const plx_device_info *device = plx_backend_device(candidate->backend);
    plx_error error = {.text = ""};
    const bool refused = c->refuse != NULL && c->refuse(c->refuse_data, device, &described->problem, candidate->reason,
                                                        sizeof candidate->reason);

    if (!refused && plx_operands_fit(device, described, &error) == PLX_OK)
        return true;
    candidate->error.first_bad = -1;
    if (!refused) {
        candidate->outcome = PLX_OUTCOME_FAILED;
        (void)snprintf(candidate->reason, sizeof candidate->reason, "%s", error.text);
    }
    return false;
}

static size_t count_who_will_run(const plx_comparison *c, plx_candidate *candidates, size_t count,
                                 const plx_inputs *described)
{
    size_t running = 0;

    for (size_t i = 0; i < count; ++i)
        running += will_run(c, &candidates[i], described) ? 1 : 0;
    return running;
}

/* What is finished of a group is told as if it were all of it, before what comes next, which may never come back. */
static void tell_so_far(plx_comparison *c, const plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                        size_t group)
{
    const size_t before = c->results->record_count;
    plx_error ignored = {.text = ""}, *error = c->error;

    if (!plx_results_are_told())
        return;
    c->error = &ignored;
    if (add_records(c, candidates, count, inputs, group) == PLX_OK)
        plx_results_tell(c->results, c->done, c->total);
    c->results->record_count = before;
    c->error = error;
}

/* Candidates of one backend stand together: what was uploaded for the first serves them all. */
static void validate_candidates(plx_comparison *c, plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                plx_references *references, size_t group)
{
    const plx_trial_effort effort = {.shift = inputs->shift, .likeness = true};
    plx_guarded_operands buffers = {.backend = NULL};
    plx_integers integers = {.made = false};

    for (size_t i = 0; i < count; ++i) {
        if (candidates[i].reason[0] == '\0' && is_stopped(&candidates[i]))
            continue;
        tell_so_far(c, candidates, i, inputs, group);
        tell_validation(c, &candidates[i]);
        if (candidates[i].reason[0] != '\0') /* will not run */
            continue;
        if (buffers.backend != candidates[i].backend) {
            plx_guarded_operands_clear(&buffers);
            buffers.backend = candidates[i].backend;
        }
        candidates[i].buffers = &buffers;
        plx_candidate_run(&candidates[i], inputs, references, &effort);
        candidates[i].buffers = NULL;
        plx_claims_test(&c->claims, &candidates[i], inputs);
        if (!c->options->no_timing) /* nothing is believed of a time whose sums may lack terms */
            plx_integers_test(&integers, &candidates[i], inputs);
    }
    plx_integers_free(&integers);
    plx_guarded_operands_clear(&buffers);
}

static void drop_results(plx_candidate *candidates, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        plx_candidate_drop_result(&candidates[i]);
    }
}

/* What a kernel must leave as it was it must also leave so while it is timed. */
static void check_pieces(plx_candidate *candidate)
{
    if (candidate->plan == NULL || !candidate->time.measured || plx_rule_left_out(PLX_RULE_ZERO) ||
        plx_plan_check_pieces(candidate->plan) == PLX_OK)
        return;
    candidate->outcome = PLX_OUTCOME_WRONG;
    candidate->time = (plx_timing){.measured = false};
    (void)snprintf(candidate->reason, sizeof candidate->reason, "wrong while timed: %.400s",
                   plx_message(plx_backend_context(candidate->backend)));
}

static plx_status measure(plx_comparison *c, plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                          plx_references *references)
{
    timing_told told = {.c = c};

    if (c->options->no_timing || plx_studies_stopped())
        return PLX_OK;
    for (size_t i = 0; i < count; ++i)
        told.kernels += candidates[i].outcome == PLX_OUTCOME_OK;
    ++c->done;
    tell_timing(&told, 0.0);
    const plx_status status = plx_measure_and_tell(candidates, count, inputs, references, c->options,
                                                   (plx_measure_tick){tell_timing, &told}, c->error);
    for (size_t i = 0; i < count && status == PLX_OK; ++i)
        check_pieces(&candidates[i]);
    c->parts_done += PARTS_OF_TIMING * (double)count;
    c->done -= plx_studies_stopped() ? 1 : 0; /* times of fewer samples than were wanted */
    return status;
}

/* The ceilings that bound what was timed, each measured once per device, and none besides where a launch does.  The
 * second pass measures the plain units of a device on which the matrix units can't be measured. */
static void measure_ceilings(plx_comparison *c, const plx_candidate *candidates, size_t count, const plx_inputs *inputs)
{
    if (!c->options->no_timing)
        tell(c, 0.0, "measuring ceilings");
    for (size_t i = 0; i < count; ++i)
        if (candidates[i].time.measured) {
            const plx_workload workload = workload_of(&candidates[i], inputs);
            plx_ceilings *ceilings = &c->results->devices[candidates[i].device].ceilings;
            plx_ceilings_measure(candidates[i].backend, UINT32_C(1) << PLX_CEILING_LAUNCH, false, ceilings);
            for (int pass = 0; pass < 2 && !plx_ceiling_is_launch(&workload, ceilings->value[PLX_CEILING_LAUNCH]);
                 ++pass)
                plx_ceilings_measure(candidates[i].backend, plx_workload_kinds(&workload, ceilings), false, ceilings);
        }
}

/* With alpha 0 there is nothing to read and to multiply, whatever the formulas count. */
static bool does_less(const plx_inputs *inputs)
{
    double alpha, beta;

    plx_problem_scalars(&inputs->problem, &alpha, &beta);
    return alpha == 0.0;
}

/* A time that is too good is no result.  The ceiling is looked at twice, for something may
 * have been in its way. */
static void refuse_times(plx_comparison *c, plx_candidate *candidates, size_t count, const plx_inputs *inputs)
{
    for (size_t i = 0; i < count; ++i) {
        plx_ceilings *ceilings = &c->results->devices[candidates[i].device].ceilings;
        plx_ceiling_kind kind;
        char reason[sizeof candidates[i].reason];
        if (!candidates[i].time.measured || does_less(inputs))
            continue;
        const plx_workload workload = workload_of(&candidates[i], inputs);
        if (!plx_ceiling_refutes(ceilings, &workload, candidates[i].time.median_ns, &kind, reason, sizeof reason))
            continue;
        plx_ceiling_renew(candidates[i].backend, kind, ceilings);
        if (plx_ceiling_refutes(ceilings, &workload, candidates[i].time.median_ns, &kind, candidates[i].reason,
                                sizeof candidates[i].reason))
            candidates[i].time = (plx_timing){.measured = false};
    }
}

/* No ceiling that a right result is ahead of is one: it is looked at again, and where it stays too low, what was
 * reached is the ceiling, of all that are compared. */
static void correct_ceilings(plx_comparison *c, plx_candidate *candidates, size_t count, const plx_inputs *inputs)
{
    for (size_t i = 0; i < count; ++i) {
        plx_ceilings *ceilings = &c->results->devices[candidates[i].device].ceilings;
        if (!plx_timing_counts(&candidates[i].time) || does_less(inputs))
            continue;
        const plx_workload workload = workload_of(&candidates[i], inputs);
        plx_ceiling found = plx_ceiling_of(ceilings, &workload, candidates[i].time.median_ns);
        if (!plx_ceiling_is_false(&found))
            continue;
        plx_ceiling_renew(candidates[i].backend, found.kind, ceilings);
        found = plx_ceiling_of(ceilings, &workload, candidates[i].time.median_ns);
        if (plx_ceiling_is_false(&found))
            plx_ceiling_raise(candidates[i].backend, found.kind, plx_ceiling_reached(&found), ceilings);
    }
    for (size_t i = 0; i < c->opened.count; ++i) /* what was learnt through one is known of all */
        plx_ceilings_measure(c->opened.backends[i], 0, false, &c->results->devices[i].ceilings);
}

static void count_candidates(plx_comparison *c, plx_candidate *candidates, size_t count, const plx_inputs *inputs)
{
    if (!c->options->counters || plx_studies_stopped())
        return;
    ++c->done;
    tell(c, 0.0, "counting transactions");
    plx_count_candidates(candidates, count, inputs);
}

static plx_status compare_group(plx_comparison *c, plx_candidate *candidates, size_t count, size_t group)
{
    const plx_inputs *inputs = &c->inputs;
    plx_references *references = &c->references;
    plx_status status;

    validate_candidates(c, candidates, count, inputs, references, group);
    tell_so_far(c, candidates, count, inputs, group);
    status = plx_candidates_pair(candidates, count, inputs, references, add_pair, c, c->error);
    if (status == PLX_OK)
        status = measure(c, candidates, count, inputs, references);
    plx_bits_forget(references);
    drop_results(candidates, count);
    if (!c->keep)
        plx_references_free(references);
    if (status == PLX_OK && plx_studies_stopped()) { /* ceilings take seconds */
        status = add_records(c, candidates, count, inputs, group);
    } else if (status == PLX_OK) {
        measure_ceilings(c, candidates, count, inputs);
        c->parts_done += c->options->no_timing ? 0.0 : PARTS_OF_CEILINGS / 8.0 * (double)count;
        refuse_times(c, candidates, count, inputs);
        correct_ceilings(c, candidates, count, inputs);
        plx_backends_environment(&c->opened, c->results);
        count_candidates(c, candidates, count, inputs);
        status = add_records(c, candidates, count, inputs, group);
    }
    if (status == PLX_OK && (c->opened.only == NULL || c->opened.only == c->opened.backends[0]))
        status = add_unopened(c, inputs, group);
    for (size_t i = 0; i < count; ++i)
        plx_candidate_clear(&candidates[i]);
    return status;
}

/* Operands are made only where a candidate will run on them. */
static plx_status make_inputs(plx_comparison *c, const plx_problem *problem, bool wanted, plx_inputs *described)
{
    const plx_compare_options *options = c->options;

    if (c->kept) {
        c->inputs.problem.compute = problem->compute;
        return PLX_OK;
    }
    if (wanted)
        return plx_inputs_make(problem, options->inputs, options->input_count, options->input, options->seed,
                               &c->inputs, c->error);
    described->input = options->input;
    described->seed = options->seed;
    described->from_arrays = options->input_count > 0;
    c->inputs = *described;
    return PLX_OK;
}

/* Operands that were not made serve nobody. */
static void keep_or_free_inputs(plx_comparison *c, bool made)
{
    c->kept = c->keep && made;
    if (c->kept)
        return;
    plx_references_free(&c->references);
    plx_inputs_free(&c->inputs);
}

plx_status plx_comparison_add(plx_comparison *c, const plx_problem *problem, uint64_t shift, size_t group)
{
    plx_inputs described;
    plx_candidate *candidates = NULL;
    size_t count = 0;
    bool wanted = false;
    plx_status status = plx_inputs_describe(problem, &described, c->error);

    if (status == PLX_OK)
        status = plx_backends_candidates(&c->opened, problem, c->options->kernels, c->options->kernel_count,
                                         &candidates, &count, c->error);
    if (status == PLX_OK) {
        wanted = count_who_will_run(c, candidates, count, &described) > 0;
        status = make_inputs(c, problem, wanted, &described);
    }
    if (status == PLX_OK && c->parts_of_each) {
        c->parts_done = 0.0;
        c->parts = all_parts(c, count);
    } else if (status == PLX_OK && group == 0) {
        c->parts = all_parts(c, count);
    }
    if (status == PLX_OK && group == 0)
        c->total =
            (count + (c->options->no_timing ? 0 : 1) + (c->options->counters ? 1 : 0)) * c->options->problem_count;
    if (status == PLX_OK) {
        c->inputs.shift = shift;
        status = compare_group(c, candidates, count, group);
        keep_or_free_inputs(c, wanted || c->kept);
    }
    free(candidates);
    return status;
}

/* ---- the public functions ----------------------------------------------------------- */

plx_status plx_comparison_open(plx_comparison *c, plx_context *context, const plx_compare_options *options,
                               plx_results *results, plx_error *error)
{
    plx_status status;

    if (options->queues > PLX_MAX_QUEUES)
        return plx_fail(error, PLX_INVALID, "launches can take turns on up to %d queues, not %zu", PLX_MAX_QUEUES,
                        options->queues);
    *c = (plx_comparison){.options = options, .results = results, .error = error};
    const plx_lent_backends lent = {options->opened, options->opened_count};
    status = plx_backends_open_what_opens(context, options->backends, options->backend_count, &lent, &c->opened, error);
    if (status == PLX_OK)
        status = plx_backends_devices(&c->opened, results, error);
    if (status != PLX_OK)
        plx_comparison_close(c);
    return status;
}

void plx_comparison_close(plx_comparison *c)
{
    c->keep = false;
    keep_or_free_inputs(c, false);
    plx_claims_free(&c->claims);
    plx_backends_close(&c->opened);
}

/* Whether the problem after this one has the same operands. */
static bool next_has_the_same(const plx_compare_options *options, size_t which)
{
    plx_problem next;

    if (which + 1 >= options->problem_count)
        return false;
    next = options->problems[which + 1];
    next.compute = options->problems[which].compute;
    return memcmp(&next, &options->problems[which], sizeof next) == 0;
}

static plx_status compare_all(plx_context *context, const plx_compare_options *options, plx_results *results,
                              plx_error *error)
{
    plx_comparison c;
    plx_status status = plx_comparison_open(&c, context, options, results, error);

    if (status != PLX_OK)
        return status;
    for (size_t i = 0; status == PLX_OK && i < options->problem_count && !plx_studies_stopped(); ++i) {
        c.keep = next_has_the_same(options, i);
        status = plx_comparison_add(&c, &options->problems[i], 0, i);
        if (status == PLX_OK && plx_results_are_told())
            plx_results_tell(results, c.done, c.total);
    }
    plx_results_note_stop(results, c.done, c.total);
    plx_comparison_close(&c);
    return status;
}

plx_status plx_compare(plx_context *context, const plx_compare_options *options, plx_results *results, plx_error *error)
{
    plx_results made = {.record_count = 0};
    plx_status status = PLX_OK;

    if (options->problem_count == 0 || (options->input_count > 0 && options->problem_count != 1))
        status = plx_fail(error, PLX_INVALID, "compare takes %s",
                          options->problem_count == 0 ? "at least one problem" : "one problem when data is given");
    if (status == PLX_OK)
        status = compare_all(context, options, &made, error);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}
