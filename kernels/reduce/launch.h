/* How reductions are launched: a recipe for each way. */
#ifndef PLX_KERNELS_REDUCE_LAUNCH_H
#define PLX_KERNELS_REDUCE_LAUNCH_H

#include "geometry.h"

/* The form of the rows from interleaved to shuffle. */
typedef struct plx_reduce_tree {
    const char *entry;
    int64_t items;       /* elements per thread */
    bool copies;         /* needs a scratch copy of what it reads */
    bool dynamic_shared; /* one element per thread, given by the launch */
    bool static_shared;  /* or by the kernel */
    bool shuffles;
} plx_reduce_tree;

plx_status plx_reduce_tree_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);
plx_status plx_reduce_vector_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error);
plx_status plx_reduce_onepass_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error);
plx_status plx_reduce_bulk_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);
plx_status plx_reduce_segments_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error);

#endif
