/* What results were made with and on: this process, and each thing that is known of an
 * environment or a device, for whoever shows or compares it. */
#define _POSIX_C_SOURCE 200809L

#include "study/results/archive.h"
#include "study/results/words.h"

#include "base/driver_variables.h"
#include "base/format.h"
#include "base/whereabouts.h"
#include "base/processor.h"

#include <parallax/host_limits.h>

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- now -------------------------------------------------------------------------- */

static void copy(char *to, size_t capacity, const char *from)
{
    (void)snprintf(to, capacity, "%s", from);
}

static void date_now(char *text, size_t capacity)
{
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL || strftime(text, capacity, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        text[0] = '\0';
}

static atomic_bool anonymous;

void plx_results_anonymous(bool are)
{
    atomic_store(&anonymous, are);
}

bool plx_results_are_anonymous(void)
{
    return atomic_load(&anonymous);
}

static void place_now(plx_environment *environment)
{
    plx_whereabouts now;
    plx_whereabouts_now(atomic_load(&anonymous), &now);
    copy(environment->host_name, sizeof environment->host_name, now.host);
    copy(environment->boot, sizeof environment->boot, now.boot);
    copy(environment->job, sizeof environment->job, now.job);
    copy(environment->node, sizeof environment->node, now.node);
    if (now.ranks > 0) {
        environment->rank = (uint64_t)now.rank;
        environment->ranks = (uint64_t)now.ranks;
    }
}

void plx_environment_now(plx_environment *environment)
{
    const plx_build *built = plx_build_facts();
    const long threads = sysconf(_SC_NPROCESSORS_ONLN);
    struct utsname system;
    plx_host_limits limits;
    plx_host_limits_now(&limits);
    *environment = (plx_environment){.threads = threads > 0 ? (uint64_t)threads : 0,
                                     .processors = limits.processors,
                                     .quota = limits.quota,
                                     .memory_limit = limits.group_bytes};
    copy(environment->parallax, sizeof environment->parallax, plx_version());
    copy(environment->kernels_hash, sizeof environment->kernels_hash, built->kernels_hash);
    copy(environment->compiler, sizeof environment->compiler, built->compiler);
    copy(environment->flags, sizeof environment->flags, built->flags);
    copy(environment->device_compiler, sizeof environment->device_compiler, built->device_compiler);
    if (built->device_compiler[0] != '\0')
        copy(environment->device_flags, sizeof environment->device_flags, built->device_flags);
    date_now(environment->date, sizeof environment->date);
    plx_driver_variables_text(environment->variables, sizeof environment->variables);
    plx_processor_text("model name", environment->cpu, sizeof environment->cpu);
    if (uname(&system) == 0) {
        copy(environment->system, sizeof environment->system, system.sysname);
        copy(environment->release, sizeof environment->release, system.release);
        copy(environment->machine, sizeof environment->machine, system.machine);
    }
    place_now(environment);
}

/* ---- busy? ---------------------------------------------------------------------------- */

/* Others take so much that times differ: a quarter of a processor, or a twentieth of all.  Where nobody knows what
 * they took, half of the processors were busy before the study began. */
bool plx_environment_is_busy(const plx_environment *environment, char *text, size_t capacity)
{
    const plx_activity *now = &environment->activity;
    const bool here = environment->parallax[0] == '\0'; /* of a study of this process */
    const double processors = fmax(here ? (double)sysconf(_SC_NPROCESSORS_ONLN) : (double)environment->threads, 1);
    const double load = fmax(fmax(now->load_begin, now->load_end), now->others);
    text[0] = '\0';
    if (!now->known)
        return false;
    (void)snprintf(text, capacity, "load %.1f on %.0f processor%s", load, processors, processors > 1 ? "s" : "");
    return now->others >= 0 ? now->others > fmax(0.25, processors / 20) : now->load_begin > processors / 2;
}

/* ---- facts: their tables ------------------------------------------------------------ */

typedef enum kind {
    TEXT,
    TEXT_OR_NULL,
    TEXT_OR_NONE, /* "" in files: none */
    NATURAL_32,
    NATURAL_64,
    SIZE,
    PROCESSORS,
    RANK,    /* written where there are several */
    WATCHED, /* written where somebody watched how busy the machine was */
    SWITCHES,
    MEASURED,
    ECC,
    THROTTLE,
    THROTTLE_BEGIN,
    UUID,
    FLUSHES,
    CAPABILITY
} kind;

/* MEASURED, ECC and THROTTLE are known by their bit of the telemetry. */
typedef struct row {
    const char *path, *title; /* in files; of a device within it, or within its environment */
    kind kind;
    size_t offset, bytes;
    unsigned matters;
    uint32_t bit;
} row;

#define OF(member) offsetof(plx_environment, member), sizeof(((plx_environment *)0)->member)
#define SAME_REPORTED (PLX_FACT_SAME | PLX_FACT_REPORTED)

static const row environment_rows[] = {
    {"environment.parallax", "version of parallax", TEXT, OF(parallax), SAME_REPORTED, 0},
    {"environment.kernels_hash", "hash of the kernels", TEXT, OF(kernels_hash), SAME_REPORTED, 0},
    {"environment.compiler", "compiler", TEXT, OF(compiler), SAME_REPORTED, 0},
    {"environment.flags", "compiler flags", TEXT, OF(flags), SAME_REPORTED, 0},
    {"environment.device_compiler", "device compiler", TEXT, OF(device_compiler), SAME_REPORTED, 0},
    {"environment.device_flags", "device compiler flags", TEXT, OF(device_flags), SAME_REPORTED, 0},
    {"environment.variables", "variables that drivers heed", TEXT_OR_NONE, OF(variables), SAME_REPORTED, 0},
    {"environment.date", "date", TEXT, OF(date), 0, 0},
    {"host.system", "system", TEXT, OF(system), PLX_FACT_HOST | PLX_FACT_SAME, 0},
    {"host.release", "release of the system", TEXT, OF(release), PLX_FACT_HOST | SAME_REPORTED, 0},
    {"host.machine", "machine", TEXT, OF(machine), PLX_FACT_HOST | PLX_FACT_SAME, 0},
    {"host.cpu", "processor", TEXT, OF(cpu), PLX_FACT_HOST | SAME_REPORTED, 0},
    {"host.threads", "threads", NATURAL_64, OF(threads), PLX_FACT_HOST | SAME_REPORTED, 0},
    {"host.processors", "processors by affinity", NATURAL_64, OF(processors),
     PLX_FACT_HOST | PLX_FACT_STATE | PLX_FACT_REPORTED, 0},
    {"host.quota", "quota of processors", PROCESSORS, OF(quota), PLX_FACT_HOST | SAME_REPORTED | PLX_FACT_LIMIT, 0},
    {"host.memory_limit", "limit on host memory in bytes", NATURAL_64, OF(memory_limit),
     PLX_FACT_HOST | PLX_FACT_REPORTED | PLX_FACT_LIMIT, 0},
    {"host.name", "name of the host", TEXT, OF(host_name), PLX_FACT_HOST | PLX_FACT_IDENTITY, 0},
    {"host.boot", "boot of the host", TEXT, OF(boot), PLX_FACT_HOST | PLX_FACT_IDENTITY, 0},
    {"host.job", "job", TEXT, OF(job), PLX_FACT_HOST | PLX_FACT_IDENTITY, 0},
    {"host.node", "the scheduler's name of the host", TEXT, OF(node), PLX_FACT_HOST | PLX_FACT_IDENTITY, 0},
    {"host.ranks", "processes of the job", NATURAL_64, OF(ranks), PLX_FACT_HOST, 0},
    {"host.rank", "which of them", RANK, OF(rank), PLX_FACT_HOST, 0},
    {"host.load_begin", "load average when it began", WATCHED, OF(activity.load_begin), PLX_FACT_HOST, 0},
    {"host.load_end", "load average when it ended", WATCHED, OF(activity.load_end), PLX_FACT_HOST, 0},
    {"host.others", "processors that others took", WATCHED, OF(activity.others), PLX_FACT_HOST, 0},
    {"host.switches", "involuntary context switches", SWITCHES, OF(activity.switches), PLX_FACT_HOST, 0},
    {"host.throttled_begin_s", "seconds that control groups had held back when it began", WATCHED,
     OF(activity.throttled_begin_s), PLX_FACT_HOST, 0},
    {"host.throttled_end_s", "seconds that control groups had held back when it ended", WATCHED,
     OF(activity.throttled_end_s), PLX_FACT_HOST, 0},
};

#undef OF
#define OF(member) offsetof(plx_study_device, member), sizeof(((plx_study_device *)0)->member)
#define STATE_REPORTED (PLX_FACT_STATE | PLX_FACT_REPORTED)

static const row device_rows[] = {
    {"label", "label", TEXT, OF(label), PLX_FACT_SAME, 0},
    {"name", "name", TEXT, OF(info.name), PLX_FACT_SAME, 0},
    {"vendor", "vendor", TEXT, OF(info.vendor), 0, 0},
    {"api", "API", TEXT, OF(info.api), SAME_REPORTED, 0},
    {"driver", "driver", TEXT, OF(info.driver), SAME_REPORTED, 0},
    {"uuid", "chip (UUID)", UUID, OF(info.uuid), SAME_REPORTED | PLX_FACT_IDENTITY, 0},
    {"pci", "PCI address", TEXT_OR_NULL, OF(info.pci), PLX_FACT_SAME | PLX_FACT_IDENTITY, 0},
    {"physical", "number of the chip", SIZE, OF(physical), 0, 0},
    {"units", "units", NATURAL_32, OF(info.units), SAME_REPORTED, 0},
    {"memory_bytes", "bytes of memory", NATURAL_64, OF(info.memory_bytes), 0, 0},
    {"changes", "changed in the process", TEXT_OR_NULL, OF(changes), 0, 0},
    {"flushes_f32", "flushes f32 subnormals", FLUSHES, OF(flushing_measured), 0, 0},
    {"compute_capability", "compute capability", CAPABILITY, OF(info.compute_major), 0, 0},
    {"sm_clock_mhz", "clock in MHz", MEASURED, OF(environment.sm_clock_mhz), PLX_FACT_REPORTED, PLX_KNOWS_SM_CLOCK},
    {"memory_clock_mhz", "memory clock in MHz", MEASURED, OF(environment.memory_clock_mhz), PLX_FACT_REPORTED,
     PLX_KNOWS_MEMORY_CLOCK},
    {"sm_clock_max_mhz", "highest clock in MHz", MEASURED, OF(environment.sm_clock_max_mhz), PLX_FACT_REPORTED,
     PLX_KNOWS_SM_CLOCK_MAX},
    {"memory_clock_max_mhz", "highest memory clock in MHz", MEASURED, OF(environment.memory_clock_max_mhz), 0,
     PLX_KNOWS_MEMORY_CLOCK_MAX},
    {"power_w", "power in W", MEASURED, OF(environment.power_w), 0, PLX_KNOWS_POWER},
    {"power_limit_w", "power limit in W", MEASURED, OF(environment.power_limit_w), STATE_REPORTED,
     PLX_KNOWS_POWER_LIMIT},
    {"temperature_c", "temperature in °C", MEASURED, OF(environment.temperature_c), 0, PLX_KNOWS_TEMPERATURE},
    {"ecc", "ECC", ECC, OF(environment.ecc), STATE_REPORTED, PLX_KNOWS_ECC},
    {"throttle", "throttled by", THROTTLE, OF(environment.throttle), 0, PLX_KNOWS_THROTTLE},
    {"throttle_begin", "throttled when it began by", THROTTLE_BEGIN, OF(throttle_begin), 0, PLX_KNOWS_THROTTLE},
};

/* ---- facts: their values -------------------------------------------------------------- */

static void put_throttle(uint32_t reasons, char *text, size_t capacity)
{
    size_t length = 0;
    for (uint32_t bit = 1; bit <= PLX_THROTTLE_OTHER && length < capacity; bit <<= 1)
        if (reasons & bit)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "",
                                       plx_throttle_name(bit));
    if (length == 0)
        copy(text, capacity, "nothing");
}

