/* bulk-pipeline and split-k in OpenCL, which has no tensor maps and no clusters: recipes and their cost. */
#ifndef PLX_KERNELS_GEMM_MAPLESS_H
#define PLX_KERNELS_GEMM_MAPLESS_H

#include "pipeline.h"

/* Whether that is how this device is reached. */
bool plx_gemm_mapless(const plx_device_info *device);
/* Whether its compiler takes the inline PTX with which the pipeline runs by itself. */
bool plx_gemm_mapless_fast(const plx_device_info *device);

/* Every cut that is possible: of parts without clusters and edges. */
void plx_gemm_mapless_each_cut(const plx_problem *problem, plx_gemm_cut_visit *visit, void *data);
/* The one that problem->config says, or that the model says is the fastest; its microseconds. */
plx_gemm_cut plx_gemm_mapless_cut(const plx_problem *problem, const plx_device_info *device);
double plx_gemm_mapless_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut);

plx_status plx_gemm_mapless_bulk_pipeline(const plx_problem *problem, const plx_device_info *device,
                                          plx_recipe *recipe, plx_error *error);
plx_status plx_gemm_mapless_split_k(const plx_problem *problem, const plx_device_info *device,
                                    plx_recipe *recipe, plx_error *error);
int64_t plx_gemm_mapless_depth(const plx_problem *problem, const plx_device_info *device);

#endif
