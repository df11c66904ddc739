/* What each step of a ladder gained when it was last timed, kept in the user's cache
 * between runs.  Only memory: whatever goes wrong with the file, there is nothing to
 * remember, and nobody is told. */
#define _XOPEN_SOURCE 700

#include "report_json.h"

#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_GAINS = 1000, MOST_BYTES = 1 << 20 };

static const char schema[] = "parallax-gains/1";

/* ---- where -------------------------------------------------------------------- */

/* A process that runs with somebody else's rights does not follow this user's
 * environment. */
static bool is_off(void)
{
    const char *off = getenv("PLX_NO_CACHE");
    return (off != NULL && off[0] != '\0' && strcmp(off, "0") != 0) || getuid() != geteuid() ||
           getgid() != getegid();
}

static bool find_path(char *path, size_t capacity)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (is_off())
        return false;
    if (cache != NULL && cache[0] == '/')
        length = snprintf(path, capacity, "%s/parallax/gains.json", cache);
    else if (home != NULL && home[0] == '/')
        length = snprintf(path, capacity, "%s/.cache/parallax/gains.json", home);
    return length > 0 && (size_t)length < capacity;
}

static void make_folders(const char *path)
{
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (char *slash = strchr(folder + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
}

/* ---- the file ------------------------------------------------------------------- */

/* A pipe under this name must not make anybody wait. */
static FILE *open_regular(const char *path)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES) {
        FILE *file = fdopen(descriptor, "r");
        if (file != NULL)
            return file;
    }
    (void)close(descriptor);
    return NULL;
}

/* The list of gains, the newest last; NULL when there is none that can be used. */
static json_t *read_gains(const char *path)
{
    FILE *file = open_regular(path);
    if (file == NULL)
        return NULL;
    json_t *root = json_loadf(file, 0, NULL), *gains = json_object_get(root, "gains");
    const char *name = json_string_value(json_object_get(root, "schema"));
    bool good = name != NULL && strcmp(name, schema) == 0 && json_is_array(gains);
    gains = good ? json_incref(gains) : NULL;
    json_decref(root);
    (void)fclose(file);
    return gains;
}

/* Only a regular file is replaced. */
static void write_gains(const char *path, json_t *gains)
{
    struct stat about;
    plx_error error;
    plx_output *output;
    json_t *root = json_pack("{s:s, s:O}", "schema", schema, "gains", gains);
    make_folders(path);
    bool possible = root != NULL && (stat(path, &about) != 0 || S_ISREG(about.st_mode));
    if (possible && plx_output_open(path, &output, &error) == PLX_OK) {
        if (json_dumpf(root, plx_output_stream(output), JSON_INDENT(1)) == 0)
            (void)plx_output_close(output, &error);
        else
            plx_output_discard(output);
    }
    json_decref(root);
}

/* ---- one gain -------------------------------------------------------------------- */

static const char *const key_names[] = {"device", "backend", "op", "dtype", "kernel", "shape", "variant"};
enum { KEYS = sizeof key_names / sizeof key_names[0] };

/* Its UUID, else its name: labels change with what else is plugged in. */
static void put_device_name(const plx_device_info *info, char *text, size_t capacity)
{
    const uint8_t *u = info->uuid;
    if (!info->has_uuid)
        (void)snprintf(text, capacity, "%s", info->name);
    else
        (void)snprintf(text, capacity, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
                       u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13],
                       u[14], u[15]);
}

static json_t *device_json(const plx_device_info *info)
{
    char name[128];
    put_device_name(info, name, sizeof name);
    return plx_json_text(name);
}

/* "cuda:0" without the number. */
static json_t *plugin_json(const char *label)
{
    char name[48];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(label, ":"), label);
    return plx_json_text(name);
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
            other->time.measured && !(other->kernel_flags & PLX_KERNEL_YARDSTICK) &&
            (other->kernel_flags & PLX_KERNEL_VENDOR) == (record->kernel_flags & PLX_KERNEL_VENDOR))
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
                     device_json(&results->devices[record->device].info), "backend",
                     plugin_json(record->backend), "op", plx_op_name(record->problem.op), "dtype",
                     plx_dtype_name(record->problem.dtype), "kernel", record->kernel, "shape", shape,
                     "variant", variant, "over", before->kernel, "gain", record->gain, "gbps", record->gbps,
                     "gflops", record->gflops, "date", date);
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

void plx_gains_store(const plx_results *results)
{
    char path[4096], date[16] = "";
    time_t now = time(NULL);
    struct tm day;
    size_t stored = 0;
    if (!find_path(path, sizeof path) || localtime_r(&now, &day) == NULL ||
        strftime(date, sizeof date, "%Y-%m-%d", &day) == 0)
        return;
    json_t *gains = read_gains(path);
    if (gains == NULL)
        gains = json_array();
    for (size_t i = 0; gains != NULL && i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        bool worth = record->outcome == PLX_OUTCOME_OK && isfinite(record->gain) && record->gain > 0;
        json_t *gain = worth ? gain_json(results, i, date) : NULL;
        if (gain != NULL) {
            add_gain(gains, gain);
            stored++;
        }
        json_decref(gain);
    }
    if (stored > 0)
        write_gains(path, gains);
    json_decref(gains);
}

/* The file may hold anything: what is shown is short and has no control characters. */
static bool take_text(const json_t *gain, const char *key, char *text, size_t capacity)
{
    const char *found = json_string_value(json_object_get(gain, key));
    if (found == NULL || strlen(found) >= capacity)
        return false;
    for (const char *at = found; *at != '\0'; at++)
        if (iscntrl((unsigned char)*at))
            return false;
    (void)snprintf(text, capacity, "%s", found);
    return true;
}

static bool take_gain(const json_t *gain, plx_gain *taken)
{
    char dtype[16];
    plx_gain made = {
        .gain = json_number_value(json_object_get(gain, "gain")),
        .gbps = json_number_value(json_object_get(gain, "gbps")),
        .gflops = json_number_value(json_object_get(gain, "gflops")),
    };
    if (!take_text(gain, "over", made.over, sizeof made.over) ||
        !take_text(gain, "shape", made.shape, sizeof made.shape) ||
        !take_text(gain, "variant", made.variant, sizeof made.variant) ||
        !take_text(gain, "date", made.date, sizeof made.date) ||
        !take_text(gain, "dtype", dtype, sizeof dtype) || !plx_dtype_from_name(dtype, &made.dtype) ||
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

bool plx_gains_find(const plx_device_info *device, const char *backend, plx_op op, const char *kernel,
                    plx_gain *gain)
{
    char path[4096];
    bool found = false;
    json_t *gains = find_path(path, sizeof path) ? read_gains(path) : NULL;
    json_t *wanted = json_pack("{s:o, s:o, s:s, s:s}", "device", device_json(device), "backend",
                               plugin_json(backend), "op", plx_op_name(op), "kernel", kernel);
    for (size_t i = json_array_size(gains); wanted != NULL && !found && i-- > 0;)
        found = is_about(json_array_get(gains, i), wanted) && take_gain(json_array_get(gains, i), gain);
    json_decref(wanted);
    json_decref(gains);
    return found;
}
