/* Levenberg and Marquardt's method, in the logarithms of rates and times. */
#include "study/tune/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 40 };
static const double least_damping = 1e-6, most_damping = 1e8;
static const double outlier = 0.1; /* a part of the time by which no model is wrong usually */
/* What holds a rate where it was: as much as a time that is wrong by so much less than the rate is. */
static const double holding = 1e-3;
static const double nudge = 1e-4; /* by which rates are changed to see what follows */

typedef struct fitting {
    const plx_fit *fit;
    double *x, *tried, *first; /* logarithms of the rates: now, next, at first */
    double *rates;             /* that the model is asked with */
    double *errors, *slopes;   /* of each time; by each rate */
    double *matrix, *system;   /* normal equations, and their factors */
    double *gradient, *step;
} fitting;

/* ---- how good it is ------------------------------------------------------------------- */

static void errors_at(const fitting *f, const double *x, double *errors)
{
    const plx_fit *fit = f->fit;
    for (size_t j = 0; j < fit->rate_count; j++)
        f->rates[j] = exp(x[j]);
    for (size_t i = 0; i < fit->time_count; i++)
        errors[i] = log(fit->expect(fit->data, i, f->rates) / fit->us[i]);
}

static double weight_of(double error)
{
    return fabs(error) <= outlier ? 1.0 : outlier / fabs(error);
}

/* Huber's sum, and what holds the rates. */
static double badness(const fitting *f, const double *x, const double *errors)
{
    double sum = 0.0;
    for (size_t i = 0; i < f->fit->time_count; i++) {
        const double e = fabs(errors[i]);
        sum += e <= outlier ? e * e : 2.0 * outlier * e - outlier * outlier;
    }
    for (size_t j = 0; j < f->fit->rate_count; j++)
        sum += holding * (x[j] - f->first[j]) * (x[j] - f->first[j]);
    return sum;
}

static double typical(const double *errors, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += errors[i] * errors[i];
    return count > 0 ? exp(sqrt(sum / (double)count)) - 1.0 : 0.0;
}

/* ---- a step ----------------------------------------------------------------------------- */

/* Into slopes, rate by rate. */
static void find_slopes(fitting *f)
{
    const size_t n = f->fit->time_count;
    for (size_t j = 0; j < f->fit->rate_count; j++) {
        double *slope = &f->slopes[j * n], kept = f->x[j];
        f->x[j] = kept + nudge;
        errors_at(f, f->x, slope);
        f->x[j] = kept;
        for (size_t i = 0; i < n; i++)
            slope[i] = (slope[i] - f->errors[i]) / nudge;
    }
}

static double weighted(const fitting *f, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < f->fit->time_count; i++)
        sum += weight_of(f->errors[i]) * a[i] * b[i];
    return sum;
}

static void find_equations(fitting *f)
{
    const size_t count = f->fit->rate_count, n = f->fit->time_count;
    for (size_t j = 0; j < count; j++) {
        const double *slope = &f->slopes[j * n];
        for (size_t k = 0; k <= j; k++)
            f->matrix[j * count + k] = weighted(f, slope, &f->slopes[k * n]);
        f->matrix[j * count + j] += holding;
        f->gradient[j] = weighted(f, slope, f->errors) + holding * (f->x[j] - f->first[j]);
    }
}

/* Cholesky's factors of the matrix with its damped diagonal; false: it has none. */
static bool factorise(const fitting *f, double damping)
{
    const size_t count = f->fit->rate_count;
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k <= j; k++) {
            double sum = f->matrix[j * count + k] * (j == k ? 1.0 + damping : 1.0);
            for (size_t l = 0; l < k; l++)
                sum -= f->system[j * count + l] * f->system[k * count + l];
            if (j == k && !(sum > 0.0))
                return false;
            f->system[j * count + k] = j == k ? sqrt(sum) : sum / f->system[k * count + k];
        }
    return true;
}

static void solve(const fitting *f)
{
    const size_t count = f->fit->rate_count;
    for (size_t j = 0; j < count; j++) {
        double sum = -f->gradient[j];
        for (size_t l = 0; l < j; l++)
            sum -= f->system[j * count + l] * f->step[l];
        f->step[j] = sum / f->system[j * count + j];
    }
    for (size_t j = count; j-- > 0;) {
        double sum = f->step[j];
        for (size_t l = j + 1; l < count; l++)
            sum -= f->system[l * count + j] * f->step[l];
        f->step[j] = sum / f->system[j * count + j];
    }
}

/* To where the step leads, within what rates may be. */
static void try_step(const fitting *f)
{
    for (size_t j = 0; j < f->fit->rate_count; j++) {
        const plx_rate *rate = &f->fit->rates[j];
        f->tried[j] = fmin(fmax(f->x[j] + f->step[j], log(rate->least)), log(rate->most));
    }
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Takes a step that makes it better, with as much damping as that needs; false: there is none. */
static bool improve(fitting *f, double *bad, double *damping, double *errors)
{
    find_slopes(f);
    find_equations(f);
    for (; *damping <= most_damping; *damping *= 4.0) {
        if (!factorise(f, *damping))
            continue;
        solve(f);
        try_step(f);
        errors_at(f, f->tried, errors);
        const double now = badness(f, f->tried, errors);
        if (!(now < *bad))
            continue;
        const bool much = now < *bad * (1.0 - 1e-5);
        *bad = now;
        *damping = fmax(*damping / 8.0, least_damping);
        memcpy(f->x, f->tried, f->fit->rate_count * sizeof *f->x);
        memcpy(f->errors, errors, f->fit->time_count * sizeof *errors);
        return much;
    }
    return false;
}

static void run(fitting *f, plx_fit *fit, double *fitted, double *spare)
{
    double damping = 1e-2;
    for (size_t j = 0; j < fit->rate_count; j++)
        f->x[j] = f->first[j] = log(fit->rates[j].value);
    errors_at(f, f->x, f->errors);
    fit->before = typical(f->errors, fit->time_count);
    double bad = badness(f, f->x, f->errors);
    for (int i = 0; i < MOST_STEPS && improve(f, &bad, &damping, spare); i++)
        ;
    fit->after = typical(f->errors, fit->time_count);
    for (size_t j = 0; j < fit->rate_count; j++)
        fitted[j] = exp(f->x[j]);
}

plx_status plx_fit_rates(plx_fit *fit, double *fitted, plx_error *error)
{
    const size_t p = fit->rate_count, n = fit->time_count;
    double *scratch = calloc(6 * p + 2 * p * p + 2 * n + p * n, sizeof *scratch);
    if (scratch == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory to fit %zu rates to %zu times", p, n);
    fitting f = {.fit = fit, .x = scratch};
    f.tried = f.x + p;
    f.first = f.tried + p;
    f.rates = f.first + p;
    f.gradient = f.rates + p;
    f.step = f.gradient + p;
    f.matrix = f.step + p;
    f.system = f.matrix + p * p;
    f.errors = f.system + p * p;
    f.slopes = f.errors + n;
    run(&f, fit, fitted, f.slopes + p * n);
    free(scratch);
    return PLX_OK;
}
