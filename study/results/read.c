/* Reads files of results: the only reader of what study/report/json.c writes. */
#include "study/files/json_table.h"
#include "study/results/archive.h"

#include "study/results/results.h"

#include "base/text.h"

#include <parallax/attribute.h>
#include <parallax/tune.h>
#include <parallax/units.h>

#include <stdlib.h>
#include <string.h>

/* What is read, and from where. */
typedef struct source {
    const char *path;
    const json_t *root;
    plx_results *results;
    size_t *places; /* where record i of the file went, SIZE_MAX for one that was left out */
    size_t records; /* of the file */
} source;

/* Takes object `index` of a list. */
typedef plx_status taker(source *from, plx_archive *object, size_t index, plx_error *error);

static plx_status fault(const source *from, const char *list, size_t index, const char *what, plx_error *error)
{
    return plx_fail(error, PLX_INVALID, "%.200s: %s[%zu]: %s is missing or wrong", from->path, list, index, what);
}

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for the results");
}

static plx_status take_list(source *from, const char *name, taker *take, plx_error *error)
{
    const json_t *list = json_object_get(from->root, name);
    plx_status status = PLX_OK;
    if (!json_is_array(list))
        return plx_fail(error, PLX_INVALID, "%.200s: \"%s\" is missing or no list", from->path, name);
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        plx_archive object = plx_archive_of(json_array_get(list, i));
        if (!json_is_object(object.at[0]))
            return fault(from, name, i, "an object", error);
        status = take(from, &object, i, error);
        if (status == PLX_OK && object.wrong != NULL)
            status = fault(from, name, i, object.wrong, error);
    }
    return status;
}

/* ---- lists ------------------------------------------------------------------------------ */

static plx_status take_device(source *from, plx_archive *object, size_t index, plx_error *error)
{
    (void)error;
    plx_archive_device(object, index, &from->results->devices[from->results->device_count++]);
    return PLX_OK;
}

static const char *missing_word(const json_t *record)
{
    static const char *const texts[] = {"op", "dtype", "backend", "kernel", "status"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!json_is_string(json_object_get(record, texts[i])))
            return texts[i];
    return NULL;
}

static plx_status take_record(source *from, plx_archive *object, size_t index, plx_error *error)
{
    plx_results *results = from->results;
    plx_record record;
    object->wrong = missing_word(object->at[0]);
    if (object->wrong == NULL)
        plx_archive_record(object, results->device_count, &record);
    from->places[index] = plx_archive_fails(object) ? SIZE_MAX : results->record_count;
    results->unknown += object->wrong == NULL && object->unknown;
    return plx_archive_fails(object) ? PLX_OK : plx_results_add_record(results, &record, error);
}

static bool take_members(const json_t *pair, size_t records, size_t members[2])
{
    const json_t *two = json_object_get(pair, "records");
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(two, i);
        members[i] = json_is_integer(one) && json_integer_value(one) >= 0 ? (size_t)json_integer_value(one) : records;
    }
    return json_array_size(two) == 2 && members[0] < records && members[1] < records;
}

static plx_status take_pair(source *from, plx_archive *object, size_t index, plx_error *error)
{
    plx_pair pair = {.first_different = -1};
    size_t members[2];
    (void)index;
    if (!take_members(object->at[0], from->records, members))
        plx_archive_refuse(object, "records");
    plx_archive_pair(object, &pair);
    if (object->wrong != NULL)
        return PLX_OK;
    pair.first = from->places[members[0]];
    pair.second = from->places[members[1]];
    return pair.first == SIZE_MAX || pair.second == SIZE_MAX ? PLX_OK
                                                             : plx_results_add_pair(from->results, &pair, error);
}

static plx_status take_sweep(source *from, plx_archive *object, size_t index, plx_error *error)
{
    (void)index;
    return plx_archive_sweep(object, from->results->device_count, &from->results->sweeps[from->results->sweep_count++],
                             error);
}

static size_t length_of(const source *from, const char *list)
{
    return json_array_size(json_object_get(from->root, list));
}

static plx_status take_records(source *from, plx_error *error)
{
    from->records = length_of(from, "records");
    from->places = calloc(from->records + 1, sizeof *from->places);
    plx_status status = from->places != NULL ? take_list(from, "records", take_record, error) : no_memory(error);
    if (status == PLX_OK)
        status = take_list(from, "pairs", take_pair, error);
    free(from->places);
    return status;
}