static void put_natural(uint64_t value, plx_fact *fact)
{
    fact->known = value > 0;
    fact->is_number = true;
    fact->number = (double)value;
    (void)snprintf(fact->text, sizeof fact->text, "%" PRIu64, value);
}

static void put_processors(double value, plx_fact *fact)
{
    fact->known = value > 0;
    fact->is_number = true;
    fact->number = value;
    plx_plain_number_text(value, 6, fact->text, sizeof fact->text);
}

static void put_text(const char *text, bool known, plx_fact *fact)
{
    fact->known = known;
    copy(fact->text, sizeof fact->text, text);
}

/* What only a device has. */
static void put_of_device(const plx_study_device *device, const row *of, plx_fact *fact)
{
    const plx_device_info *info = &device->info;
    fact->known = (device->environment.known & of->bit) != 0;
    switch (of->kind) {
    case MEASURED:
        fact->is_number = true;
        memcpy(&fact->number, (const char *)device + of->offset, sizeof fact->number);
        plx_number_text(fact->number, 6, fact->text, sizeof fact->text);
        break;
    case ECC:
        copy(fact->text, sizeof fact->text, device->environment.ecc ? "yes" : "no");
        break;
    case THROTTLE:
        put_throttle(device->environment.throttle, fact->text, sizeof fact->text);
        break;
    case THROTTLE_BEGIN:
        fact->known = device->throttle_known;
        put_throttle(device->throttle_begin, fact->text, sizeof fact->text);
        break;
    case UUID:
        fact->known = info->has_uuid;
        plx_uuid_text(info->uuid, fact->text);
        break;
    case FLUSHES:
        put_text(info->features & PLX_FEATURE_FLUSHES_F32 ? "yes" : "no", device->flushing_measured, fact);
        break;
    default:
        fact->known = info->compute_major > 0;
        (void)snprintf(fact->text, sizeof fact->text, "%" PRIu32 ".%" PRIu32, info->compute_major, info->compute_minor);
    }
}

