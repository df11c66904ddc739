/* Many machines: devices of one model vote on the bits of the same code on the same operands, and on speed.  Of each
 * file little is kept: a device, and for each of its cases two hashes and a time. */
#define _POSIX_C_SOURCE 200809L

#include "study/screen/screen.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LEAST_EQUALS = 5, MOST_HOSTS = 1 << 20, MOST_RANKS = 1 << 20, MOST_BYTES = 1 << 24 };

typedef struct device {
    char *host, *node, *model, *uuid, *driver, *file, *reason, *command;
    size_t number;
    plx_health_verdict verdict;
    double slower, limit;
    size_t timed;
    char label[48];
} device;

/* What one device had in one case. */
typedef struct vote {
    uint64_t key, digest; /* of the model, its code and operands; of the bits */
    uint32_t device;
    float launch_ns;
    bool votes; /* on bits: they are the same each time */
} vote;

typedef struct text_list {
    char **at;
    size_t count, room;
} text_list;

/* Files of one job, each of a rank of its own. */
typedef struct job {
    char *name;
    uint64_t ranks, *seen; /* how many there are, and those of the files */
    size_t seen_count, seen_room;
} job;

struct plx_fleet {
    device *devices;
    size_t count, room;
    vote *votes;
    size_t vote_count, vote_room;
    text_list hosts, expected, missing, skipped;
    job *jobs;
    size_t job_count, files;
};

/* ---- memory -------------------------------------------------------------------------------- */

static plx_status no_memory(plx_error *error)
{
    return plx_fail(error, PLX_NO_MEMORY, "no memory for so many files");
}

/* The list with room for one more; NULL: there is no memory. */
static void *grown(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    const size_t more = *room == 0 ? 64 : 2 * *room;
    void *made = realloc(list, more * size);
    if (made != NULL)
        *room = more;
    return made;
}

/* Takes the text over; false, and the text is gone, where there is no memory. */
static bool keep(text_list *list, char *text)
{
    char **at = text != NULL ? grown(list->at, list->count, &list->room, sizeof *at) : NULL;
    if (at == NULL) {
        free(text);
        return false;
    }
    list->at = at;
    list->at[list->count++] = text;
    return true;
}

static void forget(text_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i]);
    free(list->at);
}

plx_status plx_fleet_create(plx_fleet **fleet, plx_error *error)
{
    *fleet = calloc(1, sizeof **fleet);
    return *fleet != NULL ? PLX_OK : no_memory(error);
}

static void forget_device(device *one)
{
    char *const texts[] = {one->host,   one->node, one->model,  one->uuid,
                           one->driver, one->file, one->reason, one->command};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
}

void plx_fleet_free(plx_fleet *fleet)
{
    if (fleet == NULL)
        return;
    for (size_t i = 0; i < fleet->count; i++)
        forget_device(&fleet->devices[i]);
    for (size_t i = 0; i < fleet->job_count; i++) {
        free(fleet->jobs[i].name);
        free(fleet->jobs[i].seen);
    }
    free(fleet->devices);
    free(fleet->votes);
    free(fleet->jobs);
    forget(&fleet->hosts);
    forget(&fleet->expected);
    forget(&fleet->missing);
    forget(&fleet->skipped);
    free(fleet);
}

/* ---- files ------------------------------------------------------------------------------------ */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static const uint64_t first_hash = UINT64_C(0xcbf29ce484222325);

static uint64_t key_of(const plx_screen *screen, const plx_screened_device *of, const plx_screened_case *one)
{
    char problem[512], way[48], numbers[96];
    (void)snprintf(way, sizeof way, "%.*s", (int)strcspn(one->backend, ":"), one->backend);
    plx_problem_text(&one->problem, 0, problem, sizeof problem);
    (void)snprintf(numbers, sizeof numbers, "%" PRIu32 " %" PRIu64 " %d", of->info.units, screen->seed,
                   (int)one->input);
    const char *const parts[] = {of->info.name, screen->environment.kernels_hash, way, one->kernel, problem, numbers};
    uint64_t hash = first_hash;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        hash = hash_text(hash, parts[i]);
    return hash;
}

static bool add_vote(plx_fleet *fleet, const plx_screen *screen, const plx_screened_device *of,
                     const plx_screened_case *one)
{
    vote *votes = grown(fleet->votes, fleet->vote_count, &fleet->vote_room, sizeof *votes);
    if (votes == NULL)
        return false;
    fleet->votes = votes;
    votes[fleet->vote_count++] = (vote){
        .key = key_of(screen, of, one),
        .digest = hash_text(first_hash, one->digest),
        .device = (uint32_t)(fleet->count - 1),
        .launch_ns = (float)one->launch_ns,
        .votes = one->digest[0] != '\0' && (one->reproducibility != PLX_R2 || plx_is_exact(&one->problem)),
    };
    return true;
}

