/* The median of samples, and the interval that holds the true median with 95 %
 * probability whatever the distribution: two order statistics. */
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include <math.h>
#include <stdlib.h>

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The largest rank r (from 0) for which the r-th smallest of `count` samples is below
 * the median with at least 97.5 % probability: P(Bin(count, 1/2) <= r) <= 2.5 %. */
static size_t lower_rank(size_t count)
{
    double n = (double)count, term = exp2(-n), sum = 0.0;
    size_t rank = 0;

    for (size_t k = 0; k < count; ++k) {
        sum += term;
        if (sum > 0.025)
            break;
        rank = k;
        term *= (n - (double)k) / ((double)k + 1.0);
    }
    return rank;
}

/* -1 below the median, 1 above it, 0 at it. */
static int side(double sample, double median)
{
    return sample < median ? -1 : sample > median;
}

/* Of how many independent samples they tell as much: fewer, where neighbours in time
 * stand on the same side of the median more often than chance has it.  A device that
 * drifts, or that changes between two speeds, is not told better by a longer look. */
static size_t independent(const double *samples, size_t count, double median)
{
    double together = 0.0, share;

    for (size_t i = 1; i < count; ++i)
        together += side(samples[i - 1], median) * side(samples[i], median);
    share = count > 1 ? together / (double)(count - 1) : 0.0;
    if (share <= 2.0 / sqrt((double)count)) /* as chance has it */
        return count;
    return (size_t)((double)count * (1.0 - share) / (1.0 + share));
}

static double median_of(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0;
}

/* Ranks among `count` that stand where those of fewer samples would. */
static size_t rank_of(size_t count, size_t fewer)
{
    return fewer == 0 ? 0 : lower_rank(fewer) * count / fewer;
}

void plx_interval_of(double *samples, size_t count, plx_interval *interval)
{
    double *in_time = count > 0 ? malloc(count * sizeof *in_time) : NULL;
    size_t effective = count, rank;

    *interval = (plx_interval){.measured = count > 0, .samples = count};
    if (count == 0)
        return;
    for (size_t i = 0; in_time != NULL && i < count; ++i)
        in_time[i] = samples[i];
    qsort(samples, count, sizeof *samples, rising);
    interval->median_ns = median_of(samples, count);
    if (in_time != NULL)
        effective = independent(in_time, count, interval->median_ns);
    free(in_time);
    rank = rank_of(count, effective);
    interval->low_ns = samples[rank];
    interval->high_ns = samples[count - 1 - rank];
}

void plx_timing_of(double *samples, size_t count, plx_timing *timing)
{
    plx_interval interval;

    plx_interval_of(samples, count, &interval);
    timing->measured = interval.measured;
    timing->samples = count;
    if (count == 0)
        return;
    timing->median_ns = interval.median_ns;
    timing->low_ns = interval.low_ns;
    timing->high_ns = interval.high_ns;
}
