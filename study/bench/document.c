/* The document of a bench: results that grow case by case in one file, and are taken up
 * again when they were made in the same environment. */
#define _XOPEN_SOURCE 700

#include "study/bench/bench.h"

#include "study/results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
}

/* ---- what is asked for ---------------------------------------------------------------- */

static bool copy_names(const char *const *from, size_t count, char (**names)[64], size_t *made)
{
    *names = calloc(count + 1, sizeof **names);
    for (size_t i = 0; *names != NULL && i < count; i++)
        (void)snprintf((*names)[(*made)++], sizeof **names, "%s", from[i]);
    return *names != NULL;
}

/* What changes the numbers of a record, or which records a case has.  Devices stand for
 * themselves. */
static plx_status request_of(const plx_bench_options *options, plx_bench_request **request, plx_error *error)
{
    static const char *const best[] = {"best"};
    const plx_compare_options *how = &options->compare;
    bool named = how->kernel_count > 0;
    plx_bench_request *made = calloc(1, sizeof *made);
    *request = made;
    if (made == NULL || !copy_names(options->sets, options->set_count, &made->sets, &made->set_count) ||
        !copy_names(named ? how->kernels : best, named ? how->kernel_count : 1, &made->kernels,
                    &made->kernel_count))
        return no_memory(error);
    made->input = how->input;
    made->seed = how->seed;
    made->seconds = how->seconds_per_kernel > 0 ? how->seconds_per_kernel : 0.5;
    made->timing = !how->no_timing;
    made->hot = how->hot;
    made->queues = how->queues > 0 ? how->queues : 1;
    made->counters = how->counters;
    return PLX_OK;
}

static bool has_name(char (*names)[64], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* A file that is taken up has the sets of every run. */
static plx_status add_sets(const plx_bench_request *from, plx_bench_request *to, plx_error *error)
{
    char(*grown)[64] = realloc(to->sets, (to->set_count + from->set_count + 1) * sizeof *grown);
    if (grown == NULL)
        return no_memory(error);
    to->sets = grown;
    for (size_t i = 0; i < from->set_count; i++)
        if (!has_name(to->sets, to->set_count, from->sets[i]))
            memcpy(to->sets[to->set_count++], from->sets[i], sizeof *grown);
    return PLX_OK;
}

static plx_status begin(const plx_bench_options *options, const plx_results *devices, plx_results *made,
                        plx_error *error)
{
    *made = (plx_results){.device_count = devices->device_count};
    made->devices = calloc(devices->device_count + 1, sizeof *made->devices);
    if (made->devices == NULL)
        return no_memory(error);
    if (devices->device_count > 0)
        memcpy(made->devices, devices->devices, devices->device_count * sizeof *made->devices);
    plx_environment_now(&made->environment);
    return request_of(options, &made->bench, error);
}

/* ---- the same environment? ---------------------------------------------------------- */

/* Files have twelve digits of a number. */
static bool same_number(double a, double b)
{
    return fabs(a - b) <= 1e-11 * fabs(a);
}

static plx_status foreign(const char *path, const char *what, plx_error *error)
{
    return plx_fail(error, PLX_INVALID,
                    "%.200s: made in another environment: %s differs; give another name, or --restart to "
                    "begin it anew",
                    path, what);
}

/* Of a state that one side does not know nothing is said: a device was lost. */
static bool matters(const plx_fact *a, const plx_fact *b)
{
    return (a->matters & PLX_FACT_SAME) || ((a->matters & PLX_FACT_STATE) && a->known && b->known);
}

static plx_status check_device(const char *path, const plx_study_device *old, const plx_study_device *now,
                               plx_error *error)
{
    plx_fact before, after;
    char what[128];
    for (size_t i = 0; plx_device_fact(old, i, &before) && plx_device_fact(now, i, &after); i++) {
        if (!matters(&before, &after) || !plx_facts_differ(&before, &after, 1e-11))
            continue;
        (void)snprintf(what, sizeof what, "%s of %.60s", before.key, now->label);
        return foreign(path, what, error);
    }
    return PLX_OK;
}

static plx_status check_environment(const char *path, const plx_results *old, const plx_results *now,
                                    plx_error *error)
{
    plx_fact before, after;
    plx_status status = PLX_OK;
    for (size_t i = 0; plx_environment_fact(&old->environment, i, &before); i++) {
        (void)plx_environment_fact(&now->environment, i, &after);
        if (matters(&before, &after) && plx_facts_differ(&before, &after, 0))
            return foreign(path, before.key, error);
    }
    if (old->device_count != now->device_count)
        return foreign(path, "the number of devices", error);
    for (size_t i = 0; status == PLX_OK && i < now->device_count; i++)
        status = check_device(path, &old->devices[i], &now->devices[i], error);
    return status;
}

static bool same_kernels(const plx_bench_request *a, const plx_bench_request *b)
{
    bool same = a->kernel_count == b->kernel_count;
    for (size_t i = 0; same && i < a->kernel_count; i++)
        same = strcmp(a->kernels[i], b->kernels[i]) == 0;
    return same;
}

/* The first option that differs; NULL: none does. */
static const char *other_option(const plx_bench_request *a, const plx_bench_request *b, bool any_seed)
{
    const struct option {
        const char *what;
        bool same;
    } all[] = {
        {"the option kernels", same_kernels(a, b)},
        {"the option input", a->input == b->input},
        {"the option seed", any_seed || a->seed == b->seed},
        {"the option seconds", same_number(a->seconds, b->seconds)},
        {"the option timing", a->timing == b->timing},
        {"the option hot", a->hot == b->hot},
        {"the option queues", a->queues == b->queues},
        {"the option counters", a->counters == b->counters},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!all[i].same)
            return all[i].what;
    return NULL;
}

static plx_status check_same(const char *path, const plx_results *old, const plx_results *now, bool any_seed, plx_error *error)
{
    if (old->bench == NULL)
        return plx_fail(error, PLX_INVALID,
                        "%.200s: not made by bench; give another name, or --restart to replace it", path);
    plx_status status = check_environment(path, old, now, error);
    const char *what = status == PLX_OK ? other_option(old->bench, now->bench, any_seed) : NULL;
    return what != NULL ? foreign(path, what, error) : status;
}

/* ---- opening ---------------------------------------------------------------------------- */

static plx_status take_up(plx_bench_file *file, bool any_seed, plx_error *error)
{
    plx_results old;
    plx_status status = plx_results_read(file->path, &old, error);
    if (status != PLX_OK)
        return status;
    status = check_same(file->path, &old, &file->document, any_seed, error);
    if (status == PLX_OK)
        status = add_sets(file->document.bench, old.bench, error);
    if (status != PLX_OK) {
        plx_results_free(&old);
        return status;
    }
    old.bench->left_out_count = 0; /* found out again */
    old.bench->finished = false;
    plx_results_free(&file->document);
    file->document = old;
    file->resumed = true;
    return PLX_OK;
}

plx_status plx_bench_file_open(const plx_bench_options *options, const plx_results *results,
                               plx_bench_file *file, plx_error *error)
{
    struct stat about;
    bool is_there = options->json != NULL && stat(options->json, &about) == 0;
    *file = (plx_bench_file){.path = options->json};
    if (options->json != NULL && !is_there && errno != ENOENT) /* what may be in it must not be replaced */
        return plx_fail(error, PLX_IO, "%.200s: can't read: %s", options->json, strerror(errno));
    file->in_pieces = options->json != NULL && (!is_there || S_ISREG(about.st_mode));
    plx_status status = begin(options, results, &file->document, error);
    if (status == PLX_OK && is_there && S_ISREG(about.st_mode) && !options->restart)
        status = take_up(file, options->any_seed, error);
    if (status != PLX_OK)
        plx_results_free(&file->document);
    return status;
}

/* ---- cases ------------------------------------------------------------------------------ */

bool plx_bench_is_of(const plx_record *record, const plx_bench_case *which)
{
    return record->shift == which->shift && plx_problem_is_read(&record->problem, &which->problem);
}

/* The new place of each record goes to `places`, SIZE_MAX for one that is gone. */
static void drop_records(plx_results *document, const plx_bench_case *which, size_t *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < document->record_count; i++) {
        bool gone = plx_bench_is_of(&document->records[i], which);
        places[i] = gone ? SIZE_MAX : kept;
        if (!gone)
            document->records[kept++] = document->records[i];
    }
    document->record_count = kept;
}

