/* How results grow.  Private to libparallax-study. */
#ifndef PLX_GROWING_RESULTS_H
#define PLX_GROWING_RESULTS_H

#include <parallax/results.h>

plx_status plx_results_add_record(plx_results *results, const plx_record *record, plx_error *error);
plx_status plx_results_add_pair(plx_results *results, const plx_pair *pair, plx_error *error);
/* The reason of what was not begun when Ctrl-C came, and whether a record is of such. */
extern const char plx_reason_interrupted[];
bool plx_record_was_interrupted(const plx_record *record);
/* Whether a problem that was read from a file is this one, as far as files have digits. */
bool plx_problem_is_read(const plx_problem *read, const plx_problem *problem);

#endif
