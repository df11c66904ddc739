/* Ceilings that were measured, kept for a day in the user's cache: ceilings.tsv, a line for each kind of each
 * way to a device: seconds since 1970, whose it is, kind, value, and where they are known the clock in MHz and whether
 * the device was at its power limit.  Whose: device, plugin, driver, version of
 * parallax and hash of its kernels, processors and their quota, so that none is taken for another's.  What
 * was measured steadily, or reached by a right result, is kept for a day; else, on a busy machine, for ten minutes, as
 * a line that is almost a day old, so that not every process measures it again. */
#include "study/measure/ceiling.h"

#include "base/cache_dir.h"
#include "base/text.h"

#include <parallax/host_limits.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAY = 24 * 3600, UNSTEADY = 600, MOST_OF_LINE = 2048, MOST_LINES = 512 };

static const char file_name[] = "ceilings.tsv", first_line[] = "parallax-ceilings/1\n";

typedef struct kept_line {
    long long seconds;
    char whose[1024], kind[32];
    double value, clock_mhz; /* 0: not known */
    int at_power_limit;
} kept_line;

/* The label's number changes with what else is plugged in, the device's name or UUID does not. */
static void owner_of(const plx_backend *backend, char whose[static 1024])
{
    const plx_device_info *info = plx_backend_device(backend);
    const plx_build *built = plx_build_facts();
    const char *label = plx_backend_label(backend);
    plx_host_limits limits;
    char device[256];

    plx_host_limits_now(&limits);
    plx_cache_device(info, device, sizeof device);
    (void)snprintf(whose, 1024, "%.200s|%.*s|%.200s|%.200s|%.40s|%.80s|%" PRIu32 "|%.4g", device,
                   (int)strcspn(label, ":"), label, info->api, info->driver, plx_version(), built->kernels_hash,
                   limits.processors, limits.quota);
    plx_text_clean(whose, 1024);
    for (char *at = whose; (at = strpbrk(at, "\t\n")) != NULL;)
        *at = ' ';
}

/* False: no such line, or one that does not hold any more. */
static bool parse(const char *text, long long now, kept_line *line)
{
    *line = (kept_line){.value = 0.0};
    return sscanf(text, "%lld\t%1023[^\t\n]\t%31[^\t\n]\t%lf\t%lf\t%d", &line->seconds, line->whose, line->kind,
                  &line->value, &line->clock_mhz, &line->at_power_limit) >= 4 &&
           line->seconds <= now && now - line->seconds < DAY && line->value > 0.0 && line->value < 1e15 &&
           line->clock_mhz >= 0.0 && line->clock_mhz < 1e6;
}

/* Calls see() with each line that holds. */
static void each_line(const char *path, void (*see)(void *data, const kept_line *line), void *data)
{
    char text[MOST_OF_LINE];
    kept_line line;
    size_t count = 0;
    FILE *from = plx_cache_open(path, PLX_CACHE_MOST);

    if (from == NULL)
        return;
    if (fgets(text, sizeof text, from) != NULL && strcmp(text, first_line) == 0)
        while (count++ < MOST_LINES && fgets(text, sizeof text, from) != NULL)
            if (parse(text, (long long)time(NULL), &line))
                see(data, &line);
    (void)fclose(from);
}

/* ---- reading --------------------------------------------------------------------------- */

typedef struct wanted {
    char whose[1024];
    plx_ceilings *ceilings;
} wanted;

static void take_line(void *data, const kept_line *line)
{
    const wanted *w = data;

    for (int kind = 0; kind < PLX_CEILING_COUNT; ++kind)
        if (strcmp(line->kind, plx_ceiling_name((plx_ceiling_kind)kind)) == 0 && strcmp(line->whose, w->whose) == 0) {
            w->ceilings->value[kind] = line->value;
            w->ceilings->clock_mhz[kind] = line->clock_mhz;
            w->ceilings->at_power_limit |= line->at_power_limit != 0 ? UINT32_C(1) << kind : 0;
            w->ceilings->tried |= UINT32_C(1) << kind;
        }
}

void plx_ceilings_read(const plx_backend *backend, plx_ceilings *ceilings)
{
    wanted w = {.ceilings = ceilings};
    char path[4096];

    if (!plx_cache_path(file_name, path, sizeof path))
        return;
    owner_of(backend, w.whose);
    each_line(path, take_line, &w);
}

/* ---- writing --------------------------------------------------------------------------- */

typedef struct rewriting {
    FILE *to;
    const char *whose, *kind; /* whose line is left out */
} rewriting;

static void put_line(FILE *to, const kept_line *line)
{
    (void)fprintf(to, "%lld\t%s\t%s\t%.17g", line->seconds, line->whose, line->kind, line->value);
    if (line->clock_mhz > 0.0)
        (void)fprintf(to, "\t%.17g\t%d", line->clock_mhz, line->at_power_limit);
    (void)fputc('\n', to);
}

static void copy_line(void *data, const kept_line *line)
{
    const rewriting *r = data;

    if (strcmp(line->whose, r->whose) != 0 || strcmp(line->kind, r->kind) != 0)
        put_line(r->to, line);
}

static bool is_kept(const plx_backend *backend, plx_ceiling_kind kind)
{
    plx_ceilings kept = {.tried = 0};

    plx_ceilings_read(backend, &kept);
    return (kept.tried >> kind & 1) != 0;
}

/* Whatever fails: then it is measured again next time. */
void plx_ceiling_write(const plx_backend *backend, plx_ceiling_kind kind, const plx_ceilings *ceilings, bool steady)
{
    kept_line line = {.seconds = (long long)time(NULL) - (steady ? 0 : DAY - UNSTEADY),
                      .value = ceilings->value[kind],
                      .clock_mhz = ceilings->clock_mhz[kind],
                      .at_power_limit = (int)(ceilings->at_power_limit >> kind & 1)};
    char path[4096], *text = NULL;
    plx_error error;
    size_t length = 0;
    int lock;

    if (!(line.value > 0.0) || (!steady && is_kept(backend, kind)) || !plx_cache_path(file_name, path, sizeof path) ||
        plx_cache_lock(path, &lock, &error) != PLX_OK)
        return;
    owner_of(backend, line.whose);
    (void)snprintf(line.kind, sizeof line.kind, "%s", plx_ceiling_name(kind));
    FILE *to = open_memstream(&text, &length);
    if (to != NULL) {
        rewriting r = {.to = to, .whose = line.whose, .kind = line.kind};
        (void)fputs(first_line, to);
        each_line(path, copy_line, &r);
        put_line(to, &line);
        if (fclose(to) == 0 && text != NULL)
            (void)plx_cache_write(path, text, length, &error);
    }
    free(text);
    plx_cache_unlock(lock);
}
