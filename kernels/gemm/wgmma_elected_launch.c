/* The launches of wgmma-elected. */
#include "wgmma_elected.h"

#include "kernels/arithmetic.h"
#include "kernels/operation.h"
#include "tma.h"
#include "operand.h"
#include "gemm/device/common/tensor-tiles.h"
#include "gemm/device/tensor/wgmma-elected.h"
#include "wgmma.h"

#include <stdio.h>

enum { A, B, C, LINE = 128 }; /* operands; bytes of a row of a stage */

/* ---- maps ------------------------------------------------------------------------------ */

/* A block's share of its tile's rows or columns, 64 terms of each; of an operand that lies across k some of the terms,
 * of 64 rows or columns. */
static void add_operand(const plx_gemm_operand *stored, int32_t side, int32_t shares, plx_recipe *recipe,
                        plx_step *step)
{
    plx_tensor_map map = plx_gemm_map_of(stored);
    map.box_width = 64;
    map.box_height = (uint32_t)((stored->inner ? side : GEMM_UNITS_DEPTH) / shares);
    map.swizzle = LINE;
    plx_step_map(recipe, step, &map);
}

/* Of 64 rows of the product WIDTH columns; what is narrower than a line of C lies without swizzle. */
static plx_tensor_map map_of_result(const plx_problem *problem, const plx_elected_tiling *cut, int32_t width)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const bool narrow = width < 64 && !cut->turned;
    return (plx_tensor_map){
        .operand = C,
        .dtype = plx_output_dtype(problem),
        .width = (uint64_t)p->n,
        .height = (uint64_t)p->m,
        .pitch = (uint64_t)p->ldc * 2,
        .box_width = narrow ? (uint32_t)width : 64,
        .box_height = cut->turned ? (uint32_t)width : 64,
        .swizzle = narrow ? 0 : LINE,
    };
}

/* Where C does not leave by bulk stores, another map stands in the place of its two, which nothing reads. */
static void add_maps(const plx_problem *problem, const plx_elected_tiling *cut, const plx_gemm_operand *a,
                     const plx_gemm_operand *b, bool bulk, plx_recipe *recipe, plx_step *step)
{
    const int32_t cols = cut->tile->cols;
    add_operand(cut->turned ? b : a, plx_elected_rows(cut), cut->cluster_cols, recipe, step);
    add_operand(cut->turned ? a : b, cols, cut->cluster_rows, recipe, step);
    const plx_tensor_map first = recipe->maps[0];
    const plx_tensor_map whole = bulk ? map_of_result(problem, cut, 64) : first,
                         rest = bulk && cols % 64 != 0 ? map_of_result(problem, cut, cols % 64) : whole;
    plx_step_map(recipe, step, &whole);
    plx_step_map(recipe, step, &rest);
}

/* ---- the launch -------------------------------------------------------------------------- */

static void add_result(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, C);
    plx_step_i32(step, plx_units_type_of_result(problem));
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
}

static int32_t flags_of(const plx_elected_tiling *cut, bool bulk)
{
    return (cut->turns ? GEMM_ELECTED_TURNS : 0) | (cut->turned ? GEMM_ELECTED_TURNED : 0) |
           (bulk ? GEMM_ELECTED_BULK : 0) | (cut->early ? GEMM_ELECTED_EARLY : 0);
}

static void add_cut(const plx_elected_tiling *cut, bool bulk, plx_step *step)
{
    plx_step_i32(step, cut->cluster_rows);
    plx_step_i32(step, cut->cluster_cols);
    plx_step_i32(step, (int32_t)cut->down);
    plx_step_i32(step, (int32_t)cut->across);
    plx_step_i32(step, cut->order);
    plx_step_i32(step, cut->stages);
    plx_step_i32(step, cut->outs);
    plx_step_i32(step, flags_of(cut, bulk));
    plx_step_shared(step, plx_elected_shared(cut));
}

/* Of the operands that are multiplied, for which the kernels are compiled. */
static const char *variant_of(const plx_problem *problem, const plx_elected_tiling *cut)
{
    const bool is_f16 = problem->dtype == PLX_F16;
    if (cut->x_inner && cut->y_inner)
        return is_f16 ? "f16_nt" : "bf16_nt";
    if (cut->x_inner)
        return is_f16 ? "f16_nn" : "bf16_nn";
    return is_f16 ? "f16_tt" : "bf16_tt";
}

/* Blocks stay for all their tiles. */
static void add_product(const plx_problem *problem, const plx_device_info *device, const plx_elected_tiling *cut,
                        const plx_gemm_operand *a, const plx_gemm_operand *b, bool bulk, plx_recipe *recipe)
{
    const int32_t blocks = cut->cluster_rows * cut->cluster_cols;
    plx_step *step = plx_recipe_step(recipe, cut->tile->entry, GEMM_ELECTED_THREADS, 1);
    step->grid[0] = (uint64_t)(smaller(cut->down * cut->across, plx_elected_slots(device, blocks)) * blocks);
    step->cluster = blocks > 1 ? (uint32_t)blocks : 0;
    step->dependent_launch = true;
    step->variant = variant_of(problem, cut);
    step->code = cut->tile->across ? "gemm/wgmma-elected-across" : NULL;
    add_maps(problem, cut, a, b, bulk, recipe, step);
    add_result(problem, step);
    add_cut(cut, bulk, step);
}

static plx_status add_launches(const plx_problem *problem, const plx_device_info *device, const plx_elected_tiling *cut,
                               plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    if (!plx_gemm_take_path(&a, recipe->schedule.paths[A], &scratch) ||
        !plx_gemm_take_path(&b, recipe->schedule.paths[B], &scratch))
        return plx_fail(error, PLX_UNSUPPORTED, "its operands are too large to be copied to aligned rows");
    if (scratch > PLX_SCRATCH_COUNTERS)
        recipe->scratch_bytes = scratch;
    plx_gemm_add_repack(recipe, device, &a, &b);
    add_product(problem, device, cut, &a, &b, recipe->schedule.paths[C] == PLX_PATH_TMA, recipe);
    return plx_wgmma_check_scratch(recipe, device, error);
}

plx_status plx_elected_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                              plx_error *error)
{
    bool multiplies = false;
    plx_status status = plx_units_start(problem, recipe, error);
    if (status == PLX_OK)
        status = plx_wgmma_without_terms(problem, device, recipe, &multiplies, error);
    if (status != PLX_OK || !multiplies)
        return status;
    const plx_elected_tiling cut = plx_elected_tiling_by(problem, device, &recipe->schedule);
    return add_launches(problem, device, &cut, recipe, error);
}
