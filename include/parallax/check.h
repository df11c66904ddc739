/* Every kernel of every backend on every case, without timing. */
#ifndef PARALLAX_CHECK_H
#define PARALLAX_CHECK_H

#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum plx_effort { PLX_QUICK = 0, PLX_NORMAL, PLX_FULL } plx_effort;
PLX_API const char *plx_effort_name(plx_effort effort); /* "quick" */

typedef struct plx_check_options {
    const char *const *backends;
    size_t backend_count;
    const char *const *kernels; /* none: all */
    size_t kernel_count;
    const plx_op *ops; /* none: all */
    size_t op_count;
    const plx_dtype *dtypes; /* none: all that the kernel has */
    size_t dtype_count;
    plx_effort effort;
    uint64_t seed;
    size_t only_case; /* of each operation and dtype this one alone, from 1; 0: all */
    /* At most so many more runs of a case for their bits; 0: none, and no second run. */
    bool limit_repeats;
    size_t most_repeats;
    const char *save_failure; /* a directory for the operands of what failed, made if need be; may be NULL */
    /* One call at a time, but from several threads. */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    /* Called with every case that is not ok, and a command line that repeats it. */
    void (*failure)(void *data, const plx_record *record, const char *command);
    /* Of cases that are drawn and follow those of the list, whose number it leaves as it is; 0: there are none. */
    uint64_t drawn_seed;
    /* Backends of this context that are open already and stay the caller's: each is taken where its label ("opencl:0")
     * is named, or where all are, instead of opening the device once more.  Nobody else uses them meanwhile.  Other
     * threads than the caller's open their own. */
    plx_backend *const *opened;
    size_t opened_count;
    uint64_t reserved[5]; /* 0: new members go here */
} plx_check_options;

typedef struct plx_check_reason {
    char text[240];
    size_t count;
} plx_check_reason;

#define PLX_CHECK_REASONS 16

/* What a check does; the time of each is added up. */
typedef enum plx_check_phase {
    PLX_CHECK_OTHER = 0,
    PLX_CHECK_INPUTS,    /* operands are generated */
    PLX_CHECK_REFERENCE, /* the true results */
    PLX_CHECK_PLAN,      /* kernels are chosen, compiled and loaded */
    PLX_CHECK_RUN,       /* guarded runs and the transfers around them */
    PLX_CHECK_JUDGE,     /* results against references */
    PLX_CHECK_REPEAT,    /* more runs, for their bits */
    PLX_CHECK_PAIRS,     /* results against each other */
    PLX_CHECK_PHASE_COUNT
} plx_check_phase;

PLX_API const char *plx_check_phase_name(plx_check_phase phase); /* "references" */

typedef struct plx_check_counts {
    plx_effort effort;
    size_t cases, ok, wrong, unsupported, failed, pairs, agreed, disagreed;
    size_t not_judged; /* cases that ran, but no bound tells their results from zero */
    size_t repeats;    /* runs whose bits were compared with those of an earlier one */
    /* Why what is unsupported is; what differs in numbers alone counts as one reason. */
    plx_check_reason reasons[PLX_CHECK_REASONS];
    size_t reason_count;
    double seconds[PLX_CHECK_PHASE_COUNT]; /* where the time went, of all threads together */
    uint64_t drawn_seed;                   /* of the cases that were drawn; 0: there were none */
    uint64_t reserved[7];                  /* 0: new members go here */
} plx_check_counts;

/* `results` gets one record per backend and kernel (worst case over its cases). */
PLX_API plx_status plx_check(plx_context *context, const plx_check_options *options, plx_check_counts *counts,
                             plx_results *results, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
