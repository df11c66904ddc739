/* split-k in OpenCL: what a tiling costs.  Measured on one H200. */
#include "arithmetic.h"
#include "simt.h"

/* Partitions meet, then the last to come reads what each has left.  All that is left costs little while the cache holds
 * it, beside the products of others; beyond, it goes through memory.  Beside code for edges that of tiles is slower. */
static const struct {
    double meeting_us, read_bytes_per_us, cached_bytes, cached_bytes_per_us, written_bytes_per_us, beside_edges;
} rates = {
#include "rates/opencl-9.0/partitions.h"
};

static double meeting(const plx_gemm_tiling *tiling, double tiles, int count)
{
    double left = 4.0 * tiling->tile->rows * tiling->tile->cols * count, all = 2.0 * tiles * left;
    double beyond = all > rates.cached_bytes ? all - rates.cached_bytes : 0.0;
    return count > 1 ? rates.meeting_us + left / rates.read_bytes_per_us + (all - beyond) / rates.cached_bytes_per_us +
                           beyond / rates.written_bytes_per_us
                     : 0.0;
}

double plx_gemm_opencl_joining(const plx_problem *problem, const plx_gemm_tiling *tiling)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    double tiles = (double)quotient_up(p->m, tiling->tile->rows) * (double)quotient_up(p->n, tiling->tile->cols);
    return meeting(tiling, tiles * tiling->clusters, tiling->cluster) + meeting(tiling, tiles, tiling->clusters);
}

/* As async-copy's with the same tile: it is the same kernel there. */
static double copied_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    plx_gemm_tiling same = *tiling;
    for (size_t tile = 0; tile < PLX_GEMM_CP_ASYNC_TILES; ++tile)
        if (plx_gemm_cp_async_tile[tile].rows == tiling->tile->rows &&
            plx_gemm_cp_async_tile[tile].cols == tiling->tile->cols)
            same.tile = &plx_gemm_cp_async_tile[tile];
    return plx_gemm_cp_async_cost(problem, device, &same);
}

/* Work-groups of edges begin last, in the last round of those of tiles; but before further parts of k, which
 * have to wait where there are not places for all.  Beside code for edges that of tiles is slower. */
static double with_edges(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling,
                         double us)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double places = (double)tiling->tile->blocks * (device->units > 0 ? device->units : 1);
    const double parts = (double)tiling->cluster * tiling->clusters, edges_us = plx_gemm_edges_us(problem, tiling);
    const double groups = parts * (double)quotient_up(plx_gemm_covered_rows(p, tiling), tiling->tile->rows) *
                          (double)quotient_up(plx_gemm_covered_columns(p, tiling), tiling->tile->cols);
    const double waves = (double)(int64_t)(groups / places), tiles_us = rates.beside_edges * us;
    const bool waits = parts > 1 && groups + tiling->edge_blocks > places * (waves + 1.0);
    const double end = tiles_us * (waits ? 1.0 : waves / (waves + 1.0)) + edges_us;
    return tiles_us > end ? tiles_us : end;
}

/* Of what tiles cover. */
double plx_gemm_opencl_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *tiling)
{
    plx_problem tiled = *problem;
    tiled.of.gemm.m = plx_gemm_covered_rows(&problem->of.gemm, tiling);
    tiled.of.gemm.n = plx_gemm_covered_columns(&problem->of.gemm, tiling);
    const double us = plx_gemm_makes_maps(problem, device) ? plx_gemm_mapped_cost(problem, device, tiling)
                                                           : copied_cost(&tiled, device, tiling);
    return tiling->edge_blocks > 0 ? with_edges(problem, device, tiling, us) : us;
}
