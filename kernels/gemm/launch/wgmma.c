/* The products of f16, bf16 and TF32 by wgmma: tiles, and launches. */
#include "tensor.h"

#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-batch.h"
#include "gemm/device/tensor/wgmma-cl.h"
#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "simt.h"

#include <stdio.h>

enum { A, B, C };    /* operands */
enum { LINE = 128 }; /* bytes of a row of a stage */

/* ---- tiles ------------------------------------------------------------------------------------ */

static const plx_wgmma_tile single[] = {{"gemm_wgmma", GEMM_WGMMA_64X128}};

static const plx_wgmma_tile pipelined[] = {
    {"gemm_wgmma_pipelined_128x256", GEMM_WGMMA_128X256}, {"gemm_wgmma_pipelined_128x128", GEMM_WGMMA_128X128},
    {"gemm_wgmma_pipelined_128x64", GEMM_WGMMA_128X64},   {"gemm_wgmma_pipelined_128x192", GEMM_WGMMA_128X192},
    {"gemm_wgmma_pipelined_128x96", GEMM_WGMMA_128X96},
};

static const plx_wgmma_tile clustered[] = {
    {"gemm_wgmma_cluster_128x256", GEMM_WGMMA_PAIR_128X256},
    {"gemm_wgmma_cluster_128x128", GEMM_WGMMA_PAIR_128X128},
};

#define TF32_TILES(X)              \
    X(128x256, GEMM_WGMMA_128X256) \
    X(128x128, GEMM_WGMMA_128X128) \
    X(128x64, GEMM_WGMMA_128X64)   \
    X(128x96, GEMM_WGMMA_128X96)   \
    X(128x192, GEMM_WGMMA_128X192)

#define TILE(size, ...) {"gemm_wgmma_tf32_" #size, __VA_ARGS__},
static const plx_wgmma_tile of_tf32[] = {TF32_TILES(TILE)};

/* Of the same tiles, the launches of batches. */
#define ENTRY(size, ...) "gemm_wgmma_tf32_batch_" #size,
static const char *const batches_of_tf32[] = {TF32_TILES(ENTRY)};

#define TILES_OF(list, most, sum)                       \
    {                                                   \
        list, sizeof(list) / sizeof(list)[0], most, sum \
    }

const plx_wgmma_tiles *plx_wgmma_tiles_of(uint32_t kernel)
{
    static const plx_wgmma_tiles of_single = TILES_OF(single, 1, NULL),
                                 of_pipelined = TILES_OF(pipelined, 16, "gemm_wgmma_pipelined_sum"),
                                 of_clustered = TILES_OF(clustered, 16, "gemm_wgmma_cluster_sum"),
                                 tf32 = TILES_OF(of_tf32, 16, "gemm_wgmma_tf32_sum");
    return kernel == PLX_GEMM_WGMMA             ? &of_single
           : kernel == PLX_GEMM_WGMMA_PIPELINED ? &of_pipelined
           : kernel == PLX_GEMM_WGMMA_CLUSTER   ? &of_clustered
                                                : &tf32;
}

bool plx_wgmma_is_mn_major(const plx_problem *problem, uint32_t operand)
{
    const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
    return !stored.inner && (problem->dtype != PLX_F32 || plx_gemm_steps_by_units(&stored));
}

bool plx_wgmma_transposes(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return problem->dtype == PLX_F32 && plx_wgmma_is_mn_major(problem, 1) &&
           (!plx_wgmma_is_mn_major(problem, 0) || p->n > p->m);
}

bool plx_wgmma_packs_transposed(const plx_problem *problem, const plx_wgmma_tile *tile)
{
    return problem->dtype != PLX_F32 && tile->cols % GEMM_UNITS_DEPTH != 0 && plx_wgmma_is_mn_major(problem, 1);
}

/* Of the product that is multiplied. */
int64_t plx_wgmma_rows(const plx_problem *problem)
{
    return plx_wgmma_transposes(problem) ? problem->of.gemm.n : problem->of.gemm.m;
}

int64_t plx_wgmma_cols(const plx_problem *problem)
{
    return plx_wgmma_transposes(problem) ? problem->of.gemm.m : problem->of.gemm.n;
}

int64_t plx_wgmma_shared(const plx_wgmma_tile *tile)
{
    int64_t stages = (int64_t)tile->stages * (tile->rows + tile->cols) * GEMM_UNITS_DEPTH * 2;
    int64_t leaving = 2 * (int64_t)tile->rows * GEMM_UNITS_DEPTH * 2;
    return 1024 + stages + 1024 + leaving;
}

