/* The rates of models: fitted to times, and written.  Private to libparallax-study. */
#ifndef PLX_TUNE_RATES_H
#define PLX_TUNE_RATES_H

#include "study/run/run.h"

/* ---- the fit (fit.c) -------------------------------------------------------------- */

/* Times, and a model of them. */
typedef struct plx_fit {
    const plx_rate *rates; /* where the fit begins, and where they may lie */
    size_t rate_count;
    const double *us; /* measured */
    size_t time_count;
    /* What the model expects of a time by other rates; more than 0. */
    double (*expect)(void *data, size_t time, const double *rates);
    void *data;
    double before, after; /* set: the typical error, of all times, as a part of the time */
} plx_fit;

/* Finds the rates by which the logarithms of what is expected are nearest to those of the times; an outlier
 * counts by its distance alone.  A rate of which the times say little stays near where it was.  The same for
 * the same times, always. */
plx_status plx_fit_rates(plx_fit *fit, double *fitted, plx_error *error);

/* ---- the file (rates_file.c) ------------------------------------------------------- */

/* Writes a list of initialisers, as C has it: a comment of one line that says where it is from, one with the
 * SHA-256 of the rest, and each rate with its value.  The file is whole, or as it was. */
plx_status plx_rates_write(const char *path, const char *origin, const plx_rate *rates, const double *values,
                           size_t count, plx_error *error);

#endif
