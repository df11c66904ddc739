/* plx_diff: what became slower, faster, wrong or less accurate from one file of results
 * to another. */
#include "study/diff/between_runs.h"
#include "study/diff/diff.h"
#include "study/diff/significance.h"

#include <math.h>
#include <stdlib.h>

/* Of a hundred diffs of runs that differ by noise alone, one may call a time changed:
 * one, however many records they have. */
static const double level = 0.01;
static const double default_threshold = 0.02;

/* An error grows when it takes up more of the bound by this, and by this factor: what is
 * not bit-identical from run to run stays below. */
static const double error_step = 0.02, error_factor = 1.25;

typedef struct diff {
    const plx_results *before, *after; /* the files */
    double threshold;
    plx_match *matches;
    size_t match_count;
    double *p;      /* of each match; 2: its time can't be compared */
    size_t *timed;  /* the matches whose times are compared */
    double *family; /* their p */
    plx_diff_results *results;
    plx_error *error;
} diff;

/* ---- differences ---------------------------------------------------------------------- */

static void name_record(const plx_results *results, const plx_record *record, plx_difference *made)
{
    plx_problem_text(&record->problem, record->shift, made->problem, sizeof made->problem);
    (void)snprintf(made->backend, sizeof made->backend, "%s", record->backend);
    (void)snprintf(made->device, sizeof made->device, "%s", results->devices[record->device].info.name);
    (void)snprintf(made->kernel, sizeof made->kernel, "%.70s", record->kernel);
}

/* Where one file has the device's clock and the other had to do with the host's, it is the host's in both. */
static plx_interval time_of(const plx_match *match, const plx_record *record)
{
    const plx_timing *time = &record->time;
    if (match->before->time.device_clock != match->after->time.device_clock && time->device_clock)
        return time->host;
    return (plx_interval){time->measured, time->median_ns, time->low_ns, time->high_ns, time->samples};
}

static void take_times(const plx_match *match, plx_difference *made)
{
    if (match->before == NULL || match->after == NULL)
        return;
    const plx_interval old = time_of(match, match->before), new = time_of(match, match->after);
    made->timed = old.measured && new.measured;
    if (!made->timed)
        return;
    made->old_ns = old.median_ns;
    made->old_low_ns = old.low_ns;
    made->old_high_ns = old.high_ns;
    made->new_ns = new.median_ns;
    made->new_low_ns = new.low_ns;
    made->new_high_ns = new.high_ns;
    made->ratio = new.median_ns / old.median_ns;
}

/* The largest error over its bound; -1: none that is a number. */
static double error_of(const plx_record *record)
{
    bool known = record != NULL && record->error.measured && isfinite(record->error.max_over_bound);
    return known ? record->error.max_over_bound : -1;
}

static plx_difference describe(const diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    bool gone = match->after == NULL;
    plx_difference made = {.p = d->p[which] <= 1 ? d->p[which] : 1};
    name_record(gone ? d->before : d->after, gone ? match->before : match->after, &made);
    if (match->another_kernel)
        (void)snprintf(made.kernel, sizeof made.kernel, "%.70s, was %.70s", match->after->kernel,
                       match->before->kernel);
    made.old_error = error_of(match->before);
    made.new_error = error_of(match->after);
    take_times(match, &made);
    return made;
}

static plx_status add(diff *d, size_t which, plx_change change, const char *note)
{
    plx_diff_results *results = d->results;
    plx_difference *grown = realloc(results->differences, (results->count + 1) * sizeof *grown);
    if (grown == NULL)
        return plx_fail(d->error, PLX_NO_MEMORY, "no memory for the differences");
    results->differences = grown;
    grown[results->count] = describe(d, which);
    grown[results->count].change = change;
    (void)snprintf(grown[results->count].note, sizeof grown->note, "%s", note);
    results->count++;
    results->counts[change]++;
    return PLX_OK;
}

/* ---- states ----------------------------------------------------------------------------- */

/* How bad; -1: it says nothing about the kernel. */
static int badness(const plx_record *record)
{
    switch (record->outcome) {
    case PLX_OUTCOME_OK:
        return 0;
    case PLX_OUTCOME_UNSUPPORTED:
        return 1;
    case PLX_OUTCOME_FAILED:
        return 2;
    case PLX_OUTCOME_WRONG:
        return 3;
    case PLX_OUTCOME_NOT_RUN:
    case PLX_OUTCOME_NOT_JUDGED:
    case PLX_OUTCOME_COUNT:
        break;
    }
    return -1;
}

static const char *state(const plx_record *record)
{
    return plx_outcome_name(record->outcome);
}

static bool is_ok(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK;
}

/* A result that is there no more is as bad as a failure; of what had none nothing is
 * known, and whoever was wrong is not repaired by failing. */
