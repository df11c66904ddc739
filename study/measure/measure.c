/* Times the candidates of a study on one problem: batches between two events, buffers rotated
 * past the cache, candidates in random order, until each one's interval is narrow. */
#include "study/measure/timed_results.h"

#include <stdio.h>
#include <stdlib.h>

enum { MIN_SAMPLES = 20, MAX_BATCH = 20000, CALLS_PER_ROUND = 4, LAUNCHES_PER_QUEUE = 4 };
/* A round in so many is looked at, and one of the first, none of which is the last; the last
 * always. */
enum { LOOK_EVERY = 16, FIRST_ROUNDS = 2 };

static const double sample_ns = 400e3;      /* a sample lasts at least this long */
static const double converged_width = 0.01; /* of the interval, relative to the median */
static const double least_share = 0.2;      /* of the time limit is spent before anything converges */
static const double small_ns = 100e3;       /* a launch shorter than this is also timed by single calls */
static const double warm_up_limit_ns = 2e6; /* a launch longer than this warms itself up */

/* A candidate being timed. */
typedef struct runner {
    plx_candidate *candidate;
    size_t operand_count;
    plx_rotation *rotation;
    struct runner *all; /* that take turns, itself among them */
    size_t all_count;
    plx_watch own_watch, *watch; /* of its device: its own, or that of another runner */
    plx_timed_queues queues;
    plx_timed_results results;
    size_t batch, count, calls;
    size_t noted; /* samples that have what their device said after them */
    bool ending, done; /* ending: one more round, whose results are judged */
    plx_clock_fit fit;   /* of the device's clock to the host's */
    double overhead_ns;  /* of a batch on the host's clock */
    double once_ns;  /* about the time of one launch */
    double spent_ns; /* on the host's clock */
    plx_sample samples[PLX_MAX_SAMPLES];
    double latencies[PLX_MAX_SAMPLES];
} runner;

/* What holds for all candidates of one measurement. */
typedef struct timing_rules {
    double limit_ns; /* for each candidate */
    bool hot;
    size_t queues; /* that launches go to in turn */
    bool together; /* all go on until the last one has converged */
} timing_rules;

static plx_status explain(const runner *r, plx_status status, plx_error *error)
{
    return plx_explain(r->candidate->backend, status, error);
}

/* ---- one sample ------------------------------------------------------------------------ */

/* A set of operands keeps its queue: what overlaps are never two launches on the same. */
static plx_status launch(runner *r)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    const size_t set = plx_rotation_views(r->rotation, views);
    return plx_execute(r->candidate->plan, r->queues.queue[set % r->queues.count], views, r->operand_count);
}

static plx_status launch_batch(runner *r)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < r->batch; ++i)
        status = launch(r);
    return status;
}

static bool warms_up(const runner *r)
{
    return r->once_ns < warm_up_limit_ns;
}

/* The time of one batch on both clocks.  One launch goes ahead of it, so that neither what
 * the candidate before left in the caches nor an idle device is charged to this one. */
static plx_status time_batch(runner *r, double *device_ns, double *host_ns)
{
    double start;
    plx_status status = warms_up(r) ? launch(r) : PLX_OK;

    if (status == PLX_OK)
        status = plx_timed_queues_wait(&r->queues);
    start = plx_now_ns();
    if (status == PLX_OK)
        status = plx_timed_queues_start(&r->queues);
    if (status == PLX_OK)
        status = launch_batch(r);
    if (status == PLX_OK)
        status = plx_timed_queues_stop(&r->queues);
    if (status == PLX_OK)
        status = plx_timed_queues_wait(&r->queues);
    *host_ns = plx_now_ns() - start;
    if (status == PLX_OK)
        status = plx_timed_queues_elapsed(&r->queues, device_ns);
    r->spent_ns += *host_ns;
    return status;
}

static double overhead_of(const runner *r)
{
    return warms_up(r) ? r->overhead_ns : plx_clock_overhead_idle(r->overhead_ns);
}

/* One batch: the time on the clock that is believed, and on the host's. */
static plx_status try_batch(runner *r, double *elapsed, double *host_ns)
{
    double device_ns = 0.0;
    plx_status status = time_batch(r, &device_ns, host_ns);

    r->fit = plx_clock_fit_of(device_ns, *host_ns, overhead_of(r));
    *elapsed = r->fit == PLX_CLOCK_FITS ? device_ns : *host_ns;
    r->once_ns = *elapsed / (double)r->batch;
    return status;
}

