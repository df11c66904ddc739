/* The search for the best cut: tiles, times parts of k, times blocks for edges. */
#include "enumerate.h"

#include "arithmetic.h"
#include "choose.h"
#include "configs.h"
#include "cp_async.h"
#include "opencl.h"
#include "models.h"
#include "operand.h"
#include "stream_k.h"

#include "gemm/device/common/tiles.h"

#include <math.h>

enum {
    MOST_IN_CLUSTER = 8,
    MOST_CLUSTERS = 64,
    LEAST_EDGE_BLOCKS = 16,
    MOST_EDGE_BLOCKS = 64,
    PLAIN_STEPS = 4, /* of a part, and most parts, where nothing was measured */
    PLAIN_PARTS = 8
};

static plx_gemm_tiling cut_of(const plx_gemm_tilings *cuts, size_t tile, int cluster, int clusters)
{
    return (plx_gemm_tiling){.entry = cuts->entries != NULL ? cuts->entries[tile] : NULL,
                             .tile = &cuts->tiles[tile],
                             .cluster = cluster,
                             .clusters = clusters,
                             .takes_parts = cuts->takes_edges,
                             .all_bring = cuts->all_bring};
}

/* ---- all of them --------------------------------------------------------------------- */

/* Which is shown every cut that is possible. */
typedef struct tour {
    const plx_gemm_tilings *cuts;
    const plx_problem *problem;
    plx_gemm_tiling_visit *visit;
    void *data;
} tour;

static void show(const tour *t, const plx_gemm_tiling *cut)
{
    if (t->cuts->possible(t->problem, cut))
        t->visit(t->data, cut);
}

/* With edges where there are any: as many blocks as have places beside the tiles', up to a limit. */
static void show_edges(const tour *t, plx_gemm_tiling cut)
{
    const plx_gemm_problem *p = &t->problem->of.gemm;
    cut.edge_blocks = LEAST_EDGE_BLOCKS;
    if (!t->cuts->takes_edges || (plx_gemm_covered_rows(p, &cut) == p->m && plx_gemm_covered_columns(p, &cut) == p->n))
        return;
    for (; cut.edge_blocks <= MOST_EDGE_BLOCKS; cut.edge_blocks *= 2)
        show(t, &cut);
}

void plx_gemm_each_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem, plx_gemm_tiling_visit *visit,
                          void *data)
{
    const tour t = {cuts, problem, visit, data};
    int64_t steps = plx_gemm_k_tiles(problem);
    for (size_t tile = 0; tile < cuts->tile_count; ++tile)
        for (int cluster = 1; cluster <= MOST_IN_CLUSTER; cluster *= 2)
            for (int clusters = 1; clusters <= MOST_CLUSTERS && cluster * clusters <= steps; ++clusters) {
                const plx_gemm_tiling cut = cut_of(cuts, tile, cluster, clusters);
                show(&t, &cut);
                show_edges(&t, cut);
            }
}

/* ---- the best -------------------------------------------------------------------------- */

typedef struct search {
    const plx_gemm_tilings *cuts;
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_tiling best; /* so far */
    double least;
} search;

static void consider(void *data, const plx_gemm_tiling *cut)
{
    search *found = data;
    double cost = found->cuts->cost(found->problem, found->device, cut);
    if (cost < found->least) {
        found->least = cost;
        found->best = *cut;
    }
}

static plx_gemm_tiling named_cut(const plx_gemm_tilings *cuts, const plx_problem *problem)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    plx_gemm_tiling cut = cut_of(cuts, config.tile, (int)config.cluster, (int)config.parts);
    cut.edge_blocks = (int)config.edge_blocks;
    return cut;
}

/* Parts that are worth another launch. */
static plx_gemm_tiling plain_cut(const plx_gemm_tilings *cuts, const plx_problem *problem)
{
    int64_t parts = smaller(plx_gemm_k_tiles(problem) / PLAIN_STEPS, PLAIN_PARTS);
    plx_gemm_tiling cut = cut_of(cuts, cuts->plain_tile, 1, (int)larger(parts, 1));
    if (!cuts->possible(problem, &cut))
        cut.clusters = 1;
    return cut;
}

