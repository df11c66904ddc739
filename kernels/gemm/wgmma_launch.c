/* The launches of the products of f16, bf16 and TF32 on the matrix units. */
#include "wgmma.h"

#include "kernels/operation.h"
#include "opencl.h"
#include "tma.h"
#include "operand.h"
#include "ladder.h"
#include "gemm/device/common/tiles.h"
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-cl.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

/* Bytes: a row of a stage, and all stages of mma-sync. */
enum { LINE = 128, MMA_SYNC_SHARED = GEMM_MMA_SYNC_STAGES * 2 * GEMM_MMA_SYNC_SIDE * LINE };

/* ---- which devices and problems ------------------------------------------------------- */

/* The kernels write C of any of their types: their entry points are named by the operands alone, as they are
 * multiplied. */
static void name_variant(const char *factors, bool trans_a, bool trans_b, plx_recipe *recipe)
{
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s_%c%c", factors, trans_a ? 't' : 'n',
                   trans_b ? 't' : 'n');
}

static const char *name_of_half(const plx_problem *problem)
{
    return problem->dtype == PLX_F16 ? "f16" : "bf16";
}

plx_status plx_units_start(const plx_problem *problem, plx_recipe *recipe, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_status status = plx_units_check(problem, error);
    if (status == PLX_OK)
        name_variant(name_of_half(problem), p->trans_a, p->trans_b, recipe);
    return status;
}

/* TF32's forms: nt, where both operands lie along k; tt, where A does not; nn, where B does not and C is
 * turned. What lies along k in none of them is turned before. */
static plx_status start_tf32(const plx_problem *problem, plx_recipe *recipe)
{
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32_%s",
                   plx_wgmma_turns(problem)            ? "nn"
                   : plx_wgmma_lies_across(problem, A) ? "tt"
                                                       : "nt");
    return PLX_OK;
}

/* ---- C ---------------------------------------------------------------------------------- */

int32_t plx_units_type_of_result(const plx_problem *problem)
{
    const plx_dtype dtype = plx_output_dtype(problem);
    return dtype == PLX_F32 ? GEMM_RESULT_F32 : dtype == PLX_F16 ? GEMM_RESULT_F16 : GEMM_RESULT_BF16;
}

static int64_t bytes_of_result(const plx_problem *problem)
{
    return plx_output_dtype(problem) == PLX_F32 ? 4 : 2;
}

bool plx_wgmma_rows_reached(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return p->ldc * bytes_of_result(problem) % 16 == 0 && p->n * bytes_of_result(problem) % 16 == 0;
}

bool plx_wgmma_tile_reached(const plx_problem *problem, const plx_wgmma_tile *tile)
{
    return plx_wgmma_rows_reached(problem) && tile->cols * bytes_of_result(problem) % LINE == 0;
}

static plx_tensor_map map_of_result(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return (plx_tensor_map){
        .operand = C,
        .dtype = plx_output_dtype(problem),
        .width = (uint64_t)p->n,
        .height = (uint64_t)p->m,
        .pitch = (uint64_t)(p->ldc * bytes_of_result(problem)),
        .box_width = (uint32_t)(128 / bytes_of_result(problem)),
        .box_height = plx_wgmma_turns(problem) ? 32 : 64,
        .swizzle = 128,
    };
}

/* ---- mma-sync ----------------------------------------------------------------------------- */

plx_status plx_needs_mma_sync(const plx_device_info *device, plx_error *error)
{
    if (device->compute_major < 8)
        return plx_fail(error, PLX_UNSUPPORTED, "needs an NVIDIA device of compute capability 8.0 or later");
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) && !plx_gemm_opencl_has_ptx(device))
        return plx_fail(error, PLX_UNSUPPORTED,
                        "needs CUDA, or in OpenCL compute capability 9.0; this device has %u.%u", device->compute_major,
                        device->compute_minor);
    return PLX_OK;
}

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
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
    if (tiles == 0)
        return PLX_OK;
    plx_step *step = plx_recipe_step(recipe, shape.entry, shape.threads, 1);
    step->grid[0] = (uint64_t)tiles;
    plx_step_tile(step, shape.tile_rows, shape.tile_cols);
    step->dependent_launch = true;
    plx_gemm_step_operands(step);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_gemm_step_sizes(problem, step);
    if (device->features & PLX_FEATURE_NVIDIA_PTX) /* its device code has a fixed array */
        recipe->known_local_bytes = MMA_SYNC_SHARED + LINE;
    else
        plx_step_shared(step, MMA_SYNC_SHARED + LINE);
    return plx_recipe_check(recipe, 0, device, error);
}

/* ---- wgmma -------------------------------------------------------------------------------- */

/* 128 bytes, what a row of a stage holds, of as many rows as a step has, or of `side` where those run along
 * k. */
