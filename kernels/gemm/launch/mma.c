/* What the products of f16, bf16 and TF32 on the tensor cores have in common, and those by mma.sync. */
#include "tensor.h"

#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/mma-direct.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "simt.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

/* Bytes: a row of a stage, and all stages of mma-sync. */
enum { LINE = 128, MMA_SYNC_SHARED = GEMM_MMA_SYNC_STAGES * 2 * GEMM_MMA_SYNC_SIDE * LINE };

/* ---- operands and C ---------------------------------------------------------------------------- */

int64_t plx_units_bytes(const plx_problem *problem)
{
    return problem->dtype == PLX_F32 ? 4 : 2;
}

int64_t plx_units_bytes_of_result(const plx_problem *problem)
{
    return plx_output_dtype(problem) == PLX_F32 ? 4 : 2;
}

int64_t plx_units_depth_of_k_tile(const plx_problem *problem)
{
    return GEMM_UNITS_DEPTH * 2 / plx_units_bytes(problem);
}

int64_t plx_units_k_tiles(const plx_problem *problem)
{
    return plx_gemm_has_terms(problem) ? quotient_up(problem->of.gemm.k, plx_units_depth_of_k_tile(problem)) : 0;
}

bool plx_units_rows_reached(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t bytes = plx_units_bytes_of_result(problem);
    return p->ldc * bytes % 16 == 0 && p->n * bytes % 16 == 0;
}

static bool steps_by_units(const plx_problem *problem, uint32_t operand, int64_t ld)
{
    const int64_t width = 16 / plx_units_bytes(problem);
    return ld % width == 0 && problem->batch.stride[operand] % width == 0;
}

plx_status plx_units_check_batch(const plx_problem *problem, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (!problem->batch.batched || (steps_by_units(problem, A, p->lda) && steps_by_units(problem, B, p->ldb)))
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED,
                    "takes batches whose rows and problems begin at multiples of 16 bytes, and others one at a time");
}

void plx_units_set_depth(const plx_problem *problem, plx_tensor_map *map)
{
    const int64_t stride = problem->batch.batched ? problem->batch.stride[map->operand] : 0;
    map->depth = stride != 0 ? (uint64_t)plx_problem_count(problem) : 1;
    map->depth_pitch = stride != 0 ? (uint64_t)stride * plx_element_size(map->dtype) : 16;
}

bool plx_units_is_one(const plx_problem *problem, uint32_t operand)
{
    return problem->batch.batched && problem->batch.stride[operand] == 0;
}

plx_operand_path plx_units_path(const plx_problem *problem, uint32_t operand, bool unaligned)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    return unaligned || !plx_gemm_steps_by_units(&stored) ? PLX_PATH_PACKED : PLX_PATH_TMA;
}

plx_status plx_units_check(const plx_problem *problem, plx_error *error)
{
    if (!plx_is_half(problem->dtype) || problem->compute != PLX_COMPUTE_PLAIN)
        return plx_fail(error, PLX_UNSUPPORTED, "multiplies f16 and bf16 alone");
    return PLX_OK;
}

/* ---- how recipes begin --------------------------------------------------------------------------- */

/* The kernels write C of any of their types: their entry points are named by the operands alone, as they are
 * multiplied. */
static void name_variant(const char *factors, bool trans_a, bool trans_b, plx_recipe *recipe)
{
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c%c", factors, trans_a ? 't' : 'n',
                   trans_b ? 't' : 'n');
}

void plx_units_name_variant(const plx_problem *problem, bool trans_a, bool trans_b, plx_recipe *recipe)
{
    name_variant(problem->dtype == PLX_F16 ? "f16" : "bf16", trans_a, trans_b, recipe);
}

plx_status plx_units_start(const plx_problem *problem, plx_recipe *recipe, plx_error *error)
{
    const plx_status status = plx_units_check(problem, error);
    if (status == PLX_OK)
        plx_units_name_variant(problem, problem->of.gemm.trans_a, problem->of.gemm.trans_b, recipe);
    return status;
}

/* ---- mma-sync ----------------------------------------------------------------------------- */

/* f16, bf16, or f32 as TF32, with a form for each layout; OpenCL compiles one for each type of C. */
static plx_status start_mma_sync(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool tf32 = problem->dtype == PLX_F32 && problem->compute == PLX_COMPUTE_TF32;
    if (!tf32) {
        const plx_status status = plx_units_start(problem, recipe, error);
        if (status != PLX_OK)
            return status;
    } else {
        name_variant("tf32", p->trans_a, p->trans_b, recipe);
        (void)snprintf(recipe->code, sizeof recipe->code, "%s/mma-sync", plx_ladder_name(PLX_GEMM));
    }
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d",
                   tf32 ? "-DT=float -DIN_TF32" : plx_element_words_of(problem)->defines, (int)p->trans_a,
                   (int)p->trans_b);
    plx_recipe_min_blocks_per_sm(recipe, device, GEMM_MMA_SYNC_THREADS, 2);
    return PLX_OK;
}

