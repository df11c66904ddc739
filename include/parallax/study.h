/* Studies: what the program `parallax` does, for library users.  Read and write
 * .npy, judge a result against its bound, compare backends and kernels on the
 * same bytes, time what passed, and write it down.
 *
 * What fails says why in *error; a context's message is nothing that a study sets. */
#ifndef PARALLAX_STUDY_H
#define PARALLAX_STUDY_H

#include <parallax/parallax.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- arrays in files --------------------------------------------------- */

/* A dense row-major array of rank 0, 1 or 2 in host memory.  A scalar and a vector
 * have rows == 1. */
typedef struct plx_array {
    plx_dtype dtype;
    int rank;
    int64_t rows, cols;
    void *data; /* malloc'ed; NULL when it has no elements */
} plx_array;

/* Reads .npy, header versions 1 to 3, either byte order, C or Fortran order (turned
 * into C order), f32 f64 i8 i16 i32 i64 c64 c128.  PLX_IO: can't be read.  PLX_INVALID:
 * not a .npy file, truncated, trailing bytes, an unsupported dtype, rank above 2.
 * Free with plx_array_free(). */
PLX_API plx_status plx_npy_read(const char *path, plx_array *array, plx_error *error);
/* Writes version 1.0 to a temporary name in the same folder and renames it. */
PLX_API plx_status plx_npy_write(const char *path, const plx_array *array, plx_error *error);
PLX_API void plx_array_free(plx_array *array);

/* Takes the shape, and nothing else, from the arrays that a user brought, in the
 * operands' order: all inputs, and after them, if there is one more, the old contents
 * of the output (which is then scaled by beta).  PLX_INVALID names what disagrees, in
 * shape or in dtype. */
PLX_API plx_status plx_problem_fit(plx_problem *problem, const plx_array *arrays, size_t count,
                                   plx_error *error);

/* ---- generated input ---------------------------------------------------- */

typedef enum plx_input {
    PLX_INPUT_UNIFORM = 0, /* (-1, 1), full mantissas; integers: the full range */
    PLX_INPUT_POSITIVE,    /* (0, 1) */
    PLX_INPUT_INTEGER,     /* small integers: every correct kernel gives the same bits */
    PLX_INPUT_GRADED,      /* blocks scaled by 1, 2^-10, 2^-20 */
    PLX_INPUT_CANCELLING,  /* S/|R| >= 1e6 */
    PLX_INPUT_EXTREME,     /* near underflow and near overflow */
    PLX_INPUT_SPECIAL,     /* NaN and +-Inf at tile edges */
    PLX_INPUT_COUNT
} plx_input;

PLX_API const char *plx_input_name(plx_input input);
PLX_API bool plx_input_from_name(const char *name, plx_input *input);

/* ---- results ------------------------------------------------------------ */

typedef enum plx_outcome {
    PLX_OUTCOME_OK = 0,
    PLX_OUTCOME_WRONG,
    PLX_OUTCOME_UNSUPPORTED,
    PLX_OUTCOME_FAILED,  /* it should have run and gave no result: an error, a lost device, no memory */
    PLX_OUTCOME_NOT_RUN, /* nobody asked it to run: too large for a processor's set, or no case suits it */
    PLX_OUTCOME_NOT_JUDGED, /* ran, but no bound tells its result from zero */
    PLX_OUTCOME_COUNT
} plx_outcome;

PLX_API const char *plx_outcome_name(plx_outcome outcome); /* "ok", "not-run" */

/* What an error is compared with. */
typedef enum plx_bound_kind {
    PLX_BOUND_EXACT = 0,     /* nothing: the bytes, or the one right rounding, are demanded */
    PLX_BOUND_DETERMINISTIC, /* holds for every sum of that depth */
    PLX_BOUND_PROBABILISTIC, /* holds for all but a vanishing part of sums of random signs */
    PLX_BOUND_KIND_COUNT
} plx_bound_kind;

PLX_API const char *plx_bound_kind_name(plx_bound_kind kind); /* "exact", "deterministic" */

