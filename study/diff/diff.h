/* The parts of diff.  Private to libparallax-study. */
#ifndef PLX_DIFF_H
#define PLX_DIFF_H

#include <parallax/plugin.h>
#include <parallax/study.h>

/* ---- matching (match.c) ------------------------------------------------------------- */

/* A record of each file; NULL in the file that has none like it. */
typedef struct plx_match {
    const plx_record *before, *after;
    size_t order;        /* its place in the old file, or behind all of them */
    bool another_kernel; /* the same case of the same backend, but the kernel has changed */
} plx_match;

/* *matches is malloc'ed, in order. */
plx_status plx_diff_match(const plx_results *before, const plx_results *after, bool across, plx_match **matches,
                          size_t *count, plx_error *error);

/* ---- what is missing (losses.c) ------------------------------------------------------- */

/* Of the differences in *results; fills its losses. */
plx_status plx_diff_losses(const plx_results *before, const plx_results *after, const plx_match *matches, size_t count,
                           plx_diff_results *results, plx_error *error);

/* ---- environments (environment.c) ----------------------------------------------------- */

plx_status plx_diff_environments(const plx_results *before, const plx_results *after, plx_diff_results *results,
                                 plx_error *error);

#endif
