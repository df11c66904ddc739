/* A screen for people, and as OCP's diagnostics write their records. */
#define _POSIX_C_SOURCE 200809L

#include "study/screen/screen.h"

#include "base/format.h"
#include "base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table ----------------------------------------------------------------------------- */

static void put_uuid(const plx_screened_device *device, char text[40])
{
    (void)snprintf(text, 40, "%.39s", device->info.pci);
    if (device->info.has_uuid)
        plx_uuid_text(device->info.uuid, text);
}

static void add_device(plx_table *table, const plx_screened_device *device)
{
    char uuid[40];
    put_uuid(device, uuid);
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", plx_health_verdict_name(device->verdict));
    plx_table_cell(table, 1, "%.13s", uuid);
    plx_table_cell(table, 2, "%zu", device->case_count);
    plx_table_cell(table, 3, "%" PRIu64, device->launches);
    plx_table_rest(table, "%s%s%s", device->info.name, device->reason[0] != '\0' ? ": " : "", device->reason);
}

static void add_copies(const plx_screen *screen, FILE *to)
{
    size_t right = 0;
    for (size_t i = 0; i < screen->copy_count; i++) {
        const plx_screened_copy *copy = &screen->copies[i];
        right += copy->outcome == PLX_OUTCOME_OK;
        if (copy->outcome != PLX_OUTCOME_OK)
            (void)fprintf(to, "copy from %s to %s: %s\n", copy->from, copy->to, copy->reason);
    }
    if (right > 0)
        (void)fprintf(to, "%zu copies between devices are right\n", right);
}

plx_status plx_screen_write_table(const plx_screen *screen, FILE *to, int width, plx_error *error)
{
    static const char *const titles[] = {"verdict", "chip", "cases", "launches"};
    plx_table table = {.columns = 4, .titles = titles, .left = 3, .width = width};
    for (size_t i = 0; i < screen->device_count; i++)
        add_device(&table, &screen->devices[i]);
    const plx_status status = plx_table_finish(&table, to, error);
    for (size_t i = 0; status == PLX_OK && i < screen->device_count; i++) {
        const plx_screened_device *device = &screen->devices[i];
        if (device->planted > 0)
            (void)fprintf(to, "self-test of %s: caught %s\n", device->info.name, device->smallest);
        if (device->multiprocessors[0] != '\0')
            (void)fprintf(to, "%s: %s\n", device->info.name, device->multiprocessors);
        if (device->command[0] != '\0')
            (void)fprintf(to, "repeat: %s\n", device->command);
    }
    add_copies(screen, to);
    return status;
}

/* ---- OCP ----------------------------------------------------------------------------------------- */

typedef struct lines {
    FILE *to;
    char *text;
    size_t length;
    uint64_t number;
    const char *date;
    plx_json json;
} lines;