/* How far a result is from the reference. */
typedef struct plx_error_measure {
    bool measured;
    double max_over_bound; /* largest |error| / bound; +Inf: an element that must be exact is not */
    double max_ulp;        /* of the output's dtype */
    int64_t compared;      /* elements */
    int64_t compared_after; /* elements that timed launches left, in all sets of operands; 0: nothing was timed */
    int64_t wrong;         /* elements outside the bound */
    int64_t indeterminate; /* elements without a bound: the order of the sum decides on overflow */
    int64_t first_bad;     /* the first of them, row by row; -1: none */
    char got[40], expected[40]; /* that element, "" when none */
    plx_bound_kind bound;
    double gamma;  /* the bound over the size of what was summed; 0 when exact */
    bool too_wide; /* at most elements a result of zero would be within the bound */
} plx_error_measure;

/* A median and its 95 % interval. */
typedef struct plx_interval {
    bool measured;
    double median_ns, low_ns, high_ns;
    size_t samples;
} plx_interval;

/* The time of one launch. */
typedef struct plx_timing {
    bool measured;
    double median_ns, low_ns, high_ns; /* 95 % interval of the median */
    size_t samples;
    bool device_clock; /* device events, else the host's clock */
    char clock_reason[80]; /* why the device's clock was not believed; "" when it was */
    bool settled;      /* the interval became narrow enough before time was up */
    bool hot;          /* the same operands over and over; else none that a cache still holds */
    size_t queues;     /* that the launches went to in turn; those of several queues may overlap */
    bool throttled;    /* every sample was taken below the usual clock, so they were kept */
    size_t batch;      /* back-to-back launches in a sample */
    size_t dropped;    /* samples thrown away because the device had throttled */
    plx_interval host;    /* the same launches on the host's clock */
    plx_interval latency; /* single calls from launch to completion, on the host's clock;
                           * measured for small problems */
} plx_timing;

/* What bounds a time from below, measured in the same process on the same device. */
typedef enum plx_ceiling_kind {
    PLX_CEILING_COPY = 0, /* reading and writing, GB/s */
    PLX_CEILING_READ,     /* reading alone, GB/s */
    PLX_CEILING_FMA_F32,  /* multiply-adds of the plain units, GFLOP/s */
    PLX_CEILING_FMA_F64,
    PLX_CEILING_LAUNCH,   /* an empty kernel, launched back to back, ns */
    PLX_CEILING_COUNT
} plx_ceiling_kind;

PLX_API const char *plx_ceiling_name(plx_ceiling_kind kind); /* "copy", "fma-f32" */
PLX_API const char *plx_ceiling_unit(plx_ceiling_kind kind); /* "GB/s", "GFLOP/s", "ns" */

/* What a device reached; 0: not measured. */
typedef struct plx_ceilings {
    double value[PLX_CEILING_COUNT];
    uint32_t tried; /* bits of the kinds; one that was tried and is 0 can't be measured here */
} plx_ceilings;

/* The ceiling that applies to a record, and how much of it was reached. */
typedef struct plx_ceiling {
    bool applies; /* else nothing below means anything */
    plx_ceiling_kind kind;
    double value, fraction;
    char over[160]; /* the likely cause when fraction is above 1; else "" */
} plx_ceiling;

typedef struct plx_record {
    plx_problem problem;
    plx_input input;      /* meaningless with from_files */
    bool from_files;
    uint64_t seed;
    char backend[48];     /* "opencl:0" */
    size_t device;        /* index into the results' devices */
    char kernel[64];
    char idea[160];
    uint32_t kernel_flags;
    bool named;           /* the kernel was asked for by name, not by "best" or "all" */
    size_t group;         /* records of one problem on the same bytes have one group */
    size_t step;          /* the kernel's place in its ladder */
    plx_outcome outcome;
    char reason[512];     /* why it is not ok; "" when it is */
    plx_error_measure error;
    plx_timing time;
    plx_ceiling ceiling;
    double gbps, gflops;  /* 0 when not timed, or where it does not apply */
    double gain;          /* over the step before on the same backend; 0: none */
    bool counted;
    plx_counters counters;     /* when counted */
    double formula_bytes;      /* what the operation has to move, by its formula */
    char counters_reason[256]; /* why it was not counted; "" when nobody asked */
    char circumstances[256];   /* check: shape, transpositions, scalars, paddings, ...; else "" */
    uint64_t shift;            /* elements by which each operand started past an aligned address */
} plx_record;

