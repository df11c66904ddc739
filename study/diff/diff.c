/* plx_diff: what became slower, faster, wrong or less accurate from one file of results
 * to another. */
#include "study/diff/diff.h"
#include "study/results/read.h"
#include "study/diff/significance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a hundred diffs of runs that differ by noise alone, one may call a time changed:
 * one, however many records they have. */
static const double level = 0.01;
static const double usual_threshold = 0.02;

/* An error grows when it takes up more of the bound by this, and by this factor: what is
 * not bit-identical from run to run stays below. */
static const double error_step = 0.02, error_factor = 1.25;

typedef struct diff {
    const json_t *before, *after; /* the files */
    double threshold;
    plx_match *matches;
    size_t match_count;
    double *p;      /* of each match; 2: its time can't be compared */
    size_t *timed;  /* the matches whose times are compared */
    double *family; /* their p */
    plx_diff_results *results;
    plx_error *error;
} diff;

const char *plx_change_name(plx_change change)
{
    static const char *const names[PLX_CHANGE_COUNT] = {
        [PLX_CHANGE_BROKEN] = "broken",
        [PLX_CHANGE_SLOWER] = "slower",
        [PLX_CHANGE_LESS_ACCURATE] = "less accurate",
        [PLX_CHANGE_FASTER] = "faster",
        [PLX_CHANGE_MORE_ACCURATE] = "more accurate",
        [PLX_CHANGE_REPAIRED] = "repaired",
        [PLX_CHANGE_VANISHED] = "vanished",
        [PLX_CHANGE_ADDED] = "new",
        [PLX_CHANGE_UNCOMPARED] = "not compared",
    };
    return (unsigned)change < PLX_CHANGE_COUNT ? names[change] : "unknown";
}

/* ---- differences ---------------------------------------------------------------------- */

static void name_record(const json_t *root, const json_t *record, plx_difference *made)
{
    plx_problem problem;
    plx_reader from = {.of = record};
    if (plx_read_problem(&from, &problem) == PLX_TAKEN)
        plx_problem_text(&problem, (uint64_t)plx_json_integer_at(record, "shift", 0), made->problem,
                            sizeof made->problem);
    else
        (void)snprintf(made->problem, sizeof made->problem, "%.40s %.40s", plx_json_text_at(record, "op", ""),
                       plx_json_text_at(record, "dtype", ""));
    (void)snprintf(made->backend, sizeof made->backend, "%s", plx_json_text_at(record, "backend", ""));
    (void)snprintf(made->device, sizeof made->device, "%s",
                   plx_json_text_at(plx_json_device_of(root, record), "name", ""));
    (void)snprintf(made->kernel, sizeof made->kernel, "%.70s", plx_json_text_at(record, "kernel", ""));
}

static void take_times(const plx_match *match, plx_difference *made)
{
    double old = plx_json_number_at(match->before, "time.median_ns", NAN);
    double new = plx_json_number_at(match->after, "time.median_ns", NAN);
    made->timed = old > 0 && new > 0;
    if (!made->timed)
        return;
    made->old_ns = old;
    made->old_low_ns = plx_json_element_at(match->before, "time.ci95_ns", 0, old);
    made->old_high_ns = plx_json_element_at(match->before, "time.ci95_ns", 1, old);
    made->new_ns = new;
    made->new_low_ns = plx_json_element_at(match->after, "time.ci95_ns", 0, new);
    made->new_high_ns = plx_json_element_at(match->after, "time.ci95_ns", 1, new);
    made->ratio = new / old;
}

