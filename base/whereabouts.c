/* Where this process runs, by the kernel and by the variables that schedulers and launchers set. */
#define _POSIX_C_SOURCE 200809L

#include "base/whereabouts.h"

#include "base/privileges.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the kernel ------------------------------------------------------------------------ */

static void read_boot(char *text, int capacity)
{
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); /* no stream: it takes memory */
    if (file < 0)
        return;
    const ssize_t length = read(file, text, (size_t)capacity - 1);
    text[length > 0 ? length : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    (void)close(file);
}

/* ---- schedulers and launchers ------------------------------------------------------------- */

typedef struct scheduler {
    const char *name, *job, *node;
} scheduler;

static const scheduler schedulers[] = {
    {"slurm", "SLURM_JOB_ID", "SLURMD_NODENAME"},
    {"pbs", "PBS_JOBID", NULL},
    {"lsf", "LSB_JOBID", NULL},
    {"sge", "JOB_ID", NULL},
    {"flux", "FLUX_JOB_ID", NULL},
    {"cobalt", "COBALT_JOBID", NULL},
};

/* The innermost launcher comes first: mpirun within a job of Slurm has ranks of its own. */
static const char *const ranks[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                       {"PMI_RANK", "PMI_SIZE"},
                                       {"PMIX_RANK", NULL},
                                       {"SLURM_PROCID", "SLURM_NTASKS"}};

/* What a variable says, fit for a line; false where it says nothing. */
static bool take(const char *variable, char *text, size_t capacity)
{
    const char *value = variable != NULL ? plx_getenv(variable) : NULL;
    if (value == NULL || value[0] == '\0')
        return false;
    (void)snprintf(text, capacity, "%s", value);
    plx_text_clean(text, capacity);
    return true;
}

static void find_job(plx_whereabouts *place)
{
    char number[72];
    for (size_t i = 0; i < sizeof schedulers / sizeof schedulers[0]; i++) {
        if (!take(schedulers[i].job, number, sizeof number))
            continue;
        (void)snprintf(place->job, sizeof place->job, "%s %s", schedulers[i].name, number);
        (void)take(schedulers[i].node, place->node, sizeof place->node);
        return;
    }
}

/* -1: it is no number. */
static int64_t number_of(const char *variable)
{
    char text[24], *end;
    if (!take(variable, text, sizeof text))
        return -1;
    const long long number = strtoll(text, &end, 10);
    return *end == '\0' && number >= 0 ? number : -1;
}

static void find_rank(plx_whereabouts *place)
{
    for (size_t i = 0; place->rank < 0 && i < sizeof ranks / sizeof ranks[0]; i++) {
        place->rank = number_of(ranks[i][0]);
        place->ranks = place->rank >= 0 ? number_of(ranks[i][1]) : -1;
    }
}

void plx_whereabouts_now(bool anonymous, plx_whereabouts *place)
{
    *place = (plx_whereabouts){.rank = -1, .ranks = -1};
    find_rank(place);
    if (anonymous)
        return;
    if (gethostname(place->host, sizeof place->host) != 0)
        place->host[0] = '\0';
    place->host[sizeof place->host - 1] = '\0';
    plx_text_clean(place->host, sizeof place->host);
    read_boot(place->boot, sizeof place->boot);
    find_job(place);
}

/* ---- for files ------------------------------------------------------------------------- */

static void put(plx_json *json, const char *name, const char *text)
{
    if (text[0] != '\0')
        plx_json_text(json, name, text);
}

void plx_json_whereabouts(plx_json *json, bool anonymous)
{
    plx_whereabouts now;
    plx_whereabouts_now(anonymous, &now);
    plx_json_object(json, "host");
    put(json, "name", now.host);
    put(json, "boot", now.boot);
    put(json, "job", now.job);
    put(json, "node", now.node);
    if (now.rank >= 0)
        plx_json_integer(json, "rank", now.rank);
    if (now.ranks >= 0)
        plx_json_integer(json, "ranks", now.ranks);
    plx_json_object_end(json);
}