typedef struct plx_pair {
    size_t first, second; /* records */
    bool compared, identical, agree;
    int64_t elements;       /* compared */
    double max_ulp;         /* between the two */
    double max_over_bound;  /* |a-b| over the sum of the two bounds */
    int64_t first_different; /* -1: none */
    char value_first[40], value_second[40];
} plx_pair;

typedef struct plx_study_device {
    char label[48]; /* the first backend label that reached it */
    bool named;     /* it was asked for by name, not found because all were */
    plx_device_info info;
    size_t physical; /* devices with one number are one chip */
    /* Whether info's PLX_FEATURE_FLUSHES_F32 was seen, not only said by the driver. */
    bool flushing_measured;
    plx_telemetry environment; /* when the study ended; of the same chip through another
                                * backend where this one does not say */
    plx_ceilings ceilings;
} plx_study_device;

/* What made the results, and on which machine.  "" and 0: nobody knows. */
typedef struct plx_environment {
    char parallax[32]; /* version */
    char kernels_hash[80];
    char compiler[160], flags[512];
    char device_compiler[160], device_flags[512];
    char date[32]; /* ISO 8601, UTC */
    char system[80], release[80], machine[80], cpu[256];
    uint64_t threads;
} plx_environment;

/* A case of a bench that nobody ran. */
typedef struct plx_left_out {
    plx_problem problem;
    uint64_t shift;
    char reason[512];
} plx_left_out;

/* What a bench was asked for: what changes the numbers of its records, or which there are. */
typedef struct plx_bench_request {
    char (*sets)[64];
    size_t set_count;
    char (*kernels)[64];
    size_t kernel_count;
    plx_input input;
    uint64_t seed, queues;
    double seconds;
    bool timing, hot, counters;
    bool finished; /* every case was run or left out: the file has a summary */
    plx_left_out *left_out;
    size_t left_out_count;
} plx_bench_request;

/* What a study found, or a file of results holds.  Whoever has it from the library frees it
 * with plx_results_free(); the lists belong to it. */
typedef struct plx_results {
    plx_environment environment; /* parallax is "": of a study of this process */
    plx_study_device *devices;
    size_t device_count;
    plx_record *records;
    size_t record_count;
    plx_pair *pairs;
    size_t pair_count;
    struct plx_check_counts *check;  /* what plx_check() counted; NULL: these are of no check */
    plx_bench_request *bench;        /* NULL: these are of no bench */
    struct plx_probe_sweep *sweeps;  /* of plx_probe(), which has no records */
    size_t sweep_count;
    char (*unopened)[576]; /* "opencl:1: why": devices that a probe could not open */
    size_t unopened_count;
    size_t unknown; /* records of a file that this version can't represent, see plx_results_read() */
} plx_results;

PLX_API void plx_results_free(plx_results *results);

/* Reads a file that compare, check, bench, ceilings or probe wrote (schema parallax-results/1
 * or parallax-probe/1), of this version or an older one.  What an older file does not say has
 * the value that was meant then, or none.  Fields that this version does not know are dropped.
 * Records of operations, element types or outcomes that it does not know are left out with
 * their pairs, and counted in `unknown`.  PLX_IO: it can't be read.  PLX_INVALID: it is no such
 * file, is cut short, or a field is missing, has another type or can't be true; *error is one
 * line with the path, the field and its place.  *results is set only on success. */