plx_status plx_mma_sync_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    const plx_gemm_geometry shape = {"gemm_mma_sync", GEMM_MMA_SYNC_SIDE, GEMM_MMA_SYNC_SIDE, GEMM_MMA_SYNC_THREADS, 0};
    int64_t tiles;
    plx_status status = plx_needs_mma_sync(device, error);
    if (status == PLX_OK)
        status = start_mma_sync(problem, device, recipe, error);
    if (status != PLX_OK)
        return status;
    if (!plx_gemm_count_tiles(problem, &shape, &tiles))
        return plx_gemm_too_many_tiles(error);
    if (tiles == 0)
        return PLX_OK;
    plx_step *step = plx_recipe_step(recipe, shape.entry, shape.threads, 1);
    step->grid[0] = (uint64_t)tiles;
    plx_step_tile(step, shape.tile_rows, shape.tile_cols);
    step->dependent_launch = true;
    plx_gemm_step_operands(step);
    plx_gemm_step_result_type(problem, step);
    plx_gemm_step_sizes(problem, step);
    if (device->features & PLX_FEATURE_NVIDIA_PTX) /* its device code has a fixed array */
        recipe->known_local_bytes = MMA_SYNC_SHARED + LINE;
    else
        plx_step_shared(step, MMA_SYNC_SHARED + LINE);
    return plx_recipe_check(recipe, 0, device, error);
}

/* Where there is nothing to sum, mma-sync's code makes beta * C. */
static plx_status scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe, plx_error *error)
{
    if (problem->dtype == PLX_F32 && !(device->features & PLX_FEATURE_NVIDIA_PTX)) {
        plx_gemm_add_scale(problem, device, recipe);
        return plx_recipe_check(recipe, 0, device, error);
    }
    plx_status status = plx_mma_sync_recipe(problem, device, recipe, error);
    (void)snprintf(recipe->code, sizeof recipe->code, "%s/mma-sync", plx_ladder_name(PLX_GEMM));
    return status;
}

plx_status plx_units_without_terms(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   bool *multiplies, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    *multiplies = false;
    if (p->m == 0 || p->n == 0)
        return PLX_OK;
    if (!plx_gemm_has_terms(problem))
        return scale(problem, device, recipe, error);
    *multiplies = true;
    return plx_gemm_check_sizes(p, error);
}

/* ---- mma-direct: each tile of C is `parts` items, equal shares of k -------------------------------- */

enum { TILE_BYTES = GEMM_DIRECT_ROWS * GEMM_DIRECT_COLS * 4, QUADS_OF_BLOCK = 32 };

bool plx_direct_count_tiles(const plx_problem *problem, int64_t *tiles)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return !__builtin_mul_overflow(quotient_up(p->m, GEMM_DIRECT_ROWS), quotient_up(p->n, GEMM_DIRECT_COLS), tiles) &&
           *tiles <= INT32_MAX;
}

/* Tiles of C, and parts of k for each. */
typedef struct direct_work {
    int64_t tiles, parts;
} direct_work;

static plx_step *add_direct(const plx_problem *problem, const void *data, plx_recipe *recipe)
{
    const direct_work *work = data;
    plx_step *step = plx_recipe_step(recipe, "gemm_mma_direct", GEMM_DIRECT_THREADS, 1);
    step->grid[0] = (uint64_t)(work->tiles * work->parts);
    step->dependent_launch = true;
    plx_step_tile(step, GEMM_DIRECT_ROWS, GEMM_DIRECT_COLS);
    plx_gemm_step_operands(step);
    plx_gemm_step_result_type(problem, step);
    plx_gemm_step_sizes(problem, step);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_i32(step, (int32_t)work->parts);
    return step;
}

static void add_sum(const plx_problem *problem, int64_t tiles, int64_t parts, plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_mma_direct_sum", 32 * GEMM_DIRECT_ADDERS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)tiles;
    step->grid[1] = GEMM_DIRECT_ROWS * GEMM_DIRECT_COLS / 4 / QUADS_OF_BLOCK;
    step->dependent_launch = true;
    plx_gemm_step_result(problem, false, step);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_i32(step, (int32_t)parts);
}

/* OpenCL compiles one for each layout and type of C. */
static void define_program(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe)
{
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d",
                   plx_element_words_of(problem)->defines, (int)problem->of.gemm.trans_a,
                   (int)problem->of.gemm.trans_b);
    plx_recipe_min_blocks_per_sm(recipe, device, GEMM_DIRECT_THREADS, GEMM_DIRECT_BLOCKS);
}

plx_status plx_gemm_direct_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t parts = recipe->schedule.split_k;
    plx_status status = plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_gemm_check_batch(problem, error);
    int64_t tiles = 0;
    (void)plx_direct_count_tiles(problem, &tiles);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    define_program(problem, device, recipe);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS + (parts > 1 ? (uint64_t)(tiles * parts) * TILE_BYTES : 0);
    const direct_work work = {tiles, parts};
    if (plx_gemm_is_opencl(device))
        (void)add_direct(problem, &work, recipe);
    else
        plx_gemm_each_launch(problem, recipe, add_direct, &work);
    if (parts > 1)
        add_sum(problem, tiles, parts, recipe);
    return plx_recipe_check(recipe, GEMM_DIRECT_SHARED, device, error);
}
