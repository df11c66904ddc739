/* Reductions by CUB, which needs no handle of cuBLAS. */
#ifndef PLX_PLUGINS_CUBLAS_REDUCE_H
#define PLX_PLUGINS_CUBLAS_REDUCE_H

#include "backends/cuda/cuda.h"

/* How many roundings a term of a sum meets. */
int64_t plx_cub_depth(const plx_problem *problem, const plx_device_info *device);
int64_t plx_cub_segment_depth(const plx_problem *problem, const plx_device_info *device);

/* Whether there are many: a batch, or columns. */
bool plx_cub_is_segmented(const plx_problem *problem);

/* Sets *bytes to the temporary storage of a reduction; segmented: of many in one launch. */
plx_status plx_cub_plan(plx_session *session, const plx_problem *problem, bool segmented, uint64_t *bytes,
                        plx_error *error);

/* Enqueues it, with so much of the queue's scratch memory.  The context is current. */
plx_status plx_cub_execute(plx_plugin_queue *queue, const plx_problem *problem, uint64_t bytes, const void *x,
                           void *result, plx_error *error);

#endif
