/* wgmma-narrow: few columns of C, or few rows, which are columns of the product that it multiplies. */
#ifndef PLX_KERNELS_GEMM_WGMMA_NARROW_H
#define PLX_KERNELS_GEMM_WGMMA_NARROW_H

#include "recipe.h"

/* ---- what the row needs ------------------------------------------------------------ */

plx_schedule_function plx_gemm_narrow_schedule, plx_gemm_narrow_unaligned;
plx_recipe_function plx_gemm_narrow_recipe;
size_t plx_gemm_narrow_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity);
int64_t plx_gemm_narrow_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);

#endif