static plx_tensor_map map_of(const plx_gemm_operand *stored, int32_t side)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = stored->dtype == PLX_F32 ? GEMM_UNITS_DEPTH / 2 : GEMM_UNITS_DEPTH;
    map.box_height = stored->inner || stored->turned ? (uint32_t)side : map.box_width;
    map.swizzle = 128;
    return map;
}

static void add_result(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, C);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
}

static void add_factors(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
}

void plx_units_add_places_of_maps(plx_recipe *recipe, plx_step *step)
{
    enum { MAP_BYTES = 128 };
    plx_step_scratch(step, (int64_t)recipe->scratch_bytes, 1);
    recipe->scratch_bytes += step->grid[0] * recipe->map_count * MAP_BYTES;
}

/* Where the product is turned, B is its first operand.  Where C has no map, another stands in its place,
 * which nothing reads. */
static void add_maps(const plx_problem *problem, const plx_wgmma_tile *tile, const plx_gemm_operand *a,
                     const plx_gemm_operand *b, bool bulk, bool opencl, plx_recipe *recipe, plx_step *step)
{
    const bool turns = plx_wgmma_turns(problem);
    const plx_tensor_map of_a = map_of(turns ? b : a, tile->rows),
                         of_b = map_of(turns ? a : b, tile->cols / tile->cluster);
    const plx_tensor_map of_c = bulk ? map_of_result(problem) : of_a;
    plx_step_map(recipe, step, &of_a);
    plx_step_map(recipe, step, &of_b);
    plx_step_map(recipe, step, &of_c);
    if (opencl)
        plx_units_add_places_of_maps(recipe, step);
    plx_step_i32(step, bulk);
}

/* Persistent blocks, or in wgmma one for each tile. */
static plx_step *add_product(const plx_device_info *device, plx_wgmma_kernel kernel, const plx_wgmma_tiling *cut,
                             plx_recipe *recipe)
{
    const plx_wgmma_tile *tile = cut->tile;
    const int64_t slots = plx_wgmma_slots(tile, device);
    plx_step *step = plx_recipe_step(recipe, tile->entry, kernel == PLX_WGMMA ? 128 : GEMM_WGMMA_THREADS, 1);

    step->grid[0] = (uint64_t)((kernel == PLX_WGMMA || cut->items < slots ? cut->items : slots) * tile->cluster);
    step->cluster = tile->cluster > 1 ? (uint32_t)tile->cluster : 0;
    step->dependent_launch = true;
    return step;
}

static void add_cut(plx_step *step, const plx_wgmma_tiling *cut, int64_t partials)
{
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)cut->whole);
    plx_step_i32(step, (int32_t)cut->parts);
}

/* Adds up the parts of the tiles from `whole` on. */
static void add_sum(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_wgmma_tiling *cut, int64_t partials,
                    plx_recipe *recipe)
{
    static const char *const entries[] = {[PLX_WGMMA_PIPELINED] = "gemm_wgmma_pipelined_sum",
                                          [PLX_WGMMA_CLUSTER] = "gemm_wgmma_cluster_sum",
                                          [PLX_WGMMA_TF32] = "gemm_wgmma_tf32_sum"};
    plx_step *step = plx_recipe_step(recipe, entries[kernel], GEMM_WGMMA_SUM_THREADS, 1);
    step->grid[0] = (uint64_t)((cut->tiles - cut->whole) * cut->tile->cluster);
    step->grid[1] = (uint64_t)(cut->tile->rows * cut->tile->cols / 4 / GEMM_WGMMA_SUM_THREADS);
    step->dependent_launch = true;
    add_result(problem, step);
    add_factors(problem, step);
    add_cut(step, cut, partials);
    plx_step_i32(step, cut->tile->rows);
    plx_step_i32(step, cut->tile->cols);
}

plx_status plx_wgmma_check_scratch(const plx_recipe *recipe, const plx_device_info *device, plx_error *error)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    if (most != 0 && recipe->scratch_bytes > most)
        return plx_fail(error, PLX_UNSUPPORTED, "needs more scratch memory than this device has");
    return plx_recipe_check(recipe, 0, device, error);
}

static void add_shared(const plx_wgmma_tile *tile, bool opencl, plx_recipe *recipe, plx_step *step)
{
    if (opencl)
        recipe->known_local_bytes = (uint64_t)plx_wgmma_shared(tile);
    else
        plx_step_shared(step, plx_wgmma_shared(tile));
}