int64_t plx_wgmma_slots(const plx_wgmma_tile *tile, const plx_device_info *device)
{
    return larger(plx_gemm_sms(device) / tile->cluster, 1);
}

bool plx_wgmma_count_tiles(const plx_problem *problem, const plx_wgmma_tile *tile, int64_t *tiles)
{
    return !__builtin_mul_overflow(quotient_up(plx_wgmma_rows(problem), (int64_t)tile->rows * tile->cluster),
                                   quotient_up(plx_wgmma_cols(problem), tile->cols), tiles) &&
           !__builtin_mul_overflow(*tiles, plx_problem_count(problem), tiles) && *tiles <= PLX_GEMM_MOST_INDEX;
}

plx_wgmma_tiling plx_wgmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                     const plx_schedule *schedule)
{
    const plx_wgmma_tile *tile = &plx_wgmma_tiles_of(schedule->kernel)->tiles[schedule->tile];
    int64_t tiles = 0;
    (void)plx_wgmma_count_tiles(problem, tile, &tiles);
    return (plx_wgmma_tiling){tile, plx_gemm_divide(tiles, schedule->split_k, plx_wgmma_slots(tile, device))};
}

bool plx_wgmma_tile_reached(const plx_problem *problem, const plx_wgmma_tile *tile)
{
    const int64_t bytes = plx_units_bytes_of_result(problem);
    return plx_units_rows_reached(problem) && tile->cols * bytes % LINE == 0 &&
           (!problem->batch.batched || problem->batch.stride[C] * bytes % 16 == 0);
}

/* ---- maps --------------------------------------------------------------------------------------- */

static plx_tensor_map map_of_result(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (plx_tensor_map){
        .operand = C,
        .dtype = plx_output_dtype(problem),
        .width = (uint64_t)p->n,
        .height = (uint64_t)p->m,
        .pitch = (uint64_t)(p->ldc * plx_units_bytes_of_result(problem)),
        .box_width = (uint32_t)(128 / plx_units_bytes_of_result(problem)),
        .box_height = plx_wgmma_transposes(problem) ? 32 : 64,
        .swizzle = 128,
    };
}

/* 128 bytes, what a row of a stage holds, of as many rows as a step has, or of `side` where those run along
 * k. */
static plx_tensor_map map_of(const plx_gemm_operand *stored, int32_t side)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = stored->dtype == PLX_F32 ? GEMM_UNITS_DEPTH / 2 : GEMM_UNITS_DEPTH;
    map.box_height = stored->inner || stored->transposed ? (uint32_t)side : map.box_width;
    map.swizzle = 128;
    return map;
}

/* Of a batch, of the matrices of all problems. */
static void add_map(const plx_problem *problem, plx_tensor_map map, plx_recipe *recipe, plx_step *step)
{
    if (problem->batch.batched)
        plx_units_set_depth(problem, &map);
    plx_step_map(recipe, step, &map);
}

/* Where the product is transposed, B is its first operand.  Where C has no map, another stands in its place,
 * which nothing reads. */
static void add_maps(const plx_problem *problem, const plx_wgmma_tile *tile, const plx_gemm_operand *a,
                     const plx_gemm_operand *b, plx_recipe *recipe, plx_step *step)
{
    const bool transposes = plx_wgmma_transposes(problem), bulk = recipe->schedule.paths[C] == PLX_PATH_TMA;
    const plx_tensor_map of_a = map_of(transposes ? b : a, tile->rows),
                         of_b = map_of(transposes ? a : b, tile->cols / tile->cluster);
    add_map(problem, of_a, recipe, step);
    add_map(problem, of_b, recipe, step);
    add_map(problem, bulk ? map_of_result(problem) : of_a, recipe, step);
}

/* ---- launches ------------------------------------------------------------------------------------ */

/* Persistent blocks, or in wgmma one for each tile. */
static plx_step *add_product(const char *entry, const plx_problem *problem, const plx_device_info *device,
                             const plx_wgmma_tiling *tiling, plx_recipe *recipe)
{
    const uint32_t kernel = recipe->schedule.kernel;
    const plx_wgmma_tile *tile = tiling->tile;
    const int64_t slots = plx_wgmma_slots(tile, device);
    plx_step *step = plx_recipe_step(recipe, entry, kernel == PLX_GEMM_WGMMA ? 128 : GEMM_WGMMA_THREADS, 1);

    step->grid[0] = (uint64_t)((kernel == PLX_GEMM_WGMMA || tiling->work.items < slots ? tiling->work.items : slots) *
                               tile->cluster);
    step->cluster = tile->cluster > 1 ? (uint32_t)tile->cluster : 0;
    step->dependent_launch = true;
    if (plx_wgmma_transposes(problem))
        plx_step_tile(step, tile->cols, tile->rows);
    else
        plx_step_tile(step, tile->rows, tile->cols);
    return step;
}

