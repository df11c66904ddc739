/* Times and counts what is right.  Private to libparallax-study. */
#ifndef PLX_MEASURE_H
#define PLX_MEASURE_H

#include "study/run/run.h"

/* Times the candidates that are ok, interleaved, by the options' time limit, heat and queues.  What
 * the timed launches leave is judged by `references`, and a candidate whose results were wrong then
 * is wrong and has no time.  Without references nothing is judged. */
plx_status plx_measure_candidates(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                  plx_references *references, const plx_compare_options *options, plx_error *error);
/* The same, telling between its rounds which share of the time that it may take is spent. */
typedef struct plx_measure_tick {
    void (*tell)(void *data, double share);
    void *data;
} plx_measure_tick;
plx_status plx_measure_and_tell(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                                plx_references *references, const plx_compare_options *options, plx_measure_tick tick,
                                plx_error *error);
/* The same for candidates with a problem each, each for at most `seconds`, in one queue: inputs[i]
 * and references[i] are what candidates[i] meets. */
plx_status plx_measure_sweep(plx_candidate *candidates, size_t count, const plx_inputs *inputs,
                             plx_references *references, double seconds, plx_error *error);
/* Sorts the samples, which stand in the order that they were taken in, and puts their
 * median and its 95 % interval into *timing. */
void plx_timing_of(double *samples, size_t count, plx_timing *timing);

/* Counts each candidate that is ok once, after all timing: a profiler slows things down. */
void plx_count_candidates(plx_candidate *candidates, size_t count, const plx_inputs *inputs);

#endif
