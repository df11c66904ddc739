/* Files of screens, schema parallax-screen/1: one description of the fields writes and reads them. */
#include "study/screen/screen.h"

#include "base/text.h"
#include "base/whereabouts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 4096, MOST_CASES = 65536, MOST_COPIES = 65536 };
static const double most_seconds = 1e12;

/* ---- one case --------------------------------------------------------------------------- */

static const char *const class_words[] = {"R0", "R1", "R2"};
static const plx_names class_names = {3, class_words};

void plx_archive_screened_case(plx_archive *archive, plx_screened_case *of)
{
    plx_archive_text(archive, "backend", of->backend, sizeof of->backend);
    plx_archive_text(archive, "kernel", of->kernel, sizeof of->kernel);
    plx_archive_problem(archive, &of->problem);
    of->input = (plx_input)plx_archive_name(archive, "input", &plx_input_names, (int)of->input, PLX_INPUT_UNIFORM);
    of->reproducibility =
        (plx_reproducibility)plx_archive_name(archive, "class", &class_names, (int)of->reproducibility, PLX_R2);
    of->vendor = plx_archive_mark(archive, "vendor", of->vendor);
    of->outcome = plx_archive_outcome(archive, of->outcome);
    plx_archive_remark(archive, "reason", of->reason, sizeof of->reason);
    plx_archive_remark(archive, "digest", of->digest, sizeof of->digest);
    plx_archive_remark(archive, "inputs", of->inputs, sizeof of->inputs);
    if (plx_archive_reads(archive) || of->seal != PLX_SEAL_NONE)
        of->seal = (plx_seal_state)plx_archive_name(archive, "seal", &plx_seal_names, (int)of->seal, PLX_SEAL_NONE);
    of->runs = plx_archive_natural(archive, "runs", of->runs, 0);
    of->differing = plx_archive_natural(archive, "differing", of->differing, 0);
    of->launch_ns = plx_archive_rate(archive, "launch_ns", of->launch_ns);
}

static void fault_fields(plx_archive *archive, size_t cases, plx_screen_fault *fault)
{
    fault->which = (size_t)plx_archive_natural(archive, "case", fault->which, SIZE_MAX);
    if (plx_archive_reads(archive) && fault->which >= cases)
        plx_archive_refuse(archive, "case");
    fault->run = plx_archive_natural(archive, "run", fault->run, 0);
    fault->elements = plx_archive_integer(archive, "elements", fault->elements, 0);
    fault->row = plx_archive_integer(archive, "row", fault->row, 0);
    fault->col = plx_archive_integer(archive, "col", fault->col, 0);
    plx_archive_text(archive, "expected", fault->expected, sizeof fault->expected);
    plx_archive_text(archive, "found", fault->found, sizeof fault->found);
    plx_archive_text(archive, "bits", fault->bits, sizeof fault->bits);
    plx_archive_remark(archive, "place", fault->place, sizeof fault->place);
    fault->again = plx_archive_natural(archive, "again", fault->again, 0);
    fault->of = plx_archive_natural(archive, "of", fault->of, 0);
}

/* ---- state ---------------------------------------------------------------------------------- */

typedef struct sensor {
    const char *name;
    uint32_t bit;
    size_t offset;
} sensor;
static const sensor sensors[] = {
    {"sm_clock_mhz", PLX_KNOWS_SM_CLOCK, offsetof(plx_telemetry, sm_clock_mhz)},
    {"memory_clock_mhz", PLX_KNOWS_MEMORY_CLOCK, offsetof(plx_telemetry, memory_clock_mhz)},
    {"power_w", PLX_KNOWS_POWER, offsetof(plx_telemetry, power_w)},
    {"power_limit_w", PLX_KNOWS_POWER_LIMIT, offsetof(plx_telemetry, power_limit_w)},
    {"temperature_c", PLX_KNOWS_TEMPERATURE, offsetof(plx_telemetry, temperature_c)},
};

static void telemetry_field(plx_archive *archive, const char *name, plx_telemetry *state)
{
    if (!plx_archive_open(archive, name, state->known != 0))
        return;
    for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++) {
        double *value = (double *)(void *)((char *)state + sensors[i].offset);
        if (plx_archive_reads(archive) ? !plx_archive_has(archive, sensors[i].name)
                                       : (state->known & sensors[i].bit) == 0)
            continue;
        *value = plx_archive_signed(archive, sensors[i].name, *value, 0);
        state->known |= sensors[i].bit;
    }
    if (plx_archive_reads(archive) ? plx_archive_has(archive, "throttle") : (state->known & PLX_KNOWS_THROTTLE) != 0) {
        state->throttle = (uint32_t)plx_archive_natural(archive, "throttle", state->throttle, 0);
        state->known |= PLX_KNOWS_THROTTLE;
    }
    plx_archive_close(archive);
}

