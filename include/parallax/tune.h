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
    char date[16];        /* "2026-11-21", local time */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_gain;

/* Keeps the gains of what was timed in $XDG_CACHE_HOME/parallax/gains.json (else
 * ~/.cache), one for each device, backend, operation, dtype, kernel, shape and variant,
 * the newest thousand.  Nothing is kept when $PLX_NO_CACHE is set, with raised
 * privileges, or when the file can't be written; none of it is an error. */
PLX_API void plx_gains_store(const plx_results *results);
/* The newest gain of a kernel on a device, as `backend` ("cuda" or "cuda:0") reached it;
 * false: nothing is known. */
PLX_API bool plx_gains_find(const plx_device_info *device, const char *backend, plx_op op, const char *kernel,
                            plx_gain *gain);

/* ---- tuning ---------------------------------------------------------------- */

/* What was measured of one problem on one backend. */
typedef struct plx_tuned {
    size_t fastest;       /* record of the fastest kernel that is right */
    size_t by_default;    /* record of the plugin's own choice */
    double gain;          /* the default one's time over the fastest one's */
    bool kept;            /* the fastest is faster beyond its noise, and from now on the choice */
    char taken_back[64];  /* nothing was kept, and this kernel, which was the choice before, is no more; "": none was */
    uint64_t reserved[4]; /* 0: new members go here */
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

/* ---- the choice, and the rates that it stands on ----------------------------- */

/* How far a choice is from the best of all that was timed: its time over the least, problem by problem. */
typedef struct plx_regret {
    size_t problems, within; /* within: at most 1.05 */
    double mean, most;       /* mean: geometric; 0: no problem */
    plx_problem most_at;     /* the problem where it is most, and by how much its operands were shifted */
    uint64_t most_at_shift;
    uint64_t reserved[4]; /* 0: new members go here */
} plx_regret;

/* What became of the rates of one kernel's model. */
typedef struct plx_rates_fit {
    char kernel[64];
    size_t times, rates;  /* rates 0: there were too few times, and nothing was fitted */
    double before, after; /* typical error of what the model expects: a part of the time */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_rates_fit;

enum { PLX_MOST_FITS = 16 };

/* What it would cost to leave a kernel out: the time of what models expect to be the fastest of the others, over that
 * of what is chosen, on the same problems. */
typedef struct plx_kernel_without {
    char kernel[64];
    size_t problems, chosen, lost; /* chosen: it is what is chosen; lost: they would take more than 1.1 times as long */
    double mean;                   /* geometric; 0: no problem */
    uint64_t reserved[4];          /* 0: new members go here */
} plx_kernel_without;

/* What plx_tune_choice() found; the records are in the results. */
typedef struct plx_choice_study {
    char backend[48];
    size_t problems;   /* that were measured, to judge the choice or to fit rates */
    plx_regret chosen; /* of what the backend chooses by itself */
    bool fitted;
    plx_regret by_fitted; /* of what its models would choose by the rates that were fitted, on the same problems */
    plx_rates_fit fits[PLX_MOST_FITS];
    size_t fit_count;
    plx_kernel_without *without; /* each kernel that has a model; allocated */
    uint64_t without_count;
    uint64_t reserved[2]; /* 0: new members go here */
} plx_choice_study;

typedef struct plx_choice_options {
    /* How kernels are compared: its one backend (none: the best device), its problems, its seconds_in_all (0: 60)
     * and seconds_per_kernel (0: 0.005). */
    plx_compare_options compare;
    const char *const *sets; /* of shapes, as plx_bench has them */
    size_t set_count;
    plx_op op; /* of the sets only this */
    plx_dtype dtype;
    /* Where the rates that are fitted go, a file for each kernel that has some: KERNEL.h.  NULL: nothing is fitted. */
    const char *rates;
    const char *command;  /* for the first line of those */
    uint64_t reserved[8]; /* 0: new members go here */
} plx_choice_options;

/* Times, in each problem, what the models of all kernels expect to be fast, each judged before, and says how far
 * what the backend chooses is from the best.  With `rates`, two problems of three go to fitting them: timed are cuts
 * drawn from all that are not hopeless as well; what is fitted is then told by the others.  Nothing is chosen
 * otherwise from then on: the files are for the source.  PLX_UNSUPPORTED: no kernel has a model there.
 * results->choice has what was found. */
PLX_API plx_status plx_tune_choice(plx_context *context, const plx_choice_options *options, plx_results *results,
                                   plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