static void put_rank(const plx_environment *environment, plx_fact *fact)
{
    put_natural(environment->rank, fact);
    fact->known = environment->ranks > 0;
}

static void put_watched(const plx_environment *environment, const row *of, const void *at, plx_fact *fact)
{
    if (of->kind == SWITCHES)
        put_natural(*(const uint64_t *)at, fact);
    else
        put_processors(*(const double *)at, fact);
    fact->known = environment->activity.known && fact->number >= 0;
}

/* What anonymous results are without. */
static bool is_hidden(const row *of)
{
    return (of->matters & PLX_FACT_IDENTITY) != 0 && atomic_load(&anonymous);
}

static void put_fact(const void *whole, const row *of, plx_fact *fact)
{
    const char *at = (const char *)whole + of->offset;
    const char *dot = strchr(of->path, '.');
    *fact = (plx_fact){.key = dot != NULL ? dot + 1 : of->path,
                       .title = of->title,
                       .matters = of->matters | (of->kind == MEASURED ? PLX_FACT_SENSOR : 0)};
    if (of->kind == TEXT || of->kind == TEXT_OR_NULL)
        put_text(at, *at != '\0', fact);
    else if (of->kind == TEXT_OR_NONE)
        put_text(*at != '\0' ? at : "none", true, fact);
    else if (of->kind == NATURAL_32)
        put_natural(*(const uint32_t *)(const void *)at, fact);
    else if (of->kind == NATURAL_64)
        put_natural(*(const uint64_t *)(const void *)at, fact);
    else if (of->kind == RANK)
        put_rank(whole, fact);
    else if (of->kind == WATCHED || of->kind == SWITCHES)
        put_watched(whole, of, at, fact);
    else if (of->kind == PROCESSORS)
        put_processors(*(const double *)(const void *)at, fact);
    else if (of->kind == SIZE)
        put_natural(*(const size_t *)(const void *)at, fact);
    else
        put_of_device(whole, of, fact);
    fact->known = (fact->known || of->kind == SIZE) && !is_hidden(of);
    if (!fact->known)
        fact->text[0] = '\0';
}

