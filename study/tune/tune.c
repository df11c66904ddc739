/* plx_tune: searches all kernels and their configurations on a user's shapes and keeps which is fastest,
 * where that is another than the plugin would choose. */
#include "base/cache_dir.h"
#include "study/results/results.h"
#include "study/tune/search.h"

#include <parallax/tune.h>

#include <stdlib.h>
#include <string.h>

typedef struct tuning {
    plx_context *context;
    plx_results *results;
    plx_tuned *tuned;
    size_t count, change_count;
    plx_choice *changes; /* of those of tuned that can be kept */
    plx_comparison comparison;
    size_t searches, done; /* one for each problem and backend */
} tuning;

/* A kernel from a file is there while the file is: nothing of it is kept. */
static bool is_from_file(const plx_record *record)
{
    return (record->kernel_flags & PLX_KERNEL_ADDED) != 0;
}

/* Baselines are no answer to the problem.  A noisy time may be: what is kept is better by its whole interval. */
static bool may_be_chosen(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && record->time.measured && record->time.median_ns > 0 &&
           (record->kernel_flags & PLX_KERNEL_BASELINE) == 0;
}

/* One whose time is no result stands behind those that it does not beat by its whole interval. */
static bool is_faster(const plx_record *a, const plx_record *b)
{
    const bool noisy = plx_timing_is_noisy(&a->time);
    if (noisy == plx_timing_is_noisy(&b->time))
        return a->time.median_ns < b->time.median_ns;
    return noisy ? a->time.high_ns < b->time.low_ns : a->time.low_ns <= b->time.high_ns;
}

static bool is_of(const plx_record *record, const plx_record *first)
{
    return record->group == first->group && strcmp(record->backend, first->backend) == 0;
}

/* The first record of each problem on each backend stands for all of them. */
static bool is_first(const plx_results *results, size_t which)
{
    for (size_t i = which; i-- > 0;)
        if (is_of(&results->records[i], &results->records[which]))
            return false;
    return true;
}

static size_t fastest(const plx_results *results, size_t first)
{
    size_t best = SIZE_MAX;
    for (size_t i = first; i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        if (is_of(record, &results->records[first]) && may_be_chosen(record) &&
            (best == SIZE_MAX || is_faster(record, &results->records[best])))
            best = i;
    }
    return best;
}

static size_t record_of(const plx_results *results, size_t first, const char *kernel)
{
    for (size_t i = first; i < results->record_count; i++)
        if (is_of(&results->records[i], &results->records[first]) && may_be_chosen(&results->records[i]) &&
            strcmp(results->records[i].kernel, kernel) == 0)
            return i;
    return SIZE_MAX;
}

/* The plugin's own choice, whatever was tuned before. */
static plx_status default_kernel(const tuning *t, const plx_record *record, char *name, size_t capacity)
{
    plx_backend *backend;
    const plx_kernel *kernel;
    if (is_from_file(record)) { /* what it takes by itself, not the backend's choice of its own kernels */
        (void)snprintf(name, capacity, "%s", t->comparison.options->kernels[0]);
        return PLX_OK;
    }
    plx_status status = plx_open(t->context, record->backend, &backend);
    if (status != PLX_OK)
        return status;
    status = plx_choose_untuned(backend, &record->problem, &kernel);
    if (status == PLX_OK)
        (void)snprintf(name, capacity, "%s", kernel->name);
    plx_close(backend);
    return status;
}

/* Intervals that overlap say that nobody knows which is faster; then the table stays. */
static bool is_better(const plx_record *best, const plx_record *by_default)
{
    return best->time.high_ns < by_default->time.low_ns;
}

/* With what it is by its own model. */
static void describe(const plx_record *record, char *text, size_t capacity)
{
    if (record->config[0] != '\0' && strchr(record->kernel, ':') == NULL)
        (void)snprintf(text, capacity, "%.23s:%.39s", record->kernel, record->config);
    else
        (void)snprintf(text, capacity, "%s", record->kernel);
}