/* Warms up, and doubles the batch until a sample lasts long enough.
 * What takes all the time there is in one go is not run again for that.  With several queues
 * a sample begins and ends with launches that overlap less: it lasts longer, and each queue
 * has a few. */
static plx_status calibrate(runner *r, double limit_ns)
{
    const double enough = sample_ns * (double)r->queues.count;
    double elapsed = 0.0, host_ns = 0.0;
    plx_status status;

    r->batch = r->queues.count == 1 ? 1 : LAUNCHES_PER_QUEUE * r->queues.count;
    r->once_ns = limit_ns; /* not known yet: no launch ahead of the first */
    status = try_batch(r, &elapsed, &host_ns);
    if (elapsed > limit_ns)
        return status;
    while (status == PLX_OK) {
        status = try_batch(r, &elapsed, &host_ns);
        if (status != PLX_OK || elapsed >= enough || host_ns > limit_ns || r->batch >= MAX_BATCH)
            break;
        r->batch *= elapsed * 8.0 < enough ? 4 : 2;
    }
    return status;
}

static bool converged(const runner *r, const timing_rules *rules)
{
    plx_timing timing = {.measured = false};

    if (r->count < MIN_SAMPLES || r->spent_ns < least_share * rules->limit_ns)
        return false;
    plx_timing_of_samples(r->samples, r->count, &timing);
    return timing.samples >= MIN_SAMPLES &&
           timing.high_ns - timing.low_ns <= converged_width * timing.median_ns;
}

/* What a device says holds for the samples since it was asked before, and for those until it is asked again. */
static void ask(plx_watch *watch, runner *all, size_t count)
{
    plx_watch_ask(watch);
    for (size_t i = 0; i < count; ++i)
        for (runner *r = &all[i]; r->watch == watch && r->noted < r->count; ++r->noted)
            plx_sample_note(&r->samples[r->noted], &watch->state);
}

static void ask_if_due(const runner *r)
{
    if (plx_watch_is_due(r->watch, plx_now_ns()))
        ask(r->watch, r->all, r->all_count);
}

static plx_status take_sample(runner *r, const timing_rules *rules)
{
    plx_sample *sample = &r->samples[r->count];
    double device_ns = 0.0, host_ns = 0.0;
    plx_status status;

    ask_if_due(r);
    *sample = (plx_sample){.throttle = 0};
    plx_sample_note(sample, &r->watch->state);
    status = time_batch(r, &device_ns, &host_ns);
    if (status != PLX_OK)
        return status;
    sample->host_ns = host_ns / (double)r->batch;
    sample->device_ns = device_ns / (double)r->batch;
    r->fit = plx_samples_believe(r->samples, ++r->count, r->batch, overhead_of(r));
    ask_if_due(r);
    r->candidate->time.converged = converged(r, rules);
    return PLX_OK;
}

/* Single calls, from the launch until it is known to be done. */
static plx_status take_calls(runner *r)
{
    plx_status status = PLX_OK;

    if (r->once_ns > small_ns)
        return PLX_OK;
    for (int i = 0; status == PLX_OK && i < CALLS_PER_ROUND && r->calls < PLX_MAX_SAMPLES; ++i) {
        const double start = plx_now_ns();
        status = launch(r);
        if (status == PLX_OK)
            status = plx_timed_queues_wait(&r->queues);
        r->latencies[r->calls++] = plx_now_ns() - start;
    }
    return status;
}

/* ---- rounds --------------------------------------------------------------------------------- */

static void runner_wrong(runner *r)
{
    r->done = true;
    r->count = 0;
    r->calls = 0;
    r->candidate->outcome = PLX_OUTCOME_WRONG;
    r->candidate->time = (plx_timing){.measured = false};
    (void)snprintf(r->candidate->reason, sizeof r->candidate->reason, "wrong while timed, though right before: %s",
                   r->results.wrong);
}

/* Whether this round is the last that time allows. */
static bool is_last(const runner *r, const timing_rules *rules)
{
    const double round_ns = r->once_ns * (double)r->batch;
    return r->ending || r->count + 1 >= PLX_MAX_SAMPLES ||
           (r->count >= FIRST_ROUNDS && r->spent_ns + round_ns > rules->limit_ns);
}

