/* mma-direct: small tiles of C for operands that begin anywhere, in parts of k where tiles are few. */
#ifndef PLX_KERNELS_GEMM_MMA_DIRECT_H
#define PLX_KERNELS_GEMM_MMA_DIRECT_H

#include "recipe.h"

/* ---- what the row needs ------------------------------------------------------------ */

plx_schedule_function plx_gemm_direct_schedule;
plx_recipe_function plx_gemm_direct_recipe;
size_t plx_gemm_direct_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity);
int64_t plx_gemm_direct_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);

#endif
