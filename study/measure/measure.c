/* Times the candidates of a study on one problem: batches between two events, sets of operands that take turns past
 * the cache, candidates in random order, until each one's interval is narrow. */
#include "study/measure/measure.h"
#include "study/measure/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST_SAMPLES = 3, ENOUGH_SAMPLES = 10, MOST_LIMITS = 8 };

static const double grace_ns = 100e6;  /* a time that would be no result may take as long again, or this, */
static const double most_grace = 10.0; /* but at most so many times the limit more */

/* ---- rounds --------------------------------------------------------------------------------- */

static bool is_noisy(const plx_runner *r)
{
    plx_timing timing = {.measured = true};
    plx_timing_of_samples(r->samples, r->count, &timing);
    return plx_timing_is_noisy(&timing);
}

/* Where new data takes most of the time, a few samples more make an interval; and a few tell a machine that was
 * disturbed for a moment from one that is. */
static bool is_out_of_time(const plx_runner *r, const plx_timing_rules *rules)
{
    const double grace = fmin(most_grace * rules->limit_ns, fmax(grace_ns, rules->limit_ns));
    if (r->spent_ns < rules->limit_ns + grace && is_noisy(r))
        return false;
    if (r->count >= ENOUGH_SAMPLES)
        return r->spent_ns > rules->limit_ns;
    return r->count >= LEAST_SAMPLES && (r->timed_ns > rules->limit_ns || r->spent_ns > MOST_LIMITS * rules->limit_ns);
}

static plx_status take_round(plx_runner *r, const plx_timing_rules *rules, plx_error *error)
{
    const double start = plx_now_ns();
    plx_status status = plx_runner_explain(r, plx_runner_sample(r, rules), error);

    r->spent_ns += plx_now_ns() - start;
    if (status != PLX_OK)
        return status;
    r->ending = r->ending || (r->candidate->time.converged && !rules->together) || r->count >= PLX_MAX_SAMPLES ||
                is_out_of_time(r, rules);
    if (r->ending && !r->judges)
        r->done = true;
    else if (r->ending)
        status = plx_runner_close(r, rules, error);
    else if (plx_runner_looks_now(r))
        status = plx_runner_look(r, false, plx_runner_look_budget(r), error);
    return status;
}

/* ---- all candidates ------------------------------------------------------------------------------ */

