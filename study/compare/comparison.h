/* A comparison, one problem after the other.  Private to libparallax-study. */
#ifndef PLX_COMPARISON_H
#define PLX_COMPARISON_H

#include "study/run/run.h"

#include <parallax/compare.h>

/* The backends stay open from one problem to the next: nothing is compiled twice. */
typedef struct plx_comparison {
    const plx_compare_options *options; /* all but its problems */
    plx_open_backends opened;
    plx_claims claims;
    plx_results *results;
    plx_error *error;
    size_t done, total;       /* steps of work: "after 12 of 33" */
    double parts_done, parts; /* of the time, for the progress line */
    bool parts_of_each;       /* problem alone, and not of all */
    /* Of the problem that is compared, and, with `keep`, still of the next one, which must differ in its compute
     * type alone: it has the same operands and the same reference. */
    plx_inputs inputs;
    plx_references references;
    bool keep, kept;
    /* May be NULL.  Says that a device is not to run a problem, and why. */
    bool (*refuse)(void *data, const plx_device_info *device, const plx_problem *problem, char *reason,
                   size_t capacity);
    void *refuse_data;
} plx_comparison;

/* Opens the backends and writes their devices into *results.  What is pointed to must
 * outlive the comparison.  On failure there is nothing to close. */
plx_status plx_comparison_open(plx_comparison *comparison, plx_context *context, const plx_compare_options *options,
                               plx_results *results, plx_error *error);
/* Adds the pairs and the records of one problem to the results, as the group; its operands
 * start `shift` elements past an aligned address. */
plx_status plx_comparison_add(plx_comparison *comparison, const plx_problem *problem, uint64_t shift, size_t group);
void plx_comparison_close(plx_comparison *comparison);

#endif
