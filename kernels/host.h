/* The kernel of an operation on the processor (kernels/<op>/host.c), which the plugin host runs.
 * Private to the tree. */
#ifndef PLX_KERNELS_HOST_H
#define PLX_KERNELS_HOST_H

#include "kernels/arithmetic.h"
#include "kernels/ieee754.h"

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

/* What the plugin brings for them: calls body(data, index) for every index below count, on several
 * threads when there are any.  The calls must not depend on each other's order. */
void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data);
/* How many threads plx_host_each() may use. */
uint32_t plx_host_threads(void);

#endif
