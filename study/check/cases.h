/* What plx_check tries: problems, inputs and circumstances that cover the sizes at
 * which kernels break.  Private to libparallax-study. */
#ifndef PLX_CASES_H
#define PLX_CASES_H

#include "study/run/run.h"

typedef struct plx_case {
    plx_problem problem;
    plx_input input;
    uint64_t seed;
    plx_rigour rigour;
    bool large; /* needs gigabytes: for accelerators that have them */
} plx_case;

typedef struct plx_cases {
    plx_case *list;
    size_t count;
} plx_cases;

/* The same cases for the same arguments. */
plx_status plx_cases_make(plx_op op, plx_dtype dtype, plx_effort effort, uint64_t seed, plx_cases *cases,
                          plx_error *error);
/* False for what is no operation. */
bool plx_cases_exist(plx_op op);
void plx_cases_free(plx_cases *cases);

#endif
