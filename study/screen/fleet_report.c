/* A fleet as JSON, and for people: a line for each verdict, and one for each device that is not healthy. */
#include "study/screen/screen.h"

#include "base/format.h"
#include "base/table.h"
#include "base/whereabouts.h"

#include <string.h>

typedef struct counts {
    size_t of[PLX_HEALTH_VERDICT_COUNT];
} counts;

static counts count_all(const plx_fleet *fleet)
{
    counts found = {{0}};
    plx_fleet_device one;
    for (size_t i = 0; i < plx_fleet_devices(fleet); i++) {
        plx_fleet_device_at(fleet, i, &one);
        found.of[one.verdict]++;
    }
    return found;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void put_device(plx_json *json, const plx_fleet_device *one)
{
    plx_json_object(json, NULL);
    const bool told = !plx_results_are_anonymous();
    plx_json_text(json, "host", told ? one->host : NULL);
    if (told && one->node[0] != '\0')
        plx_json_text(json, "node", one->node);
    plx_json_text(json, "model", one->model);
    plx_json_text(json, "chip", told ? one->uuid : NULL);
    plx_json_text(json, "verdict", plx_health_verdict_name(one->verdict));
    plx_json_text(json, "reason", one->reason);
    if (told && one->command[0] != '\0')
        plx_json_text(json, "command", one->command);
    if (one->slower > 0)
        plx_json_number(json, "slower", one->slower);
    plx_json_text(json, "file", told ? one->file : NULL);
    plx_json_object_end(json);
}

/* Those that are healthy are counted, and not listed: a list of ten thousand of them helps nobody. */
static void put_devices(plx_json *json, const plx_fleet *fleet)
{
    plx_json_list(json, "devices");
    for (size_t i = 0; i < plx_fleet_devices(fleet); i++) {
        plx_fleet_device one;
        plx_fleet_device_at(fleet, i, &one);
        if (one.verdict != PLX_HEALTHY)
            put_device(json, &one);
    }
    plx_json_list_end(json);
}

plx_status plx_fleet_write_json(const plx_fleet *fleet, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    const counts found = count_all(fleet);
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-fleet/1");
    plx_json_object(&json, "tool");
    plx_json_text(&json, "name", "parallax");
    plx_json_text(&json, "version", plx_version());
    plx_json_object_end(&json);
    plx_json_whereabouts(&json, plx_results_are_anonymous());
    plx_json_text(&json, "verdict", plx_health_verdict_name(plx_fleet_verdict(fleet)));
    plx_json_object(&json, "counts");
    for (int i = 0; i < PLX_HEALTH_VERDICT_COUNT; i++)
        plx_json_natural(&json, plx_health_verdict_name((plx_health_verdict)i), found.of[i]);
    plx_json_natural(&json, "missing", plx_fleet_missing(fleet));
    plx_json_natural(&json, "skipped", plx_fleet_skipped(fleet));
    plx_json_object_end(&json);
    put_devices(&json, fleet);
    plx_json_list(&json, "missing");
    for (size_t i = 0; i < plx_fleet_missing(fleet); i++)
        plx_json_text(&json, NULL, plx_fleet_missing_at(fleet, i));
    plx_json_list_end(&json);
    plx_json_list(&json, "skipped");
    for (size_t i = 0; i < plx_fleet_skipped(fleet); i++)
        plx_json_text(&json, NULL, plx_fleet_skipped_at(fleet, i));
    plx_json_list_end(&json);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

/* ---- for people --------------------------------------------------------------------------- */

static void add_device(plx_table *table, const plx_fleet_device *one)
{
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", plx_health_verdict_name(one->verdict));
    plx_table_cell(table, 1, "%s", one->node[0] != '\0' ? one->node : one->host[0] != '\0' ? one->host : one->file);
    plx_table_cell(table, 2, "%.13s", one->uuid);
    plx_table_rest(table, "%s: %s", one->model, one->reason);
    if (one->command[0] != '\0')
        plx_table_rest(table, "; repeat: %s", one->command);
}

plx_status plx_fleet_write_table(const plx_fleet *fleet, FILE *to, int width, plx_error *error)
{
    static const char *const titles[] = {"verdict", "host", "chip"};
    plx_table table = {.columns = 3, .titles = titles, .left = 7, .width = width};
    const counts found = count_all(fleet);
    size_t odd = 0;
    (void)fprintf(to, "%zu device%s:", plx_fleet_devices(fleet), plx_fleet_devices(fleet) == 1 ? "" : "s");
    for (int i = 0; i < PLX_HEALTH_VERDICT_COUNT; i++)
        (void)fprintf(to, "%s %zu %s", i > 0 ? "," : "", found.of[i], plx_health_verdict_name((plx_health_verdict)i));
    (void)fprintf(to, "; %zu missing, %zu file%s skipped\n", plx_fleet_missing(fleet), plx_fleet_skipped(fleet),
                  plx_fleet_skipped(fleet) == 1 ? "" : "s");
    for (int worst = PLX_HEALTH_VERDICT_COUNT - 1; worst > PLX_HEALTHY; worst--)
        for (size_t i = 0; i < plx_fleet_devices(fleet); i++) {
            plx_fleet_device one;
            plx_fleet_device_at(fleet, i, &one);
            if ((int)one.verdict != worst)
                continue;
            add_device(&table, &one);
            odd++;
        }
    const plx_status status = odd > 0 ? plx_table_finish(&table, to, error) : PLX_OK;
    for (size_t i = 0; i < plx_fleet_missing(fleet); i++)
        (void)fprintf(to, "missing: %s\n", plx_fleet_missing_at(fleet, i));
    for (size_t i = 0; i < plx_fleet_skipped(fleet); i++)
        (void)fprintf(to, "skipped: %s\n", plx_fleet_skipped_at(fleet, i));
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