PLX_API plx_status plx_results_read(const char *path, plx_results *results, plx_error *error);
/* Writes what plx_results_read() reads, under a temporary name first: a file that was there
 * stays until the new one is whole.  Results without an environment get the one of this process.
 * PLX_IO: it can't be written. */
PLX_API plx_status plx_results_write(const plx_results *results, const char *path, plx_error *error);

/* What this process is: how the library was built, the machine, and the time. */
PLX_API void plx_environment_now(plx_environment *environment);

/* What makes a fact matter to whoever compares two runs. */
enum {
    PLX_FACT_SAME = 1u << 0,  /* a bench is only resumed where it is the same */
    PLX_FACT_STATE = 1u << 1, /* the same, where both sides know it */
    PLX_FACT_TOLD = 1u << 2,  /* a diff tells when it differs */
    PLX_FACT_HOST = 1u << 3   /* of the machine, not of the build */
};

/* One thing that is known of an environment or a device. */
typedef struct plx_fact {
    const char *key;   /* its name in files, "sm_clock_max_mhz" */
    const char *title; /* for people, "highest clock in MHz" */
    unsigned matters;
    bool known, is_number;
    double number;
    char text[512]; /* "" when it is not known */
} plx_fact;

/* Fact `index`, known or not; false at the end. */
PLX_API bool plx_environment_fact(const plx_environment *environment, size_t index, plx_fact *fact);
PLX_API bool plx_device_fact(const plx_study_device *device, size_t index, plx_fact *fact);
/* Whether they differ by more than this part of the number; unknown differs from known. */
PLX_API bool plx_facts_differ(const plx_fact *a, const plx_fact *b, double part);

/* 0 all ran and agreed; 1 a result was wrong or a pair disagrees; 3 a kernel asked for
 * by name is unsupported; 4 nothing was compared (fewer than two viewpoints, when
 * `want_pairs`), a device is idle, or a result could not be judged; 5 a backend failed.
 * The program's exit status. */
PLX_API int plx_results_status(const plx_results *results, bool want_pairs);
/* Why no element was compared on a device that was asked for by name, or that a check tried;
 * NULL: some were, or nobody expects it. */
PLX_API const char *plx_results_idle(const plx_results *results, size_t device);
/* Whether the status is 1 when this record is wrong, and 4 when it could not be judged: not for a
 * vendor's library when neither its backend nor its kernel was asked for by name. */
PLX_API bool plx_results_decides(const plx_results *results, size_t record);

/* ---- compare --------------------------------------------------------------- */

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
    bool counters;             /* after the timing, count what is right with the hardware's counters */
    /* Called between steps of the work; may be NULL. */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
} plx_compare_options;

/* Validates every (problem, backend, kernel) against the reference and against each
 * other, then times what passed, the arms interleaved.  PLX_OK means that the study was
 * made, whatever its records say.  A backend or kernel that nobody has: PLX_NOT_FOUND. */
PLX_API plx_status plx_compare(plx_context *context, const plx_compare_options *options,
                               plx_results *results, plx_error *error);

/* Measures every ceiling of every device (none named: all), each about 50 ms, and writes
 * them and the state of the devices; the results have no records. */
PLX_API plx_status plx_measure_ceilings(plx_context *context, const char *const *backends, size_t backend_count,
                                        plx_results *results, plx_error *error);

/* One problem on one backend: returns the output as an array of the operation's
 * output shape.  Not judged. */
PLX_API plx_status plx_run_once(plx_context *context, const char *backend, const char *kernel,
                                const plx_problem *problem, const plx_array *inputs, size_t input_count,
                                plx_input input, uint64_t seed, plx_array *output, plx_record *record,
                                plx_error *error);

/* ---- bench --------------------------------------------------------------------- */

typedef struct plx_set_case {
    plx_problem problem; /* with elements of f32 */
    uint64_t shift;      /* elements by which each operand starts past an aligned address */
} plx_set_case;

/* "quick", ..., "random:1"; NULL at the end.  random:SEED[:COUNT] is a set for each seed and
 * count; it is told of by the first. */
