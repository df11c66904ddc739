/* The parts of diff.  Private to libparallax-study. */
#ifndef PLX_CORE_DIFF_H
#define PLX_CORE_DIFF_H

#include "study/files/json_file.h"

/* ---- matching (diff_match.c) ------------------------------------------------------ */

/* A record of each file; NULL in the file that has none like it. */
typedef struct plx_match {
    const json_t *before, *after;
    size_t order;        /* its place in the old file, or behind all of them */
    bool another_kernel; /* the same case of the same backend, but the kernel has changed */
} plx_match;

/* *matches is malloc'ed, in order. */
plx_status plx_diff_match(const json_t *before, const json_t *after, plx_match **matches, size_t *count,
                          plx_error *error);
/* The device of a record; NULL: none. */
const json_t *plx_json_device_of(const json_t *root, const json_t *record);

/* ---- environments (diff_environment.c) ---------------------------------------------- */

plx_status plx_diff_environments(const json_t *before, const json_t *after, plx_diff_results *results,
                                 plx_error *error);

#endif
