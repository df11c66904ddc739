/* Whether two medians differ by more than their noise, also when many pairs are asked. */
#include "study/diff/significance.h"

#include <math.h>
#include <stdbool.h>

/* ---- Student's distribution ----------------------------------------------------------- */

/* One step of evaluating a continued fraction from its front: numerators and denominators
 * are kept as ratios to their predecessors. */
typedef struct fraction {
    double value, above, below;
} fraction;

static double away_from_zero(double x)
{
    return fabs(x) < 1e-300 ? 1e-300 : x;
}

static double extend(fraction *f, double term)
{
    f->above = away_from_zero(1 + term / f->above);
    f->below = 1 / away_from_zero(1 + term * f->below);
    f->value *= f->above * f->below;
    return f->above * f->below;
}

/* The regularised incomplete beta function, where its fraction converges fast:
 * x < (a + 1) / (a + b + 2). */
static double beta_by_fraction(double x, double a, double b)
{
    double scale = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
    fraction f = {.value = 1, .above = 1, .below = 0};
    f.below = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    f.value = f.below;
    for (int i = 1; i < 1000; i++) {
        double m = i;
        (void)extend(&f, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
        double change = extend(&f, -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
        if (fabs(change - 1) < 1e-15)
            break;
    }
    return scale * f.value;
}

static double incomplete_beta(double x, double a, double b)
{
    if (!(x > 0))
        return 0;
    if (!(x < 1))
        return 1;
    return x < (a + 1) / (a + b + 2) ? beta_by_fraction(x, a, b) : 1 - beta_by_fraction(1 - x, b, a);
}

double plx_student_tails(double t, double freedom)
{
    if (isinf(t))
        return 0;
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

/* ---- noise ------------------------------------------------------------------------------ */

/* How many standard errors the interval reaches to each side: with fewer than six samples
 * the smallest and the largest of them hold the median with less than 95 %. */
static double reach(size_t samples)
{
    static const double few[] = {0, 0, 0.674, 1.150, 1.534, 1.863};
    return samples < sizeof few / sizeof few[0] ? few[samples] : 1.960;
}

/* The interval's width rests on the spacings between its two ranks; half their number is
 * what a variance of so many degrees of freedom would be known to. */
static double freedom_of(size_t samples)
{
    double spacings = samples < 6 ? (double)samples - 1 : floor(1.96 * sqrt((double)samples));
    return spacings / 2;
}

plx_noise plx_noise_of(double low, double high, size_t samples)
{
    bool known = samples >= 2 && low > 0 && high >= low && isfinite(high);
    plx_noise noise = {.error = INFINITY, .freedom = 1};
    if (!known)
        return noise;
    noise.error = log(high / low) / 2 / reach(samples);
    noise.freedom = freedom_of(samples);
    return noise;
}

size_t plx_trimmed_runs(size_t runs)
{
    return runs >= 8 ? runs / 5 : 0;
}

/* How well the error of their mean is known. */
static size_t freedom_of_runs(size_t runs)
{
    return runs > 1 ? runs - 2 * plx_trimmed_runs(runs) - 1 : 1;
}

/* Student's quantile; an approximation where it hardly differs from the normal one. */
double plx_reach_of_runs(size_t runs)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
    const size_t freedom = freedom_of_runs(runs);
    return freedom <= sizeof few / sizeof few[0] ? few[freedom - 1] : 1.960 + 2.4 / (double)freedom;
}

plx_noise plx_noise_between(double low, double high, size_t runs)
{
    plx_noise noise = {.error = INFINITY, .freedom = 1};
    if (runs < 2 || !(low > 0 && high >= low && isfinite(high)))
        return noise;
    noise.error = log(high / low) / 2 / plx_reach_of_runs(runs);
    noise.freedom = (double)freedom_of_runs(runs);
    return noise;
}

/* As Welch and Satterthwaite have it. */
plx_noise plx_noise_with(plx_noise noise, double known)
{
    const double own = noise.error * noise.error, all = own + known * known;
    if (!isfinite(all) || !(known > 0))
        return noise;
    noise.error = sqrt(all);
    noise.freedom = own > 0 ? noise.freedom * (all / own) * (all / own) : 1e6;
    noise.freedom = fmin(noise.freedom, 1e6);
    return noise;
}

/* Welch's test on the logarithms. */
double plx_medians_differ(double one, plx_noise noise_one, double other, plx_noise noise_other)
{
    double a = noise_one.error * noise_one.error, b = noise_other.error * noise_other.error;
    double apart = fabs(log(one / other));
    if (!isfinite(a + b) || !isfinite(apart))
        return 1;
    if (!(a + b > 0))
        return apart > 0 ? 0 : 1;
    double freedom = (a + b) * (a + b) / (a * a / noise_one.freedom + b * b / noise_other.freedom);
    return plx_student_tails(apart / sqrt(a + b), freedom);
}

/* ---- many at once ------------------------------------------------------------------------ */

static void sift(const double *p, size_t *heap, size_t from, size_t count)
{
    for (size_t child = 2 * from + 1; child < count; child = 2 * from + 1) {
        size_t kept = heap[from];
        if (child + 1 < count && p[heap[child + 1]] > p[heap[child]])
            child++;
        if (p[heap[child]] <= p[kept])
            return;
        heap[from] = heap[child];
        heap[child] = kept;
        from = child;
    }
}

/* Indices by rising p. */
static void sort_by(const double *p, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count / 2; i-- > 0;)
        sift(p, order, i, count);
    for (size_t end = count; end-- > 1;) {
        size_t kept = order[0];
        order[0] = order[end];
        order[end] = kept;
        sift(p, order, 0, end);
    }
}

void plx_holm(double *p, size_t *order, size_t count)
{
    double least = 0;
    sort_by(p, order, count);
    for (size_t i = 0; i < count; i++) {
        least = fmax(least, (double)(count - i) * p[order[i]]);
        p[order[i]] = fmin(least, 1);
    }
}
