/* The tilings of split-k, async-copy and many-blocks: tiles, times partitions of k, times blocks for edges. */
#include "arithmetic.h"
#include "gemm/device/common/tiles.h"
#include "simt.h"

#include "../launch/operand.h"

#include <math.h>
#include <stdio.h>

enum {
    MOST_IN_CLUSTER = 8,
    MOST_CLUSTERS = 64,
    LEAST_EDGE_BLOCKS = 16,
    MOST_EDGE_BLOCKS = 64,
    PLAIN_STEPS = 4, /* k-tiles of a partition, and most partitions, where nothing was measured */
    PLAIN_PARTS = 8
};

/* Nothing was measured in OpenCL of others than NVIDIA. */
plx_gemm_tilings plx_gemm_tilings_of(uint32_t kernel, const plx_device_info *device)
{
    const bool opencl = plx_gemm_is_opencl(device), is_split_k = kernel == PLX_GEMM_SPLIT_K;
    const bool has_model = !opencl || plx_gemm_opencl_has_ptx(device);
    return (plx_gemm_tilings){
        .of = plx_gemm_tiles_of(kernel, device),
        .plain_tile = is_split_k ? 2 : 10,
        .cost = !has_model    ? NULL
                : !is_split_k ? plx_gemm_cp_async_cost
                : opencl      ? plx_gemm_opencl_cost
                              : plx_gemm_split_k_cost,
        .least = opencl       ? NULL
                 : is_split_k ? plx_gemm_split_k_least
                              : plx_gemm_cp_async_least,
    };
}

/* ---- all of them --------------------------------------------------------------------- */

/* Which is shown every tiling that is possible. */
typedef struct tour {
    const plx_gemm_tilings *of;
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_tiling_visit *visit;
    void *data;
} tour;

static void show(const tour *t, const plx_gemm_tiling *tiling)
{
    if (plx_gemm_possible(t->problem, t->device, tiling))
        t->visit(t->data, tiling);
}

/* With edges where there are any: as many blocks as have places beside the tiles', up to a limit. */
static void show_edges(const tour *t, plx_gemm_tiling tiling)
{
    const plx_gemm_problem *p = &t->problem->of.gemm;
    tiling.edge_blocks = LEAST_EDGE_BLOCKS;
    if (!tiling.takes_edges ||
        (plx_gemm_covered_rows(p, &tiling) == p->m && plx_gemm_covered_columns(p, &tiling) == p->n))
        return;
    for (; tiling.edge_blocks <= MOST_EDGE_BLOCKS; tiling.edge_blocks *= 2)
        show(t, &tiling);
}

void plx_gemm_each_tiling(const plx_gemm_tilings *of, const plx_problem *problem, const plx_device_info *device,
                          plx_gemm_tiling_visit *visit, void *data)
{
    const tour t = {of, problem, device, visit, data};
    const int64_t k_tiles = plx_gemm_k_tiles(problem);
    for (size_t tile = 0; tile < of->of->count; ++tile)
        for (int cluster = 1; cluster <= MOST_IN_CLUSTER; cluster *= 2)
            for (int clusters = 1; clusters <= MOST_CLUSTERS && cluster * clusters <= k_tiles; ++clusters) {
                const plx_gemm_tiling tiling = plx_gemm_tiling_of(of->of, tile, cluster, clusters);
                show(&t, &tiling);
                show_edges(&t, tiling);
            }
}

/* ---- the best -------------------------------------------------------------------------- */

typedef struct least_found {
    const plx_gemm_tilings *of;
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_tiling best; /* so far */
    double least;
} least_found;

static void consider(void *data, const plx_gemm_tiling *tiling)
{
    least_found *found = data;
    const double cost = found->of->cost(found->problem, found->device, tiling);
    if (cost < found->least) {
        found->least = cost;
        found->best = *tiling;
    }
}

/* Partitions that are worth another launch. */
static plx_gemm_tiling plain_tiling(const plx_gemm_tilings *of, const plx_problem *problem,
                                    const plx_device_info *device)
{
    const int64_t parts = smaller(plx_gemm_k_tiles(problem) / PLAIN_STEPS, PLAIN_PARTS);
    plx_gemm_tiling tiling = plx_gemm_tiling_of(of->of, of->plain_tile, 1, (int)larger(parts, 1));
    if (!plx_gemm_possible(problem, device, &tiling))
        tiling.clusters = 1;
    return tiling;
}

