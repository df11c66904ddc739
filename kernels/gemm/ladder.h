/* The kernels before bulk-pipeline, whose blocks each compute one tile of C. */
#ifndef PLX_KERNELS_GEMM_LADDER_H
#define PLX_KERNELS_GEMM_LADDER_H

#include "recipe.h"

/* What a kernel's launch follows from. */
typedef struct plx_gemm_geometry {
    const char *entry;
    int64_t tile_rows, tile_cols; /* of C per block */
    uint32_t threads;
    int64_t shared; /* bytes, static */
} plx_gemm_geometry;

/* Tiles that cover C; false when the launch would have more blocks than can be counted. */
bool plx_gemm_count_tiles(const plx_problem *problem, const plx_gemm_geometry *shape, int64_t *tiles);

plx_gemm_geometry plx_gemm_naive_geometry(const plx_problem *problem, const plx_device_info *device);
plx_gemm_geometry plx_gemm_smem_block_geometry(const plx_problem *problem, const plx_device_info *device);
plx_gemm_geometry plx_gemm_tile_1d_geometry(const plx_problem *problem, const plx_device_info *device);
plx_gemm_geometry plx_gemm_double_buffer_geometry(const plx_problem *problem, const plx_device_info *device);

plx_status plx_gemm_coalesced_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error);
plx_status plx_gemm_naive_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error);
plx_status plx_gemm_smem_block_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error);
plx_status plx_gemm_tile_1d_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);
plx_status plx_gemm_tile_2d_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error);
plx_status plx_gemm_vectorized_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error);
plx_status plx_gemm_warp_tile_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error);
plx_status plx_gemm_double_buffer_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                         plx_error *error);

#endif
