/* bulk-pipeline, split-k and async-copy in OpenCL, which has no tensor maps and no clusters: recipes, and
 * what parts of k cost. */
#ifndef PLX_KERNELS_GEMM_MAPLESS_H
#define PLX_KERNELS_GEMM_MAPLESS_H

#include "pipeline.h"

/* Whether that is how this device is reached. */
bool plx_gemm_mapless(const plx_device_info *device);
/* Whether its compiler takes the inline PTX with which the pipeline runs by itself. */
bool plx_gemm_mapless_fast(const plx_device_info *device);

/* Parts of k, of which `cluster` neighbouring ones are added first, then the `clusters` sums: whether there
 * is room for what they leave, and the microseconds that it takes to add them. */
bool plx_gemm_mapless_possible(const plx_problem *problem, const plx_gemm_cut *cut);
double plx_gemm_mapless_joining(const plx_problem *problem, const plx_gemm_cut *cut);

/* Every cut of split-k that is possible, without edges. */
void plx_gemm_mapless_each_cut(const plx_problem *problem, plx_gemm_cut_visit *visit, void *data);
/* The one that problem->config says, or that the model says is the fastest; its microseconds. */
plx_gemm_cut plx_gemm_mapless_cut(const plx_problem *problem, const plx_device_info *device);
double plx_gemm_mapless_cost(const plx_problem *problem, const plx_device_info *device,
                             const plx_gemm_cut *cut);

/* Where nothing was measured: parts that are worth another launch. */
plx_gemm_cut plx_gemm_plain_cut(const plx_problem *problem, const plx_gemm_tile *tile);

/* What bulk-pipeline, split-k and async-copy are there; the cut has no edges. */
plx_status plx_gemm_mapless_recipe(const plx_problem *problem, const plx_device_info *device,
                                   const char *entry, const plx_gemm_cut *cut, plx_recipe *recipe,
                                   plx_error *error);
plx_status plx_gemm_mapless_bulk_pipeline(const plx_problem *problem, const plx_device_info *device,
                                          plx_recipe *recipe, plx_error *error);
plx_status plx_gemm_mapless_split_k(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error);

#endif
