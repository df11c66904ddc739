/* Batches of one candidate between two events: its turns, its samples, how many launches a sample has. */
#include "study/measure/runner.h"

#include <sys/resource.h>

enum { MIN_SAMPLES = 20, MAX_BATCH = 20000, CALLS_PER_ROUND = 4, LAUNCHES_PER_QUEUE = 4, TRIES = 4 };

static const double sample_ns = 400e3;      /* a sample lasts at least this long */
static const double overhead_share = 0.04;  /* of a sample, at most, may be no work of the device */
static const double converged_width = 0.01; /* of the interval, relative to the median */
static const double least_share = 0.2;      /* of the time limit is spent before anything converges */
static const double small_ns = 100e3;       /* a launch shorter than this is also timed by single calls */
static const double warm_up_limit_ns = 2e6; /* a launch longer than this warms itself up */

static plx_status launch(plx_runner *r, size_t set, plx_queue *queue)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};

    plx_timed_sets_views(r->sets, set, views);
    return plx_execute(r->candidate->plan, queue, views, r->operand_count);
}

/* A set of operands keeps its queue: what overlaps are never two launches on the same. */
plx_status plx_runner_launch(plx_runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->sets->launches; ++i) {
        const size_t set = r->sets->order[i];
        status = launch(r, set, r->queues.queue[r->sets->sets[set].lane % r->queues.count]);
        plx_timed_sets_launched(r->sets, set);
    }
    return status;
}

static bool warms_up(const plx_runner *r)
{
    return r->once_ns < warm_up_limit_ns;
}

/* What a launch leaves in scratch memory that may hold anything does not outlive a sample. */
static plx_status renew_scratch(const plx_runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->queues.count; ++i)
        status = plx_plan_renew_pieces(r->candidate->plan, r->queues.queue[i]);
    return status;
}

/* For tests alone. */
static plx_status make_turn_without_decoy(plx_runner *r, size_t launches, plx_status status)
{
    if (status == PLX_OK)
        status = plx_timed_sets_renew(r->sets, launches);
    if (status == PLX_OK && warms_up(r)) {
        status = launch(r, r->sets->order[0], NULL);
        plx_timed_sets_launched(r->sets, r->sets->order[0]);
    }
    return status == PLX_OK ? plx_timed_queues_wait(&r->queues) : status;
}

/* One launch goes ahead, so that neither what the candidate before left in the caches nor an idle device is
 * charged to this one: on a decoy, and before any of the others has its data. */
plx_status plx_runner_turn(plx_runner *r, size_t launches)
{
    plx_status status = plx_timed_sets_begin(r->sets, &r->user);

    if (plx_rule_left_out(PLX_RULE_DECOY))
        return make_turn_without_decoy(r, launches, status);
    if (status == PLX_OK && (warms_up(r) || r->sets->meet_next)) {
        status = launch(r, r->sets->decoy, NULL);
        plx_timed_sets_launched(r->sets, r->sets->decoy);
    }
    if (status == PLX_OK)
        status = plx_timed_queues_wait(&r->queues);
    if (status == PLX_OK)
        status = plx_timed_sets_renew(r->sets, launches);
    if (status == PLX_OK)
        status = renew_scratch(r);
    return status == PLX_OK ? plx_timed_queues_wait(&r->queues) : status;
}

/* The time of so many launches on both clocks. */
plx_status plx_runner_time(plx_runner *r, size_t launches, double *device_ns, double *host_ns)
{
    plx_status status = plx_timed_sets_reach(r->sets, launches);
    status = status == PLX_OK ? plx_runner_turn(r, launches) : status;
    const double start = plx_now_ns();

    if (status == PLX_OK)
        status = plx_timed_queues_start(&r->queues);
    if (status == PLX_OK)
        status = plx_runner_launch(r);
    if (status == PLX_OK)
        status = plx_timed_queues_stop(&r->queues);
    if (status == PLX_OK)
        status = plx_timed_queues_wait(&r->queues);
    *host_ns = plx_now_ns() - start;
    return status == PLX_OK ? plx_timed_queues_elapsed(&r->queues, device_ns) : status;
}

static double overhead_of(const plx_runner *r)
{
    return warms_up(r) ? r->overhead_ns : plx_clock_overhead_idle(r->overhead_ns);
}

/* One batch: the time on the clock that is believed, and on the host's. */
static plx_status try_batch(plx_runner *r, double *elapsed, double *host_ns)
{
    double device_ns = 0.0;
    plx_status status = plx_runner_time(r, r->batch, &device_ns, host_ns);

    r->fit = plx_clock_fit_of(device_ns, *host_ns, overhead_of(r));
    *elapsed = r->fit == PLX_CLOCK_FITS ? device_ns : *host_ns;
    r->once_ns = *elapsed / (double)r->batch;
    return status;
}

