/* plx_tune: measures all kernels on a user's shapes and keeps which one is fastest,
 * where that is another than the plugin would choose. */
#include "base/cache_dir.h"

#include <parallax/tune.h>

#include <stdlib.h>
#include <string.h>

typedef struct tuning {
    plx_context *context;
    plx_results *results;
    plx_tuned *tuned;
    size_t count;
    plx_choice *changes; /* one for each of tuned */
} tuning;

/* Yardsticks are no answer to the problem. */
static bool may_be_chosen(const plx_record *record)
{
    return record->outcome == PLX_OUTCOME_OK && record->time.measured &&
           (record->kernel_flags & PLX_KERNEL_YARDSTICK) == 0;
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
            (best == SIZE_MAX || record->time.median_ns < results->records[best].time.median_ns))
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
static plx_status usual_kernel(const tuning *t, const plx_record *record, char *name, size_t capacity)
{
    plx_backend *backend;
    const plx_kernel *kernel;
    plx_status status = plx_open(t->context, record->backend, &backend);
    if (status != PLX_OK)
        return status;
    status = plx_choose(backend, &record->problem, &kernel);
    if (status == PLX_OK)
        (void)snprintf(name, capacity, "%s", kernel->name);
    plx_close(backend);
    return status;
}

/* Intervals that overlap say that nobody knows which is faster; then the table stays. */
static bool is_better(const plx_record *best, const plx_record *usual)
{
    return best->time.high_ns < usual->time.low_ns;
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
    (void)snprintf(change->over, sizeof change->over, "%s", t->results->records[tuned->usual].kernel);
    change->gain = tuned->gain;
    plx_cache_date(change->date, sizeof change->date);
}

static plx_status add_tuned(tuning *t, size_t first)
{
    char usual[64];
    plx_choice *changes;
    plx_tuned *grown, made = {.fastest = fastest(t->results, first)};
    const plx_record *records = t->results->records;
    if (made.fastest == SIZE_MAX || usual_kernel(t, &records[first], usual, sizeof usual) != PLX_OK)
        return PLX_OK; /* nothing is right here, or nothing is offered: nothing to choose from */
    made.usual = record_of(t->results, first, usual);
    if (made.usual == SIZE_MAX) /* the table's choice is not right: any that is will do */
        made.usual = made.fastest;
    made.gain = records[made.usual].time.median_ns / records[made.fastest].time.median_ns;
    made.kept = is_better(&records[made.fastest], &records[made.usual]);
    grown = realloc(t->tuned, (t->count + 1) * sizeof *grown);
    if (grown == NULL)
        return PLX_NO_MEMORY;
    t->tuned = grown;
    changes = realloc(t->changes, (t->count + 1) * sizeof *changes);
    if (changes == NULL)
        return PLX_NO_MEMORY;
    t->changes = changes;
    fill_change(t, &made, &changes[t->count]);
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
    return t->count > 0 ? plx_tuned_change(t->context, t->changes, t->count, error) : status;
}

plx_status plx_tune(plx_context *context, const plx_compare_options *options, plx_results *results,
                    plx_tuned **tuned, size_t *count, plx_error *error)
{
    static const char *const all[] = {"all"};
    plx_compare_options wanted = *options;
    tuning t = {.context = context, .results = results};
    if (wanted.kernel_count == 0) {
        wanted.kernels = all;
        wanted.kernel_count = 1;
    }
    wanted.no_timing = false;
    plx_status status = plx_compare(context, &wanted, results, error);
    if (status != PLX_OK)
        return status;
    status = choose_all(&t, error);
    free(t.changes);
    if (status != PLX_OK) {
        free(t.tuned);
        plx_results_free(results);
        return status;
    }
    *tuned = t.tuned;
    *count = t.count;
    return PLX_OK;
}
