/* By how much equal runs differ, where only one is there.  Private to libparallax-study. */
#ifndef PLX_BETWEEN_RUNS_H
#define PLX_BETWEEN_RUNS_H

#include "study/diff/significance.h"

#include <parallax/study.h>

/* The noise of one run's time: within the run, and between runs of such a device.  moderate: where samples are few,
 * what samples do otherwise counts as well. */
plx_noise plx_noise_of_one_run(const plx_results *results, const plx_record *record, const plx_interval *time,
                               bool moderate);
/* By how much single runs differ, at most, 99 times of 100. */
double plx_between_runs_ratio(const plx_results *before, const plx_study_device *device, const plx_results *after,
                              const plx_study_device *other);

#endif
