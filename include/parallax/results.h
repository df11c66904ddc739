/* What studies find: records of kernels and pairs of them, and how they are written down. */
#ifndef PARALLAX_RESULTS_H
#define PARALLAX_RESULTS_H

#include <parallax/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    PLX_OUTCOME_FAILED,     /* it should have run and gave no result: an error, a lost device, no memory */
    PLX_OUTCOME_NOT_RUN,    /* nobody asked it to run: too large for a processor's set, or no case suits it */
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
    double max_over_bound;      /* largest |error| / bound; +Inf: an element that must be exact is not */
    double max_ulp;             /* of the output's dtype */
    int64_t compared;           /* elements */
    int64_t compared_after;     /* elements that timed launches left, in all sets of operands; 0: nothing was timed */
    int64_t wrong;              /* elements outside the bound */
    int64_t indeterminate;      /* elements without a bound: the order of the sum decides on overflow */
    int64_t first_bad;          /* the first of them, row by row; -1: none */
    char got[40], expected[40]; /* that element, "" when none */
    plx_bound_kind bound;
    double gamma;            /* the bound over the size of what was summed; 0 when exact */
    bool too_wide;           /* at most elements a result of zero would be within the bound */
    double narrowing;        /* what the bound has besides, of the result: of sums that are rounded at the end */
    double max_over_terms;   /* largest |error| over the size of what was summed; 0: none, or not known */
    double first_over_bound; /* first_bad's |error| / bound; 0: not known */
    uint64_t reserved[7];    /* 0: new members go here */
} plx_error_measure;

/* Whether every element is the number of its type that is nearest to the exact one: no error but that of rounding once.
 */
static inline bool plx_error_is_rounding(const plx_error_measure *error)
{
    return error->measured && error->max_over_bound > 0 && error->max_over_bound < 1e300 && error->max_ulp > 0 &&
           error->max_ulp <= 0.5;
}

/* Fewer digits that operands may have been rounded to. */
typedef enum plx_model {
    PLX_MODEL_F32 = 0, /* of f64 */
    PLX_MODEL_F32_CUT,
    PLX_MODEL_TF32,
    PLX_MODEL_TF32_CUT,
    PLX_MODEL_F16,
    PLX_MODEL_F16_CUT,
    PLX_MODEL_BF16,
    PLX_MODEL_BF16_CUT,
    PLX_MODEL_COUNT
} plx_model;

PLX_API const char *plx_model_name(plx_model model); /* "tf32", "tf32-cut" */

typedef enum plx_like {
    PLX_LIKE_UNKNOWN = 0, /* can't tell */
    PLX_LIKE_OWN,         /* the arithmetic that was promised */
    PLX_LIKE_ROUNDED,     /* operands that were rounded as `model` says */
    PLX_LIKE_ROUGHER, /* an error far larger than the promised arithmetic's, which no rounding of operands explains */
    PLX_LIKE_FINER,   /* operands were not rounded to the compute type that was promised */
    PLX_LIKE_COUNT
} plx_like;

PLX_API const char *plx_like_name(plx_like like); /* "own" */

/* What an error is like, by a sample of at most 256 elements of sums that are rounded. */
typedef struct plx_likeness {
    bool measured; /* else nothing below means anything */
    plx_like like;
    plx_model model; /* that explains most; PLX_MODEL_COUNT: none can be told from the operands themselves */
    double explained[PLX_MODEL_COUNT]; /* the share of the error; NaN: it can't be told; -Inf: there is no error */
    double rms;                        /* of error / size of what was summed, in units of the roundoff of the sums */
    double own_rms;                    /* the same of a loop in the promised arithmetic, on the same elements */
    int64_t elements;
    char text[160];       /* "like tf32: the rounding of its operands explains 100.0 % of the error" */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_likeness;

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
    bool device_clock;     /* device events, else the host's clock */
    char clock_reason[80]; /* why the device's clock was not believed; "" when it was */
    bool converged;        /* the interval became narrow enough before time was up */
    bool hot;              /* the same operands over and over; else none that a cache still holds */
    size_t queues;         /* that the launches went to in turn; those of several queues may overlap */
    bool throttled;        /* every sample was taken below the typical clock, so they were kept */
    size_t batch;          /* back-to-back launches in a sample */
    size_t dropped;        /* samples thrown away because the device had throttled */
    size_t disturbed;      /* and because the system took a processor from the process while they were taken */
    plx_interval host;     /* the same launches on the host's clock */
    plx_interval latency;  /* single calls from launch to completion, on the host's clock;
                            * measured for small problems */
    size_t runs;           /* from which it is made, each with its own median: the samples are these; 0: of one */
    uint64_t reserved[8];  /* 0: new members go here */
} plx_timing;

