/* plx_check from the inside: it is done in units, each some cases of one operation in one
 * dtype, which several threads take from a list.  Private to libparallax-study. */
#ifndef PLX_CHECK_H
#define PLX_CHECK_H

#include "study/check/failure.h"

#include <pthread.h>

/* What all threads share; the callbacks and the counters under the lock alone. */
struct plx_check_unit;

typedef struct plx_check_shared {
    const plx_check_options *options;
    pthread_mutex_t lock;
    size_t done, total; /* runs of a kernel */
    size_t saved;       /* failures whose operands were saved */
    /* Called with the lock ahead of each run, by a thread that works on this unit. */
    void (*tell)(void *data, const struct plx_check_unit *unit);
    void *tell_data;
} plx_check_shared;

/* Cases of one operation in one dtype and compute type, one after the other: all, or a slice; and what
 * became of them.  Candidates have the same order in every list of one operation's candidates. */
typedef struct plx_check_unit {
    const plx_operation *operation;
    plx_dtype dtype;
    plx_compute compute;
    plx_cases cases;   /* of both */
    size_t first, end; /* those of this unit */
    size_t candidate_count;
    plx_record *records; /* of each candidate the worst case */
    bool *tried;         /* of each candidate: by some case */
    plx_pair *pairs;     /* candidate_count x candidate_count, all cases together; not compared: no pair */
    plx_check_counts counts;
    bool finished; /* no thread works on it */
} plx_check_unit;

/* The slice number `slice` of `slices`. */
plx_status plx_check_unit_make(const plx_check_options *options, const plx_operation *operation, plx_dtype dtype,
                               plx_compute compute, size_t slice, size_t slices, size_t candidate_count,
                               plx_check_unit *unit, plx_error *error);
void plx_check_unit_free(plx_check_unit *unit);
/* Tries the cases that are large, or those that are not, with these candidates. */
plx_status plx_check_unit_run(plx_check_shared *shared, plx_check_unit *unit, bool large,
                              const plx_open_backends *opened, plx_candidate *candidates, plx_phase_timer *timer,
                              plx_error *error);
/* The worse of two records of one candidate, and two pairs of the same candidates as one. */
void plx_check_worse(plx_record *kept, bool *tried, const plx_record *record);
void plx_check_count_reason(plx_check_counts *counts, const char *reason, size_t times);
void plx_check_join(plx_pair *all, const plx_pair *one);

#endif