PLX_API const char *plx_set_name(size_t index);
/* One line of what is in it; NULL at the end. */
PLX_API const char *plx_set_summary(size_t index);
/* PLX_NOT_FOUND: there is no such set; PLX_INVALID: a random set without a seed or count
 * that can be. */
PLX_API plx_status plx_set_check(const char *set, plx_error *error);
/* The cases of a set; false at the end and for no set. */
PLX_API bool plx_set_at(const char *set, size_t index, plx_set_case *found);

typedef struct plx_bench_options {
    /* How each case is compared, and in its problems, if any, cases beside those of the
     * sets.  Its progress counts cases. */
    plx_compare_options compare;
    const char *const *sets; /* names; none: "quick", unless there are problems */
    size_t set_count;
    const plx_op *ops; /* of the sets only these; none: all */
    size_t op_count;
    const plx_dtype *dtypes; /* of the cases of sets; none: f32 */
    size_t dtype_count;
    /* Where the results are after each case, whole; NULL: nowhere.  What is there already
     * is kept, and only what is missing is run, if it was made with the same options in
     * the same environment; else it is refused, unless restart is set. */
    const char *json;
    bool restart;
    /* Called once before the work, and after each case with its results.  May be NULL. */
    void (*started)(void *data, size_t cases, size_t kept);
    void (*finished)(void *data, const plx_results *results);
    /* Called with each case that nobody runs, and why.  May be NULL. */
    void (*left_out)(void *data, const char *what, const char *reason);
    void *data;
} plx_bench_options;

typedef struct plx_bench_results {
    plx_results results; /* of all cases, those that were kept as well */
    size_t cases, kept, ran, left_out;
} plx_bench_results;

/* Compares over a sweep of shapes.  A set asks no processor for its large shapes: such a
 * record is not-run, with the reason.  PLX_NOT_FOUND: no such set, backend or kernel;
 * PLX_INVALID: what is under `json` can't be resumed. */
PLX_API plx_status plx_bench(plx_context *context, const plx_bench_options *options,
                             plx_bench_results *results, plx_error *error);
PLX_API void plx_bench_results_free(plx_bench_results *results);

/* ---- check ----------------------------------------------------------------- */

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
    const char *save_failure; /* a folder for the operands of what failed; may be NULL */
    /* One call at a time, but from several threads. */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
    /* Called with every case that is not ok, and a command line that repeats it. */
    void (*failure)(void *data, const plx_record *record, const char *command);
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
    size_t repeats; /* runs whose bits were compared with those of an earlier one */
    /* Why what is unsupported is; what differs in numbers alone counts as one reason. */
    plx_check_reason reasons[PLX_CHECK_REASONS];
    size_t reason_count;
    double seconds[PLX_CHECK_PHASE_COUNT]; /* where the time went, of all threads together */
} plx_check_counts;

/* `results` gets one record per backend and kernel (worst case over its cases). */
PLX_API plx_status plx_check(plx_context *context, const plx_check_options *options,
                             plx_check_counts *counts, plx_results *results, plx_error *error);

/* ---- diff ---------------------------------------------------------------------- */

typedef enum plx_change {
    PLX_CHANGE_BROKEN = 0, /* was right, and is wrong, failed, unsupported or not run */
    PLX_CHANGE_SLOWER,
    PLX_CHANGE_LESS_ACCURATE, /* these three are regressions */
    PLX_CHANGE_FASTER,
    PLX_CHANGE_MORE_ACCURATE,
    PLX_CHANGE_REPAIRED,
    PLX_CHANGE_VANISHED,   /* only in the old file */
    PLX_CHANGE_ADDED,      /* only in the new file */
    PLX_CHANGE_UNCOMPARED, /* in both, but nothing can be said; the note says why */
    PLX_CHANGE_COUNT
} plx_change;

PLX_API const char *plx_change_name(plx_change change); /* "less accurate" */