/* A few cuts of each tile, those that about fill the device: the best costs no more than the best of them. */
static double first_guess(const search *found)
{
    const int64_t steps = plx_gemm_k_tiles(found->problem);
    const plx_gemm_problem *p = &found->problem->of.gemm;
    double lowest = found->least;
    for (size_t tile = 0; tile < found->cuts->tile_count; ++tile) {
        const plx_gemm_tile *t = &found->cuts->tiles[tile];
        const double tiles = (double)quotient_up(p->m, t->rows) * (double)quotient_up(p->n, t->cols);
        const double filling = (double)t->blocks * found->device->units / (tiles > 1.0 ? tiles : 1.0);
        const int parts = filling > MOST_CLUSTERS ? MOST_CLUSTERS : filling > 1.0 ? (int)filling : 1;
        const plx_gemm_tiling cut = cut_of(found->cuts, tile, 1, (int)smaller(parts, larger(steps, 1)));
        const double cost = found->cuts->possible(found->problem, &cut)
                                ? found->cuts->cost(found->problem, found->device, &cut)
                                : lowest;
        lowest = least(cost, lowest);
    }
    return lowest;
}

/* With one tile and one size of clusters.  More partitions of the same length cost no less. */
static void consider_clusters(search *found, size_t tile, int cluster, double guess)
{
    const plx_gemm_tilings *cuts = found->cuts;
    const int64_t steps = plx_gemm_k_tiles(found->problem);
    const tour edges = {cuts, found->problem, consider, found};
    int64_t before = -1; /* steps of the longest partition */
    for (int clusters = 1; clusters <= MOST_CLUSTERS && cluster * clusters <= steps; ++clusters) {
        const plx_gemm_tiling cut = cut_of(cuts, tile, cluster, clusters);
        const int64_t longest = quotient_up(steps, cluster * clusters);
        if (longest == before || !cuts->possible(found->problem, &cut))
            continue;
        before = longest;
        if (cuts->least != NULL && clusters % 4 == 1 && cuts->least(found->problem, found->device, &cut) > guess)
            return;
        consider(found, &cut);
        show_edges(&edges, cut);
    }
}

plx_gemm_tiling plx_gemm_best_below(const plx_gemm_tilings *cuts, const plx_problem *problem,
                                    const plx_device_info *device, double limit)
{
    search found = {cuts, problem, device, cut_of(cuts, 0, 1, 1), 0.0};
    if (problem->config != 0)
        return named_cut(cuts, problem);
    if (cuts->cost == NULL)
        return plain_cut(cuts, problem);
    found.least = cuts->cost(problem, device, &found.best);
    const double guess = least(first_guess(&found), limit);
    for (size_t tile = 0; tile < cuts->tile_count; ++tile)
        for (int cluster = 1; cluster <= MOST_IN_CLUSTER; cluster *= 2)
            consider_clusters(&found, tile, cluster, least(guess, found.least));
    return found.best;
}

plx_gemm_tiling plx_gemm_best_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem,
                                     const plx_device_info *device)
{
    return plx_gemm_best_below(cuts, problem, device, INFINITY);
}

/* ---- schedules ------------------------------------------------------------------------- */

static const char *const bulk_entry[] = {"gemm_bulk_pipeline"};
const plx_gemm_tilings plx_gemm_whole_tilings = {.tiles = plx_gemm_tiles, .tile_count = 1, .entries = bulk_entry};

