/* wgmma-narrow: few columns of C, or few rows, which are columns of the product that it multiplies: launches. */
#include "tensor.h"

#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-narrow-cl.h"
#include "gemm/device/tensor/wgmma-narrow.h"
#include "kernels/arithmetic.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

const plx_narrow_tile plx_narrow_tiles[PLX_NARROW_TILES] = {
    {64, 16, "gemm_wgmma_narrow_64x16"},
    {64, 32, "gemm_wgmma_narrow_64x32"},
    {64, 64, "gemm_wgmma_narrow_64x64"},
    {128, 16, "gemm_wgmma_narrow_128x16"}, /* CUDA alone */
};

plx_narrow_product plx_narrow_product_of(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool transposed = p->m < p->n;
    return (plx_narrow_product){
        .transposed = transposed,
        .rows = transposed ? p->n : p->m,
        .cols = transposed ? p->m : p->n,
        .steps = plx_gemm_has_terms(problem) ? quotient_up(p->k, GEMM_UNITS_DEPTH) : 0,
        .a = plx_gemm_operand_as(problem, transposed ? B : A),
        .b = plx_gemm_operand_as(problem, transposed ? A : B),
    };
}

/* In OpenCL the driver launches none. */
static bool has_clusters(const plx_device_info *device)
{
    return !(device->features & PLX_FEATURE_NVIDIA_PTX);
}

/* Clusters are for tiles that leave multiprocessors idle.  Parts are added in tiles of GEMM_NARROW_PART_ROWS; OpenCL
 * has no others. */
bool plx_narrow_tiling_by(const plx_narrow_product *of, const plx_device_info *device, const plx_schedule *schedule,
                          plx_narrow_tiling *tiling)
{
    const plx_narrow_tile *tile = &plx_narrow_tiles[schedule->tile];
    const int64_t units = plx_gemm_sms(device), blocks = schedule->cluster_k, parts = schedule->split_k;
    int64_t count;
    if (tile->rows != GEMM_NARROW_PART_ROWS && (parts > 1 || !has_clusters(device)))
        return false;
    if (__builtin_mul_overflow(quotient_up(of->rows, tile->rows), quotient_up(of->cols, tile->cols), &count) ||
        count > INT32_MAX / 2)
        return false;
    if (parts > 1 && (parts > of->steps || count % units == 0))
        return false;
    if (blocks > 1 && (blocks > of->steps || blocks * count > units || !has_clusters(device)))
        return false;
    *tiling = (plx_narrow_tiling){tile, blocks, plx_gemm_divide(count, parts, units)};
    return true;
}

/* Rows of a box are lines of a stage, of 128 bytes at most: 64 terms, or outer indices of the tile. */
static void add_map(const plx_gemm_operand *stored, int32_t side, plx_recipe *recipe, plx_step *step)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = stored->inner ? GEMM_UNITS_DEPTH : (uint32_t)smaller(side, GEMM_UNITS_DEPTH);
    map.box_height = stored->inner ? (uint32_t)side : GEMM_UNITS_DEPTH;
    map.swizzle = 2 * map.box_width;
    plx_step_map(recipe, step, &map);
}

static void add_product(const plx_problem *problem, const plx_device_info *device, const plx_narrow_tiling *tiling,
                        const plx_narrow_product *of, int64_t partials, plx_recipe *recipe)
{
    const bool opencl = device->features & PLX_FEATURE_NVIDIA_PTX;
    const uint32_t threads = (uint32_t)GEMM_NARROW_THREADS(tiling->tile->rows);
    plx_step *step = plx_recipe_step(recipe, tiling->tile->entry, threads, 1);
    step->grid[0] =
        (uint64_t)(opencl ? smaller(tiling->work.items, plx_gemm_sms(device)) : tiling->work.items * tiling->blocks);
    step->cluster = tiling->blocks > 1 ? (uint32_t)tiling->blocks : 0;
    step->dependent_launch = true;
    add_map(&of->a, tiling->tile->rows, recipe, step);
    add_map(&of->b, (int32_t)(of->b.inner ? smaller(tiling->tile->cols, of->cols) : tiling->tile->cols), recipe, step);
    if (opencl)
        plx_gemm_add_places_of_maps(recipe, step);
    plx_gemm_step_result(problem, true, step);
    plx_step_i32(step, of->transposed);
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)tiling->work.whole);
    plx_step_i32(step, (int32_t)tiling->work.parts);
    plx_step_i32(step, (int32_t)tiling->work.items);
    if (opencl) /* its program has a fixed array */
        recipe->known_local_bytes = GEMM_NARROW_CL_LOCAL;
    else
        plx_step_shared(step, GEMM_NARROW_SHARED);
}

static void add_sum(const plx_problem *problem, const plx_narrow_tiling *tiling, const plx_narrow_product *of,
                    int64_t partials, plx_recipe *recipe)
{
    plx_step *step = plx_recipe_step(recipe, "gemm_wgmma_narrow_sum", 32 * GEMM_NARROW_ADDERS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)(tiling->work.tiles - tiling->work.whole);
    step->grid[1] = (uint64_t)(GEMM_NARROW_PART_ROWS * tiling->tile->cols / 4 / 32);
    step->dependent_launch = true;
    plx_gemm_step_result(problem, false, step);
    plx_step_i32(step, of->transposed);
    plx_step_scratch(step, partials, 16);
    plx_step_i32(step, (int32_t)tiling->work.whole);
    plx_step_i32(step, (int32_t)tiling->work.parts);
    plx_step_i32(step, tiling->tile->cols);
}

/* OpenCL compiles a program for each tile, layout of what is multiplied, and type of C. */
static void define_program(const plx_problem *problem, const plx_narrow_tiling *tiling, const plx_narrow_product *of,
                           plx_recipe *recipe)
{
    (void)snprintf(recipe->defines, sizeof recipe->defines, "%s -DTRANS_A=%d -DTRANS_B=%d -DENTRY=%s -DCOLS=%d",
                   plx_element_words_of(problem)->defines, !of->a.inner, of->b.inner, tiling->tile->entry,
                   (int)tiling->tile->cols);
}

static plx_status add_launches(const plx_problem *problem, const plx_device_info *device,
                               const plx_narrow_tiling *tiling, plx_narrow_product *of, plx_recipe *recipe,
                               plx_error *error)
{
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    const plx_status status = plx_gemm_pack(device, &of->a, &of->b, &scratch, recipe, error);
    if (status != PLX_OK)
        return status;
    const int64_t partials = (int64_t)scratch;
    recipe->scratch_bytes = scratch + (uint64_t)(tiling->work.items - tiling->work.whole) * GEMM_NARROW_PART_ROWS *
                                          (uint64_t)tiling->tile->cols * 4;
    add_product(problem, device, tiling, of, partials, recipe);
    if (tiling->work.items > tiling->work.whole)
        add_sum(problem, tiling, of, partials, recipe);
    return plx_gemm_check_scratch(recipe, device, error);
}

plx_status plx_gemm_narrow_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                  plx_error *error)
{
    bool multiplies = false;
    plx_status status = plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_units_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    plx_narrow_product of = plx_narrow_product_of(problem);
    plx_narrow_tiling tiling = {.tile = NULL};
    (void)plx_narrow_tiling_by(&of, device, &recipe->schedule, &tiling);
    plx_units_name_variant(problem, !of.a.inner, of.b.inner, recipe);
    define_program(problem, &tiling, &of, recipe);
    return add_launches(problem, device, &tiling, &of, recipe, error);
}
