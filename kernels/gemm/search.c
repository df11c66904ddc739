/* The search for the best cut: tiles, times parts of k, times blocks for edges. */
#include "search.h"

#include "arithmetic.h"
#include "configs.h"

#include "gemm/device/common/tiles.h"

enum {
    MOST_IN_CLUSTER = 8,
    MOST_CLUSTERS = 64,
    LEAST_EDGE_BLOCKS = 16,
    MOST_EDGE_BLOCKS = 64,
    PLAIN_STEPS = 4, /* of a part, and most parts, where nothing was measured */
    PLAIN_PARTS = 8
};

static plx_gemm_cut cut_of(const plx_gemm_cuts *cuts, size_t tile, int cluster, int clusters)
{
    return (plx_gemm_cut){.entry = cuts->entries != NULL ? cuts->entries[tile] : NULL,
                          .tile = &cuts->tiles[tile],
                          .cluster = cluster,
                          .clusters = clusters,
                          .takes_parts = cuts->takes_edges,
                          .all_bring = cuts->all_bring};
}

/* ---- all of them --------------------------------------------------------------------- */

/* Which is shown every cut that is possible. */
typedef struct tour {
    const plx_gemm_cuts *cuts;
    const plx_problem *problem;
    plx_gemm_cut_visit *visit;
    void *data;
} tour;

static void show(const tour *t, const plx_gemm_cut *cut)
{
    if (t->cuts->possible(t->problem, cut))
        t->visit(t->data, cut);
}

/* With edges where there are any: as many blocks as have places beside the tiles', up to a limit. */
static void show_edges(const tour *t, plx_gemm_cut cut)
{
    const plx_gemm_problem *p = &t->problem->of.gemm;
    cut.edge_blocks = LEAST_EDGE_BLOCKS;
    if (!t->cuts->takes_edges || (plx_gemm_covered_rows(p, &cut) == p->m && plx_gemm_covered_columns(p, &cut) == p->n))
        return;
    for (; cut.edge_blocks <= MOST_EDGE_BLOCKS; cut.edge_blocks *= 2)
        show(t, &cut);
}

void plx_gemm_each_cut(const plx_gemm_cuts *cuts, const plx_problem *problem, plx_gemm_cut_visit *visit, void *data)
{
    const tour t = {cuts, problem, visit, data};
    int64_t steps = plx_gemm_depth_steps(problem);
    for (size_t tile = 0; tile < cuts->tile_count; ++tile)
        for (int cluster = 1; cluster <= MOST_IN_CLUSTER; cluster *= 2)
            for (int clusters = 1; clusters <= MOST_CLUSTERS && cluster * clusters <= steps; ++clusters) {
                const plx_gemm_cut cut = cut_of(cuts, tile, cluster, clusters);
                show(&t, &cut);
                show_edges(&t, cut);
            }
}

/* ---- the best -------------------------------------------------------------------------- */

typedef struct search {
    const plx_gemm_cuts *cuts;
    const plx_problem *problem;
    const plx_device_info *device;
    plx_gemm_cut best; /* so far */
    double least;
} search;

static void consider(void *data, const plx_gemm_cut *cut)
{
    search *found = data;
    double cost = found->cuts->cost(found->problem, found->device, cut);
    if (cost < found->least) {
        found->least = cost;
        found->best = *cut;
    }
}

static plx_gemm_cut named_cut(const plx_gemm_cuts *cuts, const plx_problem *problem)
{
    const plx_gemm_config config = plx_gemm_config_of(problem);
    plx_gemm_cut cut = cut_of(cuts, config.tile, (int)config.cluster, (int)config.parts);
    cut.edge_blocks = (int)config.edge_blocks;
    return cut;
}

/* Parts that are worth another launch. */
static plx_gemm_cut plain_cut(const plx_gemm_cuts *cuts, const plx_problem *problem)
{
    int64_t parts = smaller(plx_gemm_depth_steps(problem) / PLAIN_STEPS, PLAIN_PARTS);
    plx_gemm_cut cut = cut_of(cuts, cuts->plain_tile, 1, (int)larger(parts, 1));
    if (!cuts->possible(problem, &cut))
        cut.clusters = 1;
    return cut;
}

plx_gemm_cut plx_gemm_best_cut(const plx_gemm_cuts *cuts, const plx_problem *problem, const plx_device_info *device)
{
    search found = {cuts, problem, device, cut_of(cuts, 0, 1, 1), 0.0};
    if (problem->config != 0)
        return named_cut(cuts, problem);
    if (cuts->cost == NULL)
        return plain_cut(cuts, problem);
    found.least = cuts->cost(problem, device, &found.best);
    plx_gemm_each_cut(cuts, problem, consider, &found);
    return found.best;
}
