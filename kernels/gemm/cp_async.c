/* Recipes of async-copy and many-blocks: tiles and parts of k as split-k has them, operands as they lie. */
#include "cp_async.h"
#include "opencl.h"

#include "gemm/device/simt/long-tiles.h"
#include "gemm/device/simt/multistage-tiles.h"
#include "gemm/device/common/tiles.h"

#include <inttypes.h>
#include <stdio.h>

enum { A, B, C }; /* operands */

const plx_gemm_tile plx_gemm_cp_async_tiles[PLX_GEMM_CP_ASYNC_TILES] = {
    {GEMM_COPIED_128X128}, {GEMM_COPIED_128X96}, {GEMM_COPIED_96X128}, {GEMM_COPIED_128X64}, {GEMM_COPIED_64X128},
    {GEMM_COPIED_256X48},  {GEMM_COPIED_48X256}, {GEMM_COPIED_64X64},  {GEMM_COPIED_128X32}, {GEMM_COPIED_32X128},
    {GEMM_COPIED_32X64},   {GEMM_COPIED_64X32},  {GEMM_COPIED_128X16}, {GEMM_COPIED_16X128}, {GEMM_COPIED_256X64},
    {GEMM_COPIED_64X256},  {GEMM_COPIED_256X32}, {GEMM_COPIED_32X256},
};

const plx_gemm_tile plx_gemm_many_tiles[PLX_GEMM_MANY_TILES] = {
    {GEMM_MANY_128X64}, {GEMM_MANY_64X128}, {GEMM_MANY_64X64},  {GEMM_MANY_128X32},
    {GEMM_MANY_32X128}, {GEMM_MANY_128X96}, {GEMM_MANY_96X128}, {GEMM_MANY_64X96},
    {GEMM_MANY_96X64},  {GEMM_MANY_128X48}, {GEMM_MANY_48X128},
};

/* Shared memory of a block: rows of a stage are four elements longer than the tile's side; and barriers,
 * where threads that bring tell others. */
static int64_t shared_bytes(const plx_gemm_tiling *cut)
{
    const plx_gemm_tile *t = cut->tile;
    int64_t stages = t->stages_direct, barriers = cut->all_bring ? 16 : 16 * stages + 1024;
    return stages * (t->rows + 4 + t->cols + 4) * GEMM_PIPELINE_DEPTH * 4 + barriers;
}

static uint32_t threads_of(const plx_gemm_tiling *cut)
{
    const plx_gemm_tile *t = cut->tile;
    return (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols) +
                      (cut->all_bring ? 0 : GEMM_PIPELINE_BRINGERS));
}

static int64_t parts_of(const plx_gemm_tiling *cut)
{
    return (int64_t)cut->cluster * cut->clusters;
}

static int64_t tiles_of(const plx_gemm_problem *p, const plx_gemm_tile *t)
{
    return ((p->m - 1) / t->rows + 1) * ((p->n - 1) / t->cols + 1);
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

static void add_product(const plx_problem *problem, const plx_gemm_tiling *cut, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    plx_step *step = plx_recipe_step(recipe, cut->entry, threads_of(cut), 1);

    step->grid[0] = (uint64_t)(tiles_of(p, cut->tile) * cut->cluster);
    step->grid[1] = (uint64_t)cut->clusters;
    step->cluster = cut->cluster > 1 ? (uint32_t)cut->cluster : 0;
    step->dependent_launch = true;
    plx_step_tile(step, cut->tile->rows, cut->tile->cols);
    add_operands(step, p);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_i32(step, (int32_t)(plx_gemm_k_tiles(problem) / parts_of(cut)));
    plx_step_i32(step, (int32_t)(plx_gemm_k_tiles(problem) % parts_of(cut)));
    plx_step_scratch(step, PLX_SCRATCH_COUNTERS, 16);
    plx_step_shared(step, shared_bytes(cut));
    recipe->scratch_bytes = PLX_SCRATCH_COUNTERS + plx_gemm_partial_bytes(p, cut);
    plx_gemm_add_parts(problem, cut, PLX_SCRATCH_COUNTERS, recipe);
}

plx_status plx_gemm_cp_async_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tiling cut = plx_gemm_tiling_by(&recipe->schedule, device);
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_recipe(problem, device, "gemm_async_copy", &cut, false, recipe, error);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status == PLX_OK)
        status = plx_gemm_check_sizes(p, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (plx_gemm_has_terms(problem)) {
        (void)snprintf(recipe->variant, sizeof recipe->variant, "f32"); /* one kernel for all layouts */
        add_product(problem, &cut, recipe);
    } else {
        plx_gemm_add_scale(problem, device, recipe);
    }
    return plx_recipe_check(recipe, 0, device, error);
}

int64_t plx_gemm_cp_async_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t steps = plx_gemm_k_tiles(problem), parts = (int64_t)schedule->cluster_k * schedule->split_k;
    const int64_t longest = (steps / parts + (steps % parts != 0)) * GEMM_PIPELINE_DEPTH;
    const int64_t terms = longest < problem->of.gemm.k ? longest : problem->of.gemm.k;
    (void)device;
    return terms + schedule->cluster_k - 1 + schedule->split_k - 1;
}
