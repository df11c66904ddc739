/* Which clock to believe: a device's says nothing that the host's, which saw every batch
 * begin and end, does not allow. */
#include "study/measure/timing.h"

#include <math.h>
#include <stdlib.h>

/* A device's clock may run faster or slower than the host's by this, and start a little early. */
static const double drift = 0.02, early_ns = 20e3;

/* What a batch takes on the host's clock on top of the device's work: an empty one costs
 * 10 to 20 us.  On an H200 batches cost up to 26 us, and those without a launch ahead of
 * them, which find the device idle, up to 181 us; both are held to several times that. */
static const double empty_batches = 10.0, least_overhead_ns = 50e3, idle_start_ns = 250e3;

static const char *const texts[] = {
    [PLX_CLOCK_FITS] = "",
    [PLX_CLOCK_SILENT] = "the device's clock gave no time",
    [PLX_CLOCK_LONG] = "the device's clock says longer than the host saw it take",
    [PLX_CLOCK_SHORT] = "the device's clock says shorter than the host saw it take",
};

/* Whatever the overhead is said to be, half of what the host saw is the device's work, or
 * the batch is too short to tell. */
plx_clock_fit plx_clock_fit_of(double device_ns, double host_ns, double overhead_ns)
{
    const double margin = fmin(drift * host_ns + overhead_ns, host_ns / 2.0);

    if (!isfinite(device_ns) || !(device_ns > 0.0))
        return PLX_CLOCK_SILENT;
    if (plx_rule_left_out(PLX_RULE_CLOCK))
        return PLX_CLOCK_FITS;
    if (device_ns > host_ns * (1.0 + drift) + early_ns)
        return PLX_CLOCK_LONG;
    return device_ns < host_ns - margin ? PLX_CLOCK_SHORT : PLX_CLOCK_FITS;
}

const char *plx_clock_fit_text(plx_clock_fit fit)
{
    return texts[fit];
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, rising);
    return values[count / 2];
}

/* The host may be held up in one sample; it can't see less than there was in any. */
static plx_clock_fit fit_of_samples(const plx_sample *samples, size_t count, size_t batch, double overhead_ns)
{
    double device[PLX_MAX_SAMPLES], host[PLX_MAX_SAMPLES];

    for (size_t i = 0; i < count; ++i) {
        device[i] = samples[i].device_ns * (double)batch;
        host[i] = samples[i].host_ns * (double)batch;
        const plx_clock_fit fit = plx_clock_fit_of(device[i], host[i], overhead_ns);
        if (fit == PLX_CLOCK_SILENT || fit == PLX_CLOCK_LONG)
            return fit;
    }
    return plx_clock_fit_of(median_of(device, count), median_of(host, count), overhead_ns);
}

plx_clock_fit plx_samples_believe(plx_sample *samples, size_t count, size_t batch, double overhead_ns)
{
    plx_clock_fit fit = count > 0 ? fit_of_samples(samples, count, batch, overhead_ns) : PLX_CLOCK_SILENT;

    for (size_t i = 0; i < count; ++i)
        samples[i].time_ns = fit == PLX_CLOCK_FITS ? samples[i].device_ns : samples[i].host_ns;
    return fit;
}

/* ---- what launching and waiting cost ------------------------------------------------- */

static plx_status time_empty_batch(const plx_timed_queues *queues, double *host_ns)
{
    const double start = plx_now_ns();
    plx_status status = plx_timed_queues_start(queues);

    if (status == PLX_OK)
        status = plx_timed_queues_stop(queues);
    if (status == PLX_OK)
        status = plx_timed_queues_wait(queues);
    *host_ns = plx_now_ns() - start;
    return status;
}

plx_status plx_clock_overhead(const plx_timed_queues *queues, double *overhead_ns)
{
    enum { TIMES = 5 };
    double times[TIMES];
    plx_status status = plx_timed_queues_wait(queues);

    for (size_t i = 0; status == PLX_OK && i < TIMES; ++i)
        status = time_empty_batch(queues, &times[i]);
    if (status == PLX_OK)
        *overhead_ns = empty_batches * median_of(times, TIMES) + least_overhead_ns;
    return status;
}

double plx_clock_overhead_idle(double overhead_ns)
{
    return overhead_ns + idle_start_ns;
}

double plx_clock_empty(double overhead_ns)
{
    return (overhead_ns - least_overhead_ns) / empty_batches;
}
