/* How the schedules of a kernel are found: which there are, what each should take, the best, and what they are called.
 */
#ifndef PLX_KERNELS_GEMM_FAMILY_H
#define PLX_KERNELS_GEMM_FAMILY_H

#include "../launch/launch.h"
#include "cost.h"

/* ---- schedules as configurations (configs.c) ----------------------------------------------------- */

/* What a configuration's number says; `tile` is a place in the kernel's table of tiles; 0 where a kernel has no such
 * thing. */
typedef struct plx_gemm_config {
    uint32_t tile, cluster, parts, edge_blocks; /* each below 128 */
} plx_gemm_config;

uint32_t plx_gemm_config_number(const plx_gemm_config *config);
/* Of problem->config, which is not 0. */
plx_gemm_config plx_gemm_config_of(const plx_problem *problem);

/* ---- the search (search.c) ------------------------------------------------------------------------ */

/* A walk over a kernel's schedules. */
typedef struct plx_gemm_search plx_gemm_search;
struct plx_gemm_search {
    const plx_problem *problem;
    const plx_device_info *device;
    uint32_t kernel;
    double limit; /* what should take more microseconds may be left out; shrinks on the way */
    void (*visit)(plx_gemm_search *search, const plx_schedule *schedule);
    void *data;
};

/* What a kernel's plans are made by. */
typedef struct plx_gemm_family {
    /* PLX_UNSUPPORTED with a reason where this device or problem is not served. */
    plx_status (*check)(const plx_problem *problem, const plx_device_info *device, plx_error *error);
    /* Visits every schedule that is possible, with its kernel and its microseconds; those that are as good as each
     * other in the order of their configurations. */
    void (*each)(plx_gemm_search *search);
    /* The best of them, where there is a faster way than to visit all; search->problem has no configuration. */
    bool (*best)(const plx_gemm_search *search, plx_schedule *schedule);
    const char *none; /* the reason where there is none */
    /* Of operands that begin at multiples of 16 bytes, or anywhere; NULL: by loads. */
    void (*paths)(const plx_problem *problem, const plx_device_info *device, bool unaligned, plx_schedule *schedule);
    /* NULL: there are no configurations. */
    plx_gemm_config (*config)(const plx_schedule *schedule);
    void (*name)(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule, char *name,
                 size_t size);
    bool lists_fastest; /* 64 that should take the least time; else all */
    bool is_checked;    /* a device of OpenCL may have no room for one that is visited */
    /* Microseconds by other rates, in CUDA.  NULL: rates could be no others. */
    double (*us)(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                 const void *rates);
    plx_gemm_rates rates;
} plx_gemm_family;

/* Of the kernels that have one; of others NULL (choose.c). */
const plx_gemm_family *plx_gemm_family_of(uint32_t kernel);
/* What problem->config says, or the best; false: there is none, or none that takes at most `limit`. */
bool plx_gemm_find(uint32_t kernel, const plx_problem *problem, const plx_device_info *device, double limit,
                   plx_schedule *schedule);
/* Whether anything is multiplied. */
bool plx_gemm_has_work(const plx_problem *problem);

extern const plx_gemm_family plx_gemm_bulk_pipeline_family, plx_gemm_split_k_family, plx_gemm_stream_k_family,
    plx_gemm_async_copy_family, plx_gemm_many_blocks_family, plx_gemm_short_k_family, plx_gemm_few_rows_family,
    plx_gemm_matvec_family, plx_dmma_family, plx_dmma_bulk_family, plx_wgmma_family, plx_wgmma_pipelined_family,
    plx_wgmma_cluster_family, plx_wgmma_tf32_family, plx_elected_family, plx_gemm_direct_family, plx_gemm_narrow_family,
    plx_f16x3_family, plx_gemm_warp_family;

#endif
