/* Recipes of the kernels before bulk-pipeline: every block computes one tile of C; blocks are numbered
 * along x alone. */
#include "simt.h"

#include "operation.h"
#include "gemm/device/common/tiles.h"

enum { A, B, C }; /* operands */

/* ---- geometry ------------------------------------------------------------- */

static int64_t pack_width(plx_dtype dtype)
{
    return dtype == PLX_F32 ? 4 : 2;
}

/* Two tiles of `depth`, each row of them one pack longer than the tile's side. */
static int64_t shared_of_packs(int64_t depth)
{
    return 2 * depth * (GEMM_SIDE_PACKS + 1) * 16;
}

static plx_gemm_geometry geometry_of_packs(const plx_problem *problem, const char *entry, int64_t threads,
                                           int64_t shared)
{
    int64_t side = GEMM_SIDE_PACKS * pack_width(problem->dtype);
    return (plx_gemm_geometry){entry, side, side, (uint32_t)threads, shared};
}

static const int64_t warps_across = GEMM_SIDE_PACKS / GEMM_WARP_PACKS;

/* In shared memory, where 16 bits have become f32. */
static int64_t element_size(const plx_problem *problem)
{
    return problem->dtype == PLX_F64 ? 8 : 4;
}

/* Half of GEMM_BLOCK_SIDE where a work-group has too few threads for the whole. */
static int64_t block_side(const plx_device_info *device)
{
    bool whole = device->max_block_threads >= GEMM_BLOCK_SIDE * GEMM_BLOCK_SIDE &&
                 device->max_block[0] >= GEMM_BLOCK_SIDE * GEMM_BLOCK_SIDE;
    return whole ? GEMM_BLOCK_SIDE : GEMM_BLOCK_SIDE / 2;
}

bool plx_gemm_count_tiles(const plx_problem *problem, const plx_gemm_geometry *shape, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (p->m == 0 || p->n == 0) {
        *tiles = 0;
        return true;
    }
    return !__builtin_mul_overflow((p->m - 1) / shape->tile_rows + 1, (p->n - 1) / shape->tile_cols + 1, tiles);
}

/* ---- recipes ------------------------------------------------------------------ */

static plx_status finish(const plx_problem *problem, const plx_device_info *device, const plx_gemm_geometry *shape,
                         plx_recipe *recipe, plx_error *error)
{
    int64_t tiles;

    if (!plx_gemm_count_tiles(problem, shape, &tiles))
        return plx_gemm_too_many_tiles(error);
    if (tiles == 0)
        return PLX_OK;
    plx_step *step = plx_recipe_step(recipe, shape->entry, shape->threads, 1);
    step->grid[0] = (uint64_t)tiles;
    plx_step_tile(step, shape->tile_rows, shape->tile_cols);
    plx_gemm_step_operands(step);
    plx_gemm_step_sizes(problem, step);
    return plx_recipe_check(recipe, (uint64_t)shape->shared, device, error);
}

static plx_status recipe_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_geometry *shape,
                            plx_recipe *recipe, plx_error *error)
{
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    return status == PLX_OK ? finish(problem, device, shape, recipe, error) : status;
}

plx_gemm_geometry plx_gemm_naive_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return (plx_gemm_geometry){"gemm_naive", GEMM_NAIVE_ROWS, GEMM_NAIVE_COLS, GEMM_NAIVE_ROWS * GEMM_NAIVE_COLS, 0};
}

plx_status plx_gemm_naive_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error)
{
    plx_gemm_geometry shape = plx_gemm_naive_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

plx_status plx_gemm_tiled_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error)
{
    return recipe_of(problem, device, recipe->form, recipe, error);
}

plx_gemm_geometry plx_gemm_smem_block_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t side = block_side(device);
    return (plx_gemm_geometry){"gemm_smem_block", side, side, (uint32_t)(side * side),
                               2 * side * (side + 1) * element_size(problem)};
}

plx_status plx_gemm_smem_block_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error)
{
    plx_gemm_geometry shape = plx_gemm_smem_block_geometry(problem, device);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    plx_recipe_define(recipe, "SIDE", (int)shape.tile_rows);
    return finish(problem, device, &shape, recipe, error);
}

plx_gemm_geometry plx_gemm_tile_1d_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t a_elements = GEMM_TILE_1D_SIDE * (GEMM_TILE_1D_DEPTH + 1);
    int64_t b_elements = GEMM_TILE_1D_DEPTH * (GEMM_TILE_1D_SIDE + 1);
    (void)device;
    return (plx_gemm_geometry){"gemm_tile_1d", GEMM_TILE_1D_SIDE, GEMM_TILE_1D_SIDE,
                               GEMM_TILE_1D_SIDE * GEMM_TILE_1D_SIDE / GEMM_TILE_1D_ROWS,
                               (a_elements + b_elements) * element_size(problem)};
}

plx_status plx_gemm_tile_1d_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    plx_gemm_geometry shape = plx_gemm_tile_1d_geometry(problem, device);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    if (problem->dtype != PLX_F64)
        plx_recipe_min_blocks_per_sm(recipe, device, (int)shape.threads, GEMM_TILE_1D_BLOCKS);
    if (!plx_is_half(problem->dtype) && (device->features & PLX_FEATURE_NVIDIA_PTX))
        plx_recipe_define(recipe, "NVIDIA_PTX", 1);
    return finish(problem, device, &shape, recipe, error);
}

static plx_gemm_geometry tile_2d_geometry(const plx_problem *problem, const plx_device_info *device)
{
    int64_t side = GEMM_SIDE_PACKS * pack_width(problem->dtype);
    int64_t elements = side * (GEMM_TILE_2D_DEPTH + 1) + GEMM_TILE_2D_DEPTH * (side + 1);
    (void)device;
    return geometry_of_packs(problem, "gemm_tile_2d", GEMM_TILE_2D_THREADS_SIDE * GEMM_TILE_2D_THREADS_SIDE,
                             elements * element_size(problem));
}

plx_status plx_gemm_tile_2d_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    plx_gemm_geometry shape = tile_2d_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static plx_gemm_geometry vectorized_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_vectorized", GEMM_TILE_2D_THREADS_SIDE * GEMM_TILE_2D_THREADS_SIDE,
                             shared_of_packs(GEMM_VECTORIZED_DEPTH));
}

plx_status plx_gemm_vectorized_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error)
{
    plx_gemm_geometry shape = vectorized_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

static plx_gemm_geometry warp_tile_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_warp_tile", warps_across * warps_across * 32,
                             shared_of_packs(GEMM_WARP_TILE_DEPTH));
}

plx_status plx_gemm_warp_tile_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                     plx_error *error)
{
    plx_gemm_geometry shape = warp_tile_geometry(problem, device);
    return recipe_of(problem, device, &shape, recipe, error);
}

plx_gemm_geometry plx_gemm_double_buffer_geometry(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return geometry_of_packs(problem, "gemm_double_buffer", warps_across * warps_across * 32,
                             2 * shared_of_packs(GEMM_DOUBLE_BUFFER_DEPTH));
}

plx_status plx_gemm_double_buffer_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                         plx_error *error)
{
    plx_gemm_geometry shape = plx_gemm_double_buffer_geometry(problem, device);
    plx_status status = recipe_of(problem, device, &shape, recipe, error);
    if (status == PLX_OK && (device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 8)
        plx_recipe_define(recipe, "ASYNC_PTX", 1);
    return status;
}
