/* Matrix products as launches: the kernels by their places on the ladder, what their recipes have in common, and the
 * recipes.  Nothing here knows what a schedule costs. */
#ifndef PLX_KERNELS_GEMM_LAUNCH_H
#define PLX_KERNELS_GEMM_LAUNCH_H

#include "recipe.h"

enum {
    PLX_GEMM_NAIVE,
    PLX_GEMM_COALESCED,
    PLX_GEMM_SMEM_BLOCK,
    PLX_GEMM_TILE_1D,
    PLX_GEMM_TILE_2D,
    PLX_GEMM_VECTORIZED,
    PLX_GEMM_WARP_TILE,
    PLX_GEMM_DOUBLE_BUFFER,
    PLX_GEMM_BULK_PIPELINE,
    PLX_GEMM_SPLIT_K,
    PLX_GEMM_STREAM_K,
    PLX_GEMM_ASYNC_COPY,
    PLX_GEMM_MANY_BLOCKS,
    PLX_GEMM_SHORT_K,
    PLX_GEMM_FEW_ROWS,
    PLX_GEMM_MATVEC,
    PLX_GEMM_DMMA,
    PLX_GEMM_DMMA_BULK,
    PLX_GEMM_MMA_SYNC,
    PLX_GEMM_WGMMA,
    PLX_GEMM_WGMMA_PIPELINED,
    PLX_GEMM_WGMMA_CLUSTER,
    PLX_GEMM_WGMMA_ELECTED,
    PLX_GEMM_MMA_DIRECT,
    PLX_GEMM_WGMMA_NARROW,
    PLX_GEMM_MMA_SYNC_TF32,
    PLX_GEMM_WGMMA_TF32,
    PLX_GEMM_F16X3,
    PLX_GEMM_BF16X6,
    PLX_GEMM_WARP_PER_PRODUCT,
    PLX_GEMM_ROWS
};

/* ---- devices (launch.c) ------------------------------------------------------------------ */

/* Whether the device is reached by OpenCL, which launches no clusters. */
static inline bool plx_gemm_is_opencl(const plx_device_info *device)
{
    return device->compute_major == 0 || (device->features & PLX_FEATURE_NVIDIA_PTX);
}
/* Whether its compiler takes the inline PTX with which the pipeline runs by itself. */
bool plx_gemm_opencl_has_ptx(const plx_device_info *device);
/* Multiprocessors; 1 where the device does not say. */
static inline int64_t plx_gemm_sms(const plx_device_info *device)
{
    return device->units > 0 ? device->units : 1;
}
/* PLX_UNSUPPORTED with a sentence where there is no mma.sync, or it was not tried. */
plx_status plx_needs_mma_sync(const plx_device_info *device, plx_error *error);
/* PLX_UNSUPPORTED with a sentence elsewhere than on compute capability 9.0, in CUDA or in OpenCL. */
plx_status plx_needs_9_0(const plx_device_info *device, plx_error *error);

/* ---- batches (batch.c) -------------------------------------------------------------------- */

/* PLX_UNSUPPORTED with a sentence where there are more problems than launches have room for. */
plx_status plx_gemm_check_batch(const plx_problem *problem, plx_error *error);
/* Appends a step to the recipe, all but what tells of the batch. */
typedef plx_step *plx_gemm_add_launch(const plx_problem *problem, const void *data, plx_recipe *recipe);
/* Of a batch as many as it takes, with blocks along z for the problems.  Behind its arguments: elements from each
 * operand to that of the next problem, and the number of the launch's first problem. */
void plx_gemm_each_launch(const plx_problem *problem, plx_recipe *recipe, plx_gemm_add_launch *add, const void *data);

/* ---- what every recipe begins with (launch.c) ------------------------------------------------ */

plx_status plx_gemm_start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                          plx_error *error);
/* Whether there is anything to sum. */
bool plx_gemm_has_terms(const plx_problem *problem);
/* What A B is multiplied with; of no effect on beta * C where there is nothing to sum. */
double plx_gemm_alpha(const plx_problem *problem);
/* The arguments A, B and C. */
void plx_gemm_step_operands(plx_step *step);
/* The arguments m, n, k, their leading dimensions, alpha and beta.  Where there is nothing to sum, k is 0:
 * the kernels then read neither A nor B, and C becomes beta * C. */
void plx_gemm_step_sizes(const plx_problem *problem, plx_step *step);
/* C's type alone. */
void plx_gemm_step_result_type(const plx_problem *problem, plx_step *step);
/* The arguments C, its type (GEMM_RESULT_), m, n, k where it is wanted, ldc, alpha and beta, of the tensor cores'
 * kernels. */
void plx_gemm_step_result(const plx_problem *problem, bool with_k, plx_step *step);
/* Refuses sizes that the coordinates of tiles can't count. */
plx_status plx_gemm_check_sizes(const plx_gemm_problem *problem, plx_error *error);
/* Whether the device has so much scratch memory, and what plx_recipe_check() looks at. */
plx_status plx_gemm_check_scratch(const plx_recipe *recipe, const plx_device_info *device, plx_error *error);
/* Nothing to sum: C = beta * C. */
void plx_gemm_add_scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe);
/* In OpenCL each work-group of a step makes the recipe's maps in a place of its own, behind what else is in scratch
 * memory. */
void plx_gemm_add_places_of_maps(plx_recipe *recipe, plx_step *step);
/* PLX_UNSUPPORTED with a sentence where C has more tiles than can be counted. */
plx_status plx_gemm_too_many_tiles(plx_error *error);

/* ---- work: tiles, and tiles that are divided along k --------------------------------------------- */

/* The first `whole` tiles of C are an item of work each, each other tile is `parts` items, equal shares of k. */
typedef struct plx_gemm_work {
    int64_t tiles, whole, parts, items;
} plx_gemm_work;

/* What whole waves of `wave` blocks leave of the tiles, in so many parts. */
plx_gemm_work plx_gemm_divide(int64_t tiles, int64_t parts, int64_t wave);

/* ---- recipes --------------------------------------------------------------------------------- */

plx_recipe_function plx_gemm_naive_recipe, plx_gemm_tiled_recipe, plx_gemm_smem_block_recipe, plx_gemm_tile_1d_recipe,
    plx_gemm_tile_2d_recipe, plx_gemm_vectorized_recipe, plx_gemm_warp_tile_recipe,
    plx_gemm_double_buffer_recipe;                               /* ladder.c */
plx_recipe_function plx_gemm_maps_recipe;                        /* tma.c: bulk-pipeline, split-k and stream-k */
plx_recipe_function plx_gemm_cp_async_recipe;                    /* cp_async.c: async-copy and many-blocks */
plx_recipe_function plx_gemm_short_k_recipe;                     /* short_k.c */
plx_recipe_function plx_gemm_warp_recipe;                        /* warp_per_product.c */
plx_recipe_function plx_gemm_few_rows_recipe;                    /* skinny.c */
plx_recipe_function plx_gemm_matvec_recipe;                      /* matvec.c */
plx_recipe_function plx_dmma_recipe, plx_dmma_bulk_recipe;       /* dmma.c */
plx_recipe_function plx_mma_sync_recipe, plx_gemm_direct_recipe; /* mma.c */
plx_recipe_function plx_wgmma_recipe;                            /* wgmma.c: wgmma, -pipelined, -cluster and -tf32 */
plx_recipe_function plx_elected_recipe;                          /* wgmma_elected.c */
plx_recipe_function plx_gemm_narrow_recipe;                      /* wgmma_narrow.c */
plx_recipe_function plx_f16x3_recipe;                            /* f16x3.c: f16x3 and bf16x6 */

#endif