/* Without a kernel it takes away what was kept of this problem. */
static void fill_change(const tuning *t, const plx_tuned *tuned, plx_choice *change)
{
    char plugin[48];
    const plx_record *best = &t->results->records[tuned->fastest];
    (void)snprintf(plugin, sizeof plugin, "%.*s", (int)strcspn(best->backend, ":"), best->backend);
    plx_tuned_key(plugin, &t->results->devices[best->device].info, &best->problem, change);
    if (!tuned->kept)
        return;
    (void)snprintf(change->kernel, sizeof change->kernel, "%s", best->kernel);
    describe(&t->results->records[tuned->by_default], change->over, sizeof change->over);
    change->gain = tuned->gain;
    plx_cache_date(change->date, sizeof change->date);
}

static bool is_same_problem(const plx_choice *a, const plx_choice *b)
{
    return strcmp(a->device, b->device) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->backend, b->backend) == 0 && strcmp(a->kernels_hash, b->kernels_hash) == 0 &&
           strcmp(a->op, b->op) == 0 && strcmp(a->dtype, b->dtype) == 0 && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->variant, b->variant) == 0;
}

/* What was kept of the problem until now. */
static void note_taken_back(const plx_choice *change, plx_tuned *tuned)
{
    plx_choice choice;
    plx_error ignored; /* a file that can't be read is not changed, which is told then */
    for (size_t i = 0; plx_tuned_read(i, &choice, &ignored) == PLX_OK; i++)
        if (is_same_problem(&choice, change))
            (void)snprintf(tuned->taken_back, sizeof tuned->taken_back, "%s", choice.kernel);
}

static plx_status add_tuned(tuning *t, size_t first)
{
    char by_default[64];
    plx_choice *changes;
    plx_tuned *grown, made = {.fastest = fastest(t->results, first)};
    const plx_record *records = t->results->records;
    if (made.fastest == SIZE_MAX || default_kernel(t, &records[first], by_default, sizeof by_default) != PLX_OK)
        return PLX_OK; /* nothing is right here, or nothing is offered: nothing to choose from */
    made.by_default = record_of(t->results, first, by_default);
    if (made.by_default == SIZE_MAX) /* the table's choice is not right: any that is will do */
        made.by_default = made.fastest;
    made.gain = records[made.by_default].time.median_ns / records[made.fastest].time.median_ns;
    made.kept = !is_from_file(&records[first]) && is_better(&records[made.fastest], &records[made.by_default]);
    grown = realloc(t->tuned, (t->count + 1) * sizeof *grown);
    if (grown == NULL)
        return PLX_NO_MEMORY;
    t->tuned = grown;
    changes = realloc(t->changes, (t->change_count + 1) * sizeof *changes);
    if (changes == NULL)
        return PLX_NO_MEMORY;
    t->changes = changes;
    if (!is_from_file(&records[first])) {
        fill_change(t, &made, &changes[t->change_count]);
        if (!made.kept)
            note_taken_back(&changes[t->change_count], &made);
        t->change_count++;
    }
    grown[t->count++] = made;
    return PLX_OK;
}

static plx_status choose_all(tuning *t, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; i < t->results->record_count && status == PLX_OK; i++)
        if (is_first(t->results, i))
            status = add_tuned(t, i);
    if (status == PLX_NO_MEMORY)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for the choices");
    return t->change_count > 0 ? plx_tuned_change(t->context, t->changes, t->change_count, error) : status;
}

/* ---- the search and the comparison ------------------------------------------------- */

enum { STEPS = 1000 }; /* of progress, for each search */

static void progress(void *data, double share, const char *what)
{
    const tuning *t = data;
    const plx_compare_options *options = t->comparison.options;
    if (options->progress != NULL)
        options->progress(options->progress_data, t->done * STEPS + (size_t)(share * STEPS), t->searches * STEPS, what);
}

