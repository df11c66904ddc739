/* The cost of a cut, and which is the best. */
#include "pipeline.h"

#include "tiles.h"

#include <stdio.h>
#include <stdlib.h>

const plx_gemm_tile plx_gemm_tiles[PLX_GEMM_TILES] = {
    {GEMM_TILE_128X128}, {GEMM_TILE_128X64}, {GEMM_TILE_64X64}, {GEMM_TILE_128X32}, {GEMM_TILE_32X128},
};

static const char *const entries[PLX_GEMM_TILES] = {
    "gemm_split_k_128x128", "gemm_split_k_128x64", "gemm_split_k_64x64", "gemm_split_k_128x32", "gemm_split_k_32x128",
};

plx_gemm_cut plx_gemm_best_cut(const plx_problem *problem, const plx_device_info *device, bool unaligned)
{
    const char *forced = getenv("PLX_GEMM_CUT");
    int tile = 2, cluster = 1, clusters = 1;
    int64_t steps = plx_gemm_depth_steps(problem);
    (void)device;
    (void)unaligned;
    if (forced)
        (void)sscanf(forced, "%d,%d,%d", &tile, &cluster, &clusters);
    if (steps < 1)
        steps = 1;
    while (cluster > steps)
        cluster /= 2;
    if ((int64_t)cluster * clusters > steps)
        clusters = (int)(steps / cluster);
    return (plx_gemm_cut){.entry = entries[tile], .tile = &plx_gemm_tiles[tile], .cluster = cluster,
                          .clusters = clusters, .takes_parts = true};
}