/* Whether half the interval is more than a quarter of the median, however short the time: nothing is ranked by it. */
static inline bool plx_timing_is_noisy(const plx_timing *time)
{
    return time->measured && !((time->high_ns - time->low_ns) / 2 <= 0.25 * time->median_ns);
}
/* Whether there is a time to go by at all: an interval that is not wider than its median. */
static inline bool plx_timing_counts(const plx_timing *time)
{
    return time->measured && time->median_ns > 0 && time->high_ns - time->low_ns <= time->median_ns;
}

/* How the samples of a time lie: the least, the quartiles, the most. */
typedef struct plx_spread {
    bool known;
    double least, lower, middle, upper, most; /* ns */
} plx_spread;

/* What bounds a time from below, measured in the same process on the same device. */
typedef enum plx_ceiling_kind {
    PLX_CEILING_COPY = 0, /* reading and writing, GB/s */
    PLX_CEILING_READ,     /* reading alone, GB/s */
    PLX_CEILING_FMA_F32,  /* multiply-adds of the plain units, GFLOP/s */
    PLX_CEILING_FMA_F64,
    PLX_CEILING_LAUNCH,    /* an empty kernel, launched back to back, ns */
    PLX_CEILING_UNITS_F16, /* products on the matrix units, of operands that stay in registers or shared memory, GFLOP/s
                            */
    PLX_CEILING_UNITS_BF16,
    PLX_CEILING_UNITS_TF32,
    PLX_CEILING_UNITS_F64,
    PLX_CEILING_UNITS_I8, /* GOP/s */
    PLX_CEILING_COUNT
} plx_ceiling_kind;

PLX_API const char *plx_ceiling_name(plx_ceiling_kind kind); /* "copy", "fma-f32", "bf16-units" */
PLX_API const char *plx_ceiling_unit(plx_ceiling_kind kind); /* "GB/s", "GFLOP/s", "ns" */

/* What a device reached; 0: not measured. */
typedef struct plx_ceilings {
    double value[PLX_CEILING_COUNT];
    uint32_t tried;          /* bits of the kinds; one that was tried and is 0 can't be measured here */
    uint32_t at_power_limit; /* bits of the kinds at which the device was at its power limit while they were measured */
    double clock_mhz[PLX_CEILING_COUNT]; /* that it held then; 0: nobody tells */
} plx_ceilings;

