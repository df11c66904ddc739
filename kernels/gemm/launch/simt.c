/* Products that multiply in plain f32 instructions: tiles, partitions of k, and the launch that adds these. */
#include "simt.h"

#include "arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "gemm/device/simt/long-tiles.h"
#include "gemm/device/simt/multistage-tiles.h"
#include "gemm/device/simt/reduce-split-k.h"

enum { C = 2 }; /* operand */

/* ---- tiles ----------------------------------------------------------------------------------- */

const plx_gemm_tile plx_gemm_split_k_tile[PLX_GEMM_TILES] = {
    {GEMM_TILE_128X128, "gemm_split_k_128x128"}, {GEMM_TILE_128X64, "gemm_split_k_128x64"},
    {GEMM_TILE_64X64, "gemm_split_k_64x64"},     {GEMM_TILE_128X32, "gemm_split_k_128x32"},
    {GEMM_TILE_32X128, "gemm_split_k_32x128"},
};

const plx_gemm_tile plx_gemm_stream_tile[PLX_GEMM_STREAM_TILES] = {
    {GEMM_TILE_128X128, "gemm_stream_k_128x128"},
    {GEMM_TILE_128X64, "gemm_stream_k_128x64"},
    {GEMM_TILE_64X64, "gemm_stream_k_64x64"},
};

static const plx_gemm_tile bulk_tile[] = {{GEMM_TILE_128X128, "gemm_bulk_pipeline"}};

const plx_gemm_tile plx_gemm_cp_async_tile[PLX_GEMM_CP_ASYNC_TILES] = {
    {GEMM_COPIED_128X128, "gemm_async_copy_128x128"}, {GEMM_COPIED_128X96, "gemm_async_copy_128x96"},
    {GEMM_COPIED_96X128, "gemm_async_copy_96x128"},   {GEMM_COPIED_128X64, "gemm_async_copy_128x64"},
    {GEMM_COPIED_64X128, "gemm_async_copy_64x128"},   {GEMM_COPIED_256X48, "gemm_async_copy_256x48"},
    {GEMM_COPIED_48X256, "gemm_async_copy_48x256"},   {GEMM_COPIED_64X64, "gemm_async_copy_64x64"},
    {GEMM_COPIED_128X32, "gemm_async_copy_128x32"},   {GEMM_COPIED_32X128, "gemm_async_copy_32x128"},
    {GEMM_COPIED_32X64, "gemm_async_copy_32x64"},     {GEMM_COPIED_64X32, "gemm_async_copy_64x32"},
    {GEMM_COPIED_128X16, "gemm_async_copy_128x16"},   {GEMM_COPIED_16X128, "gemm_async_copy_16x128"},
    {GEMM_COPIED_256X64, "gemm_async_copy_256x64"},   {GEMM_COPIED_64X256, "gemm_async_copy_64x256"},
    {GEMM_COPIED_256X32, "gemm_async_copy_256x32"},   {GEMM_COPIED_32X256, "gemm_async_copy_32x256"},
};

const plx_gemm_tile plx_gemm_many_tile[PLX_GEMM_MANY_TILES] = {
    {GEMM_MANY_128X64, "gemm_many_blocks_128x64"}, {GEMM_MANY_64X128, "gemm_many_blocks_64x128"},
    {GEMM_MANY_64X64, "gemm_many_blocks_64x64"},   {GEMM_MANY_128X32, "gemm_many_blocks_128x32"},
    {GEMM_MANY_32X128, "gemm_many_blocks_32x128"}, {GEMM_MANY_128X96, "gemm_many_blocks_128x96"},
    {GEMM_MANY_96X128, "gemm_many_blocks_96x128"}, {GEMM_MANY_64X96, "gemm_many_blocks_64x96"},
    {GEMM_MANY_96X64, "gemm_many_blocks_96x64"},   {GEMM_MANY_128X48, "gemm_many_blocks_128x48"},
    {GEMM_MANY_48X128, "gemm_many_blocks_48x128"},
};

const plx_gemm_tiles *plx_gemm_tiles_of(uint32_t kernel, const plx_device_info *device)
{
    static const plx_gemm_tiles bulk = {bulk_tile, 1, .takes_edges = false},
                                split = {plx_gemm_split_k_tile, PLX_GEMM_TILES, .takes_edges = true},
                                split_plain = {plx_gemm_split_k_tile, PLX_GEMM_TILES, .takes_edges = false},
                                stream = {plx_gemm_stream_tile, PLX_GEMM_STREAM_TILES, .takes_edges = false},
                                copied = {plx_gemm_cp_async_tile, PLX_GEMM_CP_ASYNC_TILES, .takes_edges = false},
                                copied_cl = {plx_gemm_cp_async_tile, PLX_GEMM_OPENCL_TILES, .takes_edges = false},
                                many = {plx_gemm_many_tile, PLX_GEMM_MANY_TILES, .all_produce = true};
    const bool opencl = plx_gemm_is_opencl(device);
    switch (kernel) {
    case PLX_GEMM_BULK_PIPELINE:
        return &bulk;
    case PLX_GEMM_SPLIT_K:
        return opencl && !plx_gemm_opencl_has_ptx(device) ? &split_plain : &split;
    case PLX_GEMM_STREAM_K:
        return &stream;
    case PLX_GEMM_ASYNC_COPY:
        return opencl ? &copied_cl : &copied;
    case PLX_GEMM_MANY_BLOCKS:
        return &many;
    default:
        return NULL;
    }
}