static char *uuid_of(const plx_device_info *info)
{
    char text[64] = "";
    size_t length = 0;
    for (size_t i = 0; info->has_uuid && i < sizeof info->uuid; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%02x",
                                   i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info->uuid[i]);
    return strdup(info->has_uuid ? text : info->pci);
}

static bool add_device(plx_fleet *fleet, const plx_screen *screen, size_t number, const char *path)
{
    const plx_screened_device *of = &screen->devices[number];
    device *devices = grown(fleet->devices, fleet->count, &fleet->room, sizeof *devices);
    if (devices == NULL)
        return false;
    fleet->devices = devices;
    device *made = &devices[fleet->count++];
    *made = (device){
        .host = strdup(screen->environment.host_name),
        .node = strdup(screen->environment.node),
        .model = strdup(of->info.name),
        .uuid = uuid_of(&of->info),
        .driver = strdup(of->info.driver),
        .file = strdup(path),
        .reason = strdup(of->reason),
        .command = strdup(of->command),
        .number = number,
        .verdict = of->verdict,
    };
    (void)snprintf(made->label, sizeof made->label, "%s", of->backend_count > 0 ? of->backends[0] : "");
    bool good = made->host != NULL && made->node != NULL && made->model != NULL && made->uuid != NULL &&
                made->driver != NULL && made->file != NULL && made->reason != NULL && made->command != NULL;
    for (size_t i = 0; good && i < of->case_count; i++)
        good = add_vote(fleet, screen, of, &of->cases[i]);
    return good;
}

static job *job_of(plx_fleet *fleet, const plx_environment *environment)
{
    if (environment->job[0] == '\0' || environment->ranks == 0 || environment->ranks > MOST_RANKS ||
        environment->rank >= environment->ranks)
        return NULL;
    for (size_t i = 0; i < fleet->job_count; i++)
        if (strcmp(fleet->jobs[i].name, environment->job) == 0 && fleet->jobs[i].ranks == environment->ranks)
            return &fleet->jobs[i];
    job *jobs = realloc(fleet->jobs, (fleet->job_count + 1) * sizeof *jobs);
    if (jobs == NULL)
        return NULL;
    fleet->jobs = jobs;
    job *made = &jobs[fleet->job_count];
    *made = (job){.name = strdup(environment->job), .ranks = environment->ranks};
    fleet->job_count += made->name != NULL;
    return made->name != NULL ? made : NULL;
}

static bool see_rank(job *of, uint64_t rank)
{
    uint64_t *seen = grown(of->seen, of->seen_count, &of->seen_room, sizeof *seen);
    if (seen == NULL)
        return false;
    of->seen = seen;
    seen[of->seen_count++] = rank;
    return true;
}

static plx_status add_screen(plx_fleet *fleet, const plx_screen *screen, const char *path, plx_error *error)
{
    job *of = job_of(fleet, &screen->environment);
    bool good = true;
    fleet->files++;
    good = (of == NULL || see_rank(of, screen->environment.rank)) &&
           keep(&fleet->hosts, strdup(screen->environment.host_name)) &&
           keep(&fleet->hosts, strdup(screen->environment.node));
    for (size_t i = 0; good && i < screen->device_count; i++)
        good = add_device(fleet, screen, i, path);
    return good ? PLX_OK : no_memory(error);
}

/* A file without a device says that its host tested nothing. */
static plx_status skip(plx_fleet *fleet, const char *reason, plx_error *error)
{
    return keep(&fleet->skipped, strdup(reason)) ? PLX_OK : no_memory(error);
}

/* What would be waited for without end, or fill the memory, is no screen of a machine. */
static plx_status check_file(const char *path, plx_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return PLX_OK; /* who reads it says why */
    if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return plx_fail(error, PLX_INVALID, "%.200s: no regular file", path);
    return about.st_size <= MOST_BYTES
               ? PLX_OK
               : plx_fail(error, PLX_INVALID, "%.200s: %lld bytes; a screen of one machine has %d at most", path,
                          (long long)about.st_size, (int)MOST_BYTES);
}

plx_status plx_fleet_add(plx_fleet *fleet, const char *path, plx_error *error)
{
    plx_screen screen;
    plx_status status = check_file(path, error);
    if (status == PLX_OK)
        status = plx_screen_read(path, &screen, error);
    if (status == PLX_NO_MEMORY)
        return status;
    if (status != PLX_OK)
        return skip(fleet, error->text, error);
    status = add_screen(fleet, &screen, path, error);
    plx_screen_free(&screen);
    return status;
}

/* ---- hosts that there must be --------------------------------------------------------------------- */

