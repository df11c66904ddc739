/* What the benchmark of the dispatcher knows of one API: how to enqueue a kernel
 * with nothing but the driver's own calls. */
#ifndef PLX_BENCHMARKS_DISPATCH_H
#define PLX_BENCHMARKS_DISPATCH_H

#include "kernels/recipe.h"

typedef struct driver_launch driver_launch; /* one kernel, ready to be enqueued */

typedef struct driver {
    const char *backend; /* of Parallax, whose `execute` is compared with this */
    const char *what;    /* the calls that are timed */
    const char *api;     /* for messages */
    const plx_image *images;
    plx_plugin slots; /* of its backend: devices, memory and queues */
    const plx_device_info *(*info)(const plx_session *session);
    /* Makes the recipe's one step ready on the queue; memory[i] is operand i. */
    plx_status (*load)(plx_plugin_queue *queue, const plx_image *image, const plx_recipe *recipe,
                       plx_memory *const *memory, driver_launch **launch, plx_error *error);
    plx_status (*enqueue)(driver_launch *launch, plx_error *error);
    void (*release)(driver_launch *launch); /* may be NULL */
} driver;

/* Each program is linked with one. */
extern const driver the_driver;

#endif