/* The kernels that were asked for, as they are by themselves, and the finalists. */
static plx_status compare_with(tuning *t, const plx_search *search, size_t group)
{
    plx_comparison *c = &t->comparison;
    const plx_compare_options *asked = c->options;
    const char **names = calloc(asked->kernel_count + PLX_MOST_FINALISTS, sizeof *names);
    plx_compare_options options = *asked;
    plx_status status;

    if (names == NULL)
        return plx_fail(c->error, PLX_NO_MEMORY, "no host memory for the names of the kernels");
    memcpy(names, asked->kernels, asked->kernel_count * sizeof *names);
    for (size_t i = 0; i < search->finalist_count; i++)
        names[asked->kernel_count + i] = search->finalists[i];
    options.kernels = names;
    options.kernel_count = asked->kernel_count + search->finalist_count;
    options.progress = NULL; /* the search has its own */
    c->options = &options;
    status = plx_comparison_add(c, search->problem, 0, group);
    c->options = asked;
    free(names);
    return status;
}

static plx_status tune_one(tuning *t, size_t backend, const plx_problem *problem, size_t group)
{
    plx_comparison *c = &t->comparison;
    const double seconds = c->options->seconds_in_all > 0 ? c->options->seconds_in_all : 60;
    plx_search search = {
        .comparison = c,
        .backend = c->opened.backends[backend],
        .device = backend,
        .problem = problem,
        .seconds = seconds / (double)t->searches,
        .progress = progress,
        .progress_data = t,
    };
    c->opened.only = search.backend;
    plx_status status = plx_search_configs(&search, c->error);
    if (status == PLX_OK)
        status = compare_with(t, &search, group);
    c->opened.only = NULL;
    t->done += plx_studies_stopped() ? 0 : 1;
    if (status == PLX_OK && plx_results_are_told())
        plx_results_tell(t->results, t->done, t->searches);
    progress(t, 0, plx_backend_label(search.backend));
    return status;
}

static plx_status tune_all(tuning *t, const plx_compare_options *options)
{
    const size_t backends = t->comparison.opened.count;
    plx_status status = PLX_OK;
    t->searches = options->problem_count * backends;
    for (size_t i = 0; i < options->problem_count && status == PLX_OK; i++) {
        for (size_t b = 0; b < backends && status == PLX_OK && !plx_studies_stopped(); b++)
            status = tune_one(t, b, &options->problems[i], i);
        if (backends == 0) /* its records say so */
            status = plx_comparison_add(&t->comparison, &options->problems[i], 0, i);
    }
    return status;
}

static plx_status tune_with(tuning *t, const plx_compare_options *options, plx_error *error)
{
    plx_status status = plx_comparison_open(&t->comparison, t->context, options, t->results, error);
    if (status != PLX_OK)
        return status;
    status = tune_all(t, options);
    plx_results_note_stop(t->results, t->done, t->searches);
    plx_comparison_close(&t->comparison);
    return status == PLX_OK && !plx_studies_stopped() ? choose_all(t, error)
                                                      : status; /* of a search that was cut short nothing is kept */
}

plx_status plx_tune(plx_context *context, const plx_compare_options *options, plx_results *results, plx_tuned **tuned,
                    size_t *count, plx_error *error)
{
    static const char *const all[] = {"all"};
    plx_compare_options wanted = *options;
    plx_results made = {.record_count = 0};
    tuning t = {.context = context, .results = &made};
    if (wanted.kernel_count == 0) {
        wanted.kernels = all;
        wanted.kernel_count = 1;
    }
    wanted.no_timing = false;
    if (wanted.problem_count == 0)
        return plx_fail(error, PLX_INVALID, "tune takes at least one problem");
    plx_status status = tune_with(&t, &wanted, error);
    free(t.changes);
    if (status != PLX_OK) {
        free(t.tuned);
        plx_results_free(&made);
        return status;
    }
    *results = made;
    *tuned = t.tuned;
    *count = t.count;
    return PLX_OK;
}
