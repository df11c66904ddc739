/* How a study runs kernels: its backends, guarded runs, candidates and pairs.  Private to
 * libparallax-study; the functions that users call are in parallax/study.h. */
#ifndef PLX_RUN_H
#define PLX_RUN_H

#include "study/run/operand_buffers.h"

/* What a call to the dispatcher returned; when it failed, its message goes to *error. */
static inline plx_status plx_explain(const plx_backend *backend, plx_status status, plx_error *error)
{
    return status == PLX_OK ? PLX_OK : plx_fail(error, status, "%s", plx_message(plx_backend_context(backend)));
}

/* ---- what ends a study early (stop.c) ------------------------------------------------ */

void plx_results_note_stop(plx_results *results, size_t finished, size_t wanted);
/* Whether somebody is to be told of results so far now, and then telling them.  One thread at a time. */
bool plx_results_are_told(void);
void plx_results_tell(const plx_results *results, size_t finished, size_t wanted);

/* ---- transfers that are waited for (transfer.c) ------------------------------------ */

/* Ways that large transfers of one backend take side by side, opened when the first is: to close a queue may take a
 * device milliseconds.  Starts as {0}; of one thread at a time. */
typedef struct plx_lanes {
    plx_queue *queues[4]; /* the first is the backend's own, NULL */
    char *seen[4];        /* for what is compared: page-locked where the backend has such memory */
    bool pinned[4];
    plx_backend *backend; /* of the pinned ones */
    size_t count;
} plx_lanes;

/* After all that is in the backend's own queue; all buffers are of one backend. */
plx_status plx_chunked_upload(plx_lanes *lanes, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes,
                              plx_error *error);
plx_status plx_chunked_download(plx_lanes *lanes, plx_buffer *from, uint64_t offset, void *to, uint64_t bytes,
                                plx_error *error);
/* Whether the bytes are those expected; else *first_different is the first that is not. */
plx_status plx_chunked_compare(plx_lanes *lanes, plx_buffer *buffer, uint64_t offset, const void *expected,
                               uint64_t bytes, bool *same, uint64_t *first_different, plx_error *error);
/* Whether they are a pattern of four bytes, again and again. */
plx_status plx_chunked_holds(plx_lanes *lanes, plx_buffer *buffer, uint64_t offset, uint64_t bytes, uint32_t pattern,
                             bool *holds, plx_error *error);
/* The first byte of a stretch, which begins `from` bytes behind where a pattern does, that is not the pattern; `bytes`:
 * none. */
uint64_t plx_first_other(const unsigned char *seen, uint64_t from, uint64_t bytes, uint32_t pattern);
/* Before the backend is closed. */
void plx_lanes_close(plx_lanes *lanes);

/* ---- guarded runs (guarded_run.c) -------------------------------------------------- */

/* What is known of an operand and the guards around it. */
typedef struct plx_guards {
    uint32_t pattern;
    bool filled; /* guards and operand are as they must be before a run */
    bool unseen; /* large, and not looked at since the last run */
} plx_guards;

/* Where the guarded runs of one backend take place: what was uploaded for one kernel and
 * came out unchanged serves the next one on the same inputs.  Starts as {.backend = ...}. */
typedef struct plx_guarded_operands {
    plx_backend *backend;
    const plx_inputs *inputs; /* NULL: nothing is set up */
    uint64_t shift;
    plx_operand_buffers operands; /* one set */
    plx_guards guards[PLX_MAX_OPERANDS];
    uint32_t around; /* inputs, from the next that is filled on; 0: what the turn brings */
    unsigned char *staging;
    plx_lanes lanes;
} plx_guarded_operands;

/* Runs a plan once on buffers with canaries around every operand and an output full
 * of NaN, and takes the whole output operand, row padding included, to `result`.
 * Operands start `shift` elements past an aligned address.  What the kernel damaged
 * is said in violation (else "").  The plan is of their backend. */
plx_status plx_guarded_run(plx_guarded_operands *buffers, plx_plan *plan, const plx_inputs *inputs, uint64_t shift,
                           void *result, char violation[200], plx_error *error);
/* Whether its result goes by what stands beyond the ends of an input, which then is `operand`.  Results of `bytes`. */
plx_status plx_guarded_reads_beyond(plx_guarded_operands *buffers, plx_plan *plan, const plx_inputs *inputs,
                                    uint64_t shift, uint64_t bytes, size_t *operand, plx_error *error);