plx_gemm_tiling plx_gemm_tiling_of(const plx_gemm_tiles *of, size_t tile, int cluster, int clusters)
{
    return (plx_gemm_tiling){.tile = &of->tiles[tile],
                             .cluster = cluster,
                             .clusters = clusters,
                             .takes_edges = of->takes_edges,
                             .all_produce = of->all_produce};
}

plx_gemm_tiling plx_gemm_tiling_by(const plx_schedule *schedule, const plx_device_info *device)
{
    plx_gemm_tiling tiling = plx_gemm_tiling_of(plx_gemm_tiles_of(schedule->kernel, device), schedule->tile,
                                                schedule->cluster_k, schedule->split_k);
    tiling.edge_blocks = schedule->edge_ctas;
    tiling.waves = schedule->waves;
    tiling.eighths = schedule->eighths;
    return tiling;
}

/* ---- what tiles cover -------------------------------------------------------------------------- */

int64_t plx_gemm_k_tiles(const plx_problem *problem)
{
    int64_t k = problem->of.gemm.k;
    return k / GEMM_PIPELINE_DEPTH + (k % GEMM_PIPELINE_DEPTH != 0);
}

/* What is left of a side beyond whole tiles, where that is an edge. */
static int64_t edge_of(int64_t count, int64_t side)
{
    int64_t rest = count % side;
    return count > side && rest <= GEMM_EDGE_MOST ? rest : 0;
}

int64_t plx_gemm_covered_rows(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling)
{
    return problem->m - (tiling->edge_blocks > 0 ? edge_of(problem->m, tiling->tile->rows) : 0);
}

int64_t plx_gemm_covered_columns(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling)
{
    return problem->n - (tiling->edge_blocks > 0 ? edge_of(problem->n, tiling->tile->cols) : 0);
}

int64_t plx_gemm_tile_count(const plx_gemm_problem *p, const plx_gemm_tiling *tiling)
{
    return quotient_up(plx_gemm_covered_rows(p, tiling), tiling->tile->rows) *
           quotient_up(plx_gemm_covered_columns(p, tiling), tiling->tile->cols);
}

/* ---- partitions -------------------------------------------------------------------------------- */

/* A cluster's blocks add a quad of each thread at a time, of cp.async's kernels. */
static bool shares_evenly(const plx_gemm_tiling *tiling)
{
    const bool is_split_k =
        tiling->tile >= plx_gemm_split_k_tile && tiling->tile < plx_gemm_split_k_tile + PLX_GEMM_TILES;
    return is_split_k || tiling->tile->thread_rows * tiling->tile->thread_cols / 4 % tiling->cluster == 0;
}

bool plx_gemm_possible(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    enum { MOST_LEFT = 256 << 20 };
    const plx_gemm_problem *p = &problem->of.gemm;
    if (plx_gemm_is_opencl(device))
        return plx_gemm_opencl_possible(problem, tiling);
    if (problem->batch.batched && plx_gemm_partitions(tiling) > 1)
        return false;
    return plx_gemm_partitions(tiling) <= plx_gemm_k_tiles(problem) && shares_evenly(tiling) &&
           (tiling->clusters == 1 || 4.0 * (double)p->m * (double)(p->n + 3) * tiling->clusters <= MOST_LEFT);
}

/* Units of 16 bytes of a row of sums that clusters leave. */
static int64_t units_of_row(const plx_gemm_problem *p, const plx_gemm_tiling *tiling)
{
    return (plx_gemm_covered_columns(p, tiling) + 3) / 4;
}

uint64_t plx_gemm_partial_bytes(const plx_gemm_problem *p, const plx_gemm_tiling *tiling)
{
    if (tiling->clusters == 1)
        return 0;
    return (uint64_t)(plx_gemm_covered_rows(p, tiling) * units_of_row(p, tiling) * tiling->clusters) * 16;
}

void plx_gemm_add_partitions(const plx_problem *problem, const plx_gemm_tiling *tiling, int64_t partial_at,
                             plx_recipe *recipe)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    if (tiling->clusters == 1)
        return;
    plx_step *step = plx_recipe_step(recipe, "gemm_add_parts", GEMM_ADD_THREADS, 1);
    step->variant = "f32";
    step->grid[0] = (uint64_t)((plx_gemm_covered_rows(p, tiling) * units_of_row(p, tiling) - 1) / GEMM_ADD_THREADS + 1);
    step->dependent_launch = true;
    plx_step_operand(step, C);
    plx_step_i32(step, (int32_t)plx_gemm_covered_rows(p, tiling));
    plx_step_i32(step, (int32_t)plx_gemm_covered_columns(p, tiling));
    plx_step_i64(step, p->ldc);
    plx_step_scalar(step, p->alpha);
    plx_step_scalar(step, p->beta);
    plx_step_scratch(step, partial_at, 16);
    plx_step_i32(step, tiling->clusters);
}

void plx_gemm_step_partitions(const plx_problem *problem, const plx_gemm_tiling *tiling, plx_step *step)
{
    const int64_t k_tiles = plx_gemm_has_terms(problem) ? plx_gemm_k_tiles(problem) : 0;
    plx_step_i32(step, (int32_t)(k_tiles / plx_gemm_partitions(tiling)));
    plx_step_i32(step, (int32_t)(k_tiles % plx_gemm_partitions(tiling)));
}
