/* What became of a kernel in a file, in memory that the judge shares with the process in which the kernel ran: whatever
 * ends that process, this is there. */
#ifndef PLX_CLI_JUDGED_H
#define PLX_CLI_JUDGED_H

#include "cli.h"

#include <signal.h>
#include <stdatomic.h>

typedef enum judged_status {
    JUDGED_RIGHT = 0,
    JUDGED_WRONG,
    JUDGED_WROTE_ELSEWHERE,
    JUDGED_TIME_NOT_BELIEVED,
    JUDGED_COMPILE_ERROR,
    JUDGED_BAD_RECIPE,
    JUDGED_UNSUPPORTED, /* no device or driver for it */
    JUDGED_CRASHED,
    JUDGED_TIMEOUT,
    JUDGED_DEVICE_LOST,
    JUDGED_NOT_JUDGED,
    JUDGED_INTERRUPTED,
    JUDGED_FAILED,   /* the judge itself */
    JUDGED_COMPILED, /* and nothing else was wanted */
    JUDGED_SLOWER,   /* right, and slower than in the record of --against */
    JUDGED_STATUSES
} judged_status;

/* What takes the time of a judgement. */
typedef enum judged_phase {
    JUDGED_OTHER = 0, /* files, words */
    JUDGED_PROCESS,   /* from a process to the next: its start, its end */
    JUDGED_COMPILE,
    JUDGED_DEVICES,  /* plugins are loaded and asked for devices */
    JUDGED_FUNCTION, /* the process of a function starts, and loads it */
    JUDGED_BACKENDS, /* are opened */
    JUDGED_CASES,    /* those of check */
    JUDGED_DRAW,     /* those that are drawn */
    JUDGED_SHAPES,   /* each shape, before it is timed */
    JUDGED_TIMING,
    JUDGED_CEILINGS, /* are measured, and what is found out after timing */
    JUDGED_CAPTURE,
    JUDGED_SANITIZE,
    JUDGED_PHASES
} judged_phase;

enum {
    JUDGED_PROBLEMS = 32,
    JUDGED_LOG = 16384,
    JUDGED_PEERS = 8,
    JUDGED_PROCESSES = 3,
    JUDGED_LAUNCHES = 8,
    JUDGED_DRAWN = 4,
    JUDGED_SEARCHED = 2, /* problems for each tool of --sanitize */
    JUDGED_SEARCHES = 16
};

/* How it is beside another kernel, on one shape. */
typedef struct judged_beside {
    char backend[48], kernel[64];
    bool vendor;
    double ratio, low, high; /* the other's time over its own */
} judged_beside;

typedef struct judged_shape {
    plx_problem problem;
    bool taken;
    char reason[256];  /* why it is not taken */
    plx_record record; /* of the kernel; reason "": it was not run yet */
    bool ran;
    double call_ns;   /* that was taken off its times: what a call of a function takes by itself; 0 */
    bool has_earlier; /* the time in the record of --against */
    plx_interval earlier;
    bool is_drawn;        /* by --best-of: nobody asked for it */
    plx_interval claimed; /* before it was measured anew; median 0: it was not */
    plx_launch_facts launches[JUDGED_LAUNCHES];
    size_t launch_count;
    size_t processes;      /* that timed it */
    plx_captured captured; /* of a function on a device */
    judged_beside beside[JUDGED_PEERS];
    size_t beside_count;
} judged_shape;

typedef enum judged_search_end { SEARCH_DONE = 0, SEARCH_FAILED, SEARCH_NOT_THERE } judged_search_end;

/* One run of --sanitize. */
typedef struct judged_search {
    char tool[32], problem[160];
    judged_search_end how;
    size_t findings;
    char said[200]; /* the first finding, or why there was no search */
} judged_search;

