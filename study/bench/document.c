/* The document of a bench: one file of results that grows case by case, and is taken up
 * again when it was made in the same environment. */
#define _XOPEN_SOURCE 700

#include "study/bench/bench.h"
#include "study/files/json_file.h"
#include "study/report/json.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- options ------------------------------------------------------------------------ */

/* What changes the numbers of a record, or which records a case has.  Devices stand for
 * themselves. */
static json_t *options_json(const plx_compare_options *options)
{
    json_t *kernels = json_array();
    for (size_t i = 0; i < options->kernel_count; i++)
        json_array_append_new(kernels, plx_json_text(options->kernels[i]));
    if (options->kernel_count == 0)
        json_array_append_new(kernels, json_string("best"));
    return json_pack("{s:o, s:s, s:I, s:f, s:b, s:b, s:I, s:b}", "kernels", kernels, "input",
                     plx_input_name(options->input), "seed", (json_int_t)options->seed, "seconds",
                     options->seconds_per_kernel > 0 ? options->seconds_per_kernel : 0.5, "timing",
                     (int)!options->no_timing, "hot", (int)options->hot, "queues",
                     (json_int_t)(options->queues > 0 ? options->queues : 1), "counters", (int)options->counters);
}

static json_t *sets_json(const plx_bench_options *options)
{
    json_t *made = json_array();
    for (size_t i = 0; i < options->set_count; i++)
        json_array_append_new(made, plx_json_text(options->sets[i]));
    return made;
}

static json_t *fresh_document(const plx_bench_options *options, const plx_results *results)
{
    json_t *made = plx_results_json(results);
    if (made != NULL)
        json_object_set_new(
            made, "bench",
            json_pack("{s:o, s:o}", "sets", sets_json(options), "options", options_json(&options->compare)));
    return made;
}

/* A file that is taken up has the sets of every run. */
static void add_sets(const json_t *from, json_t *bench)
{
    json_t *known = json_object_get(bench, "sets"), *set;
    size_t index;
    if (known == NULL) {
        known = json_array();
        json_object_set_new(bench, "sets", known);
    }
    json_array_foreach(from, index, set)
    {
        bool there = false;
        for (size_t i = 0; i < json_array_size(known); i++)
            there = there || json_equal(json_array_get(known, i), set);
        if (!there)
            json_array_append(known, set);
    }
}

/* ---- the same environment? ---------------------------------------------------------- */

/* Files have twelve digits of a number. */
static bool same_value(const json_t *one, const json_t *other)
{
    double a = json_number_value(one), b = json_number_value(other);
    if (json_is_real(one) && json_is_real(other))
        return fabs(a - b) <= 1e-11 * fabs(a);
    return json_equal(one, other) == 1;
}

/* A missing value is one as well. */
static bool same_at(const json_t *a, const json_t *b, const char *path)
{
    const json_t *one = plx_json_at(a, path), *other = plx_json_at(b, path);
    return (one == NULL && other == NULL) || (one != NULL && other != NULL && same_value(one, other));
}

/* A device that was lost said nothing of its state: that is no other state. */
static bool says_same_at(const json_t *a, const json_t *b, const char *path)
{
    const json_t *one = plx_json_at(a, path), *other = plx_json_at(b, path);
    return one == NULL || other == NULL || same_value(one, other);
}

/* The first of the paths where the two differ; NULL when there is none. */
static const char *difference(const json_t *a, const json_t *b, const char *const *paths)
{
    for (; *paths != NULL; paths++)
        if (!same_at(a, b, *paths))
            return *paths;
    return NULL;
}

static plx_status foreign(const char *path, const char *what, plx_error *error)
{
    return plx_fail(error, PLX_INVALID,
                    "%.200s: made in another environment: %s differs; give another name, or --restart to "
                    "begin it anew",
                    path, what);
}

static plx_status check_devices(const char *path, const json_t *old, const json_t *now, plx_error *error)
{
    static const char *const paths[] = {"label", "name",  "api",          "driver", "uuid",
                                        "pci",   "units", "memory_bytes", NULL};
    static const char *const states[] = {"environment.driver", "environment.power_limit_w",
                                         "environment.sm_clock_max_mhz", "environment.ecc", NULL};
    char what[128];
    const json_t *before = json_object_get(old, "devices"), *after = json_object_get(now, "devices");
    if (json_array_size(before) != json_array_size(after))
        return foreign(path, "the number of devices", error);
    for (size_t i = 0; i < json_array_size(after); i++) {
        const char *where = difference(json_array_get(before, i), json_array_get(after, i), paths);
        for (size_t j = 0; where == NULL && states[j] != NULL; j++)
            if (!says_same_at(json_array_get(before, i), json_array_get(after, i), states[j]))
                where = states[j];
        if (where == NULL)
            continue;
        (void)snprintf(what, sizeof what, "%s of %.60s", where,
                       plx_json_text_at(json_array_get(after, i), "label", "a device"));
        return foreign(path, what, error);
    }
    return PLX_OK;
}