/* "01-16": each number in as many digits. */
static bool expand_range(plx_fleet *fleet, const char *before, int length, const char *range, const char *after)
{
    char *end;
    const unsigned long first = strtoul(range, &end, 10);
    const int digits = (int)(end - range);
    const unsigned long last = *end == '-' ? strtoul(end + 1, NULL, 10) : first;
    for (unsigned long i = first; i <= last && fleet->expected.count < MOST_HOSTS; i++)
        if (!keep(&fleet->expected, plx_text("%.*s%0*lu%s", length, before, digits, i, after)))
            return false;
    return true;
}

static plx_status expand(plx_fleet *fleet, const char *word, int length, plx_error *error)
{
    const char *open = memchr(word, '[', (size_t)length),
               *close = open != NULL ? memchr(open, ']', (size_t)(word + length - open)) : NULL;
    if (open == NULL)
        return keep(&fleet->expected, plx_text("%.*s", length, word)) ? PLX_OK : no_memory(error);
    if (close == NULL || strspn(open + 1, "0123456789-,") != (size_t)(close - open - 1) ||
        !isdigit((unsigned char)open[1]))
        return plx_fail(error, PLX_INVALID, "'%.*s' is no list of hosts such as node[01-16,20]", length, word);
    char *after = plx_text("%.*s", (int)(word + length - close - 1), close + 1);
    bool good = after != NULL;
    for (const char *at = open + 1; good && at < close; at += strcspn(at, ",]") + 1)
        good = expand_range(fleet, word, (int)(open - word), at, after);
    free(after);
    return good ? PLX_OK : no_memory(error);
}

/* Commas between hosts, but not those within brackets. */
plx_status plx_fleet_expect(plx_fleet *fleet, const char *hosts, plx_error *error)
{
    plx_status status = PLX_OK;
    while (status == PLX_OK && *hosts != '\0') {
        int length = 0, depth = 0;
        for (; hosts[length] != '\0' && (hosts[length] != ',' || depth > 0); length++)
            depth += (hosts[length] == '[') - (hosts[length] == ']');
        if (length > 0)
            status = expand(fleet, hosts, length, error);
        hosts += length + (hosts[length] == ',');
    }
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* Those of a gap in one line: a file may say that there are a million. */
static bool miss_ranks(plx_fleet *fleet, const job *of, uint64_t first, uint64_t end)
{
    if (first >= end)
        return true;
    return keep(&fleet->missing, end - first == 1
                                     ? plx_text("rank %" PRIu64 " of %s", first, of->name)
                                     : plx_text("ranks %" PRIu64 "-%" PRIu64 " of %s", first, end - 1, of->name));
}

static bool find_missing_ranks(plx_fleet *fleet, job *of)
{
    uint64_t next = 0;
    bool good = true;
    qsort(of->seen, of->seen_count, sizeof *of->seen, compare_ranks);
    for (size_t i = 0; good && i < of->seen_count; i++) {
        good = miss_ranks(fleet, of, next, of->seen[i]);
        next = of->seen[i] + 1;
    }
    return good && miss_ranks(fleet, of, next, of->ranks);
}

static plx_status find_missing(plx_fleet *fleet, plx_error *error)
{
    bool good = true;
    if (fleet->hosts.count > 0)
        qsort(fleet->hosts.at, fleet->hosts.count, sizeof *fleet->hosts.at, compare_texts);
    for (size_t i = 0; good && i < fleet->expected.count; i++)
        if (fleet->hosts.count == 0 || bsearch(&fleet->expected.at[i], fleet->hosts.at, fleet->hosts.count,
                                               sizeof *fleet->hosts.at, compare_texts) == NULL)
            good = keep(&fleet->missing, strdup(fleet->expected.at[i]));
    for (size_t i = 0; good && i < fleet->job_count; i++)
        good = find_missing_ranks(fleet, &fleet->jobs[i]);
    return good ? PLX_OK : no_memory(error);
}

/* ---- votes ---------------------------------------------------------------------------------------------- */

static void blame(device *one, plx_health_verdict verdict, const char *format, ...) PLX_PRINTF(3, 4);
static void blame(device *one, plx_health_verdict verdict, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (verdict <= one->verdict)
        return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    one->verdict = verdict;
    free(one->reason);
    one->reason = strdup(text);
}

static int by_key_and_bits(const void *a, const void *b)
{
    const vote *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    if (one->votes != other->votes)
        return one->votes ? -1 : 1;
    return one->digest < other->digest ? -1 : one->digest > other->digest;
}

/* The longest run of equal bits among sorted votes. */
static size_t majority(const vote *votes, size_t count, size_t *length)
{
    size_t best = 0;
    *length = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && votes[next].digest == votes[i].digest;)
            next++;
        if (next - i > *length) {
            *length = next - i;
            best = i;
        }
    }
    return best;
}