static plx_status take_sweeps(source *from, plx_error *error)
{
    plx_results *results = from->results;
    const json_t *unopened = json_object_get(from->root, "unopened");
    results->sweeps = calloc(length_of(from, "sweeps") + 1, sizeof *results->sweeps);
    results->unopened = calloc(json_array_size(unopened) + 1, sizeof *results->unopened);
    if (results->sweeps == NULL || results->unopened == NULL)
        return no_memory(error);
    for (size_t i = 0; i < json_array_size(unopened); i++) {
        plx_archive_copy_text(json_array_get(unopened, i), results->unopened[results->unopened_count],
                              sizeof *results->unopened);
        results->unopened_count++;
    }
    return take_list(from, "sweeps", take_sweep, error);
}

/* One of an operation that this version does not know is left out. */
static plx_status take_attribution(source *from, plx_archive *object, size_t index, plx_error *error)
{
    plx_results *results = from->results;
    (void)index;
    (void)error;
    plx_archive_attribution(object, results->device_count, &results->attributions[results->attribution_count]);
    results->unknown += object->wrong == NULL && object->unknown;
    results->attribution_count += !plx_archive_fails(object);
    return PLX_OK;
}

static plx_status take_attributions(source *from, plx_error *error)
{
    plx_results *results = from->results;
    const size_t count = length_of(from, "attributions");
    if (count == 0)
        return PLX_OK;
    results->attributions = calloc(count, sizeof *results->attributions);
    return results->attributions != NULL ? take_list(from, "attributions", take_attribution, error) : no_memory(error);
}

static plx_status take_unit(source *from, plx_archive *object, size_t index, plx_error *error)
{
    plx_results *results = from->results;
    (void)index;
    (void)error;
    plx_archive_unit(object, results->device_count, &results->units[results->unit_count]);
    results->unknown += object->wrong == NULL && object->unknown;
    results->unit_count += !plx_archive_fails(object);
    return PLX_OK;
}

static plx_status take_units(source *from, plx_error *error)
{
    plx_results *results = from->results;
    const size_t count = length_of(from, "matrix_units");
    if (count == 0)
        return PLX_OK;
    results->units = calloc(count, sizeof *results->units);
    return results->units != NULL ? take_list(from, "matrix_units", take_unit, error) : no_memory(error);
}

/* ---- the parts that stand next to the lists ------------------------------------------------- */

static plx_status take_check(plx_archive *root, plx_results *results, plx_error *error)
{
    if (!plx_archive_open(root, "check", true))
        return PLX_OK;
    results->check = calloc(1, sizeof *results->check);
    if (results->check == NULL)
        return no_memory(error);
    plx_archive_check(root, results->check);
    plx_archive_close(root);
    return PLX_OK;
}

static plx_status take_bench(plx_archive *root, plx_results *results, plx_error *error)
{
    if (!plx_archive_open(root, "bench", true))
        return PLX_OK;
    plx_bench_request *bench = calloc(1, sizeof *bench);
    if (bench == NULL)
        return no_memory(error);
    *bench = (plx_bench_request){.queues = 1, .timing = true, .finished = plx_archive_has(root, "summary")};
    results->bench = bench;
    const plx_status status = plx_archive_bench(root, bench, error);
    plx_archive_close(root);
    return status;
}

static plx_status take_result(plx_archive *root, plx_results *results, plx_error *error)
{
    if (!plx_archive_open(root, "result", true))
        return PLX_OK;
    results->result = calloc(1, sizeof *results->result);
    if (results->result == NULL)
        return no_memory(error);
    plx_archive_result(root, results->result);
    plx_archive_close(root);
    return PLX_OK;
}

static plx_status take_choice(plx_archive *root, plx_results *results, plx_error *error)
{
    if (!plx_archive_open(root, "choice", true))
        return PLX_OK;
    results->choice = calloc(1, sizeof *results->choice);
    if (results->choice == NULL)
        return no_memory(error);
    plx_archive_choice(root, results->choice);
    plx_archive_close(root);
    return PLX_OK;
}