/* After the last run of a kernel: looks at the large inputs, which no run looked at. */
plx_status plx_guarded_runs_end(plx_guarded_operands *buffers, char violation[200], plx_error *error);
/* A NaN to fill outputs with, another one each time. */
uint32_t plx_next_poison(void);
/* What stands around inputs: NaN of every type, for whoever computes with it, or numbers, for whoever takes care of NaN
 * alone; each in turn. */
uint32_t plx_surroundings(bool numbers);
uint32_t plx_next_surroundings(void);
/* Gives the memory back; before the inputs are. */
void plx_guarded_operands_clear(plx_guarded_operands *buffers);

/* ---- repeated runs (repeat.c) -------------------------------------------------- */

typedef struct plx_repeats {
    size_t runs;             /* made */
    int64_t first_different; /* output element whose bits changed in the last of them; -1: none */
} plx_repeats;

/* Runs a plan up to `runs` times more, while a second queue of the backend executes it
 * on other data, and compares the bits with `expected`, until they differ.  `result`
 * gets the output operand of the last run. */
plx_status plx_repeat(plx_backend *backend, plx_plan *plan, const plx_inputs *inputs, bool baseline, uint64_t shift,
                      const void *expected, size_t runs, void *result, plx_repeats *found, plx_error *error);

/* The first element whose bits differ; -1: none.  Padding is nobody's. */
int64_t plx_first_different(const plx_inputs *inputs, bool baseline, const void *expected, const void *result);

/* ---- where the time goes (phases.c) --------------------------------------------- */

typedef struct plx_phase_timer {
    double seconds[PLX_CHECK_PHASE_COUNT];
    plx_check_phase phase;
    double since;
    bool running;
} plx_phase_timer;

/* From now on it is `to` that takes the time; returns what took it until now.  Nothing
 * happens to NULL. */
plx_check_phase plx_phase_turn(plx_phase_timer *timer, plx_check_phase to);

/* ---- results as bits (bits.c) ---------------------------------------------------- */

/* An output operand as it came back.  Counted references: candidates that computed the same
 * bits share them, and what was found about them by one bound. */
typedef struct plx_bits {
    void *data;
    uint64_t bytes;
    size_t users;
    bool judged, baseline;
    plx_bound bound;
    plx_error_measure error;
    struct plx_bits *next; /* of those that are kept */
} plx_bits;

/* The reference results of one problem, each made when first needed, and the results
 * that differ in their bits. */
typedef struct plx_references {
    plx_reference_result operation, copy;
    bool has_operation, has_copy;
    plx_bits *kept, *spare;
    plx_phase_timer *timer; /* may be NULL */
    const plx_until *until; /* ends what is being made; may be NULL */
    bool given_up;          /* by it */
} plx_references;

/* Memory for a result, with one user; NULL when there is no memory. */
plx_bits *plx_bits_take(plx_references *references, uint64_t bytes);
/* What the caller uses from now on instead of `bits`: the same bits, if some are kept. */
plx_bits *plx_bits_keep(plx_references *references, plx_bits *bits);
/* Ends one use; NULL is allowed.  spare: the memory may serve the next result. */
void plx_bits_release(plx_bits *bits);
void plx_bits_spare(plx_references *references, plx_bits *bits);
/* What references keeps; users keep theirs. */
void plx_bits_forget(plx_references *references);

/* ---- candidates (candidate.c) ------------------------------------------------------------- */

/* One kernel on one backend, as it meets one problem. */
typedef struct plx_candidate {
    plx_backend *backend;
    const plx_device_info *info;   /* of its device, as the study measured it; NULL: as the backend says */
    plx_guarded_operands *buffers; /* kept from candidate to candidate; NULL: one for each candidate */
    size_t device;                 /* of the results */
    const plx_kernel *kernel;      /* NULL for "best" where there is none */
    char config[40];               /* that it is asked to run in; "": its own choice */
    size_t step;
    bool named;
    const plx_code *code; /* device code that its plan is made of; NULL: the backend's own */
    bool plain;           /* its own is launched as plainly as another API could */
    plx_plan *plan;
    void *result;
    plx_bits *bits; /* holds the result; NULL: malloc'ed */
    plx_bound bound;
    plx_outcome outcome;
    char reason[512];
    plx_error_measure error;
    plx_likeness likeness;
    size_t repeats; /* runs beyond the first whose bits were compared with it */
    plx_timing time;
    plx_spread spread;
    bool cached; /* while it was timed, all that the launches touched fitted in the cache */
    bool counted;
    plx_counters counters;
    char counters_reason[256]; /* why it was not counted; "" when nobody asked */
} plx_candidate;

