/* The configurations of a backend's kernels for one problem, each judged and timed shortly: which of them are
 * worth a comparison.  Private to libparallax-study. */
#ifndef PLX_SEARCH_H
#define PLX_SEARCH_H

#include "study/compare/comparison.h"

enum { PLX_MOST_FINALISTS = 8 };

/* What is searched, and what came of it. */
typedef struct plx_search {
    plx_comparison *comparison; /* whose backends and options it takes; its kernels, none named: all */
    plx_backend *backend;
    size_t device; /* of the results */
    const plx_problem *problem;
    double seconds; /* the time that it may take */
    /* Told now and then which share of that is gone, and what was found; may be NULL. */
    void (*progress)(void *data, double share, const char *what);
    void *progress_data;

    size_t known, tried;                    /* configurations */
    char finalists[PLX_MOST_FINALISTS][64]; /* the fastest, and before them what is not right */
    size_t finalist_count;
} plx_search;

/* Tries them in the order of what the kernels' models expect, until the time is over or the rest is expected
 * to take more than twice the least time that was measured. */
plx_status plx_search_configs(plx_search *search, plx_error *error);

#endif
