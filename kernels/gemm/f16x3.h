/* f32 products on the matrix units, by planes of f16 or bf16 for each operand. */
#ifndef PLX_KERNELS_GEMM_F16X3_H
#define PLX_KERNELS_GEMM_F16X3_H

#include "recipe.h"

/* What hi may leave to lo, as a share of an element's magnitude, so that the bound of a plain sum of k terms
 * holds: doc/validation.md derives it. */
double plx_f16x3_share(int64_t k);
/* That of a plain sum, or more where k is small. */
int64_t plx_f16x3_depth(const plx_problem *problem, const plx_device_info *device);
int64_t plx_bf16x6_depth(const plx_problem *problem, const plx_device_info *device);

/* f16x3 or bf16x6, as the problem asks. */
plx_schedule_function plx_f16x3_schedule, plx_f16x3_unaligned;
plx_recipe_function plx_f16x3_recipe;

#endif
