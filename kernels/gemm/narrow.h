/* wgmma-narrow: few columns of C, or few rows, which are columns of the product that it multiplies. */
#ifndef PLX_KERNELS_GEMM_NARROW_H
#define PLX_KERNELS_GEMM_NARROW_H

#include "recipe.h"

/* Microseconds that it should take, with all its launches. */
double plx_gemm_narrow_us(const plx_problem *problem, const plx_device_info *device);

/* ---- what the row needs ------------------------------------------------------------ */

plx_status plx_gemm_narrow_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);
plx_status plx_gemm_narrow_recipe_unaligned(const plx_problem *problem, const plx_device_info *device,
                                            plx_recipe *recipe, plx_error *error);
size_t plx_gemm_narrow_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity);
int64_t plx_gemm_narrow_depth(const plx_problem *problem, const plx_device_info *device);

#endif