static plx_change change_of(int old, int new)
{
    if (new < 0)
        return old == 0 ? PLX_CHANGE_BROKEN : PLX_CHANGE_UNCOMPARED;
    if (old < 0)
        return PLX_CHANGE_UNCOMPARED;
    if (new > old)
        return PLX_CHANGE_BROKEN;
    return new <= 1 ? PLX_CHANGE_REPAIRED : PLX_CHANGE_UNCOMPARED;
}

static plx_status judge_states(diff *d, size_t which)
{
    const plx_record *before = d->matches[which].before, *after = d->matches[which].after;
    const char *reason = after->reason;
    char note[320];
    if (before->outcome == after->outcome)
        return PLX_OK;
    (void)snprintf(note, sizeof note, "%.20s, now %.20s%s%.250s", state(before), state(after),
                   reason[0] != '\0' ? ": " : "", reason);
    return add(d, which, change_of(badness(before), badness(after)), note);
}

/* ---- errors ------------------------------------------------------------------------------ */

static bool same_bytes(const plx_match *match)
{
    return !match->before->from_files && match->before->seed == match->after->seed;
}

static bool is_grown(double from, double to)
{
    return to > from * error_factor && to > from + error_step;
}

/* On other data the error is another. */
static plx_status judge_errors(diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    double old = error_of(match->before), new = error_of(match->after);
    if (!is_ok(match->before) || !is_ok(match->after) || !same_bytes(match) || old < 0 || new < 0)
        return PLX_OK;
    if (is_grown(old, new))
        return add(d, which, PLX_CHANGE_LESS_ACCURATE, "");
    return is_grown(new, old) ? add(d, which, PLX_CHANGE_MORE_ACCURATE, "") : PLX_OK;
}

/* ---- times -------------------------------------------------------------------------------- */

/* Why the times of a match can't be compared; NULL: they can, or there are none. */
static const char *obstacle(const plx_match *match)
{
    const plx_timing *before = &match->before->time, *after = &match->after->time;
    if (!before->measured && !after->measured)
        return NULL;
    if (!before->measured || !after->measured)
        return before->measured ? "timed only in the old file" : "timed only in the new file";
    if (!time_of(match, match->before).measured || !time_of(match, match->after).measured)
        return "the times are of different clocks, the device's and the host's";
    if (before->hot != after->hot)
        return "one time is with warm caches, the other with cold ones";
    if (before->queues != after->queues)
        return "the times are of launches in different numbers of queues";
    return NULL;
}

static bool has_times(const plx_match *match)
{
    return match->before != NULL && match->after != NULL && is_ok(match->before) && is_ok(match->after) &&
           match->before->time.measured && match->after->time.measured && obstacle(match) == NULL;
}

static plx_noise noise_of(const plx_results *results, const plx_record *record, const plx_interval *time, bool moderate)
{
    return record->time.runs > 1 ? plx_noise_between(time->low_ns, time->high_ns, record->time.runs)
                                 : plx_noise_of_one_run(results, record, time, moderate);
}

/* Of few samples alone nothing can be told but that they are near to each other or that they are not: a difference that
 * stands out from either noise is one. */
static double p_of(const diff *d, const plx_match *match)
{
    const plx_interval old = time_of(match, match->before), new = time_of(match, match->after);
    double least = 1;
    for (int moderate = 0; moderate < 2; moderate++)
        least = fmin(least, plx_medians_differ(old.median_ns, noise_of(d->before, match->before, &old, moderate == 1),
                                               new.median_ns, noise_of(d->after, match->after, &new, moderate == 1)));
    return least;
}

/* The p of every match, corrected for all of them being asked at once. */
static plx_status judge_family(diff *d)
{
    size_t count = 0, *order = calloc(d->match_count + 1, sizeof *order);
    if (order == NULL)
        return plx_fail(d->error, PLX_NO_MEMORY, "no memory to judge the times");
    for (size_t i = 0; i < d->match_count; i++) {
        const plx_match *match = &d->matches[i];
        d->p[i] = 2;
        if (!has_times(match))
            continue;
        d->timed[count] = i;
        d->family[count++] = p_of(d, match);
    }
    plx_holm(d->family, order, count);
    for (size_t i = 0; i < count; i++)
        d->p[d->timed[i]] = d->family[i];
    d->results->timed = count;
    free(order);
    return PLX_OK;
}