static void move_pairs(plx_results *document, const size_t *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < document->pair_count; i++) {
        plx_pair pair = document->pairs[i];
        pair.first = places[pair.first];
        pair.second = places[pair.second];
        if (pair.first != SIZE_MAX && pair.second != SIZE_MAX)
            document->pairs[kept++] = pair;
    }
    document->pair_count = kept;
}

plx_status plx_bench_file_forget(plx_bench_file *file, const plx_bench_case *which, plx_error *error)
{
    size_t *places = calloc(file->document.record_count + 1, sizeof *places);
    if (places == NULL)
        return no_memory(error);
    drop_records(&file->document, which, places);
    move_pairs(&file->document, places);
    free(places);
    return PLX_OK;
}

size_t plx_bench_file_next_group(const plx_bench_file *file)
{
    size_t next = 0;
    for (size_t i = 0; i < file->document.record_count; i++) {
        size_t group = file->document.records[i].group;
        next = group >= next && group < SIZE_MAX ? group + 1 : next;
    }
    return next;
}

plx_status plx_bench_file_add(plx_bench_file *file, const plx_results *results, plx_error *error)
{
    plx_results *document = &file->document;
    const size_t before = document->record_count;
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < results->record_count; i++)
        status = plx_results_add_record(document, &results->records[i], error);
    for (size_t i = 0; status == PLX_OK && i < results->pair_count; i++) {
        plx_pair pair = results->pairs[i];
        pair.first += before;
        pair.second += before;
        status = plx_results_add_pair(document, &pair, error);
    }
    plx_environment_now(&document->environment);
    if (!file->resumed) /* else older records refer to what was measured of the devices then */
        memcpy(document->devices, results->devices, results->device_count * sizeof *document->devices);
    return status;
}

plx_status plx_bench_file_leave_out(plx_bench_file *file, const plx_bench_case *which, const char *reason,
                                    plx_error *error)
{
    plx_bench_request *bench = file->document.bench;
    plx_left_out *grown = realloc(bench->left_out, (bench->left_out_count + 1) * sizeof *grown);
    if (grown == NULL)
        return no_memory(error);
    bench->left_out = grown;
    grown[bench->left_out_count] = (plx_left_out){.problem = which->problem, .shift = which->shift};
    (void)snprintf(grown[bench->left_out_count++].reason, sizeof grown->reason, "%s", reason);
    return PLX_OK;
}