typedef struct plx_difference {
    plx_change change;
    char problem[240]; /* "gemm f32 512x512x512 nt" */
    char backend[48], device[128], kernel[160];
    bool timed; /* whether the times mean something */
    double old_ns, old_low_ns, old_high_ns, new_ns, new_low_ns, new_high_ns;
    double ratio; /* new time over old */
    double p;     /* probability of that by noise alone, corrected for how many were compared */
    double old_error, new_error; /* largest error over its bound; -1: not known */
    char note[320];              /* "" when there is nothing to add */
} plx_difference;

typedef struct plx_diff_options {
    double threshold; /* smaller changes of time are none; 0: 0.02 */
} plx_diff_options;

typedef struct plx_diff_results {
    plx_difference *differences; /* by change, then in the old file's order */
    size_t count;
    size_t counts[PLX_CHANGE_COUNT];
    size_t compared, timed; /* records in both files, and those timed in both */
    char (*environment)[320]; /* what differs between the environments, a line each */
    size_t environment_count;
    double threshold, level; /* a change of time counts when p is below the level */
} plx_diff_results;

/* What changed from one file of results to another, beyond noise.  Records are matched by
 * operation, element type, shape, variant, input, backend, device name and kernel.  A time
 * has changed when its ratio exceeds the threshold, the 95 % intervals of the medians are
 * disjoint, and p is below the level.  PLX_IO, PLX_INVALID: a file can't be used. */
PLX_API plx_status plx_diff(const char *old_path, const char *new_path, const plx_diff_options *options,
                            plx_diff_results *results, plx_error *error);
PLX_API void plx_diff_results_free(plx_diff_results *results);
/* 0 no regression, 1 at least one, 4 no record is in both files. */
PLX_API int plx_diff_status(const plx_diff_results *results);
/* For people. */
PLX_API plx_status plx_diff_write_table(const plx_diff_results *results, FILE *to, plx_error *error);
/* Schema parallax-diff/1. */
PLX_API plx_status plx_diff_write_json(const plx_diff_results *results, FILE *to, plx_error *error);

/* ---- probes ---------------------------------------------------------------- */

/* What a point is to the verdict of its sweep. */
typedef enum plx_probe_role {
    PLX_PROBE_OTHER = 0,
    PLX_PROBE_BASELINE, /* where the phenomenon can't show */
    PLX_PROBE_SUSPECT,  /* where it shows if it exists */
    PLX_PROBE_ASIDE     /* worth a word: a remedy, or a case that should cost nothing */
} plx_probe_role;

PLX_API const char *plx_probe_role_name(plx_probe_role role); /* "baseline" */

/* One validated and timed run of a sweep. */
typedef struct plx_probe_point {
    plx_problem problem;
    char kernel[64];
    char series[32]; /* points are compared within their series; "" when there is one */
    char label[48];  /* "stride 32" */
    double x;        /* its place on the sweep's axis */
    plx_probe_role role;
    plx_outcome outcome;
    char reason[512]; /* why it is not ok, "" when it is */
    plx_timing time;
    double gbps; /* useful bytes over time; 0 where they say nothing */
} plx_probe_point;

typedef enum plx_visibility {
    PLX_VISIBLE = 0,
    PLX_NOT_VISIBLE,
    PLX_TOO_NOISY, /* the interval holds both */
    PLX_NOT_TOLD,  /* points are missing or wrong */
    PLX_NO_SUBJECT /* the device has no memory of the kind that the sweep is about */
} plx_visibility;

PLX_API const char *plx_visibility_name(plx_visibility visibility); /* "not visible" */

/* The slowest suspect over the fastest (or the usual) baseline, of the series where that
 * is most. */
typedef struct plx_probe_verdict {
    plx_visibility visibility;
    double ratio, low, high; /* 95 % intervals of both times taken together */
    size_t worst, best;      /* points; meaningless while ratio is 0 */
    char text[640];          /* a sentence */
} plx_probe_verdict;

