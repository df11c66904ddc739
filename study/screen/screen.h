/* How a device is screened: cases that are proven, launched until the budget is spent, and compared bit for bit.
 * Private to libparallax-study; what users see of it is in parallax/screen.h. */
#ifndef PLX_STUDY_SCREEN_H
#define PLX_STUDY_SCREEN_H

#include "study/results/archive.h"
#include "study/run/run.h"

#include <parallax/screen.h>

/* ---- cases (cases.c) ------------------------------------------------------------------ */

typedef struct plx_screen_problem {
    plx_problem problem;
    plx_input input;
    bool large; /* for accelerators alone, once all small ones are proven */
} plx_screen_problem;

/* Problem `index`; false at the end.  The small ones come first. */
bool plx_screen_problem_at(size_t index, plx_screen_problem *problem);

/* ---- proven results that are compared (hot.c) --------------------------------------------- */

/* One proven case on its device: operands that stay, a ring of outputs, and what the device says of each. */
typedef struct plx_hot {
    size_t which; /* case of the device */
    plx_backend *backend;
    plx_queue *queue;
    plx_plan *plan, *comparer, *adder; /* neither of the latter: outputs are downloaded and compared */
    plx_operand_buffers operands;
    plx_inputs described; /* without data */
    plx_buffer *ring, *sums, *proven_there;
    uint64_t stride, bytes; /* of an output */
    size_t slots, batch;    /* launches that fit in the ring, and that one batch has */
    void *proven;
    uint32_t sum, told;          /* how many slots the comparer was told of */
    int generated, misgenerated; /* operands that the device generated; tries in which one was not the host's */
    unsigned char *staging;
    double *launch_ns; /* of each batch */
    double last_ns;    /* of the last one, whatever its size */
    size_t batches;
} plx_hot;

/* Where launches went wrong. */
typedef void plx_hot_found(void *data, plx_hot *hot, size_t slot, const void *result);

/* Operands of fewer bytes are uploaded: that is done sooner. */
enum { PLX_LEAST_GENERATED = 1 << 20 };

static inline bool plx_hot_looks_there(const plx_hot *hot)
{
    return hot->comparer != NULL || hot->adder != NULL;
}

/* Takes the plan from the candidate; its result is the proven one. */
plx_status plx_hot_make(plx_hot *hot, plx_candidate *candidate, const plx_inputs *inputs, double memory,
                        plx_error *error);
void plx_hot_free(plx_hot *hot);
/* Launches a batch and compares it.  `found` is called with each result whose bits are others; *wrong is how many were.
 * plant: before the comparison a bit of this slot is flipped; SIZE_MAX: none. */
plx_status plx_hot_batch(plx_hot *hot, size_t plant, plx_hot_found *found, void *data, size_t *wrong, plx_error *error);
/* The median over its batches, or the last one while they grow; 0: none was made. */
double plx_hot_median_ns(const plx_hot *hot);

/* ---- proofs (prove.c) ----------------------------------------------------------------------- */

/* A kernel on a problem that was judged. */
typedef struct plx_proof {
    plx_screened_case of;
    plx_hot *hot; /* malloc'ed; NULL: it can't be launched and compared */
    bool has_fault;
    plx_screen_fault fault; /* of a result that was wrong at first, and right when it was made again */
} plx_proof;

/* Takes the proof over. */
typedef void plx_proven(void *data, plx_proof *proof);

/* What proofs are made with; none of it changes meanwhile. */
typedef struct plx_prover {
    const plx_screen_options *options;
    const plx_open_backends *opened;
    const plx_device_info *info; /* of the device */
    plx_proven *proven;
    bool (*is_over)(void *data);
    void *data;
} plx_prover;

plx_status plx_prove(plx_prover *prover, const plx_screen_problem *of, plx_error *error);

/* ---- what is wrong with a result (fault.c) ---------------------------------------------------- */

/* Fills all but `which`, `run`, `again` and `of`. */
void plx_screen_fault_of(const plx_inputs *described, plx_plan *plan, const void *proven, const void *result,
                         plx_screen_fault *fault);
/* The command that repeats it. */
void plx_screen_command(const plx_screened_device *device, const plx_screened_case *of, double budget, uint64_t seed,
                        char *text, size_t capacity);

/* ---- the state of a device meanwhile (state.c) --------------------------------------------------- */

typedef struct plx_screen_watch {
    plx_backend *source; /* NULL: nobody tells */
    double begin_ns, last_ns, sum;
    size_t samples;
} plx_screen_watch;

void plx_screen_watch_begin(plx_screen_watch *watch, const plx_open_backends *opened, plx_screened_device *device);
void plx_screen_watch_look(plx_screen_watch *watch, plx_screened_device *device);
void plx_screen_watch_end(plx_screen_watch *watch, plx_screened_device *device);

/* ---- seals (seal.c) --------------------------------------------------------------------------------- */

/* The sealed case that this one is; NULL: there is none. */
const plx_screened_case *plx_seal_find(const plx_seal *seal, const plx_device_info *info, const plx_screened_case *of);

/* ---- verdicts (verdict.c) ------------------------------------------------------------------------------ */

/* What follows from the cases, faults and counters; says why, and whose fault it is. */
void plx_screen_judge(plx_screened_device *device, double budget, uint64_t seed);
/* Sets a verdict that is worse than the one that it has. */
void plx_screen_blame(plx_screened_device *device, plx_health_verdict verdict, const char *format, ...)
    PLX_PRINTF(3, 4);
/* Median, and 1.4826 times the median distance from it; sorts. */
double plx_median_of(double *values, size_t count);
double plx_spread_of(const double *values, size_t count, double median);
/* By what factor a device is slower than its equals may differ from them: 1 + this many spreads, at least 1 + a part.
 */
double plx_slow_limit(double median, double spread);
/* Whether two labels differ in the number of their device at most. */
bool plx_same_way(const char *one, const char *other);

extern const plx_names plx_verdict_names, plx_seal_names;

/* ---- files (screen_file.c) ------------------------------------------------------------------------------- */

void plx_archive_screened_case(plx_archive *archive, plx_screened_case *of);
plx_status plx_screen_take(const json_t *root, const char *path, plx_screen *screen, plx_error *error);

#endif