static void name_odd(plx_fleet *fleet, const vote *odd, const vote *usual, size_t length, size_t count)
{
    device *one = &fleet->devices[odd->device];
    const device *other = &fleet->devices[usual->device];
    if (2 * length <= count)
        blame(one, PLX_FAULTY,
              "%zu devices of this model have no majority for the bits of the same code: screen it beside others "
              "of the model",
              count);
    else if (strcmp(one->driver, other->driver) != 0)
        blame(one, PLX_MISCONFIGURED, "other bits than %zu of %zu of its model, and another driver: %s, not %s", length,
              count, one->driver, other->driver);
    else
        blame(one, PLX_FAULTY, "other bits than %zu of %zu devices of its model, of the same code on the same operands",
              length, count);
    if (one->command == NULL || one->command[0] == '\0') {
        free(one->command);
        one->command =
            plx_text("parallax screen --backend %.*s%s%s --budget 5m", (int)strcspn(one->label, ":"), one->label,
                     one->uuid != NULL && one->uuid[0] != '\0' ? ":" : "", one->uuid != NULL ? one->uuid : "");
    }
}

static void vote_on_bits(plx_fleet *fleet, const vote *votes, size_t count)
{
    size_t length, voters = 0;
    while (voters < count && votes[voters].votes)
        voters++;
    const size_t usual = majority(votes, voters, &length);
    for (size_t i = 0; length < voters && i < voters; i++)
        if (votes[i].digest != votes[usual].digest || 2 * length <= voters)
            name_odd(fleet, &votes[i], &votes[usual], length, voters);
}

/* Adds to each device's means. */
static void vote_on_speed(plx_fleet *fleet, const vote *votes, size_t count, double *times)
{
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        if (votes[i].launch_ns > 0)
            times[timed++] = (double)votes[i].launch_ns;
    if (timed < LEAST_EQUALS)
        return;
    const double median = plx_median_of(times, timed),
                 limit = plx_slow_limit(median, plx_spread_of(times, timed, median));
    for (size_t i = 0; i < count; i++) {
        device *one = &fleet->devices[votes[i].device];
        if (!(votes[i].launch_ns > 0))
            continue;
        one->timed++;
        one->slower += ((double)votes[i].launch_ns / median - one->slower) / (double)one->timed;
        one->limit += (limit - one->limit) / (double)one->timed;
    }
}

static void name_slow(plx_fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++) {
        device *one = &fleet->devices[i];
        if (one->timed > 0 && one->slower > one->limit)
            blame(one, PLX_DEGRADED, "%.2f times as slow as the median of its model (more than %.2f is not by chance)",
                  one->slower, one->limit);
    }
}

plx_status plx_fleet_vote(plx_fleet *fleet, plx_error *error)
{
    double *times = malloc((fleet->vote_count + 1) * sizeof *times);
    if (times == NULL)
        return no_memory(error);
    if (fleet->vote_count > 0)
        qsort(fleet->votes, fleet->vote_count, sizeof *fleet->votes, by_key_and_bits);
    for (size_t i = 0, next; i < fleet->vote_count; i = next) {
        for (next = i + 1; next < fleet->vote_count && fleet->votes[next].key == fleet->votes[i].key;)
            next++;
        vote_on_bits(fleet, fleet->votes + i, next - i);
        vote_on_speed(fleet, fleet->votes + i, next - i, times);
    }
    free(times);
    name_slow(fleet);
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->devices[i].reason == NULL || fleet->devices[i].command == NULL)
            return no_memory(error);
    return find_missing(fleet, error);
}

/* ---- what came of it --------------------------------------------------------------------------------------- */

size_t plx_fleet_devices(const plx_fleet *fleet)
{
    return fleet->count;
}

void plx_fleet_device_at(const plx_fleet *fleet, size_t index, plx_fleet_device *of)
{
    const device *one = &fleet->devices[index];
    *of = (plx_fleet_device){.host = one->host,
                             .node = one->node,
                             .model = one->model,
                             .uuid = one->uuid,
                             .file = one->file,
                             .number = one->number,
                             .verdict = one->verdict,
                             .reason = one->reason,
                             .command = one->command,
                             .slower = one->slower};
}

size_t plx_fleet_missing(const plx_fleet *fleet)
{
    return fleet->missing.count;
}

const char *plx_fleet_missing_at(const plx_fleet *fleet, size_t index)
{
    return fleet->missing.at[index];
}

size_t plx_fleet_skipped(const plx_fleet *fleet)
{
    return fleet->skipped.count;
}

const char *plx_fleet_skipped_at(const plx_fleet *fleet, size_t index)
{
    return fleet->skipped.at[index];
}

plx_health_verdict plx_fleet_verdict(const plx_fleet *fleet)
{
    plx_health_verdict worst = fleet->count == 0 || fleet->missing.count > 0 ? PLX_UNTESTED : PLX_HEALTHY;
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->devices[i].verdict > worst)
            worst = fleet->devices[i].verdict;
    return worst;
}
