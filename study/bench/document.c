/* The document of a bench: results that grow case by case in one file, and are taken up
 * again when they were made in the same environment. */
#define _XOPEN_SOURCE 700

#include "study/bench/bench.h"

#include "study/results/results.h"

#include <errno.h>
#include <inttypes.h>
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
        !copy_names(named ? how->kernels : best, named ? how->kernel_count : 1, &made->kernels, &made->kernel_count))
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

static plx_status foreign(const char *path, const char *what, const char *old, const char *now, plx_error *error)
{
    return plx_fail(error, PLX_INVALID,
                    "%.200s: made in another environment: %.90s is %.60s in it and %.60s now; give another name, or "
                    "--restart to begin it anew",
                    path, what, old[0] != '\0' ? old : "unknown", now[0] != '\0' ? now : "unknown");
}

/* Texts that begin alike are shown from where they differ on. */
static plx_status foreign_fact(const char *path, const char *what, const plx_fact *old, const plx_fact *now,
                               plx_error *error)
{
    size_t alike = 0;
    while (old->text[alike] != '\0' && old->text[alike] == now->text[alike])
        alike++;
    return foreign(path, what, old->text + (alike > 40 ? alike - 20 : 0), now->text + (alike > 40 ? alike - 20 : 0),
                   error);
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
        return foreign_fact(path, what, &before, &after, error);
    }
    return PLX_OK;
}

static plx_status check_environment(const char *path, const plx_results *old, const plx_results *now, plx_error *error)
{
    plx_fact before, after;
    char counts[2][24];
    plx_status status = PLX_OK;
    for (size_t i = 0; plx_environment_fact(&old->environment, i, &before); i++) {
        (void)plx_environment_fact(&now->environment, i, &after);
        if (matters(&before, &after) && plx_facts_differ(&before, &after, 0))
            return foreign_fact(path, before.key, &before, &after, error);
    }
    if (old->device_count != now->device_count) {
        (void)snprintf(counts[0], sizeof counts[0], "%zu", old->device_count);
        (void)snprintf(counts[1], sizeof counts[1], "%zu", now->device_count);
        return foreign(path, "the number of devices", counts[0], counts[1], error);
    }
    for (size_t i = 0; status == PLX_OK && i < now->device_count; i++)
        status = check_device(path, &old->devices[i], &now->devices[i], error);
    return status;
}

/* What was asked for, as text. */
static void names_text(char (*names)[64], size_t count, char text[static 64])
{
    text[0] = '\0';
    for (size_t i = 0; i < count && strlen(text) < 60; i++)
        (void)snprintf(text + strlen(text), 64 - strlen(text), "%s%s", i > 0 ? ", " : "", names[i]);
}

enum { OPTIONS = 8 };

typedef struct option_text {
    const char *what;
    char text[64];
} option_text;

static void options_text(const plx_bench_request *of, bool any_seed, option_text all[static OPTIONS])
{
    static const char *const what[OPTIONS] = {"the option kernels", "the option input",   "the option seed",
                                              "the option seconds", "the option timing",  "the option hot",
                                              "the option queues",  "the option counters"};
    for (size_t i = 0; i < OPTIONS; i++)
        all[i].what = what[i];
    names_text(of->kernels, of->kernel_count, all[0].text);
    (void)snprintf(all[1].text, sizeof all[1].text, "%s", plx_input_name(of->input));
    (void)snprintf(all[2].text, sizeof all[2].text, "%" PRIu64, any_seed ? 0 : of->seed);
    (void)snprintf(all[3].text, sizeof all[3].text, "%.11g", of->seconds); /* files have twelve digits of a number */
    (void)snprintf(all[4].text, sizeof all[4].text, "%s", of->timing ? "on" : "off");
    (void)snprintf(all[5].text, sizeof all[5].text, "%s", of->hot ? "on" : "off");
    (void)snprintf(all[6].text, sizeof all[6].text, "%zu", of->queues);
    (void)snprintf(all[7].text, sizeof all[7].text, "%s", of->counters ? "on" : "off");
}

static bool same_kernels(const plx_bench_request *a, const plx_bench_request *b)
{
    bool same = a->kernel_count == b->kernel_count;
    for (size_t i = 0; same && i < a->kernel_count; i++)
        same = strcmp(a->kernels[i], b->kernels[i]) == 0;
    return same;
}

/* Names of kernels may be longer than their text. */
static plx_status check_options(const char *path, const plx_bench_request *old, const plx_bench_request *now,
                                bool any_seed, plx_error *error)
{
    option_text before[OPTIONS], after[OPTIONS];
    options_text(old, any_seed, before);
    options_text(now, any_seed, after);
    for (size_t i = 0; i < OPTIONS; i++)
        if (strcmp(before[i].text, after[i].text) != 0 || (i == 0 && !same_kernels(old, now)))
            return foreign(path, before[i].what, before[i].text, after[i].text, error);
    return PLX_OK;
}

static plx_status check_same(const char *path, const plx_results *old, const plx_results *now, bool any_seed,
                             plx_error *error)
{
    if (old->bench == NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: not made by bench; give another name, or --restart to replace it",
                        path);
    plx_status status = check_environment(path, old, now, error);
    return status == PLX_OK ? check_options(path, old->bench, now->bench, any_seed, error) : status;
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

plx_status plx_bench_file_open(const plx_bench_options *options, const plx_results *results, plx_bench_file *file,
                               plx_error *error)
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
    document->environment.activity = results->environment.activity;
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