typedef struct plx_probe_sweep {
    char probe[24];      /* "partition" */
    char name[24];       /* "regions" */
    char title[128];
    char axis[48];       /* what x is */
    char phenomenon[96]; /* "partition camping" */
    bool symmetric;      /* either direction would be the phenomenon */
    bool usual;          /* baselines differ by themselves: the one of median time stands for all */
    bool of_shared;      /* about shared memory, which not every device has */
    char backend[48];
    size_t device;       /* of the results */
    plx_probe_point *points;
    size_t point_count;
    plx_probe_verdict verdict;
} plx_probe_sweep;

typedef struct plx_probe_options {
    const char *const *backends; /* none: every device whose plugin has probes */
    size_t backend_count;
    const char *const *names; /* none: all */
    size_t name_count;
    bool quick;               /* fewer points, less time */
    double seconds_per_sweep; /* time limit of the measurement; 0: chosen */
    void (*progress)(void *data, size_t done, size_t total, const char *what);
    void *progress_data;
} plx_probe_options;

/* "partition", ...; NULL at the end. */
PLX_API const char *plx_probe_name(size_t index);
/* One line of what it measures; NULL at the end. */
PLX_API const char *plx_probe_summary(size_t index);
/* Runs the sweeps: each point is validated, and timed only when it is right, the
 * points of a sweep interleaved.  PLX_NOT_FOUND: no such probe or backend.
 * PLX_UNSUPPORTED: a backend that was named has no probes. */
PLX_API plx_status plx_probe(plx_context *context, const plx_probe_options *options,
                             plx_results *results, plx_error *error);
/* As plx_results_status(): 4 when nothing was measured. */
PLX_API int plx_probe_results_status(const plx_results *results);
/* The verdict on a sweep whose points are filled in, on this device. */
PLX_API void plx_probe_judge(plx_probe_sweep *sweep, const plx_device_info *device);

/* One line per point. */
PLX_API plx_status plx_probe_write_csv(const plx_results *results, FILE *to, plx_error *error);
/* For people: of every sweep its points with bars, and the verdict.  width 0: 100. */
PLX_API plx_status plx_probe_write_table(const plx_results *results, FILE *to, int width,
                                         plx_error *error);
/* A gnuplot script, data included, that plots every sweep to standard output;
 * `terminal` is what gnuplot's `set terminal` takes. */
PLX_API plx_status plx_probe_write_gnuplot(const plx_results *results, FILE *to,
                                           const char *terminal, plx_error *error);

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
    size_t usual;   /* record of the plugin's own choice */
    double gain;    /* the usual one's time over the fastest one's */
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

/* ---- reports --------------------------------------------------------------- */

/* As plx_results_write(), into a stream. */
PLX_API plx_status plx_results_write_json(const plx_results *results, FILE *to, plx_error *error);
PLX_API plx_status plx_results_write_csv(const plx_results *results, FILE *to, plx_error *error);
enum {
    PLX_TABLE_COLOUR = 1u << 0,
    PLX_TABLE_ALL_PAIRS = 1u << 1 /* else, of more than ten, those that disagree */
};
/* For people: one table per group, then its agreement.  width 0: 100 columns.  flags: PLX_TABLE_ bits. */
PLX_API plx_status plx_results_write_table(const plx_results *results, FILE *to, int width, unsigned flags,
                                           plx_error *error);

/* How one of our backends stands against the vendors' libraries on its device, over all
 * problems of an operation, element type and variant where both were right and timed: the
 * time of the fastest library over that of our fastest kernel. */
typedef struct plx_standing {
    plx_op op;
    plx_dtype dtype;
    char variant[128]; /* "sum", "nt" */
    char backend[48];
    size_t problems, ahead;   /* ahead: the ratio is 1 or more */
    double mean, least, most; /* mean: geometric */
    size_t least_at;          /* index of our record where it is the least */
} plx_standing;

/* *standings is malloc'ed. */
PLX_API plx_status plx_results_standings(const plx_results *results, plx_standing **standings, size_t *count,
                                         plx_error *error);
/* A table of them; nothing where there are none. */
PLX_API plx_status plx_results_write_standings(const plx_results *results, FILE *to, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
