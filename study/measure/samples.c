/* Which samples to believe: those taken while the device ran as it typically does. */
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include "base/run_to_run.h"

#include <math.h>
#include <stdlib.h>

/* An interval of 95 % exists from six samples on. */
enum { FEWEST = 6 };

static const double slowed = 0.97; /* of the typical clock */

/* What slows a device down for a while; to be idle or to be set lower does not. */
static const uint32_t passing = ~(uint32_t)(PLX_THROTTLE_IDLE | PLX_THROTTLE_SETTING);

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* The clock that a tenth of the samples had or exceeded: one odd reading does not count. */
static double typical_clock(const plx_sample *samples, size_t count)
{
    double clocks[PLX_MAX_SAMPLES];
    size_t known = 0;

    for (size_t i = 0; i < count && known < PLX_MAX_SAMPLES; ++i)
        if (samples[i].clock_mhz > 0.0)
            clocks[known++] = samples[i].clock_mhz;
    if (known == 0)
        return 0.0;
    qsort(clocks, known, sizeof *clocks, falling);
    return clocks[known / 10];
}

static bool is_sound(const plx_sample *sample, double typical)
{
    return (sample->throttle & passing) == 0 && !(sample->clock_mhz > 0.0 && sample->clock_mhz < slowed * typical);
}

size_t plx_samples_filter(const plx_sample *samples, size_t count, bool *keep, bool *throttled)
{
    const double typical = typical_clock(samples, count);
    size_t kept = 0;

    for (size_t i = 0; i < count; ++i) {
        keep[i] = is_sound(&samples[i], typical);
        kept += keep[i];
    }
    *throttled = kept < count && kept < FEWEST;
    for (size_t i = 0; *throttled && i < count; ++i)
        keep[i] = true;
    return *throttled ? count : kept;
}

size_t plx_samples_leave_disturbed(const plx_sample *samples, size_t count, bool *keep)
{
    size_t calm = 0, taken = 0;

    for (size_t i = 0; i < count; ++i)
        calm += keep[i] && !samples[i].disturbed;
    for (size_t i = 0; calm >= FEWEST && i < count; ++i)
        if (keep[i] && samples[i].disturbed) {
            keep[i] = false;
            ++taken;
        }
    return taken;
}

void plx_timing_of_samples(const plx_sample *samples, size_t count, plx_timing *timing)
{
    bool keep[PLX_MAX_SAMPLES];
    double times[PLX_MAX_SAMPLES], host[PLX_MAX_SAMPLES];
    size_t kept = 0;

    if (count > PLX_MAX_SAMPLES)
        count = PLX_MAX_SAMPLES;
    timing->dropped = count - plx_samples_filter(samples, count, keep, &timing->throttled);
    timing->disturbed = plx_samples_leave_disturbed(samples, count, keep);
    for (size_t i = 0; i < count; ++i)
        if (keep[i]) {
            times[kept] = samples[i].time_ns;
            host[kept++] = samples[i].host_ns;
        }
    plx_timing_of(times, kept, timing);
    plx_interval_of(host, kept, &timing->host);
}

static int by_time(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

void plx_spread_of_samples(const plx_sample *samples, size_t count, plx_spread *spread)
{
    bool keep[PLX_MAX_SAMPLES], throttled;
    double times[PLX_MAX_SAMPLES];
    size_t kept = 0;

    if (count > PLX_MAX_SAMPLES)
        count = PLX_MAX_SAMPLES;
    (void)plx_samples_filter(samples, count, keep, &throttled);
    (void)plx_samples_leave_disturbed(samples, count, keep);
    for (size_t i = 0; i < count; ++i)
        if (keep[i])
            times[kept++] = samples[i].time_ns;
    *spread = (plx_spread){.known = kept > 0};
    if (kept == 0)
        return;
    qsort(times, kept, sizeof *times, by_time);
    spread->least = times[0];
    spread->lower = times[kept / 4];
    spread->middle = times[kept / 2];
    spread->upper = times[3 * kept / 4];
    spread->most = times[kept - 1];
}

/* ---- from run to run (base/run_to_run.h) ---------------------------------------------- */

static void widen(double median, double *low, double *high)
{
    const double by = plx_run_to_run_ns(median);

    *low = *low > by ? *low - by : *low / 2.0; /* no time is negative */
    *high += by;
}

void plx_timing_widen(plx_timing *timing)
{
    if (timing->measured)
        widen(timing->median_ns, &timing->low_ns, &timing->high_ns);
    if (timing->host.measured)
        widen(timing->host.median_ns, &timing->host.low_ns, &timing->host.high_ns);
    if (timing->latency.measured)
        widen(timing->latency.median_ns, &timing->latency.low_ns, &timing->latency.high_ns);
}

void plx_sample_note(plx_sample *sample, const plx_telemetry *state)
{
    if (state->known & PLX_KNOWS_THROTTLE)
        sample->throttle |= state->throttle;
    if ((state->known & PLX_KNOWS_SM_CLOCK) == 0 || !(state->sm_clock_mhz > 0.0))
        return;
    if (!(sample->clock_mhz > 0.0) || state->sm_clock_mhz < sample->clock_mhz)
        sample->clock_mhz = state->sm_clock_mhz;
}