bool plx_environment_fact(const plx_environment *environment, size_t index, plx_fact *fact)
{
    if (index >= sizeof environment_rows / sizeof environment_rows[0])
        return false;
    put_fact(environment, &environment_rows[index], fact);
    return true;
}

bool plx_device_fact(const plx_study_device *device, size_t index, plx_fact *fact)
{
    if (index >= sizeof device_rows / sizeof device_rows[0])
        return false;
    put_fact(device, &device_rows[index], fact);
    return true;
}

bool plx_facts_differ(const plx_fact *a, const plx_fact *b, double part)
{
    if (a->known && b->known && a->is_number)
        return fabs(a->number - b->number) > part * fabs(a->number);
    return a->known != b->known || strcmp(a->text, b->text) != 0;
}

/* ---- facts in files -------------------------------------------------------------------- */

static void uuid_field(plx_archive *archive, const char *name, plx_device_info *info)
{
    char text[40] = "", again[40];
    unsigned byte;
    size_t length = 0;
    if (!plx_archive_reads(archive)) {
        plx_uuid_text(info->uuid, text);
        plx_json_text(archive->to, name, info->has_uuid ? text : NULL);
        return;
    }
    plx_archive_text(archive, name, text, sizeof text);
    for (const char *at = text; length < sizeof info->uuid && sscanf(at, "%2x", &byte) == 1; length++) {
        info->uuid[length] = (uint8_t)byte;
        at += at[0] != '\0' && at[1] != '\0' && at[2] == '-' ? 3 : 2;
        if (at > text + strlen(text))
            break;
    }
    plx_uuid_text(info->uuid, again);
    info->has_uuid = strcmp(text, again) == 0;
    if (text[0] != '\0' && !info->has_uuid)
        plx_archive_refuse(archive, name);
}