/* The ceiling that applies to a record, and how much of it was reached. */
typedef struct plx_ceiling {
    bool applies; /* else nothing below means anything */
    plx_ceiling_kind kind;
    double value, fraction;
    char over[160];       /* the likely cause when fraction is above 1; else "" */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_ceiling;

typedef struct plx_record {
    plx_problem problem;
    plx_input input; /* meaningless with from_files */
    bool from_files;
    uint64_t seed;
    char backend[48]; /* "opencl:0" */
    size_t device;    /* index into the results' devices */
    char kernel[64];  /* "split-k"; "split-k:64x64/4" where that was asked for */
    char idea[512];   /* at the end of a word, where it is longer */
    uint32_t kernel_flags;
    bool named;   /* the kernel was asked for by name, not by "best" or "all" */
    size_t group; /* records of one problem on the same bytes have one group */
    size_t step;  /* the kernel's place in its ladder */
    plx_outcome outcome;
    char reason[512]; /* why it is not ok; "" when it is */
    plx_error_measure error;
    plx_likeness likeness; /* compare: what the error is like */
    plx_timing time;
    plx_ceiling ceiling;
    double gbps, gflops; /* 0 when not timed, or where it does not apply */
    double gain;         /* over the step before on the same backend; 0: none */
    bool counted;
    plx_counters counters;     /* when counted */
    double formula_bytes;      /* what the operation has to move, by its formula */
    char counters_reason[256]; /* why it was not counted; "" when nobody asked */
    char circumstances[256];   /* check: shape, transpositions, scalars, paddings, ...; else "" */
    uint64_t shift;            /* elements by which each operand started past an aligned address */
    char config[40];           /* the configuration in which the kernel ran, "64x64/4"; "" where it has none */
    char remark[160];          /* what ran otherwise than planned, and why; "": nothing */
    plx_spread spread;         /* of the samples that `time` is made of */
    uint64_t reserved[10];     /* 0: new members go here */
} plx_record;

typedef struct plx_pair {
    size_t first, second; /* records */
    bool compared, identical, agree;
    int64_t elements;        /* compared */
    double max_ulp;          /* between the two */
    double max_over_bound;   /* |a-b| over the sum of the two bounds */
    int64_t first_different; /* -1: none */
    char value_first[40], value_second[40];
    uint64_t reserved[4]; /* 0: new members go here */
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
    bool throttle_known;       /* whether it told when the study began by what it was held back, PLX_THROTTLE_ bits: */
    uint32_t throttle_begin;
    char changes[512]; /* what its plugin changed of the process, as plx_plugin_changes() says */
    plx_ceilings ceilings;
    uint64_t reserved[8]; /* 0: new members go here */
} plx_study_device;

/* "the device was at its power limit, at 1410 of 1980 MHz", of when the ceiling was measured; "1980 MHz", where it was
 * not; "": nobody tells. */
PLX_API void plx_ceiling_clock_text(const plx_study_device *device, plx_ceiling_kind kind, char *text, size_t capacity);

/* How busy the machine was while a study ran. */
typedef struct plx_activity {
    bool known;                  /* else nothing below means anything */
    double load_begin, load_end; /* load averages of a minute, when it began and ended */
    double others;               /* processors' worth of time that others took meanwhile; -1: nobody knows */
    uint64_t switches; /* how often the system took a processor from this process: involuntary context switches */
    double throttled_begin_s, throttled_end_s; /* for how long its control groups had held their processes back until
                                                * then */
    uint64_t reserved[4];                      /* 0: new members go here */
} plx_activity;

/* What made the results, and on which machine.  "" and 0: nobody knows. */
typedef struct plx_environment {
    char parallax[32]; /* version */
    char kernels_hash[80];
    char compiler[160], flags[512];
    char device_compiler[160], device_flags[512];
    char date[32]; /* ISO 8601, UTC */
    char system[80], release[80], machine[80], cpu[256];
    uint64_t threads;      /* of the machine */
    uint64_t processors;   /* that the process may run on, by its affinity */
    double quota;          /* processors' worth of time that its control groups let it have; 0: no limit */
    uint64_t memory_limit; /* in bytes, the least of its control groups; 0: none */
    /* Those that drivers heed and that results or times depend on, "NVIDIA_TF32_OVERRIDE=1"; "": none. */
    char variables[512];
    /* Where it ran: the host, the kernel's id of its boot, the job ("slurm 1234") and the scheduler's name of the host;
     * which of so many processes of the job it was.  ranks 0: it was none of several. */
    char host_name[128], boot[40], job[96], node[128];
    uint64_t rank, ranks;
    plx_activity activity; /* of the study; plx_environment_now() does not know it */
    uint64_t reserved[8];  /* 0: new members go here */
} plx_environment;

/* Whether others took so much of the machine that times differ from run to run; text: "load 3.6 on 2 processors", also
 * where it was not busy; "": nobody knows. */
PLX_API bool plx_environment_is_busy(const plx_environment *environment, char *text, size_t capacity);

/* From now on nothing that this process writes or compares says on which host or chips it ran: names of hosts, boots
 * and jobs, UUIDs and PCI addresses are left out, as if they were not known.  False: they are there again. */
PLX_API void plx_results_anonymous(bool anonymous);
PLX_API bool plx_results_are_anonymous(void);

/* A case of a bench that nobody ran. */
typedef struct plx_left_out {
    plx_problem problem;
    uint64_t shift;
    char reason[512];
    uint64_t reserved[4]; /* 0: new members go here */
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
    uint64_t reserved[8]; /* 0: new members go here */
} plx_bench_request;

/* What a single run computed. */
enum { PLX_SHOWN_VALUES = 64 };
typedef struct plx_shown_result {
    char name[16], type[16]; /* the operand, "C"; what its elements are, "f32" */
    int64_t rows, cols;
    /* Of the values: all where there are no more than that many, else the upper left corner, row by row.  As texts,
     * for NaN, infinities and integers of 64 bits have no form in JSON. */
    size_t shown_rows, shown_cols;
    char values[PLX_SHOWN_VALUES][64];
    uint64_t reserved[4]; /* 0: new members go here */
} plx_shown_result;

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
    struct plx_check_counts *check; /* what plx_check() counted; NULL: these are of no check */
    plx_bench_request *bench;       /* NULL: these are of no bench */
    struct plx_probe_sweep *sweeps; /* of plx_probe(), which has no records */
    size_t sweep_count;
    char (*unopened)[576]; /* "opencl:1: why": devices that a probe could not open */
    size_t unopened_count;
    struct plx_attribution *attributions; /* of plx_attribute(), which has no records */
    size_t attribution_count;
    char attribution_note[256];    /* what is missing of them; "": nothing */
    struct plx_matrix_unit *units; /* of plx_probe_units(), which has no records */
    size_t unit_count;
    struct plx_choice_study *choice; /* of plx_tune_choice(); NULL: these are of none */
    plx_shown_result *result;        /* of a single run; NULL: these are of none */
    size_t unknown;                  /* records of a file that this version can't represent, see plx_results_read() */
    bool strict;                     /* a library's fault decides the status like any other's */
    bool interrupted; /* plx_studies_stop() ended the study after `finished` of `wanted` pieces of work */
    size_t finished, wanted;
    uint64_t reserved[16]; /* 0: new members go here */
} plx_results;