/* A few tilings, those that about fill the device: the best costs no more than the best of them. */
static double first_guess(const least_found *found)
{
    const int64_t k_tiles = plx_gemm_k_tiles(found->problem);
    const plx_gemm_problem *p = &found->problem->of.gemm;
    double lowest = found->least;
    for (size_t tile = 0; tile < found->of->of->count; ++tile) {
        const plx_gemm_tile *t = &found->of->of->tiles[tile];
        const double tiles = (double)quotient_up(p->m, t->rows) * (double)quotient_up(p->n, t->cols);
        const double filling = (double)t->blocks * (double)plx_gemm_sms(found->device) / most(tiles, 1.0);
        const int parts = filling > MOST_CLUSTERS ? MOST_CLUSTERS : filling > 1.0 ? (int)filling : 1;
        const plx_gemm_tiling tiling =
            plx_gemm_tiling_of(found->of->of, tile, 1, (int)smaller(parts, larger(k_tiles, 1)));
        if (plx_gemm_possible(found->problem, found->device, &tiling))
            lowest = least(lowest, found->of->cost(found->problem, found->device, &tiling));
    }
    return lowest;
}

/* With one tile and one size of clusters.  More partitions of the same length cost no less. */
static void consider_clusters(least_found *found, size_t tile, int cluster, double guess)
{
    const plx_gemm_tilings *of = found->of;
    const int64_t k_tiles = plx_gemm_k_tiles(found->problem);
    const tour edges = {of, found->problem, found->device, consider, found};
    int64_t before = -1; /* k-tiles of the longest partition */
    for (int clusters = 1; clusters <= MOST_CLUSTERS && cluster * clusters <= k_tiles; ++clusters) {
        const int64_t longest = quotient_up(k_tiles, cluster * clusters);
        if (longest == before)
            continue;
        const plx_gemm_tiling tiling = plx_gemm_tiling_of(of->of, tile, cluster, clusters);
        if (!plx_gemm_possible(found->problem, found->device, &tiling))
            continue;
        before = longest;
        if (of->least != NULL && clusters % 4 == 1 && of->least(found->problem, found->device, &tiling) > guess)
            return;
        if (of->longest != NULL && of->longest(found->problem, found->device, &tiling) > least(guess, found->least))
            continue;
        consider(found, &tiling);
        show_edges(&edges, tiling);
    }
}

static plx_gemm_tiling named_tiling(const plx_gemm_tilings *of, const plx_problem *problem)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    plx_gemm_tiling tiling = plx_gemm_tiling_of(of->of, config.tile, (int)config.cluster, (int)config.parts);
    tiling.edge_blocks = (int)config.edge_blocks;
    return tiling;
}

plx_gemm_tiling plx_gemm_best_tiling(const plx_gemm_tilings *of, const plx_problem *problem,
                                     const plx_device_info *device, double limit)
{
    least_found found = {of, problem, device, plx_gemm_tiling_of(of->of, 0, 1, 1), 0.0};
    if (problem->config != 0)
        return named_tiling(of, problem);
    if (of->cost == NULL)
        return plain_tiling(of, problem, device);
    found.least = of->cost(problem, device, &found.best);
    const double guess = least(first_guess(&found), limit);
    for (size_t tile = 0; tile < of->of->count; ++tile)
        for (int cluster = 1; cluster <= MOST_IN_CLUSTER; cluster *= 2)
            consider_clusters(&found, tile, cluster, least(guess, found.least));
    return found.best;
}

/* ---- schedules ------------------------------------------------------------------------- */

plx_schedule plx_gemm_schedule_by(uint32_t kernel, const plx_gemm_tiles *of, const plx_gemm_tiling *tiling)
{
    return (plx_schedule){.kernel = kernel,
                          .tile = (uint32_t)(tiling->tile - of->tiles),
                          .split_k = tiling->clusters,
                          .cluster_k = tiling->cluster,
                          .waves = tiling->waves,
                          .eighths = tiling->eighths,
                          .edge_ctas = tiling->edge_blocks};
}