static plx_look choose_look(const runner *r, const timing_rules *rules)
{
    const size_t every = r->count < FIRST_ROUNDS ? FIRST_ROUNDS - r->count : LOOK_EVERY;

    if (r->results.references == NULL)
        return PLX_LOOK_NONE;
    if (is_last(r, rules))
        return PLX_LOOK_ALL;
    if (r->count < FIRST_ROUNDS && r->results.change.sought)
        return PLX_LOOK_NONE;
    return plx_random((uint64_t)plx_now_ns(), 515, r->count) % every == 0 ? PLX_LOOK_CHANGED : PLX_LOOK_NONE;
}

/* With beta a launch adds to what the one before left: only what ran once can be judged. */
static bool accumulates(const runner *r)
{
    const plx_inputs *inputs = r->results.inputs;
    return inputs->data[inputs->operation->output] != NULL && r->batch + 1 > r->rotation->operands.sets;
}

static plx_status launch_each_set(runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->rotation->operands.sets && i < r->batch; ++i)
        status = launch(r);
    return status == PLX_OK ? plx_timed_queues_wait(&r->queues) : status;
}

/* A sample, and a look at the results of its launches; where those can't be judged, of as
 * many as there are sets right behind them. */
static plx_status sample_and_look(runner *r, const timing_rules *rules, plx_look look, plx_error *error)
{
    const bool behind = accumulates(r);
    plx_status status = behind ? explain(r, take_sample(r, rules), error) : PLX_OK;

    if (status == PLX_OK)
        status = plx_timed_results_prepare(&r->results, look, behind ? r->batch : r->batch + (size_t)warms_up(r), error);
    if (status == PLX_OK)
        status = explain(r, behind ? launch_each_set(r) : take_sample(r, rules), error);
    return status == PLX_OK ? plx_timed_results_judge(&r->results, error) : status;
}

/* The round after which a candidate is done is one whose results were judged. */
static plx_status take_round(runner *r, const timing_rules *rules, plx_error *error)
{
    const plx_look look = choose_look(r, rules);
    plx_status status = look == PLX_LOOK_NONE ? explain(r, take_sample(r, rules), error)
                                             : sample_and_look(r, rules, look, error);

    if (status == PLX_OK && r->results.wrong[0] != '\0') {
        runner_wrong(r);
        return PLX_OK;
    }
    r->ending = r->ending || (r->candidate->time.converged && !rules->together) ||
                r->count + 1 >= PLX_MAX_SAMPLES || (r->spent_ns > rules->limit_ns && r->count >= 3);
    r->done = r->ending && (look == PLX_LOOK_ALL || r->results.references == NULL);
    return status;
}

/* ---- a candidate from start to end -------------------------------------------------------------- */

static void runner_fail(runner *r, plx_status status, const plx_error *error)
{
    r->done = true;
    r->count = 0;
    r->calls = 0;
    if (status != PLX_NO_MEMORY) /* else it is right, but there is no room to time it */
        r->candidate->outcome = PLX_OUTCOME_FAILED;
    (void)snprintf(r->candidate->reason, sizeof r->candidate->reason, "%s: %.490s",
                   status == PLX_NO_MEMORY ? "not timed" : "while it was timed", error->text);
}

static plx_status make_ready(runner *r, const timing_rules *rules)
{
    plx_status status = plx_timed_queues_open(&r->queues, r->candidate->backend, rules->queues);

    if (status == PLX_OK)
        status = plx_clock_overhead(&r->queues, &r->overhead_ns);
    return status == PLX_OK ? calibrate(r, rules->limit_ns) : status;
}

static void runner_start(runner *r, plx_candidate *candidate, plx_rotation **rotations,
                         const plx_inputs *inputs, plx_references *references, const timing_rules *rules)
{
    plx_error error = {.text = ""};
    plx_status status;

    r->candidate = candidate;
    r->operand_count = inputs->operation->operand_count;
    status = plx_rotation_for(rotations, candidate->backend, inputs, rules->hot, rules->queues, &r->rotation, &error);
    r->results = (plx_timed_results){
        .candidate = candidate, .inputs = inputs, .references = references, .rotation = r->rotation};
    if (status == PLX_OK)
        status = explain(r, make_ready(r, rules), &error);
    if (status != PLX_OK)
        runner_fail(r, status, &error);
}