/* How thoroughly a candidate is tried. */
typedef struct plx_trial_effort {
    uint64_t shift; /* elements by which operands are misaligned */
    bool repeat;    /* run twice; R0 and R1 kernels must give the same bits */
    bool precision; /* the precision check: the error's size in units of sqrt(k) u S */
    bool likeness;  /* what the error is like is found out */
    size_t busy;    /* so many more runs next to a busy queue, under the same rule */
} plx_trial_effort;

plx_status plx_references_get(plx_references *references, const plx_inputs *inputs, bool baseline,
                              const plx_reference_result **reference, plx_error *error);
void plx_references_free(plx_references *references);

/* Plans, runs and judges; never fails, but says in outcome and reason what happened.
 * On PLX_OUTCOME_OK and _WRONG the plan and the result stay with the candidate. */
void plx_candidate_run(plx_candidate *candidate, const plx_inputs *inputs, plx_references *references,
                       const plx_trial_effort *effort);
/* "split-k", "split-k:64x64/4"; "best" where there is no kernel. */
void plx_candidate_name(const plx_candidate *candidate, char name[64]);
/* All in which its kernel can run the problem, to be freed; NULL: none, or no memory. */
plx_config *plx_candidate_configs(const plx_candidate *candidate, const plx_problem *problem, size_t *count);
/* Gives the plan and the result back; the candidate can meet the next problem. */
void plx_candidate_clear(plx_candidate *candidate);
/* The result alone. */
void plx_candidate_drop_result(plx_candidate *candidate);
static inline bool plx_candidate_is_baseline(const plx_candidate *candidate)
{
    return candidate->kernel != NULL && (candidate->kernel->flags & PLX_KERNEL_BASELINE) != 0;
}
static inline bool plx_candidate_has_result(const plx_candidate *candidate)
{
    return candidate->outcome == PLX_OUTCOME_OK || candidate->outcome == PLX_OUTCOME_WRONG;
}

/* Compares the candidates that have a result: the same kernel on different backends, the
 * last kernel of every two backends, what is right and has no right twin with the last
 * right kernel of each other backend, and each kernel with the step before it on its
 * own backend.  Calls `found` for each pair; a refusal ends it. */
typedef plx_status plx_pair_found(void *data, size_t first, size_t second, const plx_pair *pair, plx_error *error);
plx_status plx_candidates_pair(const plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                               plx_references *references, plx_pair_found *found, void *data, plx_error *error);

/* Everything of the record that a candidate and its inputs know. */
void plx_record_fill(plx_record *record, const plx_candidate *candidate, const plx_inputs *inputs, size_t group);
/* The configuration in which the plan runs; NULL: there is none. */
void plx_record_take_config(plx_record *record, plx_plan *plan);

/* ---- claims (claims.c) ---------------------------------------------------------- */

typedef struct plx_claim plx_claim;

/* What the kernels of a study claimed, and what became of it.  Starts as {.first = NULL}. */
typedef struct plx_claims {
    plx_claim *first;
} plx_claims;

/* A candidate that is ok stays so if its kernel is as precise as its element type and no deeper than
 * it declares; else it is wrong, with the reason, or what else became of the run.  A kernel
 * that does not serve the problems of the run is not tried. */
void plx_claims_test(plx_claims *claims, plx_candidate *candidate, const plx_inputs *inputs);
/* The depth alone. */
void plx_claims_test_depth(plx_claims *claims, plx_candidate *candidate, const plx_inputs *inputs);
void plx_claims_free(plx_claims *claims);

/* ---- integers at the size that is timed (integers.c) ------------------------------- */

/* The same problem on integers.  Starts as {.made = false}. */
typedef struct plx_integers {
    bool made;
    plx_inputs inputs;
    plx_reference_result reference;
    plx_guarded_operands buffers;
} plx_integers;

