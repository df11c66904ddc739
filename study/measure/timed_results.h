/* What timed launches leave behind, judged: a kernel may be right the first time and
 * compute no more once it is timed.  Private to libparallax-study. */
#ifndef PLX_TIMED_RESULTS_H
#define PLX_TIMED_RESULTS_H

#include "study/measure/timed_sets.h"

/* The looks at one candidate.  Starts as {.candidate, .inputs, .sets, .dice}. */
typedef struct plx_timed_results {
    plx_candidate *candidate;
    const plx_inputs *inputs;
    plx_timed_sets *sets;
    plx_dice dice;
    unsigned char *staging;
    plx_bound bound; /* of the set that is judged */
    int64_t compared;
    char wrong[400]; /* what was wrong; "" while nothing was */
    bool own;        /* and nobody else can have done it */
    size_t bad_set;  /* whose result was wrong, for a reason that is not known yet; SIZE_MAX: none */
    int64_t bad_element;
} plx_timed_results;

/* After a turn of launches, when all is done: draws sets of the turn and elements of their results, and judges them,
 * at least two sets, more as long as there is time.  all: every element of the first. */
plx_status plx_timed_results_look(plx_timed_results *results, bool all, double budget_ns, plx_error *error);
/* Of a result that is wrong for no known reason: launches again, to see what it goes by, and says it. */
plx_status plx_timed_results_explain(plx_timed_results *results, plx_error *error);
/* Whether outputs of sets that were not launched on are as they were filled, and all inputs and what is around them
 * as they must be: of all sets, in any order, as far as there is time. */
plx_status plx_timed_results_sweep(plx_timed_results *results, double budget_ns, plx_error *error);
/* How long it takes to read what a turn left, the first time and again. */
plx_status plx_timed_results_read(plx_timed_results *results, double *first_ns, double *again_ns, size_t *sets,
                                  plx_error *error);
void plx_timed_results_free(plx_timed_results *results);

#endif