static void add_work(plx_step *step, const plx_wgmma_tiling *tiling, int64_t partials)
{
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)tiling->work.whole);
    plx_step_i32(step, (int32_t)tiling->work.parts);
}

/* Adds up the parts of the tiles from `whole` on. */
static void add_sum(uint32_t kernel, const plx_problem *problem, const plx_wgmma_tiling *tiling, int64_t partials,
                    plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, plx_wgmma_tiles_of(kernel)->sum, GEMM_WGMMA_SUM_THREADS, 1);
    step->grid[0] = (uint64_t)((tiling->work.tiles - tiling->work.whole) * tiling->tile->cluster);
    step->grid[1] = (uint64_t)(tiling->tile->rows * tiling->tile->cols / 4 / GEMM_WGMMA_SUM_THREADS);
    step->dependent_launch = true;
    plx_gemm_step_result(problem, false, step);
    add_work(step, tiling, partials);
    plx_step_i32(step, tiling->tile->rows);
    plx_step_i32(step, tiling->tile->cols);
}

static void add_shared(const plx_wgmma_tile *tile, bool opencl, plx_recipe *recipe, plx_step *step)
{
    if (opencl)
        recipe->known_local_bytes = (uint64_t)plx_wgmma_shared(tile);
    else
        plx_step_shared(step, plx_wgmma_shared(tile));
}

static plx_status sum_terms(uint32_t kernel, const plx_problem *problem, const plx_device_info *device,
                            const plx_wgmma_tiling *tiling, plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    const bool opencl = device->features & PLX_FEATURE_NVIDIA_PTX;
    const plx_status status = plx_gemm_pack(device, &a, &b, &scratch, recipe, error);
    if (status != PLX_OK)
        return status;
    const int64_t partials = (int64_t)scratch;
    scratch += (uint64_t)((tiling->work.items - tiling->work.whole) * tiling->tile->cluster) *
               (uint64_t)(tiling->tile->rows * tiling->tile->cols) * 4;
    if (scratch > PLX_SCRATCH_COUNTERS || kernel != PLX_GEMM_WGMMA)
        recipe->scratch_bytes = scratch;
    plx_step *step = add_product(tiling->tile->entry, problem, device, tiling, recipe);
    add_maps(problem, tiling->tile, &a, &b, recipe, step);
    if (opencl)
        plx_gemm_add_places_of_maps(recipe, step);
    plx_step_i32(step, recipe->schedule.paths[C] == PLX_PATH_TMA);
    plx_gemm_step_result(problem, true, step);
    if (kernel != PLX_GEMM_WGMMA) {
        add_work(step, tiling, partials);
        plx_step_i32(step, (int32_t)tiling->work.items);
    }
    add_shared(tiling->tile, opencl, recipe, step);
    if (tiling->work.items > tiling->work.whole)
        add_sum(kernel, problem, tiling, partials, recipe);
    return plx_gemm_check_scratch(recipe, device, error);
}

static int32_t flags_of_batch(const plx_problem *problem, bool bulk)
{
    const bool transposes = plx_wgmma_transposes(problem);
    return (bulk ? GEMM_WGMMA_BULK : 0) | (plx_units_is_one(problem, transposes ? B : A) ? GEMM_WGMMA_ONE_A : 0) |
           (plx_units_is_one(problem, transposes ? A : B) ? GEMM_WGMMA_ONE_B : 0);
}

/* One launch, of tiles that are not divided, of operands as they lie. */
static plx_status multiply_batch(const plx_problem *problem, const plx_device_info *device,
                                 const plx_wgmma_tiling *tiling, plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    (void)snprintf(recipe->code, sizeof recipe->code, "gemm/wgmma-tf32-batch");
    plx_step *step = add_product(batches_of_tf32[recipe->schedule.tile], problem, device, tiling, recipe);
    add_maps(problem, tiling->tile, &a, &b, recipe, step);
    plx_gemm_step_result(problem, true, step);
    plx_step_i32(step, (int32_t)(tiling->work.items / plx_problem_count(problem)));
    plx_step_i32(step, (int32_t)tiling->work.items);
    plx_step_i32(step, flags_of_batch(problem, recipe->schedule.paths[C] == PLX_PATH_TMA));
    plx_step_i64(step, problem->batch.stride[C]);
    plx_step_shared(step, plx_wgmma_shared(tiling->tile));
    return plx_gemm_check_scratch(recipe, device, error);
}

