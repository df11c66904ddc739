/* Plans of matrix products: which kernel, and by which schedule; what the rows of kernels.c need. */
#ifndef PLX_KERNELS_GEMM_PLAN_H
#define PLX_KERNELS_GEMM_PLAN_H

#include "../launch/launch.h"

/* ---- of all kernels that have schedules (search.c) ------------------------------------------------- */

/* What problem->config says, or what should take the least time, of the row that schedule->kernel says. */
plx_schedule_function plx_gemm_schedule;
/* Where operands begin anywhere; of bulk-pipeline, split-k and stream-k maybe another kernel's (unaligned.c). */
plx_schedule_function plx_gemm_unaligned, plx_gemm_maps_unaligned;
size_t plx_gemm_configs(const plx_row *row, const plx_problem *problem, const plx_device_info *device,
                        plx_config *configs, size_t capacity);
extern const plx_time_model plx_gemm_model;

/* ---- depth: roundings that a term meets (depth.c; doc/validation.md) -------------------------------- */

typedef int64_t plx_gemm_depth_function(const plx_problem *problem, const plx_device_info *device,
                                        const plx_schedule *schedule);
plx_gemm_depth_function plx_gemm_cp_async_depth, plx_gemm_split_k_depth, plx_gemm_stream_k_depth, plx_gemm_skinny_depth,
    plx_gemm_matvec_depth, plx_dmma_depth, plx_wgmma_depth, plx_gemm_direct_depth, plx_gemm_narrow_depth,
    plx_elected_depth;
int64_t plx_units_depth(const plx_problem *problem, const plx_device_info *device);
int64_t plx_f16x3_depth(const plx_problem *problem, const plx_device_info *device);
int64_t plx_bf16x6_depth(const plx_problem *problem, const plx_device_info *device);

/* ---- the choice (choose.c) --------------------------------------------------------------------------- */

/* The row whose modelled time is the least of those that the device can run. */
size_t plx_gemm_choose(const plx_problem *problem, const plx_device_info *device);

#endif