/* Ends compare, tune, check, probe and attribute of this process after the piece of work that they are at: what is
 * finished is in their results, which are `interrupted`.  For signal handlers, too.  False: studies run again. */
PLX_API void plx_studies_stop(bool stop);
PLX_API bool plx_studies_stopped(void);

/* From now on each of these studies tells what of it is finished, while it goes on: results of it so far, which are
 * `interrupted`, complete in themselves, and the study's again when the function returns.  Rows that were not begun,
 * and pairs of rows, may be missing in them.  It is called by one thread at a time, and may not call a study.  NULL:
 * nobody is told. */
typedef void plx_studies_seen(void *data, const plx_results *so_far);
PLX_API void plx_studies_tell(plx_studies_seen *function, void *data);

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
    PLX_FACT_SAME = 1u << 0,     /* a bench is only resumed where it is the same */
    PLX_FACT_STATE = 1u << 1,    /* the same, where both sides know it */
    PLX_FACT_REPORTED = 1u << 2, /* a diff reports that it differs */
    PLX_FACT_HOST = 1u << 3,     /* of the machine, not of the build */
    PLX_FACT_SENSOR = 1u << 4,   /* of a device, as its sensors report it */
    PLX_FACT_LIMIT = 1u << 5,    /* where it is not known there is none */
    PLX_FACT_IDENTITY = 1u << 6  /* tells which machine or chip it is: anonymous results are without */
};

/* One thing that is known of an environment or a device. */
typedef struct plx_fact {
    const char *key;   /* its name in files, "sm_clock_max_mhz" */
    const char *title; /* for people, "highest clock in MHz" */
    unsigned matters;
    bool known, is_number;
    double number;
    char text[512];       /* "" when it is not known */
    uint64_t reserved[4]; /* 0: new members go here */
} plx_fact;

/* Fact `index`, known or not; false at the end. */
PLX_API bool plx_environment_fact(const plx_environment *environment, size_t index, plx_fact *fact);
PLX_API bool plx_device_fact(const plx_study_device *device, size_t index, plx_fact *fact);
/* Whether they differ by more than this part of the number; unknown differs from known. */
PLX_API bool plx_facts_differ(const plx_fact *a, const plx_fact *b, double part);

