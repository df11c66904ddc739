/* Times the candidates of a study on one problem: batches between two events, sets of operands that take turns past
 * the cache, candidates in random order, until each one's interval is narrow. */
#include "study/measure/timed_results.h"
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include "base/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    LEAST_SAMPLES = 3,
    ENOUGH_SAMPLES = 10,
    MOST_LIMITS = 8,
    MIN_SAMPLES = 20,
    MAX_BATCH = 20000,
    CALLS_PER_ROUND = 4,
    LAUNCHES_PER_QUEUE = 4
};
/* One of the first rounds is looked at, the last, and of the others what there is time for. */
enum {
    TRIES = 4,
    FIRST_ROUNDS = 2,
    CLOSING_LOOKS = 8,
    ALONE = 12,
    GHOSTS = 3,
    LEAST_PAIRS = 24,
    MOST_PAIRS = 400,
    MOST_READS = 8
};

static const double sample_ns = 400e3;      /* a sample lasts at least this long */
static const double overhead_share = 0.04;  /* of a sample, at most, may be no work of the device */
static const double converged_width = 0.01; /* of the interval, relative to the median */
static const double least_share = 0.2;      /* of the time limit is spent before anything converges */
static const double small_ns = 100e3;       /* a launch shorter than this is also timed by single calls */
static const double warm_up_limit_ns = 2e6; /* a launch longer than this warms itself up */
static const double look_share = 0.15;      /* of the time spent, before a look is too dear */
static const double closing_share = 0.1;    /* of the limit, at most, for looks when all is sampled */
static const double short_ns = 150e6;  /* of a round and its look: another is then always made, on a busy machine too */
static const double patience_ns = 1e9; /* for pairs of batches, before what is slower is no accident */
static const double grace_ns = 100e6;  /* a time that would be no result may take as long again, or this, */
static const double most_grace = 10.0; /* but at most so many times the limit more */

/* A candidate being timed. */
typedef struct runner {
    plx_candidate *candidate;
    size_t operand_count;
    plx_timed_sets *sets;
    plx_timed_user user;
    struct runner *all; /* that take turns, itself among them */
    size_t all_count;
    plx_watch own_watch, *watch; /* of its device: its own, or that of another runner */
    plx_timed_queues queues;
    plx_timed_results results;
    bool judges;
    plx_error_measure judged; /* what was found before timing */
    size_t batch, count, calls, looks;
    size_t noted;                         /* samples that have what their device said after them */
    bool ending, done;                    /* ending: after this round nothing more is sampled */
    plx_clock_fit fit;                    /* of the device's clock to the host's */
    double overhead_ns;                   /* of a batch on the host's clock */
    double once_ns;                       /* about the time of one launch */
    double spent_ns, timed_ns, looked_ns; /* on the host's clock; samples alone; looks */
    plx_sample samples[PLX_MAX_SAMPLES];
    double latencies[PLX_MAX_SAMPLES];
} runner;

/* What holds for all candidates of one measurement. */
typedef struct timing_rules {
    double limit_ns; /* for each candidate */
    bool hot;
    size_t queues; /* that launches go to in turn */
    bool together; /* all go on until the last one has converged */
    plx_measure_tick tick;
} timing_rules;

static plx_status explain(const runner *r, plx_status status, plx_error *error)
{
    return plx_explain(r->candidate->backend, status, error);
}

/* ---- one sample ------------------------------------------------------------------------ */

static plx_status launch(runner *r, size_t set, plx_queue *queue)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};

    plx_timed_sets_views(r->sets, set, views);
    return plx_execute(r->candidate->plan, queue, views, r->operand_count);
}

/* A set of operands keeps its queue: what overlaps are never two launches on the same. */
static plx_status launch_batch(runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->sets->launches; ++i) {
        const size_t set = r->sets->order[i];
        status = launch(r, set, r->queues.queue[r->sets->sets[set].lane % r->queues.count]);
        plx_timed_sets_launched(r->sets, set);
    }
    return status;
}

static bool warms_up(const runner *r)
{
    return r->once_ns < warm_up_limit_ns;
}

/* What a launch leaves in scratch memory that may hold anything does not outlive a sample. */
static plx_status renew_scratch(const runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->queues.count; ++i)
        status = plx_plan_renew_pieces(r->candidate->plan, r->queues.queue[i]);
    return status;
}

