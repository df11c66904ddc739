/* warp-per-product: a warp for each product of a batch. */
#include "launch.h"

#include "arithmetic.h"
#include "gemm/device/skinny/warp-per-product.h"
#include "operation.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

static const char *entry_of(const plx_gemm_problem *p)
{
    const int64_t side = larger(p->m, p->n);
    return side <= GEMM_WARP_SMALL_SIDE ? "gemm_warp_per_product_16" : "gemm_warp_per_product_32";
}

static void add_operands(const plx_gemm_problem *p, plx_step *step)
{
    plx_step_operand(step, A);
    plx_step_i64(step, p->lda);
    plx_step_i32(step, !p->trans_a);
    plx_step_operand(step, B);
    plx_step_i64(step, p->ldb);
    plx_step_i32(step, p->trans_b);
}

/* Nothing of the operands is read where there is nothing to sum. */
static void add_result(const plx_problem *problem, plx_step *step)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step_operand(step, C);
    plx_gemm_step_result_type(problem, step);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, plx_gemm_has_terms(problem) ? (int32_t)p->k : 0);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
}

plx_status plx_gemm_warp_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const int64_t count = plx_problem_count(problem);
    if (p->m == 0 || p->n == 0)
        return PLX_OK;
    (void)snprintf(recipe->variant, sizeof recipe->variant, "%s",
                   problem->dtype == PLX_F32   ? "f32"
                   : problem->dtype == PLX_F16 ? "f16"
                                               : "bf16");
    plx_step *step = plx_recipe_step(recipe, entry_of(p), 32 * GEMM_WARP_PRODUCTS, 1);
    step->grid[0] = (uint64_t)quotient_up(count, GEMM_WARP_PRODUCTS);
    step->dependent_launch = true;
    add_operands(p, step);
    add_result(problem, step);
    for (uint32_t i = 0; i <= C; i++)
        plx_step_i64(step, problem->batch.batched ? problem->batch.stride[i] : 0);
    plx_step_i32(step, (int32_t)count);
    return plx_recipe_check(recipe, 0, device, error);
}
