/* Recipes of async-copy and many-blocks: tiles and parts of k as split-k has them, operands as they lie. */
#include "simt.h"

#include "gemm/device/common/tiles.h"

#include <stdio.h>

enum { A, B, C }; /* operands */

/* Shared memory of a block: rows of a stage are four elements longer than the tile's side; and barriers,
 * where threads that bring tell others. */
static int64_t shared_bytes(const plx_gemm_tiling *tiling)
{
    const plx_gemm_tile *t = tiling->tile;
    int64_t stages = t->stages_direct, barriers = tiling->all_produce ? 16 : 16 * stages + 1024;
    return stages * (t->rows + 4 + t->cols + 4) * GEMM_PIPELINE_DEPTH * 4 + barriers;
}

static uint32_t threads_of(const plx_gemm_tiling *tiling)
{
    const plx_gemm_tile *t = tiling->tile;
    return (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols) +
                      (tiling->all_produce ? 0 : GEMM_PIPELINE_BRINGERS));
}

static void add_operands(plx_step *step, const plx_gemm_problem *p)
{
    plx_step_operand(step, A);
    plx_step_i64(step, p->lda);
    plx_step_i32(step, !p->trans_a);
    plx_step_operand(step, B);
    plx_step_i64(step, p->ldb);
    plx_step_i32(step, p->trans_b);
    plx_step_operand(step, C);
}

static plx_step *add_launch(const plx_problem *problem, const void *data, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tiling *tiling = data;
    plx_step *step = plx_recipe_step(recipe, tiling->tile->entry, threads_of(tiling), 1);

    step->grid[0] = (uint64_t)(plx_gemm_tile_count(p, tiling) * tiling->cluster);
    step->grid[1] = (uint64_t)tiling->clusters;
    step->cluster = tiling->cluster > 1 ? (uint32_t)tiling->cluster : 0;
    step->dependent_launch = true;
    plx_step_tile(step, tiling->tile->rows, tiling->tile->cols);
    add_operands(step, p);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_gemm_step_partitions(problem, tiling, step);
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_shared(step, shared_bytes(tiling));
    return step;
}

static void add_product(const plx_problem *problem, const plx_gemm_tiling *tiling, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (tiling->all_produce)
        plx_gemm_each_launch(problem, recipe, add_launch, tiling);
    else
        (void)add_launch(problem, tiling, recipe);
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS + plx_gemm_partial_bytes(p, tiling);
    plx_gemm_add_partitions(problem, tiling, PLX_SCRATCH_COUNTERS, recipe);
}

plx_status plx_gemm_cp_async_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(&recipe->schedule, device);
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_recipe(problem, device, "gemm_async_copy", &tiling, false, recipe, error);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status == PLX_OK)
        status = plx_gemm_check_sizes(p, error);
    if (status == PLX_OK)
        status = plx_gemm_check_batch(problem, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (plx_gemm_has_terms(problem)) {
        (void)snprintf(recipe->variant, sizeof recipe->variant, "f32"); /* one kernel for all layouts */
        add_product(problem, &tiling, recipe);
    } else {
        plx_gemm_add_scale(problem, device, recipe);
    }
    return plx_recipe_check(recipe, 0, device, error);
}