/* A candidate that is ok stays so if its sums of integers are exact, where they must be. */
void plx_integers_test(plx_integers *integers, plx_candidate *candidate, const plx_inputs *inputs);
void plx_integers_free(plx_integers *integers);

/* ---- how busy the machine is (activity.c) ---------------------------------------------- */

/* What is counted, at one time. */
typedef struct plx_activity_mark {
    bool known;         /* the load, at least */
    double at_s, load;  /* when; the load average of a minute */
    double spent_s;     /* processor seconds that the machine has spent; 0: nobody knows */
    double own_s;       /* and this process, with its children */
    double throttled_s; /* for how long its control groups were held back */
    uint64_t switches;  /* involuntary context switches of this process */
} plx_activity_mark;

plx_activity_mark plx_activity_mark_now(void);
/* From then until now. */
plx_activity plx_activity_since(const plx_activity_mark *began);

/* ---- open backends (backends.c) -------------------------------------------------- */

/* Backends that are open already, and stay their owner's. */
typedef struct plx_lent_backends {
    plx_backend *const *backends;
    size_t count;
} plx_lent_backends;

/* The backends of a study, opened. */
typedef struct plx_open_backends {
    plx_context *context;
    plx_lent_backends lent; /* of `backends` those that are among these are not closed */
    plx_backend **backends;
    const plx_study_device *devices; /* the results', in the same order; NULL: not written yet */
    const plx_backend *only;         /* that is asked for candidates; NULL: all are */
    bool *named;                     /* of each backend: somebody asked for it, it is not here because all are */
    size_t count;
    /* Devices that were found but could not be opened, and plugins that failed to list theirs. */
    struct plx_unopened {
        bool named;
        char label[48];
        char reason[512];
        plx_device_info info;
    } * unopened;
    size_t unopened_count;
    plx_activity_mark began; /* when they were opened */
} plx_open_backends;

/* No names, or "all": every device of every plugin. */
plx_status plx_backends_open(plx_context *context, const char *const *names, size_t count, plx_open_backends *opened,
                             plx_error *error);
/* The same, but a backend that is named, is there and fails to open is one of the unopened, as long as another
 * opens.  Those that are lent are taken for their labels.  lent NULL: none are. */
plx_status plx_backends_open_what_opens(plx_context *context, const char *const *names, size_t count,
                                        const plx_lent_backends *lent, plx_open_backends *opened, plx_error *error);
void plx_backends_close(plx_open_backends *opened);
/* Writes the devices of the backends into the results, in the same order, with what is
 * measured of them; what is made of the backends then goes by it. */
plx_status plx_backends_devices(plx_open_backends *opened, plx_results *results, plx_error *error);
/* The same without what is measured, for studies that sum nothing: no kernel is compiled for it. */
plx_status plx_backends_list(plx_open_backends *opened, plx_results *results, plx_error *error);
/* Writes the state of the devices as it is now into the results; of one that does not
 * tell, as another backend of the same chip tells it. */
/* What their plugins changed of the process so far. */
void plx_backends_changes(const plx_open_backends *opened, plx_results *results);
void plx_backends_environment(const plx_open_backends *opened, plx_results *results); /* telemetry.c */
/* By what the device is held back now, when a study begins. */
void plx_backend_throttle(plx_backend *backend, plx_backend *const *others, size_t count, plx_study_device *device);
/* The one of the backends that tells the state of this one's chip; NULL: none does. */
plx_backend *plx_telemetry_source(plx_backend *backend, plx_backend *const *others, size_t count);
/* The record of a device that could not be opened: a backend that failed, not one that
 * is absent. */
plx_record plx_backends_unopened(const plx_open_backends *opened, size_t which);
/* The candidates of an operation: each backend's kernels that the names select.
 * PLX_NOT_FOUND when a name stands for no kernel of any backend. */
plx_status plx_backends_candidates(const plx_open_backends *opened, const plx_problem *problem,
                                   const char *const *kernels, size_t kernel_count, plx_candidate **candidates,
                                   size_t *count, plx_error *error);

/* Sees whether f32 subnormals are flushed to zero, and corrects what *device has from the
 * backend.  Where that can't be told, the driver's word stays. */
void plx_measure_flushing(plx_backend *backend, plx_study_device *device); /* flush.c */

#endif
