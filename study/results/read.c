/* Reads files of results: the only reader of what the writers in study/report/ write. */
#include "study/results/read.h"

#include "study/results/results.h"

#include <stdlib.h>
#include <string.h>

plx_status plx_read_fault(const char *path, const char *list, size_t index, const char *what, plx_error *error)
{
    return plx_fail(error, PLX_INVALID, "%.200s: %s[%zu]: %s is missing or wrong", path, list, index, what);
}

plx_status plx_read_objects(const char *path, const json_t *root, const char *name, const json_t **list,
                            plx_error *error)
{
    *list = json_object_get(root, name);
    if (!json_is_array(*list))
        return plx_fail(error, PLX_INVALID, "%.200s: \"%s\" is missing or no list", path, name);
    for (size_t i = 0; i < json_array_size(*list); i++)
        if (!json_is_object(json_array_get(*list, i)))
            return plx_read_fault(path, name, i, "an object", error);
    return PLX_OK;
}

static plx_status take_devices(const char *path, const json_t *root, plx_results *results, plx_error *error)
{
    const json_t *list;
    plx_status status = plx_read_objects(path, root, "devices", &list, error);
    if (status != PLX_OK)
        return status;
    results->device_count = json_array_size(list);
    results->devices = calloc(results->device_count + 1, sizeof *results->devices);
    if (results->devices == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the list of devices");
    for (size_t i = 0; status == PLX_OK && i < results->device_count; i++) {
        plx_reader from = {.of = json_array_get(list, i)};
        plx_read_device(&from, i, &results->devices[i]);
        if (from.wrong != NULL)
            status = plx_read_fault(path, "devices", i, from.wrong, error);
    }
    return status;
}

static const char *missing_word(const json_t *record)
{
    static const char *const texts[] = {"op", "dtype", "backend", "kernel", "status"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (!json_is_string(json_object_get(record, texts[i])))
            return texts[i];
    return NULL;
}

/* places[i] becomes where record i went, SIZE_MAX for one that was left out. */
static plx_status take_records(const char *path, const json_t *list, size_t *places, plx_results *results,
                               plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        plx_record record;
        plx_reader from = {.of = json_array_get(list, i), .wrong = missing_word(json_array_get(list, i))};
        plx_taken taken = plx_read_record(&from, results->device_count, &record);
        places[i] = taken == PLX_TAKEN ? results->record_count : SIZE_MAX;
        results->unknown += taken == PLX_TAKEN_UNKNOWN;
        if (taken == PLX_TAKEN_WRONG)
            status = plx_read_fault(path, "records", i, from.wrong, error);
        else if (taken == PLX_TAKEN)
            status = plx_results_add_record(results, &record, error);
    }
    return status;
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

static plx_status take_pairs(const char *path, const json_t *list, size_t records, const size_t *places,
                             plx_results *results, plx_error *error)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(list); i++) {
        plx_pair pair;
        size_t members[2];
        plx_reader from = {.of = json_array_get(list, i)};
        if (!take_members(from.of, records, members))
            return plx_read_fault(path, "pairs", i, "records", error);
        plx_read_pair(&from, &pair);
        if (from.wrong != NULL)
            return plx_read_fault(path, "pairs", i, from.wrong, error);
        pair.first = places[members[0]];
        pair.second = places[members[1]];
        if (pair.first != SIZE_MAX && pair.second != SIZE_MAX)
            status = plx_results_add_pair(results, &pair, error);
    }
    return status;
}

static plx_status take_lists(const char *path, const json_t *root, plx_results *results, plx_error *error)
{
    const json_t *records, *pairs;
    plx_status status = plx_read_objects(path, root, "records", &records, error);
    if (status == PLX_OK)
        status = plx_read_objects(path, root, "pairs", &pairs, error);
    if (status != PLX_OK)
        return status;
    size_t *places = calloc(json_array_size(records) + 1, sizeof *places);
    if (places == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the records");
    status = take_records(path, records, places, results, error);
    if (status == PLX_OK)
        status = take_pairs(path, pairs, json_array_size(records), places, results, error);
    free(places);
    return status;
}

/* The parts that stand next to the lists. */
static plx_status take_rest(const char *path, const json_t *root, plx_results *results, plx_error *error)
{
    plx_reader from = {.of = root};
    plx_read_environment(&from, &results->environment);
    plx_status status = plx_read_check(&from, results, error);
    if (status == PLX_OK)
        status = plx_read_bench(&from, results, error);
    if (status == PLX_OK && from.wrong != NULL)
        status = plx_fail(error, PLX_INVALID, "%.200s: %s is wrong", path, from.wrong);
    return status;
}

static plx_status is_of_results(const char *path, const json_t *root, bool *probe, plx_error *error)
{
    const char *found = json_string_value(json_object_get(root, "schema"));
    if (found == NULL)
        return plx_fail(error, PLX_INVALID, "%.200s: no results of parallax: there is no \"schema\"", path);
    *probe = strcmp(found, "parallax-probe/1") == 0;
    if (*probe || strcmp(found, "parallax-results/1") == 0)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID, "%.200s: the schema is %.60s; results of parallax-results/1 are needed",
                    path, found);
}

plx_status plx_results_read(const char *path, plx_results *results, plx_error *error)
{
    plx_results made = {.record_count = 0};
    json_t *root = NULL;
    bool probe = false;
    plx_status status = plx_json_load(path, &root, error);
    if (status == PLX_OK)
        status = is_of_results(path, root, &probe, error);
    if (status == PLX_OK)
        status = take_devices(path, root, &made, error);
    if (status == PLX_OK)
        status = probe ? plx_read_sweeps(path, root, &made, error) : take_lists(path, root, &made, error);
    if (status == PLX_OK)
        status = take_rest(path, root, &made, error);
    json_decref(root);
    if (status == PLX_OK)
        *results = made;
    else
        plx_results_free(&made);
    return status;
}