static plx_status check_same(const char *path, const json_t *old, const json_t *now, plx_error *error)
{
    static const char *const paths[] = {
        "environment.parallax",        "environment.kernels_hash", "environment.compiler", "environment.flags",
        "environment.device_compiler", "environment.device_flags", "host",                 NULL};
    static const char *const settings[] = {"kernels", "input", "seed",     "seconds", "timing",
                                           "hot",     "queues", "counters", NULL};
    const json_t *then = plx_json_at(old, "bench.options");
    char what[64];
    if (!json_is_object(then))
        return plx_fail(error, PLX_INVALID,
                        "%.200s: not made by bench; give another name, or --restart to replace it", path);
    const char *where = difference(old, now, paths);
    if (where != NULL)
        return foreign(path, where, error);
    plx_status status = check_devices(path, old, now, error);
    where = difference(then, plx_json_at(now, "bench.options"), settings);
    if (status != PLX_OK || where == NULL)
        return status;
    (void)snprintf(what, sizeof what, "the option %s", where);
    return foreign(path, what, error);
}

/* ---- opening ---------------------------------------------------------------------------- */

static plx_status take_up(plx_bench_file *file, const json_t *fresh, plx_error *error)
{
    json_t *old = NULL;
    plx_status status = plx_json_file_read(file->path, &old, error);
    if (status == PLX_OK)
        status = check_same(file->path, old, fresh, error);
    if (status != PLX_OK) {
        json_decref(old);
        return status;
    }
    (void)json_object_del(json_object_get(old, "bench"), "left_out"); /* found out again */
    (void)json_object_del(json_object_get(old, "bench"), "summary");
    add_sets(plx_json_at(fresh, "bench.sets"), json_object_get(old, "bench"));
    json_decref(file->document);
    file->document = old;
    file->resumed = true;
    return PLX_OK;
}

plx_status plx_bench_file_open(const plx_bench_options *options, const plx_results *results,
                               plx_bench_file *file, plx_error *error)
{
    struct stat about;
    bool is_there = options->json != NULL && stat(options->json, &about) == 0;
    plx_status status = PLX_OK;
    *file = (plx_bench_file){.path = options->json, .document = fresh_document(options, results)};
    file->in_pieces = options->json != NULL && (!is_there || S_ISREG(about.st_mode));
    if (file->document == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
    if (is_there && S_ISREG(about.st_mode) && !options->restart)
        status = take_up(file, file->document, error);
    if (status != PLX_OK)
        plx_bench_file_close(file);
    return status;
}

void plx_bench_file_close(plx_bench_file *file)
{
    json_decref(file->document);
    file->document = NULL;
}

/* ---- cases ------------------------------------------------------------------------------ */

/* Whether every field of the problem is the record's. */
static bool is_of(const json_t *record, json_t *problem)
{
    const char *key;
    json_t *value;
    json_object_foreach(problem, key, value) {
        if (json_object_get(record, key) == NULL || !same_value(json_object_get(record, key), value))
            return false;
    }
    return true;
}

static bool has_shift(const json_t *record, uint64_t shift)
{
    return (uint64_t)plx_json_integer_at(record, "shift", 0) == shift;
}

static json_t *wanted_fields(const plx_problem *problem)
{
    json_t *wanted = json_object();
    plx_json_add_problem(wanted, problem);
    return wanted;
}

json_t *plx_bench_file_records(const plx_bench_file *file, const plx_bench_case *which)
{
    const json_t *records = json_object_get(file->document, "records");
    json_t *wanted = wanted_fields(&which->problem), *found = json_array();
    for (size_t i = 0; i < json_array_size(records); i++)
        if (has_shift(json_array_get(records, i), which->shift) && is_of(json_array_get(records, i), wanted))
            json_array_append(found, json_array_get(records, i));
    json_decref(wanted);
    return found;
}

/* places: an array with the new index of each record, -1 for one that is gone. */
static json_t *other_records(const json_t *records, const plx_bench_case *which, json_t *places)
{
    json_t *wanted = wanted_fields(&which->problem), *kept = json_array();
    for (size_t i = 0; i < json_array_size(records); i++) {
        json_t *record = json_array_get(records, i);
        bool gone = has_shift(record, which->shift) && is_of(record, wanted);
        json_array_append_new(places, json_integer(gone ? -1 : (json_int_t)json_array_size(kept)));
        if (!gone)
            json_array_append(kept, record);
    }
    json_decref(wanted);
    return kept;
}

static json_int_t place_of(const json_t *places, const json_t *pair, size_t which)
{
    const json_t *record = json_array_get(json_object_get(pair, "records"), which);
    return json_integer_value(json_array_get(places, (size_t)json_integer_value(record)));
}

static json_t *kept_pairs(const json_t *pairs, const json_t *places)
{
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        json_t *pair = json_array_get(pairs, i);
        json_int_t first = place_of(places, pair, 0), second = place_of(places, pair, 1);
        if (first < 0 || second < 0)
            continue;
        json_object_set_new(pair, "records", json_pack("[I, I]", first, second));
        json_array_append(kept, pair);
    }
    return kept;
}