/* The shortest of a few tries, if it lasts long enough: something may have held up the others. */
static plx_status try_again(plx_runner *r, double enough, double limit_ns, double *elapsed, double *host_ns)
{
    double again;
    plx_status status = try_batch(r, elapsed, host_ns);

    for (int i = 1; status == PLX_OK && i < TRIES && *elapsed >= enough && *elapsed <= limit_ns / 16.0; ++i) {
        status = try_batch(r, &again, host_ns);
        *elapsed = again < *elapsed ? again : *elapsed;
    }
    r->once_ns = *elapsed / (double)r->batch;
    return status;
}

/* Warms up, and doubles the batch until a sample lasts long enough, also for what the clocks may differ by.
 * What takes all the time there is in one go is not run again for that.  With several queues
 * a sample begins and ends with launches that overlap less: it lasts longer, and each queue
 * has a few. */
plx_status plx_runner_calibrate(plx_runner *r, double limit_ns)
{
    const double start = plx_now_ns(), clock_ns = r->overhead_ns / overhead_share;
    const double enough = (clock_ns > sample_ns ? clock_ns : sample_ns) * (double)r->queues.count;
    double elapsed = 0.0, host_ns = 0.0;
    plx_status status;

    r->batch = r->queues.count == 1 ? 1 : LAUNCHES_PER_QUEUE * r->queues.count;
    r->once_ns = limit_ns; /* not known yet: no launch ahead of the first */
    status = try_batch(r, &elapsed, &host_ns);
    while (status == PLX_OK && elapsed <= limit_ns) {
        status = try_again(r, enough, limit_ns, &elapsed, &host_ns);
        if (status != PLX_OK || elapsed >= enough || host_ns > limit_ns || r->batch >= MAX_BATCH)
            break;
        r->batch *= elapsed * 8.0 < enough ? 4 : 2;
    }
    r->spent_ns += plx_now_ns() - start;
    return status;
}

bool plx_runner_converged(const plx_runner *r, const plx_timing_rules *rules)
{
    plx_timing timing = {.measured = false};

    if (r->count < MIN_SAMPLES || r->spent_ns < least_share * rules->limit_ns)
        return false;
    plx_timing_of_samples(r->samples, r->count, &timing);
    return timing.samples >= MIN_SAMPLES && timing.high_ns - timing.low_ns <= converged_width * timing.median_ns;
}

/* What a device says holds for the samples since it was asked before, and for those until it is asked again. */
void plx_runner_ask(plx_watch *watch, plx_runner *all, size_t count)
{
    plx_watch_ask(watch);
    for (size_t i = 0; i < count; ++i)
        for (plx_runner *r = &all[i]; r->watch == watch && r->noted < r->count; ++r->noted)
            plx_sample_note(&r->samples[r->noted], &watch->state);
}

static void ask_if_due(const plx_runner *r)
{
    if (plx_watch_is_due(r->watch, plx_now_ns()))
        plx_runner_ask(r->watch, r->all, r->all_count);
}

/* How often the system took a processor from a thread of this process that would have gone on. */
static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

plx_status plx_runner_sample(plx_runner *r, const plx_timing_rules *rules)
{
    plx_sample *sample = &r->samples[r->count];
    double device_ns = 0.0, host_ns = 0.0;
    long before;
    plx_status status;

    ask_if_due(r);
    *sample = (plx_sample){.throttle = 0};
    plx_sample_note(sample, &r->watch->state);
    before = preemptions();
    status = plx_runner_time(r, r->batch, &device_ns, &host_ns);
    if (status != PLX_OK)
        return status;
    sample->disturbed = preemptions() != before;
    r->timed_ns += host_ns;
    sample->host_ns = host_ns / (double)r->batch;
    sample->device_ns = device_ns / (double)r->batch;
    r->fit = plx_samples_believe(r->samples, ++r->count, r->batch, overhead_of(r));
    ask_if_due(r);
    r->candidate->time.converged = plx_runner_converged(r, rules);
    return PLX_OK;
}

/* Single calls, from the launch until it is known to be done. */
plx_status plx_runner_calls(plx_runner *r)
{
    plx_status status = PLX_OK;

    if (r->once_ns > small_ns)
        return PLX_OK;
    status = plx_runner_turn(r, CALLS_PER_ROUND);
    for (size_t i = 0; status == PLX_OK && i < CALLS_PER_ROUND && r->calls < PLX_MAX_SAMPLES; ++i) {
        const size_t set = r->sets->order[i];
        const double start = plx_now_ns();
        status = launch(r, set, r->queues.queue[r->sets->sets[set].lane % r->queues.count]);
        if (status == PLX_OK)
            status = plx_timed_queues_wait(&r->queues);
        r->latencies[r->calls++] = plx_now_ns() - start;
        plx_timed_sets_launched(r->sets, set);
    }
    return status;
}
