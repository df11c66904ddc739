/* The kernels that bring their operands by tensor maps: tiles, parts of k, and recipes. */
#ifndef PLX_KERNELS_GEMM_TMA_H
#define PLX_KERNELS_GEMM_TMA_H

#include "recipe.h"

/* A tile of C, as tiles.h lists them. */
typedef struct plx_gemm_tile {
    int rows, cols, thread_rows, thread_cols, stages_transposed, stages_direct, landings_of_both, registers, blocks;
} plx_gemm_tile;

/* How a product is cut: tiles of C, and k into parts, each a block of its own.  The parts of a cluster
 * are added through shared memory, the sums of clusters through scratch memory by another launch. */
typedef struct plx_gemm_tiling {
    const char *entry;
    const plx_gemm_tile *tile;
    int cluster, clusters; /* parts of k: cluster * clusters, at most plx_gemm_k_tiles() */
    int edge_blocks;       /* after those of the tiles, for rows and columns past the last whole one; or 0 */
    bool takes_parts;      /* the kernel has the arguments for parts and edges */
    bool all_bring;        /* no threads do nothing but bring operands */
    /* stream-k (stream_k.h): the tiles beyond whole rounds of blocks, and those of waves - 1 rounds more, are
     * dealt among eighths of the places of a round; 0: no such. */
    int waves, eighths;
} plx_gemm_tiling;

/* The part of C that tiles cover: all of it but edges. */
int64_t plx_gemm_covered_rows(const plx_gemm_problem *problem, const plx_gemm_tiling *cut);
int64_t plx_gemm_covered_columns(const plx_gemm_problem *problem, const plx_gemm_tiling *cut);

#define PLX_GEMM_TILES 5
extern const plx_gemm_tile plx_gemm_tiles[PLX_GEMM_TILES];

/* Of the operands that are copied before they can be brought, wherever they begin. */
double plx_gemm_repacked_bytes(const plx_problem *problem);

/* ladder.c: what every recipe of gemm begins with. */
plx_status plx_gemm_start(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                          plx_error *error);
/* Whether there is anything to sum. */
bool plx_gemm_has_terms(const plx_problem *problem);
/* What A B is multiplied with; of no effect on beta * C where there is nothing to sum. */
double plx_gemm_alpha(const plx_problem *problem);
/* The arguments A, B and C. */
void plx_gemm_step_operands(plx_step *step);
/* The arguments m, n, k, their leading dimensions, alpha and beta.  Where there is nothing to sum, k is 0:
 * the kernels then read neither A nor B, and C becomes beta * C. */
void plx_gemm_step_sizes(const plx_problem *problem, plx_step *step);

/* Steps of GEMM_PIPELINE_DEPTH along k. */
int64_t plx_gemm_k_tiles(const plx_problem *problem);

/* Refuses sizes that the coordinates of tiles can't count. */
plx_status plx_gemm_check_sizes(const plx_gemm_problem *problem, plx_error *error);
/* Scratch memory for what clusters leave, and the launch that adds it, where there are several: rows of the
 * part of C that tiles cover. */
uint64_t plx_gemm_partial_bytes(const plx_gemm_problem *problem, const plx_gemm_tiling *cut);
void plx_gemm_add_parts(const plx_problem *problem, const plx_gemm_tiling *cut, int64_t partial_at, plx_recipe *recipe);
/* Whether there is room for that, and the microseconds that it takes by the model. */
bool plx_gemm_has_room(const plx_gemm_problem *problem, const plx_gemm_tiling *cut);
/* What it takes to add them. */
typedef struct plx_gemm_adding {
    double launch_us, part_us, bytes_per_us; /* the cache takes and gives what clusters left */
    double least_us;                         /* of the whole product: two launches take no less */
} plx_gemm_adding;
double plx_gemm_adding_us(const plx_gemm_problem *problem, const plx_gemm_tiling *cut, const plx_gemm_adding *by);
/* What a product of this cut takes at least. */
double plx_gemm_least_us(const plx_gemm_tiling *cut, const plx_gemm_adding *by);

/* What holds by where rows of C begin: at sectors of 32 bytes, at units of 16, or anywhere. */
double plx_gemm_of_rows(const double at_units_and_anywhere[2], double at_sectors, const plx_gemm_problem *problem);
/* What writing a tile takes besides; by its bytes. */
double plx_gemm_writing_us(const double at_units_and_anywhere[2], const plx_gemm_problem *problem,
                           const plx_gemm_tiling *cut);
/* Nothing to sum: C = beta * C. */
void plx_gemm_add_scale(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe);

/* enumerate.c */
plx_schedule_function plx_gemm_bulk_pipeline_schedule, plx_gemm_split_k_schedule, plx_gemm_stream_k_schedule,
    plx_gemm_async_copy_schedule, plx_gemm_many_blocks_schedule, plx_gemm_maps_unaligned;

/* Of bulk-pipeline, split-k and stream-k. */
plx_status plx_gemm_maps_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                plx_error *error);
int64_t plx_gemm_split_k_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);
/* skinny.c */
plx_schedule_function plx_gemm_few_rows_schedule;
plx_status plx_gemm_few_rows_recipe(const plx_problem *problem, const plx_device_info *device, plx_recipe *recipe,
                                    plx_error *error);
int64_t plx_gemm_skinny_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);
/* Roundings in a sum of k terms that the threads of one block share (common/skinny.cuh). */
int64_t plx_gemm_skinny_share(int64_t k, bool along);

#endif
