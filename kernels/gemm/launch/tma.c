/* Recipes of the kernels that bring their operands by tensor maps. */
#include "simt.h"

#include "operand.h"

#include "gemm/device/common/tiles.h"

enum { A, B, C }; /* operands */

/* ---- steps ------------------------------------------------------------------ */

/* Shared memory of a block: simt/mainloop.cuh has the same sum. */
static int64_t shared_bytes(const plx_gemm_tile *t, bool a_inner, bool b_inner)
{
    int64_t stages = a_inner || b_inner ? t->stages_transposed : t->stages_direct;
    int64_t landings = a_inner && b_inner ? t->landings_of_both : 2;
    int64_t landing = (a_inner ? t->rows : 0) + (b_inner ? t->cols : 0);
    return (stages * (t->rows + t->cols) + landings * landing) * GEMM_PIPELINE_DEPTH * 4 + 16 * stages + 8 * landings +
           1024;
}

/* An operand as blocks that compute edges read it. */
static void add_plain(plx_step *step, const plx_gemm_operand *s)
{
    if (s->repacked)
        plx_step_scratch(step, s->offset, 4);
    else
        plx_step_operand(step, s->operand);
    plx_step_i64(step, s->repacked ? s->pitch : s->ld);
}

static void add_edges(plx_step *step, const plx_gemm_problem *p, const plx_gemm_operand *a, const plx_gemm_operand *b)
{
    add_plain(step, a);
    add_plain(step, b);
    plx_step_i32(step, (int32_t)p->m);
    plx_step_i32(step, (int32_t)p->n);
    plx_step_i32(step, (int32_t)p->k);
}

static void add_product(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                        const plx_gemm_operand *a, const plx_gemm_operand *b, int64_t partial_at, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = tiling->tile;
    uint32_t threads = (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols) + GEMM_PIPELINE_BRINGERS);
    const plx_tensor_map of_a = plx_gemm_map_of_boxes(a, t->rows), of_b = plx_gemm_map_of_boxes(b, t->cols);
    plx_step *step = plx_recipe_step(recipe, tiling->tile->entry, threads, 1);

    step->grid[0] = (uint64_t)(plx_gemm_tile_count(p, tiling) * tiling->cluster + tiling->edge_blocks);
    step->grid[1] = (uint64_t)tiling->clusters;
    step->cluster = tiling->cluster > 1 ? (uint32_t)tiling->cluster : 0;
    step->dependent_launch = true;
    plx_step_tile(step, t->rows, t->cols);
    plx_step_map(recipe, step, &of_a);
    plx_step_map(recipe, step, &of_b);
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, tiling));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, tiling));
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    if (tiling->takes_edges)
        plx_gemm_step_partitions(problem, tiling, step);
    else
        plx_step_i32(step, (int32_t)(plx_gemm_k_tiles(problem) / plx_gemm_partitions(tiling)));
    if (tiling->waves > 0) {
        const plx_gemm_stream stream = plx_gemm_stream_of(problem, device, tiling);
        plx_gemm_step_stream(step, &stream, partial_at);
    }
    if (tiling->takes_edges) {
        plx_step_scratch(step, partial_at, 16);
        add_edges(step, p, a, b);
    }
    plx_step_shared(step, shared_bytes(t, a->inner, b->inner));
    plx_gemm_add_partitions(problem, tiling, partial_at, recipe);
}

/* ---- recipes ------------------------------------------------------------------- */

static plx_status sum_terms(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                            plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    plx_status status = plx_gemm_check_sizes(&problem->of.gemm, error);
    if (status != PLX_OK)
        return status;
    status = plx_gemm_pack(device, &a, &b, &scratch, recipe, error);
    if (status != PLX_OK)
        return status;
    int64_t partial_at = (int64_t)scratch;
    scratch += tiling->waves > 0 ? plx_gemm_stream_bytes(problem, device, tiling)
                                 : plx_gemm_partial_bytes(&problem->of.gemm, tiling);
    if (tiling->takes_edges || tiling->waves > 0 || a.repacked || b.repacked)
        recipe->scratch_bytes = scratch;
    add_product(problem, device, tiling, &a, &b, partial_at, recipe);
    return plx_gemm_check_scratch(recipe, device, error);
}

/* OpenCL has one entry point for all tiles of split-k. */
static const char *opencl_entry(uint32_t kernel)
{
    return kernel == PLX_GEMM_BULK_PIPELINE ? "gemm_bulk_pipeline" : "gemm_split_k";
}

plx_status plx_gemm_maps_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tiling tiling = plx_gemm_tiling_by(&recipe->schedule, device);
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_recipe(problem, device, opencl_entry(recipe->schedule.kernel), &tiling,
                                      recipe->schedule.paths[A] == PLX_PATH_TMA, recipe, error);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (!plx_gemm_has_terms(problem)) {
        plx_gemm_add_scale(problem, device, recipe);
        return PLX_OK;
    }
    return sum_terms(problem, device, &tiling, recipe, error);
}