static void count_field(plx_archive *archive, const char *name, uint32_t bit, uint64_t *count, plx_health *health)
{
    if (plx_archive_reads(archive) ? !plx_archive_has(archive, name) : (health->known & bit) == 0)
        return;
    *count = plx_archive_natural(archive, name, *count, 0);
    health->known |= bit;
}

static void health_field(plx_archive *archive, const char *name, plx_health *health)
{
    uint64_t last = health->last_error, processes = health->processes;
    if (!plx_archive_open(archive, name, health->known != 0))
        return;
    if (plx_archive_reads(archive) || !plx_results_are_anonymous())
        plx_archive_remark(archive, "serial", health->serial, sizeof health->serial);
    plx_archive_remark(archive, "firmware", health->firmware, sizeof health->firmware);
    count_field(archive, "ecc_corrected", PLX_KNOWS_CORRECTED, &health->corrected, health);
    count_field(archive, "ecc_uncorrected", PLX_KNOWS_UNCORRECTED, &health->uncorrected, health);
    count_field(archive, "remapped_corrected", PLX_KNOWS_REMAPPED, &health->remapped_corrected, health);
    count_field(archive, "remapped_uncorrected", PLX_KNOWS_REMAPPED, &health->remapped_uncorrected, health);
    health->remap_pending = plx_archive_mark(archive, "remap_pending", health->remap_pending);
    health->remap_failed = plx_archive_mark(archive, "remap_failed", health->remap_failed);
    count_field(archive, "xids", PLX_KNOWS_ERRORS, &health->errors, health);
    count_field(archive, "last_xid", PLX_KNOWS_ERRORS, &last, health);
    count_field(archive, "processes", PLX_KNOWS_PROCESSES, &processes, health);
    if (plx_archive_reads(archive) || health->part != 0)
        count_field(archive, "part", PLX_KNOWS_PART, &health->part, health);
    health->last_error = (uint32_t)last;
    health->processes = (uint32_t)processes;
    plx_archive_close(archive);
}

/* ---- a device ---------------------------------------------------------------------------------- */

static void list_backends(plx_archive *archive, plx_screened_device *device)
{
    const size_t count = plx_archive_list(archive, "backends", device->backend_count);
    for (size_t i = 0; i < count && i < PLX_SCREEN_BACKENDS; i++) {
        plx_archive_text_item(archive, i, device->backends[i], sizeof device->backends[i]);
        device->backend_count = i + 1;
    }
    plx_archive_list_end(archive);
}

static void list_cases(plx_archive *archive, plx_screened_device *device)
{
    const size_t count = plx_archive_list(archive, "cases", device->case_count);
    if (plx_archive_reads(archive)) {
        if (count > MOST_CASES)
            plx_archive_refuse(archive, "cases");
        device->cases = count > 0 && count <= MOST_CASES ? calloc(count, sizeof *device->cases) : NULL;
    }
    for (size_t i = 0; i < count && device->cases != NULL && !plx_archive_fails(archive); i++) {
        plx_archive_item(archive, i);
        plx_archive_screened_case(archive, &device->cases[i]);
        plx_archive_item_end(archive);
        device->case_count = i + 1;
    }
    plx_archive_list_end(archive);
}

