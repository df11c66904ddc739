/* A candidate that is being timed: its samples, its looks, its closing rounds.  Private to libparallax-study. */
#ifndef PLX_RUNNER_H
#define PLX_RUNNER_H

#include "study/measure/timed_results.h"
#include "study/measure/timing.h"

/* A candidate being timed. */
typedef struct plx_runner {
    plx_candidate *candidate;
    size_t operand_count;
    plx_timed_sets *sets;
    plx_timed_user user;
    struct plx_runner *all; /* that take turns, itself among them */
    size_t all_count;
    plx_watch own_watch, *watch; /* of its device: its own, or that of another runner */
    plx_timed_queues queues;
    plx_timed_results results;
    bool judges;
    plx_error_measure judged; /* what was found before timing */
    size_t batch, count, calls, looks;
    size_t noted;                         /* samples that have what their device said after them */
    bool ending, done;                    /* ending: after this round nothing more is sampled */
    plx_clock_fit fit;                    /* of the device's clock to the host's */
    double overhead_ns;                   /* of a batch on the host's clock */
    double once_ns;                       /* about the time of one launch */
    double spent_ns, timed_ns, looked_ns; /* on the host's clock; samples alone; looks */
    plx_sample samples[PLX_MAX_SAMPLES];
    double latencies[PLX_MAX_SAMPLES];
} plx_runner;

/* What holds for all candidates of one measurement. */
typedef struct plx_timing_rules {
    double limit_ns; /* for each candidate */
    bool hot;
    size_t queues; /* that launches go to in turn */
    bool together; /* all go on until the last one has converged */
} plx_timing_rules;

/* ---- from start to end (runner.c) ------------------------------------------------------------------------- */

/* *sets: those of all candidates, to which this one's are added.  What fails is the candidate's outcome. */
void plx_runner_start(plx_runner *runner, plx_candidate *candidate, plx_timed_sets **sets, const plx_inputs *inputs,
                      plx_references *references, const plx_timing_rules *rules);
void plx_runner_fail(plx_runner *runner, plx_status status, const plx_error *error);
void plx_runner_finish(plx_runner *runner, const plx_timing_rules *rules);
plx_status plx_runner_explain(const plx_runner *runner, plx_status status, plx_error *error);

/* ---- batches (timed_batch.c) ------------------------------------------------------------------------------- */

/* What comes ahead of so many launches: a launch on the decoy, sets with new data. */
plx_status plx_runner_turn(plx_runner *runner, size_t launches);
/* Those launches. */
plx_status plx_runner_launch(plx_runner *runner);
/* Both, and the time of the launches on both clocks. */
plx_status plx_runner_time(plx_runner *runner, size_t launches, double *device_ns, double *host_ns);
/* How many launches a sample has. */
plx_status plx_runner_calibrate(plx_runner *runner, double limit_ns);
plx_status plx_runner_sample(plx_runner *runner, const plx_timing_rules *rules);
/* Single calls, where launches are short. */
plx_status plx_runner_calls(plx_runner *runner);
bool plx_runner_converged(const plx_runner *runner, const plx_timing_rules *rules);
/* Asks a device for its state, which holds for the samples of its runners since it was asked before. */
void plx_runner_ask(plx_watch *watch, plx_runner *all, size_t count);

/* ---- looks (timed_looks.c) ---------------------------------------------------------------------------------- */

/* Drawn when a round is over. */
bool plx_runner_looks_now(plx_runner *runner);
/* What a look may take between rounds. */
double plx_runner_look_budget(const plx_runner *runner);
/* all: every element of one set. */
plx_status plx_runner_look(plx_runner *runner, bool all, double budget_ns, plx_error *error);
plx_status plx_runner_refuse_if_wrong(plx_runner *runner, double budget_ns, plx_error *error);
void plx_runner_refuse(plx_runner *runner, const char *words, const char *reason);
/* What still works when all is said to be done shows soon. */
void plx_runner_pause(const plx_runner *runner);

/* ---- when all is sampled (closing.c) -------------------------------------------------------------------------- */

/* What the last round left is judged; then what needs rounds of its own.  The runner is done. */
plx_status plx_runner_close(plx_runner *runner, const plx_timing_rules *rules, plx_error *error);
/* Of these, eight rounds that are looked at and not sampled; fewer where they take more time than there is. */
plx_status plx_runner_look_more(plx_runner *runner, const plx_timing_rules *rules, plx_error *error);

#endif
