/* The kernels of a backend that have models, and the times of their cuts.  Private to libparallax-study. */
#ifndef PLX_TUNE_CUTS_H
#define PLX_TUNE_CUTS_H

#include "study/compare/comparison.h"

enum { PLX_MOST_MODELLED = 16, PLX_NO_MODEL = -1 };

/* A kernel that has a model. */
typedef struct plx_modelled {
    plx_candidate candidate;
    plx_rate *rates; /* NULL: its model has none */
    double *fitted;  /* as many; NULL: nothing was fitted */
    size_t rate_count;
} plx_modelled;

typedef struct plx_modelled_kernels {
    plx_modelled list[PLX_MOST_MODELLED];
    size_t count;
} plx_modelled_kernels;

/* A kernel in one of its configurations, and its time. */
typedef struct plx_cut {
    int kernel;                       /* of the modelled; PLX_NO_MODEL: what the backend chooses has none */
    plx_config config;                /* number 0: the kernel has none */
    double expected_us, by_fitted_us; /* 0: nobody knows */
    bool chosen;                      /* by the backend */
    bool chosen_by_fitted;
    double us; /* 0: it was not timed, or was not right */
} plx_cut;

/* One problem, and what is timed of it. */
typedef struct plx_cuts {
    const plx_comparison *comparison;
    const plx_modelled_kernels *kernels;
    const plx_problem *problem;
    uint64_t shift;
    size_t group; /* of the records */
    bool to_fit;  /* drawn ones as well, each shortly; else the fastest are timed again, for longer */
    plx_cut *list;
    size_t count; /* those that were chosen to be timed */
} plx_cuts;

/* Those of the backend that have one for some problem of the operation; their rates for this one. */
plx_status plx_modelled_find(const plx_comparison *comparison, const plx_problem *problem,
                             plx_modelled_kernels *kernels, plx_error *error);
void plx_modelled_free(plx_modelled_kernels *kernels);

/* Chooses, judges and times; adds their records.  PLX_NO_MEMORY: the problem is too large.  To be freed in
 * any case. */
plx_status plx_cuts_time(plx_cuts *cuts, plx_error *error);
void plx_cuts_free(plx_cuts *cuts);

#endif
