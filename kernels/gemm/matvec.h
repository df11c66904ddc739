/* matvec: products whose C is a single row or column. */
#ifndef PLX_KERNELS_GEMM_MATVEC_H
#define PLX_KERNELS_GEMM_MATVEC_H

#include "recipe.h"

plx_schedule_function plx_gemm_matvec_schedule;
plx_status plx_gemm_matvec_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error);
/* Launches that move vectors: 0, 1 or 2. */
int plx_gemm_matvec_moves(const plx_problem *problem);
/* Microseconds where there are some, by the model. */
double plx_gemm_matvec_cost(const plx_problem *problem, const plx_device_info *device);
int64_t plx_gemm_matvec_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);

#endif