const plx_gemm_tilings *plx_gemm_tilings_of(uint32_t kernel, const plx_device_info *device)
{
    switch (kernel) {
    case PLX_GEMM_BULK_PIPELINE:
        return &plx_gemm_whole_tilings;
    case PLX_GEMM_SPLIT_K:
        return plx_gemm_split_k_tilings(device);
    case PLX_GEMM_STREAM_K:
        return &plx_gemm_stream_tilings;
    case PLX_GEMM_ASYNC_COPY:
        return plx_gemm_async_copy_tilings(device);
    case PLX_GEMM_MANY_BLOCKS:
        return &plx_gemm_many_tilings;
    default:
        return NULL;
    }
}

plx_schedule plx_gemm_schedule_of(const plx_gemm_tilings *cuts, const plx_gemm_tiling *cut, uint32_t kernel)
{
    return (plx_schedule){.kernel = kernel,
                          .tile = (uint32_t)(cut->tile - cuts->tiles),
                          .split_k = cut->clusters,
                          .cluster_k = cut->cluster,
                          .waves = cut->waves,
                          .eighths = cut->eighths,
                          .edge_ctas = cut->edge_blocks};
}

plx_gemm_tiling plx_gemm_tiling_by(const plx_schedule *schedule, const plx_device_info *device)
{
    plx_gemm_tiling cut =
        cut_of(plx_gemm_tilings_of(schedule->kernel, device), schedule->tile, schedule->cluster_k, schedule->split_k);
    cut.edge_blocks = schedule->edge_ctas;
    cut.waves = schedule->waves;
    cut.eighths = schedule->eighths;
    return cut;
}

static plx_status check_f32(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    return plx_gemm_is_opencl(device) ? PLX_OK : plx_needs_sm_90a(device, error);
}

/* Those that the copy engine reads, as they lie or from aligned rows; in OpenCL where device code makes maps. */
static void bring_by_maps(const plx_problem *problem, const plx_device_info *device, bool unaligned,
                          plx_schedule *schedule)
{
    const bool maps = !plx_gemm_is_opencl(device) || (!unaligned && plx_gemm_makes_maps(problem, device));
    for (uint32_t operand = 0; operand < 2; ++operand) {
        const plx_gemm_operand stored = plx_gemm_operand_as(problem, operand);
        schedule->paths[operand] = !maps                                            ? PLX_PATH_CP_ASYNC
                                   : unaligned || !plx_gemm_steps_by_units(&stored) ? PLX_PATH_PACKED
                                                                                    : PLX_PATH_TMA;
    }
}

static void bring_by_threads(plx_schedule *schedule)
{
    schedule->paths[0] = schedule->paths[1] = PLX_PATH_CP_ASYNC;
}

static double limit_of(const plx_schedule *schedule)
{
    return schedule->us > 0.0 ? schedule->us : INFINITY;
}

static bool is_modelled(const plx_device_info *device)
{
    return plx_gemm_split_k_tilings(device)->cost != NULL;
}

plx_status plx_gemm_bulk_pipeline_schedule(const plx_problem *problem, const plx_device_info *device,
                                           plx_schedule *schedule, plx_error *error)
{
    const plx_gemm_tiling cut = cut_of(&plx_gemm_whole_tilings, 0, 1, 1);
    *schedule = plx_gemm_schedule_of(&plx_gemm_whole_tilings, &cut, PLX_GEMM_BULK_PIPELINE);
    bring_by_maps(problem, device, false, schedule);
    return check_f32(problem, device, error);
}

plx_status plx_gemm_split_k_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                     plx_error *error)
{
    const plx_gemm_tilings *cuts = plx_gemm_split_k_tilings(device);
    const plx_status status = check_f32(problem, device, error);
    if (status != PLX_OK)
        return status;
    const plx_gemm_tiling cut = plx_gemm_best_below(cuts, problem, device, limit_of(schedule));
    *schedule = plx_gemm_schedule_of(cuts, &cut, PLX_GEMM_SPLIT_K);
    schedule->us = is_modelled(device) ? cuts->cost(problem, device, &cut) : 0.0;
    bring_by_maps(problem, device, false, schedule);
    return PLX_OK;
}