/* 0 all ran and agreed; 1 a result was wrong or a pair disagrees; 3 a kernel asked for
 * by name is unsupported; 4 no result was compared with the reference, a device is idle, or a result could not be
 * judged; 5 a backend failed.
 * The program's exit status. */
PLX_API int plx_results_status(const plx_results *results);
/* Why no element was compared on a device that was asked for by name, or that a check tried;
 * NULL: some were, or nobody expects it. */
PLX_API const char *plx_results_idle(const plx_results *results, size_t device);
/* Whether the status is 1 when this record is wrong, and 4 when it could not be judged: not for a
 * vendor's library when neither its backend nor its kernel was asked for by name, and they are not strict. */
PLX_API bool plx_results_decides(const plx_results *results, size_t record);

/* ---- reports --------------------------------------------------------------- */

/* The file of any JSON of ours, written in about a tenth of its bytes: lists of records become tables of one line a
 * record, and what was measured keeps the digits that its interval justifies.  Everything that reads results reads it.
 * PLX_IO, PLX_INVALID: as plx_results_read(). */
PLX_API plx_status plx_results_pack(const char *path, FILE *to, plx_error *error);
/* Such a file with its records written out, for what knows no tables. */
PLX_API plx_status plx_results_unpack(const char *path, FILE *to, plx_error *error);
/* What each of these files of ours is of, as JSON of one line a file: verb, operations, element types, devices,
 * drivers, date, kernels, rows, bytes and their SHA-256.  PLX_IO, PLX_INVALID: as plx_results_read(). */
PLX_API plx_status plx_results_manifest(const char *const *files, size_t count, FILE *to, plx_error *error);
/* The schema of a file of ours, of results or not: "parallax-list/1".  PLX_IO, PLX_INVALID: as plx_results_read(). */
PLX_API plx_status plx_results_schema(const char *path, char *schema, size_t capacity, plx_error *error);
/* As plx_results_write(), into a stream. */
PLX_API plx_status plx_results_write_json(const plx_results *results, FILE *to, plx_error *error);
PLX_API plx_status plx_results_write_csv(const plx_results *results, FILE *to, plx_error *error);
enum {
    PLX_TABLE_COLOUR = 1u << 0,
    PLX_TABLE_ALL_PAIRS = 1u << 1, /* else, of more than ten, those that disagree */
    PLX_TABLE_CONFIGS = 1u << 2,   /* behind the kernels' names */
    PLX_TABLE_LEGEND = 1u << 3     /* below: what the short words mean */
};
/* For machines that build. */
typedef enum plx_ci_form {
    PLX_CI_JUNIT = 0,  /* XML */
    PLX_CI_MARKDOWN,   /* a table, for a comment on a change */
    PLX_CI_ANNOTATIONS /* a line of GitHub's kind for each that is wrong */
} plx_ci_form;
/* Records, and pairs of right results that disagree.  What does not decide plx_results_status() is skipped.  `verb`:
 * what made them, "check". */
PLX_API plx_status plx_results_write_ci(const plx_results *results, plx_ci_form form, const char *verb, FILE *to,
                                        plx_error *error);
/* For people: one table per group, then its agreement.  width 0: sentences of 100 columns,
 * and tables as wide as they are; else columns are left out until the others fit.  flags: PLX_TABLE_ bits. */
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
    uint64_t reserved[4];     /* 0: new members go here */
} plx_standing;

/* *standings is malloc'ed. */
PLX_API plx_status plx_results_standings(const plx_results *results, plx_standing **standings, size_t *count,
                                         plx_error *error);
/* A table of them; nothing where there are none. */
PLX_API plx_status plx_results_write_standings(const plx_results *results, FILE *to, plx_error *error);
/* Of products that were computed in several element or compute types, what each type costs and gains: the
 * fastest right kernel of each backend, its time and rate, its speed over plain f32's, its largest error in units
 * in the last place of its result and of its own bound, and that bound, as a part of what was summed. */
PLX_API plx_status plx_results_write_types(const plx_results *results, FILE *to, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