typedef struct judged {
    atomic_ulong beat; /* grows as work goes on */
    char doing[160];
    bool ended; /* the worker came to its end; what follows says how */
    judged_status status;
    char why[512];
    plx_kernel_facts facts;
    char fence[376];             /* of the process of a function; "" */
    uint64_t seed, claimed_seed; /* the second: of what --best-of measured anew; 0: nothing was */
    bool has_device;
    plx_device_info device;
    char label[48], log[JUDGED_LOG];
    char peers[JUDGED_PEERS][48]; /* its label, and those of others of the same chip */
    size_t peer_count;
    judged_phase phase; /* what takes the time now, and since when; since when all of it */
    double since, began, seconds[JUDGED_PHASES];
    plx_check_counts counts; /* of the cases that check has */
    size_t drawn, drawn_ok, drawn_wrong, drawn_not_judged, drawn_failed;
    plx_record first_wrong; /* when found_wrong */
    bool found_wrong;
    char command[512]; /* that repeats it; "": none */
    judged_shape shapes[JUDGED_PROBLEMS + JUDGED_DRAWN];
    const cli_options *options; /* of the process that writes */
    size_t shape_count;
    judged_search searches[JUDGED_SEARCHES];
    size_t search_count;
} judged;

/* ---- judged_write.c ------------------------------------------------------------------- */

extern const char *const judged_words[JUDGED_STATUSES]; /* "time_not_believed" */
int judged_exit(judged_status status);
plx_status judged_write_json(const void *what, FILE *to, plx_error *error);
plx_status judged_write_text(const void *what, FILE *to, plx_error *error);

/* ---- judge_phases.c ------------------------------------------------------------------- */

extern const char *const judged_phases[JUDGED_PHASES]; /* "timing" */
void judged_begin(judged *to);
/* From now on it is this that takes the time; returns what did so far. */
judged_phase judged_turn(judged *to, judged_phase phase);
/* By what a comparison says it is doing. */
void judged_turn_by(judged *to, const char *what);
/* Until the last turn; the phases together. */
double judged_took(const judged *of);
void judged_say_phases(const judged *of);

/* ---- judge_worker.c --------------------------------------------------------------------- */

/* Both in a process of their own; what they find is in *to.  The first makes device code for every shape, the second
 * runs it. */
void judged_compile(cli_options *options, judged *to);
void judged_judge(cli_options *options, judged *to);
/* Both in one, of a function, which is loaded once for that. */
void judged_load_and_judge(cli_options *options, judged *to);
/* Captures a function on each shape, and judges what the replay gives. */
void judged_capture(cli_options *options, judged *to);
/* Times the shapes again, and nothing else. */
void judged_time(cli_options *options, judged *to);
/* The same of a claim: with another seed, and on shapes that are drawn besides. */
void judged_time_anew(cli_options *options, judged *to);

/* ---- judge_backends.c ------------------------------------------------------------------- */

/* Starts as {.count = 0}. */
typedef struct judged_backends {
    plx_backend *at[JUDGED_PEERS];
    size_t count;
} judged_backends;

/* Opens those of the labels that are not open, or were lost; what can't be opened is left out, and is for the study to
 * say. */
void judged_backends_open(judged_backends *backends, plx_context *context, const char *const *labels, size_t count);
/* NULL: it is not open. */
plx_backend *judged_backend(const judged_backends *backends, const char *label);
/* Ahead of their context. */
void judged_backends_close(judged_backends *backends);

/* ---- judge_sanitize.c --------------------------------------------------------------------- */

/* Runs it under each tool for its device; *stopped ends that. */
void judged_sanitize(const cli_options *options, judged *to, volatile sig_atomic_t *stopped);

/* ---- judged_processes.c ------------------------------------------------------------------ */

/* What several processes have timed, one after the other, each with a list of shapes like to->shapes. */
void judged_merge(judged *to, const judged_shape *const *lists, size_t count);
/* How it is beside the fastest other of each shape: geometric mean and worst of the ratios, share that is below 1. */
void judged_summary(const judged *of, size_t *shapes, double *mean, double *worst, double *below);

#endif