/* TF32's forms: nt, where both operands lie along k; tt, where A does not; nn, where B does not and C is
 * transposed. What lies along k in none of them is transposed before. */
static plx_status start_tf32(const plx_problem *problem, plx_recipe *recipe)
{
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32_%s",
                   plx_wgmma_transposes(problem)       ? "nn"
                   : plx_wgmma_is_mn_major(problem, A) ? "tt"
                                                       : "nt");
    return PLX_OK;
}

/* OpenCL compiles a program for each tile, layout and type of C; of TF32 the layout is the product's that is
 * multiplied, whose second operand runs along k. */
static void define_tile(const plx_problem *problem, const plx_wgmma_tile *tile, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool tf32 = problem->dtype == PLX_F32, transposes = plx_wgmma_transposes(problem);
    (void)snprintf(recipe->defines, sizeof recipe->defines,
                   "%s -DTRANS_A=%d -DTRANS_B=%d -DENTRY=%s -DROWS=%d -DCOLS=%d -DSTAGES=%d",
                   tf32 ? "-DT=float -DIN_TF32" : plx_element_words_of(problem)->defines,
                   transposes || (tf32 ? plx_wgmma_is_mn_major(problem, A) : p->trans_a),
                   tf32 || p->trans_b || plx_wgmma_packs_transposed(problem, tile), tile->entry, (int)tile->rows,
                   (int)tile->cols, (int)tile->stages);
    if (transposes)
        plx_recipe_define(recipe, "TURNED", 1);
}

static plx_status recipe_of(uint32_t kernel, const plx_problem *problem, const plx_device_info *device,
                            plx_recipe *recipe, plx_error *error)
{
    bool multiplies = false;
    plx_status status =
        kernel == PLX_GEMM_WGMMA_TF32 ? start_tf32(problem, recipe) : plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_units_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    const plx_wgmma_tiling tiling = plx_wgmma_tiling_by(problem, device, &recipe->schedule);
    if (problem->batch.batched)
        return multiply_batch(problem, device, &tiling, recipe, error);
    if (plx_wgmma_packs_transposed(problem, tiling.tile))
        plx_units_name_variant(problem, problem->of.gemm.trans_a, true, recipe);
    if (device->features & PLX_FEATURE_NVIDIA_PTX)
        define_tile(problem, tiling.tile, recipe);
    return sum_terms(kernel, problem, device, &tiling, recipe, error);
}

/* A program for each layout and type of C, without maps: the work-items bring operands that begin anywhere.
 */
static plx_status opencl_wgmma(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                               plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_geometry shape = {"gemm_wgmma", GEMM_WGMMA_CL_ROWS, GEMM_WGMMA_CL_COLS, GEMM_WGMMA_CL_THREADS, 0};
    int64_t tiles;
    const plx_status status = plx_units_start(problem, recipe, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d",
                   plx_element_words_of(problem)->defines, (int)p->trans_a, (int)p->trans_b);
    if (!plx_gemm_count_tiles(problem, &shape, &tiles))
        return plx_gemm_too_many_tiles(error);
    if (tiles == 0)
        return PLX_OK;
    plx_step *step = plx_recipe_step(recipe, shape.entry, shape.threads, 1);
    step->grid[0] = (uint64_t)tiles;
    plx_step_tile(step, shape.tile_rows, shape.tile_cols);
    plx_gemm_step_operands(step);
    plx_gemm_step_sizes(problem, step);
    /* The driver counts a byte more than the device code's array has. */
    recipe->known_local_bytes =
        GEMM_WGMMA_CL_STAGES * (GEMM_WGMMA_CL_ROWS + GEMM_WGMMA_CL_COLS) * LINE + GEMM_WGMMA_CL_SWIZZLE + LINE;
    return plx_recipe_check(recipe, 0, device, error);
}

plx_status plx_wgmma_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                            plx_error *error)
{
    if (recipe->schedule.kernel == PLX_GEMM_WGMMA && (device->features & PLX_FEATURE_NVIDIA_PTX))
        return opencl_wgmma(problem, device, recipe, error);
    return recipe_of(recipe->schedule.kernel, problem, device, recipe, error);
}