static plx_status begin_line(lines *all, plx_error *error)
{
    FILE *stream = open_memstream(&all->text, &all->length);
    if (stream == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a record");
    all->json = (plx_json){.to = stream};
    plx_json_object(&all->json, NULL);
    return PLX_OK;
}

/* Each record is one line: what is between its parts goes. */
static plx_status end_line(lines *all, plx_error *error)
{
    plx_json_natural(&all->json, "sequenceNumber", all->number++);
    plx_json_text(&all->json, "timestamp", all->date);
    plx_json_object_end(&all->json);
    const plx_status status = plx_json_end(&all->json, error);
    if (fclose(all->json.to) != 0 || status != PLX_OK) {
        free(all->text);
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a record");
    }
    for (const char *at = all->text; *at != '\0'; at++) {
        if (*at == '\n')
            at += strspn(at, "\n ");
        if (*at == '\0')
            break;
        (void)putc(*at, all->to);
    }
    (void)putc('\n', all->to);
    free(all->text);
    return PLX_OK;
}

static void put_hardware(plx_json *json, const plx_screened_device *device, size_t number)
{
    char id[32], uuid[40];
    const bool told = !plx_results_are_anonymous();
    (void)snprintf(id, sizeof id, "device%zu", number);
    put_uuid(device, uuid);
    plx_json_object(json, NULL);
    plx_json_text(json, "hardwareInfoId", id);
    plx_json_text(json, "name", device->info.name);
    plx_json_text(json, "manufacturer", device->info.vendor);
    if (told) {
        plx_json_text(json, "location", device->info.pci);
        plx_json_text(json, "serialNumber",
                      device->health_after.serial[0] != '\0' ? device->health_after.serial : uuid);
    }
    plx_json_text(json, "revision", device->health_after.firmware);
    plx_json_object_end(json);
}

static plx_status put_start(lines *all, const plx_screen *screen, const plx_environment *environment, plx_error *error)
{
    plx_status status = begin_line(all, error);
    if (status != PLX_OK)
        return status;
    plx_json *json = &all->json;
    plx_json_object(json, "testRunArtifact");
    plx_json_object(json, "testRunStart");
    plx_json_text(json, "name", "parallax screen");
    plx_json_text(json, "version", environment->parallax);
    plx_json_text(json, "commandLine", "parallax screen");
    plx_json_object(json, "parameters");
    plx_json_number(json, "budget", screen->budget);
    plx_json_natural(json, "seed", screen->seed);
    plx_json_object_end(json);
    plx_json_object(json, "dutInfo");
    plx_json_text(json, "dutInfoId", "host");
    plx_json_text(json, "name", environment->host_name);
    plx_json_list(json, "hardwareInfos");
    for (size_t i = 0; i < screen->device_count; i++)
        put_hardware(json, &screen->devices[i], i);
    plx_json_list_end(json);
    plx_json_object_end(json);
    plx_json_object_end(json);
    plx_json_object_end(json);
    return end_line(all, error);
}

/* What a step of that device says; its own object is open. */
static plx_status begin_step(lines *all, size_t number, const char *what, plx_error *error)
{
    char id[32];
    const plx_status status = begin_line(all, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(id, sizeof id, "%zu", number);
    plx_json_object(&all->json, "testStepArtifact");
    plx_json_text(&all->json, "testStepId", id);
    plx_json_object(&all->json, what);
    return PLX_OK;
}

static plx_status end_step(lines *all, plx_error *error)
{
    plx_json_object_end(&all->json);
    plx_json_object_end(&all->json);
    return end_line(all, error);
}

static plx_status put_measurement(lines *all, size_t number, const char *name, double value, const char *unit,
                                  plx_error *error)
{
    char id[32];
    const plx_status status = begin_step(all, number, "measurement", error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(id, sizeof id, "device%zu", number);
    plx_json_text(&all->json, "name", name);
    plx_json_number(&all->json, "value", value);
    plx_json_text(&all->json, "unit", unit);
    plx_json_text(&all->json, "hardwareInfoId", id);
    return end_step(all, error);
}

static const char *type_of(plx_health_verdict verdict)
{
    return verdict == PLX_HEALTHY ? "PASS" : verdict == PLX_UNTESTED ? "UNKNOWN" : "FAIL";
}

static plx_status put_diagnosis(lines *all, size_t number, const plx_screened_device *device, plx_error *error)
{
    char id[32], verdict[48];
    const plx_status status = begin_step(all, number, "diagnosis", error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(id, sizeof id, "device%zu", number);
    (void)snprintf(verdict, sizeof verdict, "parallax-%s", plx_health_verdict_name(device->verdict));
    plx_json_text(&all->json, "verdict", verdict);
    plx_json_text(&all->json, "type", type_of(device->verdict));
    if (device->reason[0] != '\0')
        plx_json_text(&all->json, "message", device->reason);
    plx_json_text(&all->json, "hardwareInfoId", id);
    return end_step(all, error);
}

static plx_status put_step(lines *all, size_t number, const plx_screened_device *device, plx_error *error)
{
    plx_status status = begin_step(all, number, "testStepStart", error);
    if (status != PLX_OK)
        return status;
    plx_json_text(&all->json, "name", device->info.name);
    status = end_step(all, error);
    if (status == PLX_OK)
        status = put_measurement(all, number, "launches", (double)device->launches, "launches", error);
    if (status == PLX_OK)
        status =
            put_measurement(all, number, "launches with other bits", (double)device->fault_count, "launches", error);
    if (status == PLX_OK && (device->hottest.known & PLX_KNOWS_TEMPERATURE) != 0)
        status = put_measurement(all, number, "highest temperature", device->hottest.temperature_c, "degrees Celsius",
                                 error);
    if (status == PLX_OK)
        status = put_diagnosis(all, number, device, error);
    if (status == PLX_OK)
        status = begin_step(all, number, "testStepEnd", error);
    if (status != PLX_OK)
        return status;
    plx_json_text(&all->json, "status", device->verdict == PLX_UNTESTED ? "SKIP" : "COMPLETE");
    return end_step(all, error);
}

static plx_status put_end(lines *all, const plx_screen *screen, plx_error *error)
{
    const plx_health_verdict worst = plx_screen_verdict(screen);
    const plx_status status = begin_line(all, error);
    if (status != PLX_OK)
        return status;
    plx_json_object(&all->json, "testRunArtifact");
    plx_json_object(&all->json, "testRunEnd");
    plx_json_text(&all->json, "status", screen->interrupted ? "CANCELED" : worst == PLX_UNTESTED ? "SKIP" : "COMPLETE");
    plx_json_text(&all->json, "result",
                  worst == PLX_HEALTHY    ? "PASS"
                  : worst == PLX_UNTESTED ? "NOT_APPLICABLE"
                                          : "FAIL");
    plx_json_object_end(&all->json);
    plx_json_object_end(&all->json);
    return end_line(all, error);
}

static plx_status put_version(lines *all, plx_error *error)
{
    const plx_status status = begin_line(all, error);
    if (status != PLX_OK)
        return status;
    plx_json_object(&all->json, "schemaVersion");
    plx_json_natural(&all->json, "major", 2);
    plx_json_natural(&all->json, "minor", 0);
    plx_json_object_end(&all->json);
    return end_line(all, error);
}

plx_status plx_screen_write_ocp(const plx_screen *screen, FILE *to, plx_error *error)
{
    plx_environment environment = screen->environment;
    if (environment.parallax[0] == '\0')
        plx_environment_now(&environment);
    lines all = {.to = to, .date = environment.date};
    plx_status status = put_version(&all, error);
    if (status == PLX_OK)
        status = put_start(&all, screen, &environment, error);
    for (size_t i = 0; status == PLX_OK && i < screen->device_count; i++)
        status = put_step(&all, i, &screen->devices[i], error);
    if (status == PLX_OK)
        status = put_end(&all, screen, error);
    return status == PLX_OK ? plx_report_finish(to, error) : status;
}
