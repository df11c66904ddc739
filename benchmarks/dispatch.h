/* What the benchmark of the dispatcher knows of one API: how to enqueue a kernel
 * with nothing but the driver's own calls. */
#ifndef PLX_BENCHMARKS_DISPATCH_H
#define PLX_BENCHMARKS_DISPATCH_H

#include "kernels/image.h"
#include "kernels/recipe.h"

typedef struct driver_launch driver_launch; /* one kernel, ready to be enqueued */

typedef struct driver {
    const char *backend; /* of Parallax, whose `execute` is compared with this */
    const char *what;    /* the calls that are timed */
    /* Makes the kernel of a recipe of one step ready on the device that is number
     * `device` of the backend, with memory of `bytes` for each operand. */
    plx_status (*prepare)(size_t device, const plx_row *row, const plx_problem *problem, uint64_t bytes,
                          driver_launch **launch, plx_error *error);
    plx_status (*enqueue)(driver_launch *launch, plx_error *error);
    plx_status (*finish)(driver_launch *launch, plx_error *error);
    void (*release)(driver_launch *launch);
} driver;

/* Each program is linked with one. */
extern const driver the_driver;

#endif
