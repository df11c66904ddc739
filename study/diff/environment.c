/* In what the environments of two files differ, a line each. */
#include "study/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct named_path {
    const char *path, *name;
} named_path;

static plx_status add_line(plx_diff_results *results, const char *line, plx_error *error)
{
    void *grown = realloc(results->environment, (results->environment_count + 1) * sizeof *results->environment);
    if (grown == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for the environments");
    results->environment = grown;
    (void)snprintf(results->environment[results->environment_count++], sizeof *results->environment, "%s", line);
    return PLX_OK;
}

static void put_value(const json_t *value, char *text, size_t capacity)
{
    if (json_is_string(value))
        (void)snprintf(text, capacity, "%s", json_string_value(value));
    else if (json_is_number(value))
        (void)snprintf(text, capacity, "%.6g", json_number_value(value));
    else
        (void)snprintf(text, capacity, "%s", json_is_boolean(value) ? json_is_true(value) ? "yes" : "no" : "unknown");
}

/* Clocks wander a little. */
static bool alike(const json_t *one, const json_t *other)
{
    if (one == NULL || other == NULL)
        return one == other;
    if (json_is_number(one) && json_is_number(other))
        return fabs(json_number_value(one) - json_number_value(other)) <= 0.03 * fabs(json_number_value(one));
    return json_equal(one, other);
}

static plx_status tell(const json_t *before, const json_t *after, const named_path *what, const char *whose,
                       plx_diff_results *results, plx_error *error)
{
    char line[320], old[110], new[110];
    const json_t *one = plx_json_at(before, what->path), *other = plx_json_at(after, what->path);
    if (alike(one, other))
        return PLX_OK;
    put_value(one, old, sizeof old);
    put_value(other, new, sizeof new);
    (void)snprintf(line, sizeof line, "%s%s%.60s: %s, now %s", what->name, whose[0] != '\0' ? " of " : "", whose, old,
                   new);
    return add_line(results, line, error);
}

static plx_status tell_device(const json_t *before, const json_t *after, const char *name, plx_diff_results *results,
                              plx_error *error)
{
    static const named_path paths[] = {
        {"uuid", "chip (UUID)"},
        {"driver", "driver"},
        {"api", "API"},
        {"units", "units"},
        {"environment.driver", "kernel driver"},
        {"environment.sm_clock_mhz", "clock in MHz"},
        {"environment.memory_clock_mhz", "memory clock in MHz"},
        {"environment.sm_clock_max_mhz", "highest clock in MHz"},
        {"environment.power_limit_w", "power limit in W"},
        {"environment.ecc", "ECC"},
    };
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < sizeof paths / sizeof paths[0]; i++)
        status = tell(before, after, &paths[i], name, results, error);
    return status;
}

static bool same_device(const json_t *one, const json_t *other, bool by_label)
{
    const char *a = plx_json_text_at(one, "label", ""), *b = plx_json_text_at(other, "label", "");
    size_t length = strcspn(a, ":");
    bool same_plugin = length == strcspn(b, ":") && strncmp(a, b, length) == 0;
    return same_plugin && (!by_label || strcmp(a, b) == 0) &&
           json_equal(json_object_get(one, "name"), json_object_get(other, "name"));
}

/* The device of that label and name, else of that plugin and name; NULL: none. */
static const json_t *find_device(const json_t *root, const json_t *like)
{
    const json_t *devices = json_object_get(root, "devices");
    for (int by_label = 1; by_label >= 0; by_label--)
        for (size_t i = 0; i < json_array_size(devices); i++)
            if (same_device(json_array_get(devices, i), like, by_label == 1))
                return json_array_get(devices, i);
    return NULL;
}

static plx_status tell_missing(const json_t *root, const json_t *other, const char *where,
                               plx_diff_results *results, plx_error *error)
{
    char line[320];
    const json_t *devices = json_object_get(root, "devices");
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i);
        if (find_device(other, device) != NULL)
            continue;
        (void)snprintf(line, sizeof line, "device %.40s, %.120s: only in the %s file",
                       plx_json_text_at(device, "label", ""), plx_json_text_at(device, "name", ""), where);
        status = add_line(results, line, error);
    }
    return status;
}

static plx_status tell_devices(const json_t *before, const json_t *after, plx_diff_results *results,
                               plx_error *error)
{
    const json_t *devices = json_object_get(before, "devices");
    plx_status status = tell_missing(before, after, "old", results, error);
    if (status == PLX_OK)
        status = tell_missing(after, before, "new", results, error);
    for (size_t i = 0; status == PLX_OK && i < json_array_size(devices); i++) {
        const json_t *device = json_array_get(devices, i), *other = find_device(after, device);
        if (other != NULL)
            status = tell_device(device, other, plx_json_text_at(device, "label", ""), results, error);
    }
    return status;
}

plx_status plx_diff_environments(const json_t *before, const json_t *after, plx_diff_results *results,
                                 plx_error *error)
{
    static const named_path paths[] = {
        {"environment.parallax", "version of parallax"},
        {"environment.kernels_hash", "hash of the kernels"},
        {"environment.compiler", "compiler"},
        {"environment.flags", "compiler flags"},
        {"environment.device_compiler", "device compiler"},
        {"environment.device_flags", "device compiler flags"},
        {"host.cpu", "processor"},
        {"host.release", "system"},
        {"host.threads", "threads"},
        {"bench.options.seconds", "seconds for each kernel"},
    };
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < sizeof paths / sizeof paths[0]; i++)
        status = tell(before, after, &paths[i], "", results, error);
    return status == PLX_OK ? tell_devices(before, after, results, error) : status;
}