/* Fisher-Yates; what comes before what must not decide who is faster. */
static void shuffle(size_t *order, size_t count, uint64_t round)
{
    for (size_t i = count; i > 1; --i) {
        size_t j = (size_t)(plx_random(round, 512, i) % i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static bool all_converged(const plx_runner *runners, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!runners[i].done && !runners[i].candidate->time.converged)
            return false;
    return true;
}

/* Together, all go on until the last one has converged: what disturbs the machine for a
 * while then disturbs all of them. */
static void tell_share(const plx_runner *runners, size_t count, const plx_timing_rules *rules, plx_measure_tick tick)
{
    double share = 0.0;

    for (size_t i = 0; i < count; ++i)
        share += runners[i].done ? 1.0 : fmin(runners[i].spent_ns / rules->limit_ns, 1.0);
    if (tick.tell != NULL && count > 0)
        tick.tell(tick.data, share / (double)count);
}

static void run_rounds(plx_runner *runners, size_t *order, size_t count, const plx_timing_rules *rules,
                       plx_measure_tick tick)
{
    bool busy = true;

    for (uint64_t round = 0; busy; ++round) {
        busy = false;
        tell_share(runners, count, rules, tick);
        shuffle(order, count, round);
        for (size_t i = 0; i < count; ++i) {
            plx_runner *r = &runners[order[i]];
            plx_error error = {.text = ""};
            plx_status status;
            if (r->done)
                continue;
            r->ending = r->ending || plx_studies_stopped();
            status = take_round(r, rules, &error);
            if (status == PLX_OK && !r->done)
                status = plx_runner_explain(r, plx_runner_calls(r), &error);
            if (status != PLX_OK)
                plx_runner_fail(r, status, &error);
            busy = busy || !r->done;
        }
        for (size_t i = 0; rules->together && all_converged(runners, count) && i < count; ++i)
            runners[i].ending = true;
    }
}

static bool worth_timing(const plx_candidate *candidate, const plx_inputs *inputs)
{
    const size_t output = inputs->operation->output;
    return candidate->outcome == PLX_OUTCOME_OK && candidate->plan != NULL && inputs->elements[output] > 0;
}

static bool share_a_device(const plx_runner *a, const plx_runner *b)
{
    return a->candidate->backend == b->candidate->backend ||
           plx_same_device(plx_backend_device(a->candidate->backend), plx_backend_device(b->candidate->backend));
}

/* Each device is watched by the first of its runners. */
static void watch_devices(plx_runner *runners, size_t count, const plx_candidate *candidates, size_t candidate_count)
{
    plx_backend **backends = calloc(candidate_count > 0 ? candidate_count : 1, sizeof(*backends));

    for (size_t i = 0; backends != NULL && i < candidate_count; ++i)
        backends[i] = candidates[i].backend;
    for (size_t i = 0; i < count; ++i) {
        size_t first = 0;
        while (!share_a_device(&runners[first], &runners[i])) /* at last with itself */
            ++first;
        runners[i].all = runners;
        runners[i].all_count = count;
        runners[i].watch = &runners[first].own_watch;
        if (first == i && backends != NULL)
            runners[i].own_watch.source =
                plx_telemetry_source(runners[i].candidate->backend, backends, candidate_count);
    }
    free(backends);
}

/* What the last samples still lack. */
static void end_watches(plx_runner *runners, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (runners[i].own_watch.source != NULL)
            plx_runner_ask(&runners[i].own_watch, runners, count);
}

/* Candidate i meets inputs[i * stride] and references[i * stride]. */
static plx_status measure(plx_candidate *candidates, size_t count, const plx_inputs *inputs, plx_references *references,
                          size_t stride, const plx_timing_rules *rules, plx_measure_tick tick, plx_error *error)
{
    plx_runner *runners = calloc(count > 0 ? count : 1, sizeof *runners);
    size_t *order = calloc(count > 0 ? count : 1, sizeof *order), timed = 0;
    plx_timed_sets *sets = NULL;

    if (runners == NULL || order == NULL) {
        free(runners);
        free(order);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for samples");
    }
    for (size_t i = 0; i < count; ++i)
        if (worth_timing(&candidates[i], &inputs[i * stride])) {
            order[timed] = timed;
            plx_runner_start(&runners[timed++], &candidates[i], &sets, &inputs[i * stride],
                             references != NULL ? &references[i * stride] : NULL, rules);
        }
    watch_devices(runners, timed, candidates, count);
    run_rounds(runners, order, timed, rules, tick);
    end_watches(runners, timed);
    for (size_t i = 0; i < timed; ++i)
        plx_runner_finish(&runners[i], rules);
    plx_timed_sets_free(sets);
    free(order);
    free(runners);
    return PLX_OK;
}

plx_status plx_measure_candidates(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                  plx_references *references, const plx_compare_options *options, plx_error *error)
{
    return plx_measure_and_tell(candidates, count, inputs, references, options, (plx_measure_tick){NULL, NULL}, error);
}

plx_status plx_measure_and_tell(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                plx_references *references, const plx_compare_options *options, plx_measure_tick tick,
                                plx_error *error)
{
    const double seconds = options->seconds_per_kernel > 0.0 ? options->seconds_per_kernel : 0.5;
    const plx_timing_rules rules = {
        .limit_ns = seconds * 1e9, .hot = options->hot, .queues = options->queues > 0 ? options->queues : 1};
    return measure(candidates, count, inputs, references, 0, &rules, tick, error);
}

plx_status plx_measure_sweep(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                             plx_references *references, double seconds, plx_error *error)
{
    const plx_timing_rules rules = {.limit_ns = seconds * 1e9, .queues = 1, .together = true};
    return measure(candidates, count, inputs, references, 1, &rules, (plx_measure_tick){NULL, NULL}, error);
}