/* For tests alone. */
static plx_status make_turn_without_decoy(runner *r, size_t launches, plx_status status)
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
static plx_status make_turn(runner *r, size_t launches)
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
static plx_status time_batch(runner *r, size_t launches, double *device_ns, double *host_ns)
{
    plx_status status = plx_timed_sets_reach(r->sets, launches);
    status = status == PLX_OK ? make_turn(r, launches) : status;
    const double start = plx_now_ns();

    if (status == PLX_OK)
        status = plx_timed_queues_start(&r->queues);
    if (status == PLX_OK)
        status = launch_batch(r);
    if (status == PLX_OK)
        status = plx_timed_queues_stop(&r->queues);
    if (status == PLX_OK)
        status = plx_timed_queues_wait(&r->queues);
    *host_ns = plx_now_ns() - start;
    return status == PLX_OK ? plx_timed_queues_elapsed(&r->queues, device_ns) : status;
}

static double overhead_of(const runner *r)
{
    return warms_up(r) ? r->overhead_ns : plx_clock_overhead_idle(r->overhead_ns);
}

/* One batch: the time on the clock that is believed, and on the host's. */
static plx_status try_batch(runner *r, double *elapsed, double *host_ns)
{
    double device_ns = 0.0;
    plx_status status = time_batch(r, r->batch, &device_ns, host_ns);

    r->fit = plx_clock_fit_of(device_ns, *host_ns, overhead_of(r));
    *elapsed = r->fit == PLX_CLOCK_FITS ? device_ns : *host_ns;
    r->once_ns = *elapsed / (double)r->batch;
    return status;
}

/* The shortest of a few tries, if it lasts long enough: something may have held up the others. */
static plx_status try_again(runner *r, double enough, double limit_ns, double *elapsed, double *host_ns)
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
static plx_status calibrate(runner *r, double limit_ns)
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

