/* Recipes of the kernels that bring their operands by tensor maps. */
#include "choose.h"
#include "cp_async.h"
#include "opencl.h"
#include "operand.h"
#include "stream_k.h"

#include "arithmetic.h"

#include "gemm/device/simt/reduce-split-k.h"
#include "gemm/device/common/tiles.h"

#include <inttypes.h>

enum { A, B, C }; /* operands */

int64_t plx_gemm_k_tiles(const plx_problem *problem)
{
    int64_t k = problem->of.gemm.k;
    return k / GEMM_PIPELINE_DEPTH + (k % GEMM_PIPELINE_DEPTH != 0);
}

/* ---- operands -------------------------------------------------------------- */

double plx_gemm_repacked_bytes(const plx_problem *problem)
{
    double bytes = 0.0;
    for (uint32_t operand = A; operand <= B; ++operand) {
        const plx_gemm_operand s = plx_gemm_operand_as(problem, operand);
        if (!plx_gemm_steps_by_units(&s))
            bytes += 4.0 * (double)s.rows * (double)s.cols;
    }
    return bytes;
}

plx_tensor_map plx_gemm_map_of_boxes(const plx_gemm_operand *s, int side)
{
    plx_tensor_map map = plx_gemm_map_of(s);
    map.box_width = s->inner ? GEMM_PIPELINE_DEPTH : (uint32_t)side;
    map.box_height = s->inner ? (uint32_t)side : GEMM_PIPELINE_DEPTH;
    map.swizzle = s->inner ? 128 : 0;
    return map;
}

/* ---- steps ------------------------------------------------------------------ */

void plx_gemm_add_scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    int64_t elements = p->m;
    plx_step *step = plx_recipe_step(recipe, "gemm_scale", GEMM_SCALE_THREADS, 1);
    if (__builtin_mul_overflow(p->m, p->n, &elements))
        elements = INT64_MAX;
    step->grid[0] = plx_gemm_blocks_for(elements, GEMM_SCALE_THREADS, device);
    step->dependent_launch = true;
    plx_step_operand(step, C);
    plx_step_i64(step, p->m);
    plx_step_i64(step, p->n);
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, plx_gemm_alpha(problem));
    plx_step_scalar(step, p->beta);
}

/* Shared memory of a block: simt/mainloop.cuh has the same sum. */
static int64_t shared_bytes(const plx_gemm_tile *t, bool a_inner, bool b_inner)
{
    int64_t stages = a_inner || b_inner ? t->stages_transposed : t->stages_direct;
    int64_t landings = a_inner && b_inner ? t->landings_of_both : 2;
    int64_t landing = (a_inner ? t->rows : 0) + (b_inner ? t->cols : 0);
    return (stages * (t->rows + t->cols) + landings * landing) * GEMM_PIPELINE_DEPTH * 4 + 16 * stages + 8 * landings +
           1024;
}

static int64_t tiles_of(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return ((plx_gemm_covered_rows(p, cut) - 1) / cut->tile->rows + 1) *
           ((plx_gemm_covered_columns(p, cut) - 1) / cut->tile->cols + 1);
}

static int64_t parts_of(const plx_gemm_tiling *cut)
{
    return (int64_t)cut->cluster * cut->clusters;
}

/* Units of 16 bytes of a row of sums that clusters leave. */
static int64_t units_of_row(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    return (plx_gemm_covered_columns(p, cut) + 3) / 4;
}

uint64_t plx_gemm_partial_bytes(const plx_gemm_problem *p, const plx_gemm_tiling *cut)
{
    if (cut->clusters == 1)
        return 0;
    return (uint64_t)(plx_gemm_covered_rows(p, cut) * units_of_row(p, cut) * cut->clusters) * 16;
}

void plx_gemm_add_parts(const plx_problem *problem, const plx_gemm_tiling *cut, int64_t partial_at, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (cut->clusters == 1)
        return;
    plx_step *step = plx_recipe_step(recipe, "gemm_add_parts", GEMM_ADD_THREADS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)((plx_gemm_covered_rows(p, cut) * units_of_row(p, cut) - 1) / GEMM_ADD_THREADS + 1);
    step->dependent_launch = true;
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, cut));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, cut));
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, partial_at, 16);
    plx_step_i32(step, cut->clusters);
}

