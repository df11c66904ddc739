/* A candidate that is being timed, from its start to its end: operands, queues, verdict. */
#include "study/measure/runner.h"

#include <stdio.h>

plx_status plx_runner_explain(const plx_runner *r, plx_status status, plx_error *error)
{
    return plx_explain(r->candidate->backend, status, error);
}

void plx_runner_fail(plx_runner *r, plx_status status, const plx_error *error)
{
    r->done = true;
    r->count = 0;
    r->calls = 0;
    if (status != PLX_NO_MEMORY) /* else it is right, but there is no room to time it */
        r->candidate->outcome = PLX_OUTCOME_FAILED;
    (void)snprintf(r->candidate->reason, sizeof r->candidate->reason, "%s: %.490s",
                   status == PLX_NO_MEMORY ? "not timed" : "while it was timed", error->text);
}

static plx_status make_ready(plx_runner *r, const plx_timing_rules *rules)
{
    plx_status status = plx_timed_queues_open(&r->queues, r->candidate->backend, rules->queues);

    if (status == PLX_OK)
        status = plx_clock_overhead(&r->queues, &r->overhead_ns);
    return status == PLX_OK ? plx_runner_calibrate(r, rules->limit_ns) : status;
}

void plx_runner_start(plx_runner *r, plx_candidate *candidate, plx_timed_sets **sets, const plx_inputs *inputs,
                      plx_references *references, const plx_timing_rules *rules)
{
    plx_error error = {.text = ""};
    plx_status status;

    r->candidate = candidate;
    r->operand_count = inputs->operation->operand_count;
    r->judges = references != NULL;
    r->judged = candidate->error;
    status = plx_timed_sets_for(sets, candidate->backend, inputs, rules->hot, rules->queues, &r->sets, &error);
    r->results = (plx_timed_results){.candidate = candidate,
                                     .bad_set = SIZE_MAX,
                                     .inputs = inputs,
                                     .sets = r->sets,
                                     .dice.seed = plx_random(inputs->seed, 523, (uint64_t)candidate->step)};
    if (status == PLX_OK)
        status = plx_runner_explain(r, make_ready(r, rules), &error);
    if (status != PLX_OK)
        plx_runner_fail(r, status, &error);
}

void plx_runner_finish(plx_runner *r, const plx_timing_rules *rules)
{
    plx_timing *timing = &r->candidate->time;

    if (r->count > 0) {
        timing->converged = plx_runner_converged(r, rules); /* all is known of the samples now */
        timing->device_clock = r->fit == PLX_CLOCK_FITS;
        (void)snprintf(timing->clock_reason, sizeof timing->clock_reason, "%s", plx_clock_fit_text(r->fit));
        timing->hot = rules->hot;
        timing->queues = r->sets->count < rules->queues ? r->sets->count : rules->queues;
        timing->batch = r->batch;
        plx_timing_of_samples(r->samples, r->count, timing);
        plx_spread_of_samples(r->samples, r->count, &r->candidate->spread);
        plx_interval_of(r->latencies, r->calls, &timing->latency);
        if (!rules->together) /* a sweep is compared within itself alone */
            plx_timing_widen(timing);
        r->candidate->cached = plx_timed_sets_are_cached(r->sets, r->batch);
    }
    r->candidate->error.compared_after = r->results.compared;
    plx_timed_results_free(&r->results);
    plx_timed_queues_close(&r->queues);
}
