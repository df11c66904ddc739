/* The same problem through backends and kernels: judged, compared and timed. */
#ifndef PARALLAX_COMPARE_H
#define PARALLAX_COMPARE_H

#include <parallax/files.h>
#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLX_MAX_QUEUES 8

typedef struct plx_compare_options {
    const char *const *backends; /* "cuda", "opencl:1"; none: every device of every plugin */
    size_t backend_count;
    const char *const *kernels; /* names, "best", "all"; none: "best" */
    size_t kernel_count;
    const plx_problem *problems; /* at least one */
    size_t problem_count;
    const plx_array *inputs; /* in the operands' order; then there is one problem; NULL: generated */
    size_t input_count;
    plx_input input;
    uint64_t seed;
    bool no_timing;
    double seconds_per_kernel; /* time limit of the measurement; 0: 0.5 */
    bool hot;                  /* time the same operands over and over, caches and all */
    size_t queues;             /* that timed launches go to in turn, up to PLX_MAX_QUEUES; 0: one */
    double seconds_in_all;     /* plx_tune: time limit of its search for configurations; 0: 60 */
    bool counters;             /* after the timing, count what is right with the hardware's counters */
    /* Called between steps of the work; may be NULL. */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    /* Backends of this context that are open already and stay the caller's: each is taken where its label ("opencl:0")
     * is named, or where all are, instead of opening the device once more.  Nobody else uses them meanwhile. */
    plx_backend *const *opened;
    size_t opened_count;
    uint64_t reserved[6]; /* 0: new members go here */
} plx_compare_options;

/* Validates every (problem, backend, kernel) against the reference and against each
 * other, then times what passed, the candidates interleaved.  PLX_OK means that the study was
 * made, whatever its records say.  A backend or kernel that nobody has: PLX_NOT_FOUND. */
PLX_API plx_status plx_compare(plx_context *context, const plx_compare_options *options, plx_results *results,
                               plx_error *error);

/* Measures every ceiling of every device (none named: all), each about 50 ms, and writes
 * them and the state of the devices; the results have no records. */
PLX_API plx_status plx_measure_ceilings(plx_context *context, const char *const *backends, size_t backend_count,
                                        plx_results *results, plx_error *error);

/* One problem on one backend: returns the output as an array of the operation's
 * output shape.  Not judged; timed for so many seconds when they are more than 0, which takes
 * memory to keep operands out of caches. */
PLX_API plx_status plx_run_once(plx_context *context, const char *backend, const char *kernel,
                                const plx_problem *problem, const plx_array *inputs, size_t input_count,
                                plx_input input, uint64_t seed, double seconds, plx_array *output, plx_record *record,
                                plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
