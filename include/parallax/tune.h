/* Which kernel is fastest for a user's shapes, and what a step of a ladder gained: remembered. */
#ifndef PARALLAX_TUNE_H
#define PARALLAX_TUNE_H

#include <parallax/compare.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- gains, remembered ----------------------------------------------------- */

/* What a step of a ladder gained when it was last timed. */
typedef struct plx_gain {
    plx_dtype dtype;
    char shape[80];    /* "4096x4096x4096" */
    char variant[128]; /* "nt", "sum"; "" when it is plain */
    char over[64];     /* the kernel before */
    double gain;       /* its time over this one's */
    double gbps, gflops;
    char date[16]; /* "2026-11-21", local time */
} plx_gain;

/* Keeps the gains of what was timed in $XDG_CACHE_HOME/parallax/gains.json (else
 * ~/.cache), one for each device, backend, operation, dtype, kernel, shape and variant,
 * the newest thousand.  Nothing is kept when $PLX_NO_CACHE is set, with raised
 * privileges, or when the file can't be written; none of it is an error. */
PLX_API void plx_gains_store(const plx_results *results);
/* The newest gain of a kernel on a device, as `backend` ("cuda" or "cuda:0") reached it;
 * false: nothing is known. */
PLX_API bool plx_gains_find(const plx_device_info *device, const char *backend, plx_op op,
                            const char *kernel, plx_gain *gain);

/* ---- tuning ---------------------------------------------------------------- */

/* What was measured of one problem on one backend. */
typedef struct plx_tuned {
    size_t fastest; /* record of the fastest kernel that is right */
    size_t by_default; /* record of the plugin's own choice */
    double gain;       /* the default one's time over the fastest one's */
    bool kept;      /* the fastest is faster beyond its noise, and from now on the choice */
} plx_tuned;

/* Compares all kernels (or those that `options` names) on each problem and backend, and
 * keeps the fastest where it is another than the plugin's choice and their 95 % intervals
 * don't meet: from then on plx_plan_create() without a name, plx_run() and "best" take it
 * for this shape, element type, form, device, driver and these kernels; alpha, beta and
 * leading dimensions are not told apart.  A problem that was tuned before is tuned anew.
 * Kept in $XDG_CACHE_HOME/parallax/choices.tsv (else ~/.cache), written as a whole.
 * PLX_IO: it can't be.  On success free *tuned with free() and the results. */
PLX_API plx_status plx_tune(plx_context *context, const plx_compare_options *options, plx_results *results,
                            plx_tuned **tuned, size_t *count, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