static plx_status judge_times(diff *d, size_t which)
{
    plx_difference made = {.timed = false};
    const char *why = obstacle(&d->matches[which]);
    if (why != NULL && is_ok(d->matches[which].before) && is_ok(d->matches[which].after))
        return add(d, which, d->matches[which].before->time.measured ? PLX_CHANGE_UNTIMED : PLX_CHANGE_UNCOMPARED, why);
    if (d->p[which] >= level)
        return PLX_OK;
    take_times(&d->matches[which], &made);
    if (made.ratio > 1 + d->threshold && made.new_low_ns > made.old_high_ns)
        return add(d, which, PLX_CHANGE_SLOWER, "");
    if (made.ratio < 1 / (1 + d->threshold) && made.new_high_ns < made.old_low_ns)
        return add(d, which, PLX_CHANGE_FASTER, "");
    return PLX_OK;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Only what was right can get lost. */
static plx_status judge_vanished(diff *d, size_t which)
{
    char note[64];
    const plx_record *before = d->matches[which].before;
    if (is_ok(before))
        return add(d, which, PLX_CHANGE_VANISHED, state(before));
    (void)snprintf(note, sizeof note, "only in the old file, where it was %.20s", state(before));
    return add(d, which, PLX_CHANGE_UNCOMPARED, note);
}

static plx_status judge_match(diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    if (match->before == NULL)
        return add(d, which, PLX_CHANGE_ADDED, state(match->after));
    if (match->after == NULL)
        return judge_vanished(d, which);
    bool ran = badness(match->before) >= 0 && badness(match->after) >= 0;
    bool unsupported = badness(match->before) == 1 && badness(match->after) == 1;
    d->results->compared += ran && !unsupported;
    plx_status status = judge_states(d, which);
    if (status == PLX_OK)
        status = judge_errors(d, which);
    return status == PLX_OK ? judge_times(d, which) : status;
}

/* Keeps the order within each change: the list is short. */
static void sort_by_change(plx_diff_results *results)
{
    for (size_t i = 1; i < results->count; i++) {
        plx_difference kept = results->differences[i];
        size_t j = i;
        for (; j > 0 && results->differences[j - 1].change > kept.change; j--)
            results->differences[j] = results->differences[j - 1];
        results->differences[j] = kept;
    }
}

static plx_status judge_all(diff *d)
{
    plx_status status = PLX_OK;
    d->p = calloc(d->match_count + 1, sizeof *d->p);
    d->family = calloc(d->match_count + 1, sizeof *d->family);
    d->timed = calloc(d->match_count + 1, sizeof *d->timed);
    if (d->p == NULL || d->family == NULL || d->timed == NULL)
        status = plx_fail(d->error, PLX_NO_MEMORY, "no memory to judge the records");
    if (status == PLX_OK)
        status = judge_family(d);
    for (size_t i = 0; status == PLX_OK && i < d->match_count; i++)
        status = judge_match(d, i);
    sort_by_change(d->results);
    free(d->p);
    free(d->family);
    free(d->timed);
    return status;
}

static plx_status diff_files(const plx_results *before, const plx_results *after, plx_diff_results *results,
                             plx_error *error)
{
    diff d = {.before = before, .after = after, .threshold = results->threshold, .results = results, .error = error};
    plx_status status = plx_diff_environments(before, after, results, error);
    if (status == PLX_OK)
        status = plx_diff_match(before, after, results->across, &d.matches, &d.match_count, error);
    if (status == PLX_OK)
        status = judge_all(&d);
    if (status == PLX_OK)
        status = plx_diff_losses(before, after, d.matches, d.match_count, results, error);
    free(d.matches);
    return status;
}

plx_status plx_diff(const char *old_path, const char *new_path, const plx_diff_options *options,
                    plx_diff_results *results, plx_error *error)
{
    return plx_diff_runs(&old_path, 1, &new_path, 1, options, results, error);
}

plx_status plx_diff_runs(const char *const *old_paths, size_t old_count, const char *const *new_paths, size_t new_count,
                         const plx_diff_options *options, plx_diff_results *results, plx_error *error)
{
    plx_results before = {.record_count = 0}, after = {.record_count = 0};
    double threshold = options != NULL && options->threshold > 0 ? options->threshold : default_threshold;
    plx_diff_results made = {.threshold = threshold, .level = level};
    made.allow_missing = options != NULL && options->allow_missing;
    made.across = options != NULL && options->across;
    if (old_count == 0 || new_count == 0)
        return plx_fail(error, PLX_INVALID, "diff compares at least one file of results with at least one");
    plx_status status = plx_runs_read(old_paths, old_count, &before, error);
    if (status == PLX_OK)
        status = plx_runs_read(new_paths, new_count, &after, error);
    if (status == PLX_OK)
        status = diff_files(&before, &after, &made, error);
    plx_results_free(&before);
    plx_results_free(&after);
    if (status == PLX_OK)
        *results = made;
    else
        plx_diff_results_free(&made);
    return status;
}

void plx_diff_results_free(plx_diff_results *results)
{
    free(results->differences);
    free(results->environment);
    free(results->losses);
    *results = (plx_diff_results){.count = 0};
}

int plx_diff_status(const plx_diff_results *results)
{
    const size_t *counts = results->counts;
    if (results->across && results->compared > 0)
        return counts[PLX_CHANGE_BROKEN] > 0 ? 1 : 0;
    size_t regressions = counts[PLX_CHANGE_BROKEN] + counts[PLX_CHANGE_SLOWER] + counts[PLX_CHANGE_LESS_ACCURATE];
    if (!results->allow_missing)
        regressions += counts[PLX_CHANGE_VANISHED] + counts[PLX_CHANGE_UNTIMED];
    if (regressions > 0)
        return 1;
    return results->compared == 0 ? 4 : 0;
}