static plx_status take_rest(source *from, plx_error *error)
{
    plx_archive root = plx_archive_of(from->root);
    plx_archive_environment(&root, &from->results->environment);
    if (plx_archive_open(&root, "interrupted", false)) {
        from->results->interrupted = true;
        from->results->finished = (size_t)plx_archive_natural(&root, "finished", 0, 0);
        from->results->wanted = (size_t)plx_archive_natural(&root, "wanted", 0, 0);
        plx_archive_close(&root);
    }
    plx_archive_remark(&root, "attribution_note", from->results->attribution_note,
                       sizeof from->results->attribution_note);
    plx_status status = take_check(&root, from->results, error);
    if (status == PLX_OK)
        status = take_bench(&root, from->results, error);
    if (status == PLX_OK)
        status = take_choice(&root, from->results, error);
    if (status == PLX_OK)
        status = take_result(&root, from->results, error);
    if (status == PLX_OK && root.wrong != NULL)
        status = plx_fail(error, PLX_INVALID, "%.200s: %s is wrong", from->path, root.wrong);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------- */

static plx_status is_of_results(const source *from, bool *probe, plx_error *error)
{
    const char *found = json_string_value(json_object_get(from->root, "schema"));
    if (found == NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: no results of parallax: there is no \"schema\"", from->path);
    *probe = strcmp(found, "parallax-probe/1") == 0;
    if (*probe || strcmp(found, "parallax-results/1") == 0)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%.200s: the schema is %.60s; results of parallax-results/1 are needed",
                    from->path, found);
}

static plx_status take_all(source *from, plx_error *error)
{
    bool probe;
    plx_status status = is_of_results(from, &probe, error);
    if (status != PLX_OK)
        return status;
    from->results->devices = calloc(length_of(from, "devices") + 1, sizeof *from->results->devices);
    if (from->results->devices == NULL)
        return no_memory(error);
    status = take_list(from, "devices", take_device, error);
    if (status == PLX_OK)
        status = probe ? take_sweeps(from, error) : take_records(from, error);
    if (status == PLX_OK)
        status = take_attributions(from, error);
    if (status == PLX_OK)
        status = take_units(from, error);
    return status == PLX_OK ? take_rest(from, error) : status;
}

plx_status plx_results_read(const char *path, plx_results *results, plx_error *error)
{
    plx_results made = {.record_count = 0};
    json_t *root = NULL;
    plx_status status = plx_json_load(path, &root, error);
    if (status == PLX_OK)
        status = take_all(&(source){.path = path, .root = root, .results = &made}, error);
    json_decref(root);
    if (status == PLX_OK) {
        *results = made;
        return PLX_OK;
    }
    plx_results_free(&made);
    plx_text_clean(error->text, sizeof error->text); /* it may cite the file */
    return status;
}

static void leave_out_rates(json_t *root)
{
    json_t *record;
    size_t i;
    if (strcmp(json_string_value(json_object_get(root, "schema")), "parallax-results/1") != 0)
        return;
    json_array_foreach(json_object_get(root, "records"), i, record)
    {
        if (json_object_get(record, "time") != NULL)
            (void)json_object_del(record, "rate");
    }
}

static plx_status load_ours(const char *path, json_t **root, plx_error *error)
{
    plx_status status = plx_json_load(path, root, error);
    if (status != PLX_OK || json_string_value(json_object_get(*root, "schema")) != NULL)
        return status;
    json_decref(*root);
    *root = NULL;
    return plx_fail(error, PLX_INVALID, "%.200s: no JSON of parallax: there is no \"schema\"", path);
}

plx_status plx_results_pack(const char *path, FILE *to, plx_error *error)
{
    json_t *root = NULL;
    plx_status status = load_ours(path, &root, error);
    if (status == PLX_OK)
        leave_out_rates(root);
    if (status == PLX_OK)
        status = plx_json_pack(root, to, error);
    json_decref(root);
    return status;
}

plx_status plx_results_unpack(const char *path, FILE *to, plx_error *error)
{
    const size_t form = JSON_INDENT(2) | JSON_REAL_PRECISION(15);
    json_t *root = NULL;
    plx_status status = load_ours(path, &root, error);
    if (status == PLX_OK && (json_dumpf(root, to, form) != 0 || putc('\n', to) == EOF))
        status = plx_fail(error, PLX_NO_MEMORY, "%.200s: can't be written out", path);
    json_decref(root);
    return status;
}
