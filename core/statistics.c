/* The median of samples, and the interval that holds the true median with 95 %
 * probability whatever the distribution: two order statistics. */
#include "core/study.h"

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

void plx_timing_of(double *samples, size_t count, plx_timing *timing)
{
    size_t rank = lower_rank(count);

    qsort(samples, count, sizeof *samples, rising);
    timing->measured = count > 0;
    timing->samples = count;
    if (count == 0)
        return;
    timing->median_ns = (samples[(count - 1) / 2] + samples[count / 2]) / 2.0;
    timing->low_ns = samples[rank];
    timing->high_ns = samples[count - 1 - rank];
}
