/* The host backend: reference kernels on the CPU.  What its files share. */
#ifndef PLX_HOST_H
#define PLX_HOST_H

#include <parallax/plugin.h>

/* A kernel: what it says of itself, and the function that runs it at once.
 * at[] holds the first element of each operand in the operation's order; NULL
 * where an operand has no memory. */
typedef struct host_kernel {
    plx_kernel about;
    plx_status (*run)(const plx_problem *problem, void *const *at, plx_error *error);
} host_kernel;

extern const host_kernel host_reduce, host_transpose, host_matvec, host_gemm;

/* Calls body(data, index) for every index below count, on several threads when
 * there are any.  The calls must not depend on each other's order. */
void host_each(int64_t count, void (*body)(void *data, int64_t index), void *data);
/* How many threads host_each() may use. */
uint32_t host_threads(void);

/* Describes the processor. */
void host_describe(plx_device_info *info);

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
