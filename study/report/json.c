/* Results as JSON, schemas parallax-results/1 and parallax-probe/1.  Numbers that are not finite have no
 * form in JSON: they are null, and the status of the record tells the story. */
#include "study/report/json.h"
#include "study/results/archive.h"

#include <parallax/attribute.h>
#include <parallax/tune.h>
#include <parallax/units.h>

#include <stdlib.h>

void plx_json_tool(plx_json *json)
{
    plx_json_object(json, "tool");
    plx_json_text(json, "name", "parallax");
    plx_json_text(json, "version", plx_version());
    plx_json_object_end(json);
}

/* ---- lists ------------------------------------------------------------------------------ */

/* Each thing is copied: what writes it is what reads it, and could change it. */
static void put_devices(plx_archive *archive, const plx_results *results)
{
    plx_json_list(archive->to, "devices");
    for (size_t i = 0; i < results->device_count; i++) {
        plx_study_device device = results->devices[i];
        plx_archive_item(archive, i);
        plx_archive_device(archive, i, &device);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

static void put_records(plx_archive *archive, const plx_results *results)
{
    plx_json_list(archive->to, "records");
    for (size_t i = 0; i < results->record_count; i++) {
        plx_record record = results->records[i];
        plx_archive_item(archive, i);
        plx_archive_record(archive, results->device_count, &record);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

static void put_pairs(plx_archive *archive, const plx_results *results)
{
    plx_json_list(archive->to, "pairs");
    for (size_t i = 0; i < results->pair_count; i++) {
        plx_pair pair = results->pairs[i];
        plx_archive_item(archive, i);
        plx_json_list(archive->to, "records");
        plx_json_natural(archive->to, NULL, pair.first);
        plx_json_natural(archive->to, NULL, pair.second);
        plx_json_list_end(archive->to);
        plx_archive_pair(archive, &pair);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

static plx_status put_sweeps(plx_archive *archive, const plx_results *results, plx_error *error)
{
    plx_status status = PLX_OK;
    plx_json_list(archive->to, "sweeps");
    for (size_t i = 0; status == PLX_OK && i < results->sweep_count; i++) {
        plx_probe_sweep sweep = results->sweeps[i];
        plx_archive_item(archive, i);
        status = plx_archive_sweep(archive, results->device_count, &sweep, error);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
    plx_json_list(archive->to, "unopened");
    for (size_t i = 0; i < results->unopened_count; i++)
        plx_json_text(archive->to, NULL, results->unopened[i]);
    plx_json_list_end(archive->to);
    return status;
}

/* ---- benches ------------------------------------------------------------------------------ */

/* The problem where the ratio is least stands in it whole. */
static void put_standing(plx_archive *archive, const plx_results *results, const plx_standing *one)
{
    plx_record least = results->records[one->least_at];
    plx_json *json = archive->to;
    plx_json_object(json, NULL);
    plx_json_text(json, "op", plx_op_name(one->op));
    plx_json_text(json, "dtype", plx_dtype_name(one->dtype));
    plx_json_text(json, "variant", one->variant);
    plx_json_text(json, "backend", one->backend);
    plx_json_natural(json, "problems", one->problems);
    plx_json_natural(json, "ahead", one->ahead);
    plx_json_number(json, "mean", one->mean);
    plx_json_number(json, "least", one->least);
    plx_json_number(json, "most", one->most);
    plx_json_object(json, "least_at");
    plx_archive_problem(archive, &least.problem);
    (void)plx_archive_shift(archive, least.shift);
    plx_json_object_end(json);
    plx_json_object_end(json);
}

static plx_status put_summary(plx_archive *archive, const plx_results *results, plx_error *error)
{
    plx_standing *standings;
    size_t count;
    plx_status status = plx_results_standings(results, &standings, &count, error);
    if (status != PLX_OK)
        return status;
    plx_json_list(archive->to, "summary");
    for (size_t i = 0; i < count; i++)
        put_standing(archive, results, &standings[i]);
    plx_json_list_end(archive->to);
    free(standings);
    return PLX_OK;
}

static plx_status put_bench(plx_archive *archive, const plx_results *results, plx_error *error)
{
    plx_bench_request bench = *results->bench;
    plx_json_object(archive->to, "bench");
    plx_status status = plx_archive_bench(archive, &bench, error);
    if (status == PLX_OK && bench.finished)
        status = put_summary(archive, results, error);
    plx_json_object_end(archive->to);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static plx_status put_lists(plx_archive *archive, const plx_results *results, plx_error *error)
{
    put_records(archive, results);
    put_pairs(archive, results);
    if (results->check != NULL) {
        plx_check_counts counts = *results->check;
        plx_json_object(archive->to, "check");
        plx_archive_check(archive, &counts);
        plx_json_object_end(archive->to);
    }
    if (results->choice != NULL) {
        plx_choice_study choice = *results->choice;
        plx_json_object(archive->to, "choice");
        plx_archive_choice(archive, &choice);
        plx_json_object_end(archive->to);
    }
    if (results->result != NULL) {
        plx_shown_result result = *results->result;
        plx_json_object(archive->to, "result");
        plx_archive_result(archive, &result);
        plx_json_object_end(archive->to);
    }
    return results->bench != NULL ? put_bench(archive, results, error) : PLX_OK;
}

static void put_attributions(plx_archive *archive, const plx_results *results)
{
    if (results->attribution_note[0] != '\0')
        plx_json_text(archive->to, "attribution_note", results->attribution_note);
    if (results->attribution_count == 0)
        return;
    plx_json_list(archive->to, "attributions");
    for (size_t i = 0; i < results->attribution_count; i++) {
        plx_attribution attribution = results->attributions[i];
        plx_archive_item(archive, i);
        plx_archive_attribution(archive, results->device_count, &attribution);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

static void put_units(plx_archive *archive, const plx_results *results)
{
    if (results->unit_count == 0)
        return;
    plx_json_list(archive->to, "matrix_units");
    for (size_t i = 0; i < results->unit_count; i++) {
        plx_matrix_unit unit = results->units[i];
        plx_archive_item(archive, i);
        plx_archive_unit(archive, results->device_count, &unit);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

plx_status plx_results_write_json(const plx_results *results, FILE *to, plx_error *error)
{
    const bool probe = results->sweep_count + results->unopened_count > 0;
    plx_json json = {.to = to};
    plx_archive archive = {.to = &json};
    plx_environment environment = results->environment;
    if (environment.parallax[0] == '\0')
        plx_environment_now(&environment);
    environment.activity = results->environment.activity;
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", probe ? "parallax-probe/1" : "parallax-results/1");
    plx_archive_environment(&archive, &environment);
    if (results->interrupted) {
        plx_json_object(&json, "interrupted");
        plx_json_natural(&json, "finished", results->finished);
        plx_json_natural(&json, "wanted", results->wanted);
        plx_json_object_end(&json);
    }
    put_devices(&archive, results);
    plx_status status = probe ? put_sweeps(&archive, results, error) : put_lists(&archive, results, error);
    put_attributions(&archive, results);
    put_units(&archive, results);
    plx_json_object_end(&json);
    return status == PLX_OK ? plx_json_end(&json, error) : status;
}

plx_status plx_results_write(const plx_results *results, const char *path, plx_error *error)
{
    plx_output *output;
    plx_status status = plx_output_open(path, &output, error);
    if (status != PLX_OK)
        return status;
    status = plx_results_write_json(results, plx_output_stream(output), error);
    if (status == PLX_OK)
        return plx_output_close(output, error);
    plx_output_discard(output);
    return status;
}