plx_status plx_gemm_stream_k_schedule(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                      plx_error *error)
{
    const plx_status status = check_f32(problem, device, error);
    if (status != PLX_OK)
        return status;
    if (plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "is for CUDA: in OpenCL split-k takes its place");
    const plx_gemm_tiling cut = plx_gemm_best_stream(problem, device);
    *schedule = plx_gemm_schedule_of(&plx_gemm_stream_tilings, &cut, PLX_GEMM_STREAM_K);
    schedule->us = is_modelled(device) ? plx_gemm_stream_cost(problem, device, &cut) : 0.0;
    bring_by_maps(problem, device, false, schedule);
    return PLX_OK;
}

/* Of async-copy or many-blocks. */
static void best_copied(const plx_problem *problem, const plx_device_info *device, uint32_t kernel,
                        plx_schedule *schedule)
{
    const plx_gemm_tilings *cuts = plx_gemm_tilings_of(kernel, device);
    const plx_gemm_tiling cut = plx_gemm_best_below(cuts, problem, device, limit_of(schedule));
    *schedule = plx_gemm_schedule_of(cuts, &cut, kernel);
    schedule->us = is_modelled(device) ? plx_gemm_cp_async_cost(problem, device, &cut) : 0.0;
    bring_by_threads(schedule);
}

plx_status plx_gemm_async_copy_schedule(const plx_problem *problem, const plx_device_info *device,
                                        plx_schedule *schedule, plx_error *error)
{
    const plx_status status = check_f32(problem, device, error);
    if (status == PLX_OK)
        best_copied(problem, device, PLX_GEMM_ASYNC_COPY, schedule);
    return status;
}

plx_status plx_gemm_many_blocks_schedule(const plx_problem *problem, const plx_device_info *device,
                                         plx_schedule *schedule, plx_error *error)
{
    if (plx_gemm_is_opencl(device))
        return plx_fail(error, PLX_UNSUPPORTED, "has no OpenCL form");
    const plx_status status = check_f32(problem, device, error);
    if (status == PLX_OK)
        best_copied(problem, device, PLX_GEMM_MANY_BLOCKS, schedule);
    return status;
}

static double cost_of(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut)
{
    return cut->waves > 0 ? plx_gemm_stream_cost(problem, device, cut)
                          : plx_gemm_split_k_tilings(device)->cost(problem, device, cut);
}

/* Where operands begin at no multiple of 16 bytes, async-copy or many-blocks takes them as they lie where that is
 * faster than to copy both first.  Not where a configuration was asked for. */
plx_status plx_gemm_maps_unaligned(const plx_problem *problem, const plx_device_info *device, plx_schedule *schedule,
                                   plx_error *error)
{
    plx_problem anywhere = *problem; /* for the models: as where rows step by no multiple */
    plx_schedule many = {.us = 0.0}, copied;
    (void)error;
    anywhere.of.gemm.lda |= 1;
    anywhere.of.gemm.ldb |= 1;
    anywhere.of.gemm.ldc |= 1; /* a part of a larger matrix often has a result that is one, too */
    bring_by_maps(problem, device, true, schedule);
    if (plx_gemm_is_opencl(device) || problem->config != 0 || problem->of.gemm.m == 0 || problem->of.gemm.n == 0 ||
        !plx_gemm_has_terms(problem))
        return PLX_OK;
    const plx_gemm_tiling cut = plx_gemm_tiling_by(schedule, device);
    copied.us = many.us = cost_of(&anywhere, device, &cut);
    best_copied(&anywhere, device, PLX_GEMM_ASYNC_COPY, &copied);
    many.us = least(many.us, copied.us);
    best_copied(&anywhere, device, PLX_GEMM_MANY_BLOCKS, &many);
    if (many.us < copied.us)
        copied = many;
    if (copied.us < cost_of(&anywhere, device, &cut))
        *schedule = copied;
    return PLX_OK;
}