static void list_faults(plx_archive *archive, plx_screened_device *device)
{
    const size_t kept = device->fault_count < PLX_MOST_SCREEN_FAULTS ? device->fault_count : PLX_MOST_SCREEN_FAULTS;
    const size_t count = plx_archive_list(archive, "faults", kept);
    for (size_t i = 0; i < count && i < PLX_MOST_SCREEN_FAULTS && !plx_archive_fails(archive); i++) {
        plx_archive_item(archive, i);
        fault_fields(archive, device->case_count, &device->faults[i]);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
    device->fault_count = (size_t)plx_archive_natural(archive, "fault_count", device->fault_count, count);
    if (plx_archive_reads(archive) && device->fault_count > count && count < PLX_MOST_SCREEN_FAULTS)
        device->fault_count = count;
}

static void identity_fields(plx_archive *archive, plx_screened_device *device)
{
    plx_study_device known = {.info = device->info};
    (void)snprintf(known.label, sizeof known.label, "%s", device->backends[0]);
    plx_archive_device(archive, 0, &known);
    device->info = known.info;
}

static void device_fields(plx_archive *archive, plx_screened_device *device)
{
    identity_fields(archive, device);
    list_backends(archive, device);
    device->verdict = (plx_health_verdict)plx_archive_name(archive, "verdict", &plx_verdict_names, (int)device->verdict,
                                                           PLX_UNTESTED);
    plx_archive_remark(archive, "reason", device->reason, sizeof device->reason);
    plx_archive_remark(archive, "command", device->command, sizeof device->command);
    device->seconds = plx_archive_number(archive, "seconds", device->seconds, most_seconds, 0);
    device->first_verdict_seconds =
        plx_archive_number(archive, "first_verdict_seconds", device->first_verdict_seconds, most_seconds, 0);
    device->busy = plx_archive_number(archive, "busy", device->busy, 1e9, 0);
    if (plx_archive_reads(archive) || device->utilisation >= 0)
        device->utilisation = plx_archive_number(archive, "utilisation_percent", device->utilisation, 100, -1);
    device->launches = plx_archive_natural(archive, "launches", device->launches, 0);
    device->generated = plx_archive_natural(archive, "generated", device->generated, 0);
    if (plx_archive_reads(archive) || device->planted > 0) {
        device->planted = (size_t)plx_archive_natural(archive, "planted", device->planted, 0);
        device->caught = (size_t)plx_archive_natural(archive, "caught", device->caught, 0);
        plx_archive_remark(archive, "smallest", device->smallest, sizeof device->smallest);
    }
    plx_archive_remark(archive, "multiprocessors", device->multiprocessors, sizeof device->multiprocessors);
    telemetry_field(archive, "before", &device->before);
    telemetry_field(archive, "hottest", &device->hottest);
    telemetry_field(archive, "after", &device->after);
    health_field(archive, "health_before", &device->health_before);
    health_field(archive, "health_after", &device->health_after);
    list_cases(archive, device);
    list_faults(archive, device);
}

static void copy_fields(plx_archive *archive, plx_screened_copy *copy)
{
    plx_archive_text(archive, "from", copy->from, sizeof copy->from);
    plx_archive_text(archive, "to", copy->to, sizeof copy->to);
    copy->outcome = plx_archive_outcome(archive, copy->outcome);
    plx_archive_remark(archive, "reason", copy->reason, sizeof copy->reason);
    copy->bytes = plx_archive_natural(archive, "bytes", copy->bytes, 0);
    copy->differing = plx_archive_natural(archive, "differing", copy->differing, 0);
    copy->gbps = plx_archive_rate(archive, "gbps", copy->gbps);
}

/* ---- the whole ------------------------------------------------------------------------------------ */

static void request_fields(plx_archive *archive, plx_screen *screen)
{
    screen->budget = plx_archive_number(archive, "budget", screen->budget, most_seconds, 0);
    screen->seed = plx_archive_natural(archive, "seed", screen->seed, 0);
    plx_archive_remark(archive, "against", screen->seal, sizeof screen->seal);
    screen->interrupted = plx_archive_mark(archive, "interrupted", screen->interrupted);
}

/* What writes a thing could change it: each is copied, its lists are not. */
static void put_devices(plx_archive *archive, const plx_screen *screen)
{
    plx_json_list(archive->to, "devices");
    for (size_t i = 0; i < screen->device_count; i++) {
        plx_screened_device device = screen->devices[i];
        plx_archive_item(archive, i);
        device_fields(archive, &device);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
    plx_json_list(archive->to, "copies");
    for (size_t i = 0; i < screen->copy_count; i++) {
        plx_screened_copy copy = screen->copies[i];
        plx_archive_item(archive, i);
        copy_fields(archive, &copy);
        plx_archive_item_end(archive);
    }
    plx_json_list_end(archive->to);
}

plx_status plx_screen_write_json(const plx_screen *screen, FILE *to, plx_error *error)
{
    plx_json json = {.to = to};
    plx_archive archive = {.to = &json};
    plx_screen copy = *screen;
    if (copy.environment.parallax[0] == '\0')
        plx_environment_now(&copy.environment);
    plx_json_object(&json, NULL);
    plx_json_text(&json, "schema", "parallax-screen/1");
    plx_archive_environment(&archive, &copy.environment);
    plx_json_text(&json, "verdict", plx_health_verdict_name(plx_screen_verdict(screen)));
    request_fields(&archive, &copy);
    put_devices(&archive, screen);
    plx_json_object_end(&json);
    return plx_json_end(&json, error);
}

static plx_status no_memory(const char *path, plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "%.200s: no memory to read it", path);
}

static plx_status take_devices(plx_archive *root, const char *path, plx_screen *screen, plx_error *error)
{
    const size_t count = plx_archive_list(root, "devices", 0);
    if (count > MOST_DEVICES)
        return plx_fail(error, PLX_INVALID, "%.200s: %zu devices are more than a machine has", path, count);
    screen->devices = calloc(count + 1, sizeof *screen->devices);
    if (screen->devices == NULL)
        return no_memory(path, error);
    for (size_t i = 0; i < count && !plx_archive_fails(root); i++) {
        plx_archive_item(root, i);
        screen->device_count = i + 1;
        device_fields(root, &screen->devices[i]);
        plx_archive_item_end(root);
    }
    plx_archive_list_end(root);
    return PLX_OK;
}

static plx_status take_copies(plx_archive *root, const char *path, plx_screen *screen, plx_error *error)
{
    const size_t count = plx_archive_list(root, "copies", 0);
    if (count > MOST_COPIES)
        return plx_fail(error, PLX_INVALID, "%.200s: %zu copies are more than a machine has", path, count);
    screen->copies = calloc(count + 1, sizeof *screen->copies);
    if (screen->copies == NULL)
        return no_memory(path, error);
    for (size_t i = 0; i < count && !plx_archive_fails(root); i++) {
        plx_archive_item(root, i);
        screen->copy_count = i + 1;
        copy_fields(root, &screen->copies[i]);
        plx_archive_item_end(root);
    }
    plx_archive_list_end(root);
    return PLX_OK;
}

static plx_status take_all(const json_t *root, const char *path, plx_screen *screen, plx_error *error)
{
    plx_archive archive = plx_archive_of(root);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    if (schema == NULL || strcmp(schema, "parallax-screen/1") != 0)
        return plx_fail(error, PLX_INVALID, "%.200s: no screen: the schema is %.60s, parallax-screen/1 is needed", path,
                        schema != NULL ? schema : "not told");
    plx_archive_environment(&archive, &screen->environment);
    request_fields(&archive, screen);
    plx_status status = take_devices(&archive, path, screen, error);
    if (status == PLX_OK)
        status = take_copies(&archive, path, screen, error);
    if (status == PLX_OK && archive.wrong != NULL)
        status = plx_fail(error, PLX_INVALID, "%.200s: %s is wrong", path, archive.wrong);
    if (status == PLX_OK && archive.unknown)
        status = plx_fail(error, PLX_INVALID,
                          "%.200s: it names what this version does not know; use the version that wrote it", path);
    return status;
}

plx_status plx_screen_take(const json_t *root, const char *path, plx_screen *screen, plx_error *error)
{
    plx_screen made = {.device_count = 0};
    const plx_status status = take_all(root, path, &made, error);
    if (status == PLX_OK) {
        *screen = made;
        return PLX_OK;
    }
    plx_screen_free(&made);
    plx_text_clean(error->text, sizeof error->text); /* it may cite the file */
    return status;
}

plx_status plx_screen_read(const char *path, plx_screen *screen, plx_error *error)
{
    json_t *root = NULL;
    plx_status status = plx_json_load(path, &root, error);
    if (status == PLX_OK)
        status = plx_screen_take(root, path, screen, error);
    json_decref(root);
    return status;
}

plx_status plx_screen_read_text(const char *text, size_t length, plx_screen *screen, plx_error *error)
{
    json_error_t wrong;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
    plx_status status = root != NULL ? plx_screen_take(root, "a child's record", screen, error)
                                     : plx_fail(error, PLX_INVALID, "a child's record is no JSON: %.150s", wrong.text);
    json_decref(root);
    return status;
}

void plx_screen_free(plx_screen *screen)
{
    for (size_t i = 0; i < screen->device_count; i++)
        plx_screened_device_free(&screen->devices[i]);
    free(screen->devices);
    free(screen->copies);
    *screen = (plx_screen){.device_count = 0};
}