static plx_schedule costing(uint32_t kernel, const plx_gemm_tilings *of, const plx_problem *problem,
                            const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    plx_schedule schedule = plx_gemm_schedule_by(kernel, of->of, tiling);
    schedule.us = of->cost != NULL ? of->cost(problem, device, tiling) : 0.0;
    return schedule;
}

static void visit_schedule(void *data, const plx_gemm_tiling *tiling)
{
    plx_gemm_search *search = data;
    const plx_gemm_tilings of = plx_gemm_tilings_of(search->kernel, search->device);
    const plx_schedule schedule = costing(search->kernel, &of, search->problem, search->device, tiling);
    search->visit(search, &schedule);
}

/* Of a configuration that one alone. */
static bool has_named(const plx_gemm_tilings *of, const plx_problem *problem, const plx_device_info *device)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    if (config.tile >= of->of->count || config.cluster == 0 || config.parts == 0)
        return false;
    const plx_gemm_tiling tiling = named_tiling(of, problem);
    return plx_gemm_possible(problem, device, &tiling);
}

void plx_gemm_each_simt(plx_gemm_search *search)
{
    const plx_gemm_tilings of = plx_gemm_tilings_of(search->kernel, search->device);
    if (search->problem->config == 0) {
        plx_gemm_each_tiling(&of, search->problem, search->device, visit_schedule, search);
    } else if (has_named(&of, search->problem, search->device)) {
        const plx_gemm_tiling tiling = named_tiling(&of, search->problem);
        visit_schedule(search, &tiling);
    }
}

bool plx_gemm_best_simt(const plx_gemm_search *search, plx_schedule *schedule)
{
    const plx_gemm_tilings of = plx_gemm_tilings_of(search->kernel, search->device);
    const plx_gemm_tiling tiling = plx_gemm_best_tiling(&of, search->problem, search->device, search->limit);
    *schedule = costing(search->kernel, &of, search->problem, search->device, &tiling);
    return true;
}

plx_gemm_config plx_gemm_config_of_simt(const plx_schedule *s)
{
    return (plx_gemm_config){s->tile, (uint32_t)s->cluster_k, (uint32_t)s->split_k, (uint32_t)s->edge_ctas};
}

/* "128x64/3x4+16": the tile, three times clusters of four partitions, sixteen blocks for edges. */
void plx_gemm_name_simt(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                        char *name, size_t size)
{
    const plx_gemm_tile *tile = &plx_gemm_tiles_of(schedule->kernel, device)->tiles[schedule->tile];
    char parts[24] = "", edges[16] = "";
    (void)problem;
    if (schedule->cluster_k > 1)
        (void)snprintf(parts, sizeof parts, "/%dx%d", (int)schedule->split_k, (int)schedule->cluster_k);
    else if (schedule->split_k > 1)
        (void)snprintf(parts, sizeof parts, "/%d", (int)schedule->split_k);
    if (schedule->edge_ctas > 0)
        (void)snprintf(edges, sizeof edges, "+%d", (int)schedule->edge_ctas);
    (void)snprintf(name, size, "%dx%d%s%s", tile->rows, tile->cols, parts, edges);
}

plx_status plx_gemm_check_f32(const plx_problem *problem, const plx_device_info *device, plx_error *error)
{
    if (problem->dtype != PLX_F32)
        return plx_fail(error, PLX_UNSUPPORTED, "computes in f32 alone");
    return plx_gemm_is_opencl(device) ? PLX_OK : plx_needs_sm_90a(device, error);
}

/* Those that the copy engine reads, as they lie or from aligned rows; in OpenCL where device code makes maps. */
void plx_gemm_paths_by_maps(const plx_problem *problem, const plx_device_info *device, bool unaligned,
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

void plx_gemm_paths_by_threads(const plx_problem *problem, const plx_device_info *device, bool unaligned,
                               plx_schedule *schedule)
{
    (void)problem;
    (void)device;
    (void)unaligned;
    schedule->paths[0] = schedule->paths[1] = PLX_PATH_CP_ASYNC;
}
