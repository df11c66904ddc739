/* Several runs of one and the same as one file's results: a time is the mean of the runs' medians, and its noise is
 * what lies between them. */
#include "study/diff/diff.h"
#include "study/diff/significance.h"
#include "study/results/results.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the runs have of one record. */
typedef struct times {
    double *medians, *host; /* by the clock of the record, and by the host's */
    size_t count, host_count;
    double squares; /* of the half intervals within the runs, as logarithms */
} times;

typedef struct merging {
    plx_results *into;
    times *of; /* of each record */
    size_t runs;
} merging;

static void free_merging(merging *m)
{
    for (size_t i = 0; m->of != NULL && i < m->into->record_count; i++) {
        free(m->of[i].medians);
        free(m->of[i].host);
    }
    free(m->of);
}

static plx_status begin(plx_results *into, size_t runs, merging *m, plx_error *error)
{
    *m = (merging){.into = into, .runs = runs, .of = calloc(into->record_count + 1, sizeof *m->of)};
    bool made = m->of != NULL;
    for (size_t i = 0; made && i < into->record_count; i++) {
        m->of[i].medians = calloc(runs, sizeof(double));
        m->of[i].host = calloc(runs, sizeof(double));
        made = m->of[i].medians != NULL && m->of[i].host != NULL;
    }
    return made ? PLX_OK : plx_fail(error, PLX_NO_MEMORY, "no memory for the times of %zu runs", runs);
}

static void take(times *of, const plx_record *record, bool device_clock)
{
    const plx_timing *time = &record->time;
    if (record->outcome != PLX_OUTCOME_OK || !time->measured || !(time->median_ns > 0))
        return;
    if (time->device_clock == device_clock) {
        of->medians[of->count++] = time->median_ns;
        const double half = time->low_ns > 0 ? log(time->high_ns / time->low_ns) / 2 : 0;
        of->squares += half * half;
    }
    if (time->host.measured && time->host.median_ns > 0)
        of->host[of->host_count++] = time->host.median_ns;
}

/* What was wrong, or failed, once counts. */
static void take_worse(plx_record *into, const plx_record *from)
{
    const bool bad = from->outcome == PLX_OUTCOME_WRONG || from->outcome == PLX_OUTCOME_FAILED;
    if (!bad || into->outcome != PLX_OUTCOME_OK)
        return;
    into->outcome = from->outcome;
    into->error = from->error;
    into->time.measured = false;
    (void)snprintf(into->reason, sizeof into->reason, "%s", from->reason);
}

static plx_status add_run(merging *m, const plx_results *run, plx_error *error)
{
    plx_match *matches = NULL;
    size_t count = 0;
    const plx_status status = plx_diff_match(m->into, run, false, &matches, &count, error);
    for (size_t i = 0; status == PLX_OK && i < count; i++) {
        if (matches[i].before == NULL || matches[i].after == NULL || matches[i].another_kernel)
            continue;
        const size_t which = (size_t)(matches[i].before - m->into->records);
        take(&m->of[which], matches[i].after, m->into->records[which].time.device_clock);
        take_worse(&m->into->records[which], matches[i].after);
    }
    free(matches);
    return status;
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The middle ones' place of `at`: those that are left out count as the last that are not. */
static double winsorized(const double *logs, size_t count, size_t trimmed, size_t at)
{
    return logs[at < trimmed ? trimmed : at >= count - trimmed ? count - trimmed - 1 : at];
}

/* The geometric mean of the runs' medians without the extremes, and its 95 % interval (Yuen 1974).  Sorts them. */
static void interval_of(double *values, size_t count, double *median, double *low, double *high)
{
    const size_t trimmed = plx_trimmed_runs(count);
    const double left = (double)(count - 2 * trimmed);
    double mean = 0, middle = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = log(values[i]);
    qsort(values, count, sizeof *values, rising);
    for (size_t i = 0; i < count; i++) {
        mean += i >= trimmed && i < count - trimmed ? values[i] / left : 0;
        middle += winsorized(values, count, trimmed, i) / (double)count;
    }
    for (size_t i = 0; i < count; i++)
        squares += pow(winsorized(values, count, trimmed, i) - middle, 2);
    const double half = plx_reach_of_runs(count) * sqrt(squares / left / (left - 1));
    *median = exp(mean);
    *low = exp(mean - half);
    *high = exp(mean + half);
}

/* Where runs happen to be nearer to each other than the samples within them allow, these count: for the mean of so many
 * runs. */
static void finish(times *of, plx_record *record)
{
    plx_timing *time = &record->time;
    if (of->count >= 2 && time->measured) {
        interval_of(of->medians, of->count, &time->median_ns, &time->low_ns, &time->high_ns);
        const double half = exp(sqrt(of->squares) / (double)of->count);
        time->low_ns = fmin(time->low_ns, time->median_ns / half);
        time->high_ns = fmax(time->high_ns, time->median_ns * half);
        time->samples = time->runs = of->count;
    }
    if (of->host_count >= 2 && time->host.measured) {
        interval_of(of->host, of->host_count, &time->host.median_ns, &time->host.low_ns, &time->host.high_ns);
        time->host.samples = of->host_count;
    }
}

/* Of runs that are one the machine was as busy as in the busiest. */
static void keep_busiest(plx_activity *into, const plx_activity *of)
{
    if (of->known && (!into->known || fmax(of->load_end, of->others) > fmax(into->load_end, into->others)))
        *into = *of;
}

plx_status plx_runs_read(const char *const *paths, size_t count, plx_results *results, plx_error *error)
{
    merging m;
    plx_status status = plx_results_read(paths[0], results, error);
    if (status != PLX_OK || count == 1)
        return status;
    status = begin(results, count, &m, error);
    if (status == PLX_OK)
        status = add_run(&m, results, error);
    for (size_t i = 1; status == PLX_OK && i < count; i++) {
        plx_results run = {.record_count = 0};
        status = plx_results_read(paths[i], &run, error);
        if (status == PLX_OK)
            status = add_run(&m, &run, error);
        if (status == PLX_OK)
            keep_busiest(&results->environment.activity, &run.environment.activity);
        plx_results_free(&run);
    }
    for (size_t i = 0; status == PLX_OK && i < results->record_count; i++)
        finish(&m.of[i], &results->records[i]);
    free_merging(&m);
    if (status != PLX_OK)
        plx_results_free(results);
    return status;
}
