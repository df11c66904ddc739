/* The cuts of a kernel, and which is the best. */
#ifndef PLX_KERNELS_GEMM_ENUMERATE_H
#define PLX_KERNELS_GEMM_ENUMERATE_H

#include "tma.h"

/* How a kernel can be cut on a class of devices: its tiles, times parts of k. */
typedef struct plx_gemm_tilings {
    const plx_gemm_tile *tiles;
    size_t tile_count;
    const char *const *entries; /* of the tiles; NULL: one for all, which the recipe knows */
    bool takes_edges;           /* the kernel has the arguments for parts and edges */
    bool all_bring;             /* as plx_gemm_tiling has it */
    size_t plain_tile;          /* what is taken where there is no model */
    /* Whether each part has a step along k, each tile its counter, and what clusters leave its room. */
    bool (*possible)(const plx_problem *problem, const plx_gemm_tiling *cut);
    /* Microseconds, by the model.  NULL: nothing was measured. */
    double (*cost)(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);
    /* No cut with this tile, this cluster, and as many clusters or more costs less.  NULL: not known. */
    double (*least)(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);
} plx_gemm_tilings;

/* Of split-k (split_k_cost.c) and async-copy (cp_async_cost.c) on this device. */
const plx_gemm_tilings *plx_gemm_split_k_tilings(const plx_device_info *device);
const plx_gemm_tilings *plx_gemm_async_copy_tilings(const plx_device_info *device);
extern const plx_gemm_tilings plx_gemm_many_tilings; /* of many-blocks (cp_async_cost.c), in CUDA */

/* Of split-k's and stream-k's tiles, and the one of bulk-pipeline (enumerate.c). */
extern const plx_gemm_tilings plx_gemm_stream_tilings, plx_gemm_whole_tilings;
/* Those of a kernel of this kind; NULL: it is of another. */
const plx_gemm_tilings *plx_gemm_tilings_of(uint32_t kernel, const plx_device_info *device);
/* A cut as a schedule, and a schedule as a cut. */
plx_schedule plx_gemm_schedule_of(const plx_gemm_tilings *cuts, const plx_gemm_tiling *cut, uint32_t kernel);
plx_gemm_tiling plx_gemm_tiling_by(const plx_schedule *schedule, const plx_device_info *device);

/* Of split-k in OpenCL where it has maps: the cost of a cut; and of the edges that a cut has. */
double plx_gemm_mapped_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_tiling *cut);
double plx_gemm_edges_us(const plx_problem *problem, const plx_gemm_tiling *cut);

/* Every cut that is possible. */
typedef void plx_gemm_tiling_visit(void *data, const plx_gemm_tiling *cut);
void plx_gemm_each_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem, plx_gemm_tiling_visit *visit,
                          void *data);
/* The one that problem->config says, or that the model says is the fastest. */
plx_gemm_tiling plx_gemm_best_tiling(const plx_gemm_tilings *cuts, const plx_problem *problem,
                                     const plx_device_info *device);
/* The same where one that takes more than `limit` microseconds is of no use, and any such may be found. */
plx_gemm_tiling plx_gemm_best_below(const plx_gemm_tilings *cuts, const plx_problem *problem,
                                    const plx_device_info *device, double limit);

#endif
