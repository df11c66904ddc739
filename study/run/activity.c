/* How busy the machine is while a study runs: its load, what others take of its processors, how often the system
 * took one from this process, and for how long control groups held it back. */
#define _DEFAULT_SOURCE

#include "study/run/run.h"

#include <parallax/host_limits.h>

#include <sys/resource.h>
#include <time.h>

/* What /proc/stat counts has steps of 10 ms on each processor: of less than that nothing can be told. */
static const double shortest_s = 0.2;

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static void mark_own(int whose, plx_activity_mark *mark)
{
    struct rusage used;

    if (getrusage(whose, &used) != 0)
        return;
    mark->own_s += seconds_of(&used.ru_utime) + seconds_of(&used.ru_stime);
    mark->switches += (uint64_t)used.ru_nivcsw;
}

static void mark_load(const char *root, plx_activity_mark *mark)
{
    char line[PLX_LIMITS_LINE];
    plx_limits_file from;

    (void)plx_limits_open(&from, root, "/proc/loadavg");
    mark->known = plx_limits_line(&from, line) && sscanf(line, "%lf", &mark->load) == 1 && mark->load >= 0.0;
    plx_limits_close(&from);
}

/* The first line: "cpu" and ticks in user code, by nice processes, in the system, idle, waiting for disks, in
 * interrupts of two kinds, and stolen by other machines on the same one. */
static void mark_spent(const char *root, plx_activity_mark *mark)
{
    char line[PLX_LIMITS_LINE];
    double ticks[8] = {0.0};
    plx_limits_file from;
    const long each_second = sysconf(_SC_CLK_TCK);

    (void)plx_limits_open(&from, root, "/proc/stat");
    if (each_second > 0 && plx_limits_line(&from, line) &&
        sscanf(line, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0], &ticks[1], &ticks[2], &ticks[3], &ticks[4],
               &ticks[5], &ticks[6], &ticks[7]) >= 4)
        mark->spent_s = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) / (double)each_second;
    plx_limits_close(&from);
}

plx_activity_mark plx_activity_mark_now(void)
{
    const char *root = plx_limits_root();
    struct timespec now = {.tv_sec = 0};
    plx_activity_mark mark = {.known = false};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    mark.at_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    mark_load(root, &mark);
    mark_spent(root, &mark);
    mark_own(RUSAGE_SELF, &mark);
    mark_own(RUSAGE_CHILDREN, &mark);
    mark.throttled_s = plx_limits_throttled(root);
    return mark;
}

static double others_between(const plx_activity_mark *began, const plx_activity_mark *ended)
{
    const double elapsed = ended->at_s - began->at_s;
    const double others = (ended->spent_s - began->spent_s) - (ended->own_s - began->own_s);

    if (elapsed < shortest_s || !(began->spent_s > 0.0) || !(ended->spent_s > began->spent_s))
        return -1.0;
    return others > 0.0 ? others / elapsed : 0.0;
}

plx_activity plx_activity_since(const plx_activity_mark *began)
{
    const plx_activity_mark ended = plx_activity_mark_now();

    if (!began->known || !ended.known)
        return (plx_activity){.known = false};
    return (plx_activity){.known = true,
                          .load_begin = began->load,
                          .load_end = ended.load,
                          .others = others_between(began, &ended),
                          .switches = ended.switches - began->switches,
                          .throttled_begin_s = began->throttled_s,
                          .throttled_end_s = ended.throttled_s};
}
