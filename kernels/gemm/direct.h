/* mma-direct: small tiles of C for operands that begin anywhere, in parts of k where tiles are few. */
#ifndef PLX_KERNELS_GEMM_DIRECT_H
#define PLX_KERNELS_GEMM_DIRECT_H

#include "recipe.h"

/* Microseconds that it should take, with all its launches. */
double plx_gemm_direct_us(const plx_problem *problem, const plx_device_info *device);

/* ---- what the row needs ------------------------------------------------------------ */

plx_status plx_gemm_direct_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);
size_t plx_gemm_direct_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                               size_t capacity);
int64_t plx_gemm_direct_depth(const plx_problem *problem, const plx_device_info *device);

#endif
