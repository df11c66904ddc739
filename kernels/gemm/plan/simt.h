/* Schedules of the kernels that multiply in plain f32 instructions: their tilings, and what their costs have in common.
 */
#ifndef PLX_KERNELS_GEMM_PLAN_SIMT_H
#define PLX_KERNELS_GEMM_PLAN_SIMT_H

#include "../launch/simt.h"
#include "family.h"

/* ---- tilings: tiles, times partitions of k, times blocks for edges (enumerate.c) ------------------- */

typedef double plx_gemm_tiling_cost(const plx_problem *problem, const plx_device_info *device,
                                    const plx_gemm_tiling *tiling);
typedef struct plx_gemm_tilings {
    const plx_gemm_tiles *of;
    size_t plain_tile;          /* what is taken where there is no model */
    plx_gemm_tiling_cost *cost; /* microseconds, by the model.  NULL: nothing was measured */
    /* No tiling with this tile, this cluster, and as many clusters or more costs less.  NULL: not known. */
    plx_gemm_tiling_cost *least;
    /* What its longest partition takes a block that has a multiprocessor to itself.  NULL: not known. */
    plx_gemm_tiling_cost *longest;
} plx_gemm_tilings;

/* Of split-k, async-copy and many-blocks. */
plx_gemm_tilings plx_gemm_tilings_of(uint32_t kernel, const plx_device_info *device);
/* Every tiling that is possible. */
typedef void plx_gemm_tiling_visit(void *data, const plx_gemm_tiling *tiling);
void plx_gemm_each_tiling(const plx_gemm_tilings *of, const plx_problem *problem, const plx_device_info *device,
                          plx_gemm_tiling_visit *visit, void *data);
/* The one that problem->config says, or that the model says is the fastest; one that takes more than `limit`
 * microseconds is of no use, and any such may be found. */
plx_gemm_tiling plx_gemm_best_tiling(const plx_gemm_tilings *of, const plx_problem *problem,
                                     const plx_device_info *device, double limit);
plx_schedule plx_gemm_schedule_by(uint32_t kernel, const plx_gemm_tiles *of, const plx_gemm_tiling *tiling);
/* For their families. */
void plx_gemm_each_simt(plx_gemm_search *search);
bool plx_gemm_best_simt(const plx_gemm_search *search, plx_schedule *schedule);
plx_gemm_config plx_gemm_config_of_simt(const plx_schedule *schedule);
void plx_gemm_name_simt(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule,
                        char *name, size_t size);
plx_status plx_gemm_check_f32(const plx_problem *problem, const plx_device_info *device, plx_error *error);
void plx_gemm_paths_by_maps(const plx_problem *problem, const plx_device_info *device, bool unaligned,
                            plx_schedule *schedule);
void plx_gemm_paths_by_threads(const plx_problem *problem, const plx_device_info *device, bool unaligned,
                               plx_schedule *schedule);

/* ---- costs, in microseconds, of any tiling -------------------------------------------------------- */

plx_gemm_tiling_cost plx_gemm_split_k_cost, plx_gemm_cp_async_cost, plx_gemm_stream_cost;
/* As plx_gemm_tilings has them. */
plx_gemm_tiling_cost plx_gemm_split_k_least, plx_gemm_cp_async_least, plx_gemm_split_k_longest,
    plx_gemm_cp_async_longest;
double plx_gemm_short_cost(const plx_problem *problem, const plx_device_info *device);
/* Of split-k in OpenCL where it has maps; of the edges that a tiling has; of partitions there (split_k.c). */
plx_gemm_tiling_cost plx_gemm_mapped_cost;
double plx_gemm_edges_us(const plx_problem *problem, const plx_gemm_tiling *tiling);
double plx_gemm_opencl_joining(const plx_problem *problem, const plx_gemm_tiling *tiling); /* opencl.c */
plx_gemm_tiling_cost plx_gemm_opencl_cost;

/* ---- what costs have in common (simt.c) ----------------------------------------------------------- */

/* What it takes to add partitions. */
typedef struct plx_gemm_adding {
    double launch_us, part_us, bytes_per_us; /* the cache takes and gives what clusters left */
    double least_us;                         /* of the whole product: two launches take no less */
} plx_gemm_adding;
double plx_gemm_adding_us(const plx_gemm_problem *problem, const plx_gemm_tiling *tiling, const plx_gemm_adding *by);
/* What a product of this tiling takes at least. */
double plx_gemm_adding_least(const plx_gemm_tiling *tiling, const plx_gemm_adding *by);
/* What holds by where rows of C begin: at sectors of 32 bytes, at units of 16, or anywhere. */
double plx_gemm_of_rows(const double at_units_and_anywhere[2], double at_sectors, const plx_gemm_problem *problem);
/* What writing a tile takes besides; by its bytes. */
double plx_gemm_writing_us(const double at_units_and_anywhere[2], const plx_gemm_problem *problem,
                           const plx_gemm_tiling *tiling);
/* Operands in, C out, of which each byte counts as so many by where rows begin. */
double plx_gemm_moving_us(const plx_gemm_problem *problem, const double counts[2], double bytes_per_us);
/* Operands that must be packed before the copy engine reads them: the launch, and bytes read and written. */
double plx_gemm_packing_us(const plx_problem *problem, double launch_us, double bytes_per_us);
/* Clusters of four and eight leave places empty; in OpenCL there are none. */
double plx_gemm_share_of_places(const plx_device_info *device, int cluster);
/* Multiply-adds of a multiprocessor's microsecond that a k-tile takes, were all of use. */
double plx_gemm_k_tile_us(const plx_gemm_tiling *tiling);

#endif
