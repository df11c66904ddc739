/* What each step of a ladder gained when it was last timed, kept in the user's cache
 * between runs.  Only memory: whatever goes wrong with the file, there is nothing to
 * remember, and nobody is told. */
#include "base/cache_dir.h"
#include "study/files/json_file.h"
#include "study/files/user_cache.h"

#include <math.h>
#include <string.h>

enum { MOST_GAINS = 1000 };

static const char file_name[] = "gains.json", schema[] = "parallax-gains/1";

/* ---- one gain -------------------------------------------------------------------- */

static const char *const key_names[] = {"device", "backend", "op", "dtype", "kernel", "shape", "variant"};
enum { KEYS = sizeof key_names / sizeof key_names[0] };

static json_t *device_json(const plx_device_info *info)
{
    char name[128];
    plx_cache_device(info, name, sizeof name);
    return plx_json_string(name);
}

/* "cuda:0" without the number. */
static json_t *plugin_json(const char *label)
{
    char name[48];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(label, ":"), label);
    return plx_json_string(name);
}

static bool same_key(const json_t *a, const json_t *b)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!json_equal(json_object_get(a, key_names[i]), json_object_get(b, key_names[i])))
            return false;
    return true;
}

/* The record that the gain of records[which] is over: the step before it that was timed. */
static const plx_record *step_before(const plx_results *results, size_t which)
{
    const plx_record *record = &results->records[which];
    for (size_t i = which; i-- > 0;) {
        const plx_record *other = &results->records[i];
        if (other->group == record->group && strcmp(other->backend, record->backend) == 0 &&
            plx_timing_counts(&other->time) && !(other->kernel_flags & (PLX_KERNEL_BASELINE | PLX_KERNEL_SPECIAL)) &&
            (other->kernel_flags & PLX_KERNEL_VENDOR) == (record->kernel_flags & PLX_KERNEL_VENDOR) &&
            strchr(other->kernel, ':') == NULL) /* a step, not one of its configurations */
            return other;
    }
    return NULL;
}

static json_t *gain_json(const plx_results *results, size_t which, const char *date)
{
    const plx_record *record = &results->records[which], *before = step_before(results, which);
    char shape[80], variant[128];
    if (before == NULL || record->device >= results->device_count)
        return NULL;
    plx_shape_text(&record->problem, shape, sizeof shape);
    plx_variant_text(&record->problem, variant, sizeof variant);
    return json_pack("{s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:s}", "device",
                     device_json(&results->devices[record->device].info), "backend", plugin_json(record->backend), "op",
                     plx_op_name(record->problem.op), "dtype", plx_dtype_name(record->problem.dtype), "kernel",
                     record->kernel, "shape", shape, "variant", variant, "over", before->kernel, "gain", record->gain,
                     "gbps", record->gbps, "gflops", record->gflops, "date", date);
}

/* What is remembered stands for operands that lie as they lie by default. */
static bool is_plain(const plx_record *record)
{
    char layout[128];
    plx_layout_text(&record->problem, record->shift, layout, sizeof layout);
    return layout[0] == '\0';
}

/* What was known of the same is forgotten, and of the rest the oldest. */
static void add_gain(json_t *gains, json_t *gain)
{
    for (size_t i = json_array_size(gains); i-- > 0;)
        if (same_key(json_array_get(gains, i), gain))
            (void)json_array_remove(gains, i);
    (void)json_array_append(gains, gain);
    while (json_array_size(gains) > MOST_GAINS)
        (void)json_array_remove(gains, 0);
}

/* ---- the public functions ---------------------------------------------------------- */

/* With the file locked. */
static void store(const plx_results *results, const char *path)
{
    char date[16];
    plx_error ignored;
    size_t stored = 0;
    plx_cache_date(date, sizeof date);
    json_t *gains = plx_user_cache_read(path, schema, "gains");
    for (size_t i = 0; gains != NULL && i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        bool worth =
            record->outcome == PLX_OUTCOME_OK && is_plain(record) && isfinite(record->gain) && record->gain > 0;
        json_t *gain = worth ? gain_json(results, i, date) : NULL;
        if (gain != NULL) {
            add_gain(gains, gain);
            stored++;
        }
        json_decref(gain);
    }
    if (stored > 0)
        (void)plx_user_cache_write(path, schema, "gains", gains, &ignored);
    json_decref(gains);
}

void plx_gains_store(const plx_results *results)
{
    char path[4096];
    plx_error ignored;
    int lock;
    if (!plx_cache_path(file_name, path, sizeof path) || plx_cache_lock(path, &lock, &ignored) != PLX_OK)
        return;
    store(results, path);
    plx_cache_unlock(lock);
}

static bool take_gain(const json_t *gain, plx_gain *taken)
{
    char dtype[16];
    plx_gain made = {
        .gain = json_number_value(json_object_get(gain, "gain")),
        .gbps = json_number_value(json_object_get(gain, "gbps")),
        .gflops = json_number_value(json_object_get(gain, "gflops")),
    };
    if (!plx_user_cache_text(gain, "over", made.over, sizeof made.over) ||
        !plx_user_cache_text(gain, "shape", made.shape, sizeof made.shape) ||
        !plx_user_cache_text(gain, "variant", made.variant, sizeof made.variant) ||
        !plx_user_cache_text(gain, "date", made.date, sizeof made.date) ||
        !plx_user_cache_text(gain, "dtype", dtype, sizeof dtype) || !plx_dtype_from_name(dtype, &made.dtype) ||
        !isfinite(made.gain) || !(made.gain > 0))
        return false;
    *taken = made;
    return true;
}

/* The keys that are wanted are the same. */
static bool is_about(const json_t *gain, const json_t *wanted)
{
    for (size_t i = 0; i < KEYS; i++) {
        const json_t *value = json_object_get(wanted, key_names[i]);
        if (value != NULL && !json_equal(json_object_get(gain, key_names[i]), value))
            return false;
    }
    return true;
}

bool plx_gains_find(const plx_device_info *device, const char *backend, plx_op op, const char *kernel, plx_gain *gain)
{
    char path[4096];
    bool found = false;
    json_t *gains = plx_cache_path(file_name, path, sizeof path) ? plx_user_cache_read(path, schema, "gains") : NULL;
    json_t *wanted = json_pack("{s:o, s:o, s:s, s:s}", "device", device_json(device), "backend", plugin_json(backend),
                               "op", plx_op_name(op), "kernel", kernel);
    for (size_t i = json_array_size(gains); wanted != NULL && !found && i-- > 0;)
        found = is_about(json_array_get(gains, i), wanted) && take_gain(json_array_get(gains, i), gain);
    json_decref(wanted);
    json_decref(gains);
    return found;
}
