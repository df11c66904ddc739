/* The cuts of a kernel, and which is the best. */
#ifndef PLX_KERNELS_GEMM_SEARCH_H
#define PLX_KERNELS_GEMM_SEARCH_H

#include "pipeline.h"

/* How a kernel can be cut on a class of devices: its tiles, times parts of k. */
typedef struct plx_gemm_cuts {
    const plx_gemm_tile *tiles;
    size_t tile_count;
    const char *const *entries; /* of the tiles; NULL: one for all, which the recipe knows */
    bool takes_edges;           /* the kernel has the arguments for parts and edges */
    bool all_bring;             /* as plx_gemm_cut has it */
    size_t plain_tile;          /* what is taken where there is no model */
    /* Whether each part has a step along k, each tile its counter, and what clusters leave its room. */
    bool (*possible)(const plx_problem *problem, const plx_gemm_cut *cut);
    /* Microseconds, by the model.  NULL: nothing was measured. */
    double (*cost)(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut);
    /* No cut with this tile, this cluster, and as many clusters or more costs less.  NULL: not known. */
    double (*least)(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut);
} plx_gemm_cuts;

/* Of split-k (cut.c) and async-copy (copied_cut.c) on this device. */
const plx_gemm_cuts *plx_gemm_split_k_cuts(const plx_device_info *device);
const plx_gemm_cuts *plx_gemm_async_copy_cuts(const plx_device_info *device);
extern const plx_gemm_cuts plx_gemm_many_cuts; /* of many-blocks (copied_cut.c), in CUDA */

/* Of split-k's and stream-k's tiles, and the one of bulk-pipeline (search.c). */
extern const plx_gemm_cuts plx_gemm_stream_cuts, plx_gemm_whole_cuts;
/* Those of a kernel of this kind; NULL: it is of another. */
const plx_gemm_cuts *plx_gemm_cuts_of(uint32_t kernel, const plx_device_info *device);
/* A cut as a schedule, and a schedule as a cut. */
plx_schedule plx_gemm_schedule_of(const plx_gemm_cuts *cuts, const plx_gemm_cut *cut, uint32_t kernel);
plx_gemm_cut plx_gemm_cut_by(const plx_schedule *schedule, const plx_device_info *device);

/* Of split-k in OpenCL where it has maps: the cost of a cut; and of the edges that a cut has. */
double plx_gemm_mapped_cost(const plx_problem *problem, const plx_device_info *device, const plx_gemm_cut *cut);
double plx_gemm_edges_us(const plx_problem *problem, const plx_gemm_cut *cut);

/* Every cut that is possible. */
typedef void plx_gemm_cut_visit(void *data, const plx_gemm_cut *cut);
void plx_gemm_each_cut(const plx_gemm_cuts *cuts, const plx_problem *problem, plx_gemm_cut_visit *visit, void *data);
/* The one that problem->config says, or that the model says is the fastest. */
plx_gemm_cut plx_gemm_best_cut(const plx_gemm_cuts *cuts, const plx_problem *problem, const plx_device_info *device);
/* The same where one that takes more than `limit` microseconds is of no use, and any such may be found. */
plx_gemm_cut plx_gemm_best_below(const plx_gemm_cuts *cuts, const plx_problem *problem, const plx_device_info *device,
                                 double limit);

#endif