static void flushes_field(plx_archive *archive, const char *name, plx_study_device *device)
{
    if (plx_archive_reads(archive))
        device->flushing_measured = plx_archive_has(archive, name);
    if (!device->flushing_measured) {
        if (!plx_archive_reads(archive))
            plx_json_null(archive->to, name);
        return;
    }
    const bool flushes = (device->info.features & PLX_FEATURE_FLUSHES_F32) != 0;
    if (plx_archive_flag(archive, name, flushes, false) && plx_archive_reads(archive))
        device->info.features |= PLX_FEATURE_FLUSHES_F32;
}

static void capability_field(plx_archive *archive, const char *name, plx_device_info *info)
{
    uint32_t *const parts[] = {&info->compute_major, &info->compute_minor};
    if (!plx_archive_reads(archive) && info->compute_major == 0)
        return;
    (void)plx_archive_list(archive, name, 2);
    for (size_t i = 0; i < 2; i++) {
        if (plx_archive_reads(archive))
            *parts[i] = (uint32_t)json_integer_value(json_array_get(archive->at[archive->depth], i));
        else
            plx_json_integer(archive->to, NULL, *parts[i]);
    }
    plx_archive_list_end(archive);
}

static void throttle_field(plx_archive *archive, const char *name, uint32_t *reasons)
{
    const size_t count = plx_archive_list(archive, name, 0);
    for (uint32_t bit = 1; bit <= PLX_THROTTLE_OTHER; bit <<= 1) {
        if (!plx_archive_reads(archive) && (*reasons & bit))
            plx_json_text(archive->to, NULL, plx_throttle_name(bit));
        for (size_t i = 0; plx_archive_reads(archive) && i < count; i++) {
            const char *word = json_string_value(json_array_get(archive->at[archive->depth], i));
            if (word != NULL && strcmp(word, plx_throttle_name(bit)) == 0)
                *reasons |= bit;
        }
    }
    plx_archive_list_end(archive);
}

static void throttle_begin_field(plx_archive *archive, const char *name, plx_study_device *device)
{
    if (plx_archive_reads(archive))
        device->throttle_known = plx_archive_has(archive, name);
    if (device->throttle_known)
        throttle_field(archive, name, &device->throttle_begin);
}

/* What sensors say: nothing stands where nothing is known. */
static void sensor_field(plx_archive *archive, const row *of, plx_study_device *device)
{
    plx_telemetry *state = &device->environment;
    if (of->kind == THROTTLE_BEGIN) {
        throttle_begin_field(archive, of->path, device);
        return;
    }
    double *const number = (double *)(void *)((char *)device + of->offset);
    if (plx_archive_reads(archive) && plx_archive_has(archive, of->path))
        state->known |= of->bit;
    if ((state->known & of->bit) == 0)
        return;
    if (of->kind == MEASURED)
        *number = plx_archive_signed(archive, of->path, *number, 0);
    else if (of->kind == ECC)
        state->ecc = plx_archive_flag(archive, of->path, state->ecc, false);
    else
        throttle_field(archive, of->path, &state->throttle);
}