static plx_difference describe(const diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    bool gone = match->after == NULL;
    plx_difference made = {.p = d->p[which] <= 1 ? d->p[which] : 1};
    name_record(gone ? d->before : d->after, gone ? match->before : match->after, &made);
    if (match->another_kernel)
        (void)snprintf(made.kernel, sizeof made.kernel, "%.70s, was %.70s",
                       plx_json_text_at(match->after, "kernel", ""), plx_json_text_at(match->before, "kernel", ""));
    made.old_error = plx_json_number_at(match->before, "error.max_over_bound", -1);
    made.new_error = plx_json_number_at(match->after, "error.max_over_bound", -1);
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
static int badness(const char *status)
{
    static const char *const names[] = {"ok", "unsupported", "failed", "wrong"};
    for (int i = 0; i < 4; i++)
        if (strcmp(status, names[i]) == 0)
            return i;
    return -1;
}

static const char *state(const json_t *record)
{
    return plx_json_text_at(record, "status", "");
}

static bool is_ok(const json_t *record)
{
    return strcmp(state(record), "ok") == 0;
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
    const json_t *before = d->matches[which].before, *after = d->matches[which].after;
    const char *reason = plx_json_text_at(after, "reason", "");
    char note[320];
    if (strcmp(state(before), state(after)) == 0)
        return PLX_OK;
    (void)snprintf(note, sizeof note, "%.20s, now %.20s%s%.250s", state(before), state(after),
                   reason[0] != '\0' ? ": " : "", reason);
    return add(d, which, change_of(badness(state(before)), badness(state(after))), note);
}

/* ---- errors ------------------------------------------------------------------------------ */

static bool same_bytes(const plx_match *match)
{
    return json_equal(json_object_get(match->before, "seed"), json_object_get(match->after, "seed")) == 1;
}

static bool is_grown(double from, double to)
{
    return to > from * error_factor && to > from + error_step;
}

/* On other data the error is another. */
static plx_status judge_errors(diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    double old = plx_json_number_at(match->before, "error.max_over_bound", NAN);
    double new = plx_json_number_at(match->after, "error.max_over_bound", NAN);
    if (!is_ok(match->before) || !is_ok(match->after) || !same_bytes(match) || isnan(old) || isnan(new))
        return PLX_OK;
    if (is_grown(old, new))
        return add(d, which, PLX_CHANGE_LESS_ACCURATE, "");
    return is_grown(new, old) ? add(d, which, PLX_CHANGE_MORE_ACCURATE, "") : PLX_OK;
}

/* ---- times -------------------------------------------------------------------------------- */

/* Why the times of a match can't be compared; NULL: they can, or there are none. */
static const char *obstacle(const plx_match *match)
{
    const json_t *before = json_object_get(match->before, "time"), *after = json_object_get(match->after, "time");
    if (before == NULL && after == NULL)
        return NULL;
    if (before == NULL || after == NULL)
        return before != NULL ? "timed only in the old file" : "timed only in the new file";
    if (strcmp(plx_json_text_at(before, "clock", ""), plx_json_text_at(after, "clock", "")) != 0)
        return "the times are of different clocks, the device's and the host's";
    if (plx_json_bool_at(before, "hot", false) != plx_json_bool_at(after, "hot", false))
        return "one time is with warm caches, the other with cold ones";
    if (plx_json_integer_at(before, "queues", 1) != plx_json_integer_at(after, "queues", 1))
        return "the times are of launches in different numbers of queues";
    return NULL;
}

static bool has_times(const plx_match *match)
{
    return match->before != NULL && match->after != NULL && is_ok(match->before) && is_ok(match->after) &&
           plx_json_number_at(match->before, "time.median_ns", 0) > 0 &&
           plx_json_number_at(match->after, "time.median_ns", 0) > 0 && obstacle(match) == NULL;
}

static plx_noise noise_of(const json_t *record)
{
    int64_t samples = plx_json_integer_at(record, "time.samples", 0);
    return plx_noise_of(plx_json_element_at(record, "time.ci95_ns", 0, 0),
                        plx_json_element_at(record, "time.ci95_ns", 1, 0), samples > 0 ? (size_t)samples : 0);
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
        d->family[count++] =
            plx_medians_differ(plx_json_number_at(match->before, "time.median_ns", 0), noise_of(match->before),
                               plx_json_number_at(match->after, "time.median_ns", 0), noise_of(match->after));
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
        return add(d, which, PLX_CHANGE_UNCOMPARED, why);
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

static plx_status judge_match(diff *d, size_t which)
{
    const plx_match *match = &d->matches[which];
    if (match->before == NULL || match->after == NULL)
        return add(d, which, match->after == NULL ? PLX_CHANGE_VANISHED : PLX_CHANGE_ADDED,
                   state(match->after == NULL ? match->before : match->after));
    bool ran = badness(state(match->before)) >= 0 && badness(state(match->after)) >= 0;
    bool unsupported = badness(state(match->before)) == 1 && badness(state(match->after)) == 1;
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

static plx_status diff_files(const json_t *before, const json_t *after, plx_diff_results *results, plx_error *error)
{
    diff d = {.before = before, .after = after, .threshold = results->threshold, .results = results, .error = error};
    plx_status status = plx_diff_environments(before, after, results, error);
    if (status == PLX_OK)
        status = plx_diff_match(before, after, &d.matches, &d.match_count, error);
    if (status == PLX_OK)
        status = judge_all(&d);
    free(d.matches);
    return status;
}

plx_status plx_diff(const char *old_path, const char *new_path, const plx_diff_options *options,
                    plx_diff_results *results, plx_error *error)
{
    json_t *before = NULL, *after = NULL;
    double threshold = options != NULL && options->threshold > 0 ? options->threshold : usual_threshold;
    plx_diff_results made = {.threshold = threshold, .level = level};
    plx_status status = plx_json_file_read(old_path, &before, error);
    if (status == PLX_OK)
        status = plx_json_file_read(new_path, &after, error);
    if (status == PLX_OK)
        status = diff_files(before, after, &made, error);
    json_decref(before);
    json_decref(after);
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
    *results = (plx_diff_results){.count = 0};
}

int plx_diff_status(const plx_diff_results *results)
{
    if (results->counts[PLX_CHANGE_BROKEN] + results->counts[PLX_CHANGE_SLOWER] +
            results->counts[PLX_CHANGE_LESS_ACCURATE] > 0)
        return 1;
    return results->compared == 0 ? 4 : 0;
}
