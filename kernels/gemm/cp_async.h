/* async-copy and short-k: kernels whose operands may begin anywhere. */
#ifndef PLX_KERNELS_GEMM_CP_ASYNC_H
#define PLX_KERNELS_GEMM_CP_ASYNC_H

#include "tma.h"

#define PLX_GEMM_CP_ASYNC_TILES 18
#define PLX_GEMM_OPENCL_TILES 14 /* the first of them: those that OpenCL has */
extern const plx_gemm_tile plx_gemm_cp_async_tiles[PLX_GEMM_CP_ASYNC_TILES];

#define PLX_GEMM_MANY_TILES 11
extern const plx_gemm_tile plx_gemm_many_tiles[PLX_GEMM_MANY_TILES];

/* cp_async_cost.c: microseconds, by the model; edge_blocks are 0. */
double plx_gemm_cp_async_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);

/* A part's terms one after the other, then its cluster's parts, then the clusters. */
int64_t plx_gemm_cp_async_depth(const plx_problem *problem, const plx_device_info *device,
                                const plx_schedule *schedule);
/* Of async-copy and many-blocks. */
plx_status plx_gemm_cp_async_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error);

/* short_k.c: microseconds, by the model; only where k is at most GEMM_SHORT_MOST. */
double plx_gemm_short_cost(const plx_problem *problem, const plx_device_info *device);
plx_schedule_function plx_gemm_short_k_schedule;
plx_status plx_gemm_short_k_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);

#endif