/* Of old files each device is a chip of its own. */
static void device_field(plx_archive *archive, size_t index, const row *of, plx_study_device *device)
{
    if (!plx_archive_reads(archive) && is_hidden(of)) {
        plx_json_null(archive->to, of->path);
        return;
    }
    char *const at = (char *)device + of->offset;
    switch (of->kind) {
    case TEXT_OR_NULL:
        if (!plx_archive_reads(archive) && *at == '\0') {
            plx_json_null(archive->to, of->path);
            break;
        }
        /* fall through */
    case TEXT:
        plx_archive_text(archive, of->path, at, of->bytes);
        break;
    case NATURAL_32:
        *(uint32_t *)(void *)at = (uint32_t)plx_archive_natural(archive, of->path, *(uint32_t *)(void *)at, 0);
        break;
    case NATURAL_64:
        *(uint64_t *)(void *)at = plx_archive_natural(archive, of->path, *(uint64_t *)(void *)at, 0);
        break;
    case SIZE:
        *(size_t *)(void *)at = (size_t)plx_archive_natural(archive, of->path, *(size_t *)(void *)at, index);
        break;
    case UUID:
        uuid_field(archive, of->path, &device->info);
        break;
    case FLUSHES:
        flushes_field(archive, of->path, device);
        break;
    default:
        capability_field(archive, of->path, &device->info);
    }
}

/* Where the device told how it ran. */
static void ceiling_clock_fields(plx_archive *archive, plx_ceilings *ceilings, int which)
{
    const bool known = which < PLX_CEILING_COUNT;
    const uint32_t bit = known ? UINT32_C(1) << which : 0;
    double clock = known ? ceilings->clock_mhz[which] : 0;
    bool limited = (ceilings->at_power_limit & bit) != 0;

    if (plx_archive_reads(archive) || clock > 0)
        clock = plx_archive_number(archive, "clock_mhz", clock, PLX_MOST_RATE, 0);
    if (plx_archive_reads(archive) || limited)
        limited = plx_archive_flag(archive, "at_power_limit", limited, false);
    if (known)
        ceilings->clock_mhz[which] = clock;
    ceilings->at_power_limit |= limited ? bit : 0;
}

void plx_ceiling_clock_text(const plx_study_device *device, plx_ceiling_kind which, char *text, size_t capacity)
{
    const plx_telemetry *now = &device->environment;
    const double clock = device->ceilings.clock_mhz[which];
    const bool limited = (device->ceilings.at_power_limit >> which & 1) != 0;
    char held[32] = "", most[40] = "";

    if (clock > 0)
        (void)snprintf(held, sizeof held, "%s%.0f", limited ? ", at " : "", clock);
    if (clock > 0 && (now->known & PLX_KNOWS_SM_CLOCK_MAX) != 0)
        (void)snprintf(most, sizeof most, " of %.0f", now->sm_clock_max_mhz);
    (void)snprintf(text, capacity, "%s%s%s%s", limited ? "the device was at its power limit" : "", held, most,
                   clock > 0 ? " MHz" : "");
}

static void ceilings_field(plx_archive *archive, plx_ceilings *ceilings)
{
    const size_t count = plx_archive_list(archive, "ceilings", PLX_CEILING_COUNT);
    for (size_t i = 0; i < count; i++) {
        if (!plx_archive_reads(archive) && !(ceilings->value[i] > 0))
            continue;
        plx_archive_item(archive, i);
        const int which = plx_archive_name(archive, "kind", &plx_ceiling_names, (int)i, PLX_CEILING_COUNT);
        double unknown = 0, *value = which < PLX_CEILING_COUNT ? &ceilings->value[which] : &unknown;
        *value = plx_archive_number(archive, "value", *value, PLX_MOST_RATE, 0);
        if (!plx_archive_reads(archive))
            plx_json_text(archive->to, "unit", plx_ceiling_unit((plx_ceiling_kind)which));
        ceiling_clock_fields(archive, ceilings, which);
        plx_archive_item_end(archive);
    }
    plx_archive_list_end(archive);
}

