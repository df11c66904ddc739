/* wgmma-elected: products of f16 and bf16 in tiles of any width. */
#ifndef PLX_KERNELS_GEMM_WGMMA_ELECTED_HOST_H
#define PLX_KERNELS_GEMM_WGMMA_ELECTED_HOST_H

#include "recipe.h"

/* What a warpgroup multiplies. */
typedef struct plx_elected_tile {
    int32_t blocks, cols; /* times 64 rows, columns */
    const char *entry;
    bool across; /* also for operands that lie across k */
} plx_elected_tile;

/* How a product is cut. */
typedef struct plx_elected_tiling {
    const plx_elected_tile *tile;
    bool turned;                        /* op(B)^T op(A)^T is multiplied */
    bool x_inner, y_inner;              /* rows of the product's operands run along k in memory */
    bool turns;                         /* the warpgroups of a block have tiles of their own, by turns */
    bool early;                         /* the next launch may begin when blocks end */
    int32_t cluster_rows, cluster_cols; /* blocks of a cluster */
    int32_t order;                      /* rows of clusters before the next column */
    int32_t stages, outs;               /* of the ring, blocks of C on their way for each warpgroup */
    int64_t down, across;               /* clusters that cover the product */
    double us;                          /* that the product should take */
} plx_elected_tiling;

/* Rows of a block's tile. */
int32_t plx_elected_rows(const plx_elected_tiling *cut);
/* Lines of 128 bytes of the columns' operand in a stage. */
int32_t plx_elected_lines(const plx_elected_tiling *cut);
/* Bytes of shared memory that a block takes. */
int64_t plx_elected_shared(const plx_elected_tiling *cut);
/* Clusters of so many blocks that run side by side, one to a multiprocessor: a few multiprocessors are left
 * over by larger ones. */
int64_t plx_elected_slots(const plx_device_info *device, int32_t blocks);
/* Whether C leaves by bulk stores where it begins at 16 bytes: in 16 bits, and without what was there before.
 */
bool plx_elected_bulk(const plx_problem *problem);
/* The cut that a schedule says. */
plx_elected_tiling plx_elected_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                         const plx_schedule *schedule);

/* ---- what the row needs ------------------------------------------------------------- */

plx_schedule_function plx_elected_schedule, plx_elected_unaligned;
plx_recipe_function plx_elected_recipe;
size_t plx_elected_configs(const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                           size_t capacity);

#endif