static plx_status cut_terms(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                            const plx_wgmma_tiling *cut, plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    const bool opencl = device->features & PLX_FEATURE_NVIDIA_PTX;
    if (!plx_gemm_take_path(&a, recipe->schedule.paths[A], &scratch) ||
        !plx_gemm_take_path(&b, recipe->schedule.paths[B], &scratch))
        return plx_fail(error, PLX_UNSUPPORTED, "its operands are too large to be copied to aligned rows");
    const int64_t partials = (int64_t)scratch;
    scratch +=
        (uint64_t)((cut->items - cut->whole) * cut->tile->cluster) * (uint64_t)(cut->tile->rows * cut->tile->cols) * 4;
    if (scratch > PLX_SCRATCH_COUNTERS || kernel != PLX_WGMMA)
        recipe->scratch_bytes = scratch;
    plx_gemm_add_repack(recipe, device, &a, &b);
    plx_step *step = add_product(device, kernel, cut, recipe);
    if (plx_wgmma_turns(problem))
        plx_step_tile(step, cut->tile->cols, cut->tile->rows);
    else
        plx_step_tile(step, cut->tile->rows, cut->tile->cols);
    add_maps(problem, cut->tile, &a, &b, recipe->schedule.paths[C] == PLX_PATH_TMA, opencl, recipe, step);
    add_result(problem, step);
    plx_step_i32(step, (int32_t)problem->of.gemm.k);
    add_factors(problem, step);
    if (kernel != PLX_WGMMA) {
        add_cut(step, cut, partials);
        plx_step_i32(step, (int32_t)cut->items);
    }
    add_shared(cut->tile, opencl, recipe, step);
    if (cut->items > cut->whole)
        add_sum(kernel, problem, cut, partials, recipe);
    return plx_wgmma_check_scratch(recipe, device, error);
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

plx_status plx_wgmma_without_terms(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
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

/* OpenCL compiles a program for each tile, layout and type of C; of TF32 the layout is the product's that is
 * multiplied, whose second operand runs along k. */
static void define_tile(const plx_problem *problem, const plx_wgmma_tile *tile, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool tf32 = problem->dtype == PLX_F32, turns = plx_wgmma_turns(problem);
    (void)snprintf(recipe->defines, sizeof recipe->defines,
                   "%s -DTRANS_A=%d -DTRANS_B=%d -DENTRY=%s -DROWS=%d -DCOLS=%d -DSTAGES=%d",
                   tf32 ? "-DT=float -DIN_TF32" : plx_element_words_of(problem)->defines,
                   turns || (tf32 ? plx_wgmma_lies_across(problem, A) : p->trans_a),
                   tf32 || p->trans_b || plx_wgmma_copy_turns(problem, tile), tile->entry, (int)tile->rows,
                   (int)tile->cols, (int)tile->stages);
    if (turns)
        plx_recipe_define(recipe, "TURNED", 1);
}

plx_status plx_needs_9_0(const plx_device_info *device, plx_error *error)
{
    if (device->compute_major != 9 || device->compute_minor != 0)
        return plx_fail(error, PLX_UNSUPPORTED, "needs compute capability 9.0; this device has %u.%u",
                        device->compute_major, device->compute_minor);
    return PLX_OK;
}

static plx_status recipe_of(plx_wgmma_kernel kernel, const plx_problem *problem, const plx_device_info *device,
                            plx_recipe *recipe, plx_error *error)
{
    bool multiplies = false;
    plx_status status =
        kernel == PLX_WGMMA_TF32 ? start_tf32(problem, recipe) : plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_wgmma_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    const plx_wgmma_tiling cut = plx_wgmma_tiling_by(kernel, problem, device, &recipe->schedule);
    if (plx_wgmma_copy_turns(problem, cut.tile))
        name_variant(name_of_half(problem), problem->of.gemm.trans_a, true, recipe);
    if (device->features & PLX_FEATURE_NVIDIA_PTX)
        define_tile(problem, cut.tile, recipe);
    return cut_terms(kernel, problem, device, &cut, recipe, error);
}

/* ---- wgmma in OpenCL ------------------------------------------------------------------------ */

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
        return plx_fail(error, PLX_UNSUPPORTED, "C has more tiles than can be counted");
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

/* ---- what the rows need -------------------------------------------------------------------- */

plx_status plx_wgmma_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                            plx_error *error)
{
    if (device->features & PLX_FEATURE_NVIDIA_PTX)
        return opencl_wgmma(problem, device, recipe, error);
    return recipe_of(PLX_WGMMA, problem, device, recipe, error);
}

plx_status plx_wgmma_pipelined_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                      plx_error *error)
{
    return recipe_of(PLX_WGMMA_PIPELINED, problem, device, recipe, error);
}

plx_status plx_wgmma_cluster_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    return recipe_of(PLX_WGMMA_CLUSTER, problem, device, recipe, error);
}

plx_status plx_wgmma_tf32_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                 plx_error *error)
{
    return recipe_of(PLX_WGMMA_TF32, problem, device, recipe, error);
}
