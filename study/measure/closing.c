/* When a candidate is sampled: whether its time follows its work, and rounds that are looked at and not sampled. */
#include "study/measure/runner.h"

#include "base/clock.h"
#include "base/format.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLOSING_LOOKS = 8, BASELINE_LOOKS = 2, GHOSTS = 3, LEAST_PAIRS = 24, MOST_TRIES = 400, LEAST_READS = 8 };

static const double closing_share = 0.1; /* of the limit, at most, for looks when all is sampled */
static const double short_ns = 150e6;  /* of a round and its look: another is then always made, on a busy machine too */
static const double patience_ns = 1e9; /* for tries, before what is slower is no accident */

/* ---- whether time follows work ---------------------------------------------------------------- */

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Of one launch, on the clock that is believed. */
static plx_status time_one(plx_runner *r, size_t launches, double *once_ns)
{
    double device_ns = 0.0, host_ns = 0.0;
    plx_status status = plx_runner_time(r, launches, &device_ns, &host_ns);

    *once_ns = (r->fit == PLX_CLOCK_FITS ? device_ns : host_ns) / (double)launches;
    return status;
}

/* Whether another try may tell an accident from a habit: where launches are short and the processors are busy, many
 * of the tries are slow for want of a processor. */
static bool is_patient(size_t tries, size_t least, double start)
{
    return tries < least || (tries < MOST_TRIES && plx_now_ns() - start < patience_ns);
}

/* Launches that have other data each, though there are less of them, must not take longer.  As one of many tries
 * need be as fast as half of the others, nothing that disturbs both is taken for it. */
static plx_status follow_work(plx_runner *r, size_t fewer, plx_error *error)
{
    static const double more = 1.25, start_ns = 10e3;
    const double start =
        (r->fit == PLX_CLOCK_FITS ? start_ns : start_ns + 2.0 * plx_clock_empty(r->overhead_ns)) / (double)fewer;
    const double begin = plx_now_ns();
    double as_timed[MOST_TRIES], least = 0.0, now, median = 0.0;
    plx_status status = PLX_OK;
    char text[200], one[32], other[32];

    for (size_t i = 0; is_patient(i, LEAST_PAIRS, begin); ++i) {
        status = time_one(r, fewer, &now);
        if (status == PLX_OK)
            status = time_one(r, r->batch, &as_timed[i]);
        if (status != PLX_OK)
            return plx_runner_explain(r, status, error);
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
    plx_runner_refuse(r, "time doesn't follow work: ", text);
    return plx_runner_explain(r, status, error);
}

/* What was computed when it is read was not computed when it was timed.  A batch uses up a thread's share of a busy
 * processor, so the first read would be the one that waits: others get their turn before it. */
static plx_status read_late(plx_runner *r, plx_error *error)
{
    static const double least_ns = 1e6;
    const double begin = plx_now_ns();
    double first = 0.0, again = 0.0;
    size_t sets = 0;
    char text[200], one[32], other[32];
    plx_status status;

    for (size_t i = 0; is_patient(i, LEAST_READS, begin); ++i) {
        if (i > 0) {
            double unused;
            status = plx_runner_explain(r, time_one(r, r->batch, &unused), error);
            if (status != PLX_OK)
                return status;
        }
        (void)sched_yield();
        status = plx_timed_results_read(&r->results, &first, &again, &sets, error);
        const double timed = 0.5 * (double)sets * r->once_ns, least = 0.5 * again;
        if (status != PLX_OK || first - again < least_ns || first - again < timed || first - again < least)
            return status;
    }
    plx_duration_text(first, plx_micro(), one, sizeof one);
    plx_duration_text(again, plx_micro(), other, sizeof other);
    (void)snprintf(text, sizeof text, "results are computed when they are read: reading %zu of them takes %s, again %s",
                   sets, one, other);
    plx_runner_refuse(r, "time doesn't follow work: ", text);
    return PLX_OK;
}

/* Rounds whose launches are left out leave the outputs as they were.  The last round is one of them: it is over. */
static plx_status leave_out(plx_runner *r, const plx_timing_rules *rules, plx_error *error)
{
    const double budget_ns = closing_share * rules->limit_ns / GHOSTS;
    plx_status status = PLX_OK;

    for (int i = 0; status == PLX_OK && !r->done && i < GHOSTS; ++i) {
        if (i > 0)
            status = plx_runner_explain(r, plx_runner_turn(r, r->sets->count), error);
        plx_runner_pause(r);
        if (status == PLX_OK)
            status = plx_timed_results_sweep(&r->results, budget_ns, error);
        if (status == PLX_OK)
            status = plx_runner_refuse_if_wrong(r, budget_ns, error);
    }
    return status;
}

/* ---- closing rounds ------------------------------------------------------------------------- */

/* A library of a vendor does not behave while it is looked at, and its results are judged whole, which is dear. */
static int closing_looks(const plx_runner *r)
{
    return plx_candidate_is_baseline(r->candidate) ? BASELINE_LOOKS : CLOSING_LOOKS;
}

/* A few rounds more, which are looked at and not sampled.  Where batches are short the draw may have left out what
 * shows who keeps results, or works ahead: these rounds have it, in turns. */
plx_status plx_runner_look_more(plx_runner *r, const plx_timing_rules *rules, plx_error *error)
{
    const double start = plx_now_ns(), limit_ns = closing_share * rules->limit_ns, share_ns = limit_ns / CLOSING_LOOKS;
    const int looks = closing_looks(r);
    double unused, round_ns = r->spent_ns / (double)(r->count > 0 ? r->count : 1);
    size_t launches = r->batch;
    plx_status status = PLX_OK;

    for (int i = 0; status == PLX_OK && !r->done && i < looks; ++i) { /* a look that is too dear is left out */
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
        status = plx_runner_explain(r, time_one(r, launches, &unused), error);
        if (status == PLX_OK)
            status = plx_runner_look(r, false, share_ns, error);
        round_ns = plx_now_ns() - begin;
    }
    return status;
}

plx_status plx_runner_close(plx_runner *r, const plx_timing_rules *rules, plx_error *error)
{
    plx_status status = plx_rule_left_out(PLX_RULE_READ) ? PLX_OK : read_late(r, error);

    if (status == PLX_OK && !r->done)
        status = plx_runner_look(r, true, closing_share * rules->limit_ns, error);
    if (status == PLX_OK && !plx_rule_left_out(PLX_RULE_CLOSING))
        status = plx_runner_look_more(r, rules, error);
    if (status == PLX_OK && !r->done && !plx_rule_left_out(PLX_RULE_GHOST))
        status = leave_out(r, rules, error);
    if (status == PLX_OK && !r->done && r->batch > r->sets->used_count && !plx_rule_left_out(PLX_RULE_FOLLOW))
        status = follow_work(r, r->sets->used_count, error);
    r->done = true;
    return status;
}