void plx_bench_file_forget(plx_bench_file *file, const plx_bench_case *which)
{
    json_t *places = json_array();
    json_t *records = other_records(json_object_get(file->document, "records"), which, places);
    json_t *pairs = kept_pairs(json_object_get(file->document, "pairs"), places);
    json_object_set_new(file->document, "records", records);
    json_object_set_new(file->document, "pairs", pairs);
    json_decref(places);
}

size_t plx_bench_file_next_group(const plx_bench_file *file)
{
    const json_t *records = json_object_get(file->document, "records");
    int64_t next = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        int64_t group = plx_json_integer_at(json_array_get(records, i), "group", 0);
        next = group >= next && group < INT64_MAX ? group + 1 : next;
    }
    return (size_t)next;
}

static json_t *moved_pair(json_t *pair, size_t by)
{
    const json_t *two = json_object_get(pair, "records");
    json_object_set_new(pair, "records",
                        json_pack("[I, I]", json_integer_value(json_array_get(two, 0)) + (json_int_t)by,
                                  json_integer_value(json_array_get(two, 1)) + (json_int_t)by));
    return pair;
}

plx_status plx_bench_file_add(plx_bench_file *file, const plx_results *results, plx_error *error)
{
    json_t *made = plx_results_json(results), *records = json_object_get(file->document, "records");
    size_t before = json_array_size(records);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
    json_array_extend(records, json_object_get(made, "records"));
    for (size_t i = 0; i < json_array_size(json_object_get(made, "pairs")); i++)
        json_array_append(json_object_get(file->document, "pairs"),
                          moved_pair(json_array_get(json_object_get(made, "pairs"), i), before));
    json_object_set(file->document, "environment", json_object_get(made, "environment"));
    if (!file->resumed) /* else older records refer to what was measured of the devices then */
        json_object_set(file->document, "devices", json_object_get(made, "devices"));
    json_decref(made);
    return PLX_OK;
}

plx_status plx_bench_file_leave_out(plx_bench_file *file, const plx_bench_case *which, const char *reason,
                                    plx_error *error)
{
    json_t *bench = json_object_get(file->document, "bench"), *entry = json_object();
    if (entry == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
    if (json_object_get(bench, "left_out") == NULL)
        json_object_set_new(bench, "left_out", json_array());
    plx_json_add_problem(entry, &which->problem);
    plx_json_add_shift(entry, which->shift);
    json_object_set_new(entry, "reason", plx_json_text(reason));
    json_array_append_new(json_object_get(bench, "left_out"), entry);
    return PLX_OK;
}

plx_status plx_bench_file_sum_up(plx_bench_file *file, const plx_results *results, plx_error *error)
{
    json_t *standings = plx_json_standings(results);
    if (standings == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the summary");
    json_object_set_new(json_object_get(file->document, "bench"), "summary", standings);
    return PLX_OK;
}

plx_status plx_bench_file_save(const plx_bench_file *file, plx_error *error)
{
    plx_output *output;
    plx_status status = plx_output_open(file->path, &output, error);
    if (status != PLX_OK)
        return status;
    status = plx_json_write(json_incref(file->document), plx_output_stream(output), error);
    if (status == PLX_OK)
        return plx_output_close(output, error);
    plx_output_discard(output);
    return status;
}
