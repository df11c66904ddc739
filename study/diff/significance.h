/* Tests of significance.  Private to libparallax-study. */
#ifndef PLX_CORE_STUDENT_H
#define PLX_CORE_STUDENT_H

#include <stddef.h>

/* The probability that a variable of Student's distribution is at least as far from 0 as t;
 * freedom > 0 need not be whole. */
double plx_student_tails(double t, double freedom);

/* What a median and its 95 % interval tell of the noise of its logarithm. */
typedef struct plx_noise {
    double error;   /* standard error; 0 when all samples were equal; infinite: unknown */
    double freedom; /* how well the error itself is known */
} plx_noise;

/* The interval is of order statistics (statistics.c), of so many samples. */
plx_noise plx_noise_of(double low, double high, size_t samples);
/* How many of the slowest of so many runs are left out of their mean, and as many of the fastest: from eight on a
 * fifth, for a machine that something else held up in one of them tells nothing of the rest. */
size_t plx_trimmed_runs(size_t runs);
/* The half width of a 95 % interval of that mean of so many runs, at least two, in its standard errors. */
double plx_reach_of_runs(size_t runs);
/* The interval is of runs' medians (runs.c). */
plx_noise plx_noise_between(double low, double high, size_t runs);
/* Together with an error that is known, and independent of it. */
plx_noise plx_noise_with(plx_noise noise, double known);
/* Probability of two medians at least that far apart when the true ones are equal. */
double plx_medians_differ(double one, plx_noise noise_one, double other, plx_noise noise_other);

/* Holm's correction, in place: p[i] becomes the smallest level at which the whole family of
 * tests still calls the i-th significant.  `order` is scratch of `count`. */
void plx_holm(double *p, size_t *order, size_t count);

#endif
