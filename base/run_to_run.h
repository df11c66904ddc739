/* From run to run: by how much the time of the same launch differs from process to process, where all samples of one
 * agree. */
#ifndef PLX_RUN_TO_RUN_H
#define PLX_RUN_TO_RUN_H

#include <math.h>

/* Where its buffers came to lie, and what a launch costs the host that day.  Seen between runs of one machine: 0.4 % of
 * long launches, 0.5 us of short ones.  What takes less than a microsecond is no launch on a device but a call on the
 * processor, of which a fifth of the time is enough. */
static inline double plx_run_to_run_ns(double median)
{
    return 0.0015 * median + fmin(200.0, 0.2 * median);
}

#endif