static bool converged(const runner *r, const timing_rules *rules)
{
    plx_timing timing = {.measured = false};

    if (r->count < MIN_SAMPLES || r->spent_ns < least_share * rules->limit_ns)
        return false;
    plx_timing_of_samples(r->samples, r->count, &timing);
    return timing.samples >= MIN_SAMPLES && timing.high_ns - timing.low_ns <= converged_width * timing.median_ns;
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

/* How often the system took a processor from a thread of this process that would have gone on. */
static long preemptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static plx_status take_sample(runner *r, const timing_rules *rules)
{
    plx_sample *sample = &r->samples[r->count];
    double device_ns = 0.0, host_ns = 0.0;
    long before;
    plx_status status;

    ask_if_due(r);
    *sample = (plx_sample){.throttle = 0};
    plx_sample_note(sample, &r->watch->state);
    before = preemptions();
    status = time_batch(r, r->batch, &device_ns, &host_ns);
    if (status != PLX_OK)
        return status;
    sample->disturbed = preemptions() != before;
    r->timed_ns += host_ns;
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
    status = make_turn(r, CALLS_PER_ROUND);
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

/* ---- looks -------------------------------------------------------------------------------- */

static void refuse(runner *r, const char *words, const char *reason)
{
    r->done = true;
    r->count = 0;
    r->calls = 0;
    r->candidate->outcome = PLX_OUTCOME_WRONG;
    r->candidate->time = (plx_timing){.measured = false};
    (void)snprintf(r->candidate->reason, sizeof r->candidate->reason, "%s%s", words, reason);
}

static bool is_alone(const runner *r)
{
    for (size_t i = 0; i < r->all_count; ++i)
        if (&r->all[i] != r && r->all[i].sets == r->sets)
            return false;
    return true;
}

/* With beta a launch adds to what the one before left: what ran more than once can't be judged. */
static bool accumulates(const runner *r)
{
    const plx_inputs *inputs = r->results.inputs;
    return inputs->data[inputs->operation->output] != NULL && r->sets->launches > r->sets->used_count;
}

static plx_status launch_each_set(runner *r)
{
    plx_status status = make_turn(r, r->sets->used_count);

    if (status == PLX_OK)
        status = launch_batch(r);
    return status == PLX_OK ? plx_timed_queues_wait(&r->queues) : status;
}

/* What nobody else can have done is believed at once. */
static bool is_certain(const runner *r)
{
    return r->results.own || is_alone(r);
}

/* What still works when all is said to be done shows soon. */
static void pause_a_while(const runner *r)
{
    const double most = 2e7, twice = 2.0 * r->once_ns;
    plx_pause_ns(twice < most ? twice : most);
}

static plx_status turn_alone(runner *r, double budget_ns, plx_error *error)
{
    plx_status status = explain(r, make_turn(r, r->batch), error);

    if (status == PLX_OK)
        status = explain(r, launch_batch(r), error);
    if (status == PLX_OK)
        status = explain(r, plx_timed_queues_wait(&r->queues), error);
    if (status == PLX_OK)
        status = plx_timed_results_look(&r->results, false, budget_ns, error);
    pause_a_while(r);
    return status == PLX_OK && r->results.wrong[0] == '\0' ? plx_timed_results_sweep(&r->results, budget_ns, error)
                                                           : status;
}

/* What is damaged may be the work of another candidate, even of one that still works: after a while it is repeated
 * with everything anew, and nobody in between; once more, if it is damaged then. */
static plx_status look_alone(runner *r, double budget_ns, plx_error *error)
{
    static const double a_while_ns = 3e7;
    plx_status status = PLX_OK;

    for (int time = 0; status == PLX_OK && time < 2 && r->results.wrong[0] != '\0'; ++time) {
        r->results.wrong[0] = '\0';
        plx_pause_ns(a_while_ns);
        status = plx_timed_sets_restore(r->sets, error);
        for (int i = 0; status == PLX_OK && i < ALONE && r->results.wrong[0] == '\0'; ++i)
            status = turn_alone(r, budget_ns, error);
    }
    if (r->results.wrong[0] == '\0')
        r->candidate->error = r->judged;
    return status;
}

static plx_status refuse_if_wrong(runner *r, double budget_ns, plx_error *error)
{
    plx_status status = PLX_OK;

    if (r->results.wrong[0] != '\0' && !is_certain(r) && !plx_rule_left_out(PLX_RULE_BLAME))
        status = look_alone(r, budget_ns, error);
    if (status == PLX_OK && r->results.wrong[0] != '\0')
        status = plx_timed_results_explain(&r->results, error);
    if (status == PLX_OK && r->results.wrong[0] != '\0')
        refuse(r, "wrong while timed: ", r->results.wrong);
    return status;
}

/* Scratch memory that a kernel leaves zero is so after each turn, not after the last alone. */
static void look_at_pieces(runner *r)
{
    if (!r->done && !plx_rule_left_out(PLX_RULE_ZERO) && plx_plan_check_pieces(r->candidate->plan) != PLX_OK)
        refuse(r, "wrong while timed: ", plx_message(plx_backend_context(r->candidate->backend)));
}

static plx_status look(runner *r, bool all, double budget_ns, plx_error *error)
{
    const double start = plx_now_ns();
    plx_status status = accumulates(r) ? explain(r, launch_each_set(r), error) : PLX_OK;

    if (status == PLX_OK)
        status = plx_timed_results_look(&r->results, all, budget_ns, error);
    if (status == PLX_OK)
        status = refuse_if_wrong(r, budget_ns, error);
    if (status == PLX_OK)
        look_at_pieces(r);
    const double took = plx_now_ns() - start;
    ++r->looks;
    r->looked_ns += took;
    return status;
}

/* So that looks take their share of the time, if one set at a time takes less. */
static double look_budget(const runner *r)
{
    return look_share * r->spent_ns - r->looked_ns;
}

/* Drawn when the round is over. */
static bool looks_now(runner *r)
{
    const bool first = r->looks == 0 && r->count <= FIRST_ROUNDS;

    if (!r->judges)
        return false;
    if (first)
        return plx_roll_below(&r->results.dice, FIRST_ROUNDS + 1 - r->count) == 0;
    return r->looked_ns < look_share * r->spent_ns;
}

/* ---- whether time follows work ---------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of one launch, on the clock that is believed. */
static plx_status time_one(runner *r, size_t launches, double *once_ns)
{
    double device_ns = 0.0, host_ns = 0.0;
    plx_status status = time_batch(r, launches, &device_ns, &host_ns);

    *once_ns = (r->fit == PLX_CLOCK_FITS ? device_ns : host_ns) / (double)launches;
    return status;
}

/* Whether another pair of batches may tell an accident from a habit: where launches are short and the processors
 * are busy, many of the pairs are slow for want of a processor. */
static bool is_patient(size_t pairs, double start)
{
    return pairs < LEAST_PAIRS || (pairs < MOST_PAIRS && plx_now_ns() - start < patience_ns);
}

/* Launches that have other data each, though there are less of them, must not take longer.  As one of many tries
 * need be as fast as half of the others, nothing that disturbs both is taken for it. */
static plx_status follow_work(runner *r, size_t fewer, plx_error *error)
{
    static const double more = 1.25, start_ns = 10e3;
    const double start =
        (r->fit == PLX_CLOCK_FITS ? start_ns : start_ns + 2.0 * plx_clock_empty(r->overhead_ns)) / (double)fewer;
    const double begin = plx_now_ns();
    double as_timed[MOST_PAIRS], least = 0.0, now, median = 0.0;
    plx_status status = PLX_OK;
    char text[200], one[32], other[32];

    for (size_t i = 0; is_patient(i, begin); ++i) {
        status = time_one(r, fewer, &now);
        if (status == PLX_OK)
            status = time_one(r, r->batch, &as_timed[i]);
        if (status != PLX_OK)
            return explain(r, status, error);
        least = i == 0 || now < least ? now : least;
        qsort(as_timed, i + 1, sizeof *as_timed, rising);
        median = as_timed[(i + 1) / 2];
        if (least <= more * median + start)
            return PLX_OK;
    }
    plx_duration_text(median, plx_micro(), one, sizeof one);
    plx_duration_text(least, plx_micro(), other, sizeof other);
    (void)snprintf(text, sizeof text,
                   "a launch takes %s where launches meet the same data again, %s where each has its own", one, other);
    refuse(r, "time doesn't follow work: ", text);
    return explain(r, status, error);
}

/* What was computed when it is read was not computed when it was timed. */
static plx_status read_late(runner *r, plx_error *error)
{
    static const double least_ns = 1e6;
    double first = 0.0, again = 0.0;
    size_t sets = 0;
    char text[200], one[32], other[32];
    plx_status status;

    for (int i = 0; i < MOST_READS; ++i) {
        if (i > 0) {
            double unused;
            status = explain(r, time_one(r, r->batch, &unused), error);
            if (status != PLX_OK)
                return status;
        }
        status = plx_timed_results_read(&r->results, &first, &again, &sets, error);
        const double timed = 0.5 * (double)sets * r->once_ns, least = 0.5 * again;
        if (status != PLX_OK || first - again < least_ns || first - again < timed || first - again < least)
            return status;
    }
    plx_duration_text(first, plx_micro(), one, sizeof one);
    plx_duration_text(again, plx_micro(), other, sizeof other);
    (void)snprintf(text, sizeof text, "results are computed when they are read: reading %zu of them takes %s, again %s",
                   sets, one, other);
    refuse(r, "time doesn't follow work: ", text);
    return PLX_OK;
}

/* Rounds whose launches are left out leave the outputs as they were.  The last round is one of them: it is over. */
static plx_status leave_out(runner *r, const timing_rules *rules, plx_error *error)
{
    const double budget_ns = closing_share * rules->limit_ns / GHOSTS;
    plx_status status = PLX_OK;

    for (int i = 0; status == PLX_OK && !r->done && i < GHOSTS; ++i) {
        if (i > 0)
            status = explain(r, make_turn(r, r->sets->count), error);
        pause_a_while(r);
        if (status == PLX_OK)
            status = plx_timed_results_sweep(&r->results, budget_ns, error);
        if (status == PLX_OK)
            status = refuse_if_wrong(r, budget_ns, error);
    }
    return status;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* A few rounds more, which are looked at and not sampled.  Where batches are short the draw may have left out what
 * shows who keeps results, or works ahead: these rounds have it, in turns. */
static plx_status look_more(runner *r, const timing_rules *rules, plx_error *error)
{
    const double start = plx_now_ns(), limit_ns = closing_share * rules->limit_ns, share_ns = limit_ns / CLOSING_LOOKS;
    double unused, round_ns = r->spent_ns / (double)(r->count > 0 ? r->count : 1);
    size_t launches = r->batch;
    plx_status status = PLX_OK;

    for (int i = 0; status == PLX_OK && !r->done && i < CLOSING_LOOKS; ++i) { /* a look that is too dear is left out */
        const double begin = plx_now_ns(), fits = share_ns / round_ns;
        if (fits < 1.0 && launches > 1) { /* these rounds need no time that is sure */
            const size_t fewer = (size_t)((double)launches * fits);
            round_ns *= (double)(fewer > 1 ? fewer : 1) / (double)launches;
            launches = fewer > 1 ? fewer : 1;
        }
        if (begin - start >= limit_ns && round_ns >= short_ns)
            return status;
        r->sets->stay_next = i % 2 == 0;
        r->sets->meet_next = i % 2 == 1;
        status = explain(r, time_one(r, launches, &unused), error);
        if (status == PLX_OK)
            status = look(r, false, share_ns, error);
        round_ns = plx_now_ns() - begin;
    }
    return status;
}

/* What the last round left is judged; then what needs rounds of its own. */
static plx_status close_rounds(runner *r, const timing_rules *rules, plx_error *error)
{
    plx_status status = plx_rule_left_out(PLX_RULE_READ) ? PLX_OK : read_late(r, error);

    if (status == PLX_OK && !r->done)
        status = look(r, true, closing_share * rules->limit_ns, error);
    if (status == PLX_OK)
        status = look_more(r, rules, error);
    if (status == PLX_OK && !r->done && !plx_rule_left_out(PLX_RULE_GHOST))
        status = leave_out(r, rules, error);
    if (status == PLX_OK && !r->done && r->batch > r->sets->used_count && !plx_rule_left_out(PLX_RULE_FOLLOW))
        status = follow_work(r, r->sets->used_count, error);
    r->done = true;
    return status;
}

static bool is_noisy(const runner *r)
{
    plx_timing timing = {.measured = true};
    plx_timing_of_samples(r->samples, r->count, &timing);
    return plx_timing_is_noisy(&timing);
}

/* Where new data takes most of the time, a few samples more make an interval; and a few tell a machine that was
 * disturbed for a moment from one that is. */
static bool is_out_of_time(const runner *r, const timing_rules *rules)
{
    const double grace = fmin(most_grace * rules->limit_ns, fmax(grace_ns, rules->limit_ns));
    if (r->spent_ns < rules->limit_ns + grace && is_noisy(r))
        return false;
    if (r->count >= ENOUGH_SAMPLES)
        return r->spent_ns > rules->limit_ns;
    return r->count >= LEAST_SAMPLES && (r->timed_ns > rules->limit_ns || r->spent_ns > MOST_LIMITS * rules->limit_ns);
}

static plx_status take_round(runner *r, const timing_rules *rules, plx_error *error)
{
    const double start = plx_now_ns();
    plx_status status = explain(r, take_sample(r, rules), error);

    r->spent_ns += plx_now_ns() - start;
    if (status != PLX_OK)
        return status;
    r->ending = r->ending || (r->candidate->time.converged && !rules->together) || r->count >= PLX_MAX_SAMPLES ||
                is_out_of_time(r, rules);
    if (r->ending && !r->judges)
        r->done = true;
    else if (r->ending)
        status = close_rounds(r, rules, error);
    else if (looks_now(r))
        status = look(r, false, look_budget(r), error);
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

static void runner_start(runner *r, plx_candidate *candidate, plx_timed_sets **sets, const plx_inputs *inputs,
                         plx_references *references, const timing_rules *rules)
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
static void tell_share(const runner *runners, size_t count, const timing_rules *rules)
{
    double share = 0.0;

    for (size_t i = 0; i < count; ++i)
        share += runners[i].done ? 1.0 : fmin(runners[i].spent_ns / rules->limit_ns, 1.0);
    if (rules->tick.tell != NULL && count > 0)
        rules->tick.tell(rules->tick.data, share / (double)count);
}

static void run_rounds(runner *runners, size_t *order, size_t count, const timing_rules *rules)
{
    bool busy = true;

    for (uint64_t round = 0; busy; ++round) {
        busy = false;
        tell_share(runners, count, rules);
        shuffle(order, count, round);
        for (size_t i = 0; i < count; ++i) {
            runner *r = &runners[order[i]];
            plx_error error = {.text = ""};
            plx_status status;
            if (r->done)
                continue;
            r->ending = r->ending || plx_studies_stopped();
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
            runners[i].own_watch.source =
                plx_telemetry_source(runners[i].candidate->backend, backends, candidate_count);
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
static plx_status measure(plx_candidate *candidates, size_t count, const plx_inputs *inputs, plx_references *references,
                          size_t stride, const timing_rules *rules, plx_error *error)
{
    runner *runners = calloc(count > 0 ? count : 1, sizeof *runners);
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
            runner_start(&runners[timed++], &candidates[i], &sets, &inputs[i * stride],
                         references != NULL ? &references[i * stride] : NULL, rules);
        }
    watch_devices(runners, timed, candidates, count);
    run_rounds(runners, order, timed, rules);
    end_watches(runners, timed);
    for (size_t i = 0; i < timed; ++i)
        runner_finish(&runners[i], rules);
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
    const timing_rules rules = {.limit_ns = seconds * 1e9,
                                .hot = options->hot,
                                .queues = options->queues > 0 ? options->queues : 1,
                                .tick = tick};
    return measure(candidates, count, inputs, references, 0, &rules, error);
}

plx_status plx_measure_sweep(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                             plx_references *references, double seconds, plx_error *error)
{
    const timing_rules rules = {.limit_ns = seconds * 1e9, .queues = 1, .together = true};
    return measure(candidates, count, inputs, references, 1, &rules, error);
}
