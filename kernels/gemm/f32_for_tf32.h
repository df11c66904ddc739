/* f32-for-tf32: thin products that are asked for as TF32, by the kernel that takes them in plain f32. */
#ifndef PLX_KERNELS_GEMM_F32_FOR_TF32_H
#define PLX_KERNELS_GEMM_F32_FOR_TF32_H

#include "recipe.h"

plx_status plx_f32_for_tf32_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);
plx_status plx_f32_for_tf32_recipe_unaligned(const plx_problem *problem, const plx_device_info *device,
                                             plx_recipe *recipe, plx_error *error);
/* Whether that kernel should take less time than wgmma-tf32. */
bool plx_f32_for_tf32_pays(const plx_problem *problem, const plx_device_info *device);
int64_t plx_f32_for_tf32_depth(const plx_problem *problem, const plx_device_info *device);

#endif