static void runner_finish(runner *r, const timing_rules *rules)
{
    plx_timing *timing = &r->candidate->time;

    if (r->count > 0) {
        timing->converged = converged(r, rules); /* all is known of the samples now */
        timing->device_clock = r->fit == PLX_CLOCK_FITS;
        (void)snprintf(timing->clock_reason, sizeof timing->clock_reason, "%s", plx_clock_fit_text(r->fit));
        timing->hot = rules->hot;
        timing->queues = r->rotation->operands.sets < rules->queues ? r->rotation->operands.sets : rules->queues;
        timing->batch = r->batch;
        plx_timing_of_samples(r->samples, r->count, timing);
        plx_interval_of(r->latencies, r->calls, &timing->latency);
        if (!rules->together) /* a sweep is compared within itself alone */
            plx_timing_widen(timing);
        r->candidate->cached = plx_rotation_is_cached(r->rotation);
    }
    r->candidate->error.compared_after = r->results.compared;
    plx_timed_results_free(&r->results);
    plx_timed_queues_close(&r->queues);
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

static bool all_converged(const runner *runners, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!runners[i].done && !runners[i].candidate->time.converged)
            return false;
    return true;
}

/* Together, all go on until the last one has converged: what disturbs the machine for a
 * while then disturbs all of them. */
static void run_rounds(runner *runners, size_t *order, size_t count, const timing_rules *rules)
{
    bool busy = true;

    for (uint64_t round = 0; busy; ++round) {
        busy = false;
        shuffle(order, count, round);
        for (size_t i = 0; i < count; ++i) {
            runner *r = &runners[order[i]];
            plx_error error = {.text = ""};
            plx_status status;
            if (r->done)
                continue;
            status = take_round(r, rules, &error);
            if (status == PLX_OK && !r->done)
                status = explain(r, take_calls(r), &error);
            if (status != PLX_OK)
                runner_fail(r, status, &error);
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

static bool share_a_device(const runner *a, const runner *b)
{
    return a->candidate->backend == b->candidate->backend ||
           plx_same_device(plx_backend_device(a->candidate->backend), plx_backend_device(b->candidate->backend));
}

/* Each device is watched by the first of its runners. */
static void watch_devices(runner *runners, size_t count, const plx_candidate *candidates, size_t candidate_count)
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
            runners[i].own_watch.source = plx_telemetry_source(runners[i].candidate->backend, backends, candidate_count);
    }
    free(backends);
}

/* What the last samples still lack. */
static void end_watches(runner *runners, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (runners[i].own_watch.source != NULL)
            ask(&runners[i].own_watch, runners, count);
}

/* Candidate i meets inputs[i * stride] and references[i * stride]. */
static plx_status measure(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                          plx_references *references, size_t stride, const timing_rules *rules,
                          plx_error *error)
{
    runner *runners = calloc(count > 0 ? count : 1, sizeof *runners);
    size_t *order = calloc(count > 0 ? count : 1, sizeof *order), timed = 0;
    plx_rotation *rotations = NULL;

    if (runners == NULL || order == NULL) {
        free(runners);
        free(order);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for samples");
    }
    for (size_t i = 0; i < count; ++i)
        if (worth_timing(&candidates[i], &inputs[i * stride])) {
            order[timed] = timed;
            runner_start(&runners[timed++], &candidates[i], &rotations, &inputs[i * stride],
                         references != NULL ? &references[i * stride] : NULL, rules);
        }
    watch_devices(runners, timed, candidates, count);
    run_rounds(runners, order, timed, rules);
    end_watches(runners, timed);
    for (size_t i = 0; i < timed; ++i)
        runner_finish(&runners[i], rules);
    plx_rotations_free(rotations);
    free(order);
    free(runners);
    return PLX_OK;
}

plx_status plx_measure_candidates(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                  plx_references *references, const plx_compare_options *options,
                                  plx_error *error)
{
    const double seconds = options->seconds_per_kernel > 0.0 ? options->seconds_per_kernel : 0.5;
    const timing_rules rules = {
        .limit_ns = seconds * 1e9, .hot = options->hot, .queues = options->queues > 0 ? options->queues : 1};
    return measure(candidates, count, inputs, references, 0, &rules, error);
}

plx_status plx_measure_sweep(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                             plx_references *references, double seconds, plx_error *error)
{
    const timing_rules rules = {.limit_ns = seconds * 1e9, .queues = 1, .together = true};
    return measure(candidates, count, inputs, references, 1, &rules, error);
}