void plx_archive_device(plx_archive *archive, size_t index, plx_study_device *device)
{
    const size_t count = sizeof device_rows / sizeof device_rows[0];
    for (size_t i = 0; i < count; i++)
        if (device_rows[i].bit == 0)
            device_field(archive, index, &device_rows[i], device);
    device->named = plx_archive_flag(archive, "named", device->named, false);
    if (plx_archive_open(archive, "environment", true)) {
        if (!plx_archive_reads(archive)) { /* once more, with what changes when they do */
            plx_json_text(archive->to, "driver", device->info.driver);
            plx_json_text(archive->to, "api", device->info.api);
        }
        for (size_t i = 0; i < count; i++)
            if (device_rows[i].bit != 0)
                sensor_field(archive, &device_rows[i], device);
        plx_archive_close(archive);
    }
    ceilings_field(archive, &device->ceilings);
    if (plx_archive_reads(archive) && !plx_archive_has(archive, "label"))
        plx_archive_refuse(archive, "label");
    if (plx_archive_reads(archive) && !plx_archive_has(archive, "name"))
        plx_archive_refuse(archive, "name");
}

static void number_part(plx_archive *archive, const char *key, kind of, void *at)
{
    uint64_t *natural = at;
    double *processors = at;
    if (of == PROCESSORS && (plx_archive_reads(archive) || *processors > 0))
        *processors = plx_archive_number(archive, key, *processors, 1e9, 0);
    else if ((of == NATURAL_64 || of == RANK) && (plx_archive_reads(archive) || *natural > 0))
        *natural = plx_archive_natural(archive, key, *natural, 0);
}

/* Before the first of these fields it is decided whether there are any. */
static void watched_part(plx_archive *archive, const char *key, const row *of, void *at, plx_activity *activity)
{
    double *number = at;
    uint64_t *count = at;
    if (plx_archive_reads(archive) && of->offset == offsetof(plx_environment, activity.load_begin))
        activity->known = plx_archive_has(archive, key);
    if (!activity->known)
        return;
    if (of->kind == SWITCHES)
        *count = plx_archive_natural(archive, key, *count, 0);
    else if (plx_archive_reads(archive) || *number >= 0)
        *number = plx_archive_number(archive, key, *number, 1e15,
                                     of->offset == offsetof(plx_environment, activity.others) ? -1 : 0);
}

/* What nobody knows is not there. */
static void environment_part(plx_archive *archive, const char *name, plx_environment *environment)
{
    const size_t length = strlen(name);
    if (!plx_archive_open(archive, name, true))
        return;
    for (size_t i = 0; i < sizeof environment_rows / sizeof environment_rows[0]; i++) {
        const row *of = &environment_rows[i];
        const char *key = of->path + length + 1;
        char *const at = (char *)environment + of->offset;
        const bool good = archive->wrong == NULL;
        if (strncmp(of->path, name, length) != 0 || (!plx_archive_reads(archive) && is_hidden(of)))
            continue;
        if (of->kind == TEXT || of->kind == TEXT_OR_NONE)
            plx_archive_remark(archive, key, at, of->bytes);
        else if (of->kind == WATCHED || of->kind == SWITCHES)
            watched_part(archive, key, of, at, &environment->activity);
        else
            number_part(archive, key, of->kind, at);
        if (good && archive->wrong != NULL)
            archive->wrong = of->path;
    }
    plx_archive_close(archive);
}

void plx_archive_environment(plx_archive *archive, plx_environment *environment)
{
    char version[sizeof environment->parallax], tool[] = "parallax";
    (void)snprintf(version, sizeof version, "%s", environment->parallax);
    if (plx_archive_open(archive, "tool", true)) {
        plx_archive_text(archive, "name", tool, sizeof tool);
        plx_archive_text(archive, "version", version, sizeof version);
        plx_archive_close(archive);
    }
    environment_part(archive, "environment", environment);
    environment_part(archive, "host", environment);
    /* an environment that nobody knows is not that of this process */
    if (environment->parallax[0] == '\0')
        copy(environment->parallax, sizeof environment->parallax, version[0] != '\0' ? version : "unknown");
}
