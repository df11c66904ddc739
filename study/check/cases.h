/* The cases that plx_check tries.  Private to libparallax-study. */
#ifndef PLX_CASES_H
#define PLX_CASES_H

#include "kernels/cases.h"

typedef struct plx_cases {
    plx_case *list;
    size_t count;
} plx_cases;

/* The same cases for the same arguments; none for what is no operation. */
plx_status plx_cases_make(plx_op op, plx_dtype dtype, plx_compute compute, plx_effort effort, uint64_t seed,
                          plx_cases *cases, plx_error *error);
/* Appends as many as the effort is worth, all by this seed. */
plx_status plx_cases_draw(plx_op op, plx_dtype dtype, plx_compute compute, plx_effort effort, uint64_t seed,
                          plx_cases *cases, plx_error *error);
void plx_cases_free(plx_cases *cases);

#endif
