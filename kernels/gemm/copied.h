/* async-copy and short-k: kernels whose operands may begin anywhere. */
#ifndef PLX_KERNELS_GEMM_COPIED_H
#define PLX_KERNELS_GEMM_COPIED_H

#include "pipeline.h"

#define PLX_GEMM_COPIED_TILES 18
#define PLX_GEMM_MAPLESS_TILES 14 /* the first of them: those that OpenCL has */
extern const plx_gemm_tile plx_gemm_copied_tiles[PLX_GEMM_COPIED_TILES];

#define PLX_GEMM_MANY_TILES 11
extern const plx_gemm_tile plx_gemm_many_tiles[PLX_GEMM_MANY_TILES];

/* copied_cut.c: microseconds, by the model; edge_blocks are 0. */
double plx_gemm_copied_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut);

/* A part's terms one after the other, then its cluster's parts, then the clusters. */
int64_t plx_gemm_copied_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);
/* Of async-copy and many-blocks. */
plx_status plx_gemm_copied_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);

/* short.c: microseconds, by the model; only where k is at most GEMM_SHORT_MOST. */
double plx_gemm_short_cost(const plx_problem *problem, const plx_device_info *device);
plx_schedule_function plx_gemm_short_k_schedule;
plx_status plx_gemm_short_k_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);

#endif
