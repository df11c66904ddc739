/* The host plugin: reference kernels on the processor.  What its files share. */
#ifndef PLX_PLUGINS_HOST_HOST_H
#define PLX_PLUGINS_HOST_HOST_H

#include "backends/host/host.h"

/* A kernel: what it says of itself, and the function that runs it at once.
 * at[] holds the first element of each operand in the operation's order; NULL
 * where an operand has no memory. */
typedef struct host_kernel {
    plx_kernel about;
    plx_status (*run)(const plx_problem *problem, void *const *at, plx_error *error);
    /* PLX_UNSUPPORTED with the reason for a problem that it does not compute; NULL:
     * it computes all of its operation. */
    plx_status (*serves)(const plx_problem *problem, plx_error *error);
} host_kernel;

extern const host_kernel host_reduce, host_transpose, host_matvec, host_gemm, host_ceiling;

static inline int64_t host_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* a / b rounded up, for a >= 0 and b > 0, without overflow. */
static inline int64_t host_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

#endif