/* Parts are as long as each other, the first ones a step longer. */
static void add_parts(plx_step *step, const plx_problem *problem, const plx_gemm_tiling *cut, int64_t partial_at)
{
    plx_step_i32(step, (int32_t)(plx_gemm_k_tiles(problem) % parts_of(cut)));
    plx_step_scratch(step, partial_at, 16);
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

static void add_product(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                        const plx_gemm_operand *a, const plx_gemm_operand *b, int64_t partial_at, plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_gemm_tile *t = cut->tile;
    uint32_t threads = (uint32_t)(t->rows / t->thread_rows * (t->cols / t->thread_cols) + GEMM_PIPELINE_BRINGERS);
    const plx_tensor_map of_a = plx_gemm_map_of_boxes(a, t->rows), of_b = plx_gemm_map_of_boxes(b, t->cols);
    plx_step *step = plx_recipe_step(recipe, cut->entry, threads, 1);

    step->grid[0] = (uint64_t)(tiles_of(p, cut) * cut->cluster + cut->edge_blocks);
    step->grid[1] = (uint64_t)cut->clusters;
    step->cluster = cut->cluster > 1 ? (uint32_t)cut->cluster : 0;
    step->dependent_launch = true;
    plx_step_tile(step, t->rows, t->cols);
    plx_step_map(recipe, step, &of_a);
    plx_step_map(recipe, step, &of_b);
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, cut));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, cut));
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_i32(step, (int32_t)(plx_gemm_k_tiles(problem) / parts_of(cut)));
    if (cut->waves > 0) {
        const plx_gemm_stream stream = plx_gemm_stream_of(problem, device, cut);
        plx_gemm_step_stream(step, &stream, partial_at);
    }
    if (cut->takes_parts) {
        add_parts(step, problem, cut, partial_at);
        add_edges(step, p, a, b);
    }
    plx_step_shared(step, shared_bytes(t, a->inner, b->inner));
    plx_gemm_add_parts(problem, cut, partial_at, recipe);
}

/* ---- recipes ------------------------------------------------------------------- */

plx_status plx_gemm_check_sizes(const plx_gemm_problem *p, plx_error *error)
{
    if (p->m > PLX_MOST_OF_MAP || p->n > PLX_MOST_OF_MAP || p->k > PLX_MOST_OF_MAP)
        return plx_fail(error, PLX_UNSUPPORTED, "its coordinates reach %" PRId64 " rows, columns and terms",
                        (int64_t)PLX_MOST_OF_MAP);
    return PLX_OK;
}

static plx_status check_scratch(const plx_recipe *recipe, const plx_device_info *device, plx_error *error)
{
    uint64_t most = device->max_alloc_bytes ? device->max_alloc_bytes : device->memory_bytes;
    if (most != 0 && recipe->scratch_bytes > most)
        return plx_fail(error, PLX_UNSUPPORTED, "needs %" PRIu64 " bytes of scratch memory; this device has %" PRIu64,
                        recipe->scratch_bytes, most);
    return PLX_OK;
}

static plx_status cut_terms(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut,
                            plx_recipe *recipe, plx_error *error)
{
    plx_gemm_operand a = plx_gemm_operand_as(problem, A), b = plx_gemm_operand_as(problem, B);
    uint64_t scratch = PLX_SCRATCH_COUNTERS;
    plx_status status = plx_gemm_check_sizes(&problem->of.gemm, error);
    if (status != PLX_OK)
        return status;
    if (!plx_gemm_take_path(&a, recipe->schedule.paths[A], &scratch) ||
        !plx_gemm_take_path(&b, recipe->schedule.paths[B], &scratch))
        return plx_fail(error, PLX_UNSUPPORTED, "its operands are too large to be copied to aligned rows");
    int64_t partial_at = (int64_t)scratch;
    scratch +=
        cut->waves > 0 ? plx_gemm_stream_bytes(problem, device, cut) : plx_gemm_partial_bytes(&problem->of.gemm, cut);
    if (cut->takes_parts || cut->waves > 0 || a.repacked || b.repacked)
        recipe->scratch_bytes = scratch;
    if (a.repacked || b.repacked)
        plx_gemm_add_repack(recipe, device, &a, &b);
    add_product(problem, device, cut, &a, &b, partial_at, recipe);
    status = check_scratch(recipe, device, error);
    return status == PLX_OK ? plx_recipe_check(recipe, 0, device, error) : status;
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
    const plx_gemm_tiling cut = plx_gemm_tiling_by(&recipe->schedule, device);
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_recipe(problem, device, opencl_entry(recipe->schedule.kernel), &cut,
                                      recipe->schedule.paths[A] == PLX_PATH_TMA, recipe, error);
    plx_status status = plx_gemm_start(problem, device, recipe, error);
    if (status != PLX_OK || p->m == 0 || p->n == 0)
        return status;
    if (!plx_gemm_has_terms(problem)) {
        plx_gemm_add_scale(problem, device, recipe);
        return PLX_OK;
    }
    return cut_terms(problem, device, &cut, recipe, error);
}

/* A part's terms one after the other, then its cluster's parts, then the clusters; by the deeper way where there are
 * edges. */
int64_t plx_gemm_split_k_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule)
{
    const int64_t of_tiles = plx_gemm_cp_async_depth(problem, device, schedule);
    return schedule->edge_ctas > 0 ? larger(of_tiles, plx_gemm_skinny_share(problem->of.gemm.k, false)) : of_tiles;
}
