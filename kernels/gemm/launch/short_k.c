/* short-k: few terms, whose time goes into writing C. */
#include "simt.h"

#include "arithmetic.h"
#include "gemm/device/common/tiles.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

static int64_t across_of(const plx_gemm_problem *p)
{
    return quotient_up(p->n, GEMM_SHORT_COLS);
}

/* Blocks are counted in 32 bits. */
static plx_status count_blocks(const plx_gemm_problem *p, uint64_t *blocks, plx_error *error)
{
    int64_t count;
    if (__builtin_mul_overflow(quotient_up(p->m, GEMM_SHORT_ROWS), across_of(p), &count) || count > INT32_MAX)
        return plx_gemm_too_many_tiles(error);
    *blocks = (uint64_t)count;
    return PLX_OK;
}

static void add_product(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, A);
    plx_step_i64(step, p->lda);
    plx_step_i32(step, !p->trans_a);
    plx_step_operand(step, B);
    plx_step_i64(step, p->ldb);
    plx_step_i32(step, p->trans_b);
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i32(step, plx_gemm_has_terms(problem) ? (int32_t)p->k : 0);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
    plx_step_i32(step, (int32_t)across_of(p));
}

enum { shared_bytes = GEMM_SHORT_MOST * (GEMM_SHORT_ROWS + 4 + GEMM_SHORT_COLS) * 4 };

static void define_for_opencl(const plx_device_info *device, plx_recipe *recipe)
{
    if ((device->features & PLX_FEATURE_NVIDIA_PTX) && device->compute_major >= 8)
        plx_recipe_define(recipe, "COPY_PTX", 1);
    plx_recipe_min_blocks_per_sm(recipe, device, GEMM_SHORT_THREADS, GEMM_SHORT_BLOCKS);
}

plx_status plx_gemm_short_k_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                   plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    uint64_t blocks = 0;
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    status = count_blocks(p, &blocks, error);
    if (status != PLX_OK)
        return status;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "f32");
    plx_step *step = plx_recipe_step(recipe, "gemm_short_k", GEMM_SHORT_THREADS, 1);
    step->grid[0] = blocks;
    step->dependent_launch = true;
    add_product(problem, step);
    define_for_opencl(device, recipe);
    return plx_recipe_check(recipe, shared_bytes, device, error);
}
