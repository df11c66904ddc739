/* The f64 products on the matrix units: how they cut a problem into work, how long that should
 * take, and how they are launched. */
#ifndef PLX_KERNELS_GEMM_DMMA_H
#define PLX_KERNELS_GEMM_DMMA_H

#include "recipe.h"

typedef enum plx_dmma_kernel { PLX_DMMA, PLX_DMMA_BULK } plx_dmma_kernel;

/* A tile of C that a block computes. */
typedef struct plx_dmma_tile {
    const char *entry;
    int32_t rows, cols;
    int32_t warps[2]; /* that multiply, down and across */
    uint32_t threads;
    int32_t stages, blocks; /* on a multiprocessor, side by side */
    int32_t registers;      /* of a thread that multiplies; 0: as the launch gives them */
    /* Clocks for one step of GEMM_DMMA_DEPTH along k: of one block alone, which waits for its own
     * operands, and of the matrix units for each block where there are enough. */
    double alone, busy;
} plx_dmma_tile;

/* The first `whole` tiles of C are one item of work each, each other tile is `parts` items, equal
 * shares of k; blocks take them in turn.  The parts are summed in their order afterwards. */
typedef struct plx_dmma_tiling {
    const plx_dmma_tile *tile;
    int64_t tiles, whole, parts, items;
    double clocks; /* that the product should take */
} plx_dmma_tiling;

/* Bytes that a block takes: the stages, a pair of barriers each, and room to begin at 1024. */
uint64_t plx_dmma_shared(const plx_dmma_tile *tile);

/* Threads that share the parts of a pair of C's elements: a power of two, each with six parts at least. */
int32_t plx_dmma_slices(int64_t parts);

/* The cut that a schedule says. */
plx_dmma_tiling plx_dmma_tiling_by(const plx_problem *problem, const plx_device_info *device,
                                   const plx_schedule *schedule);

/* ---- what the rows need ------------------------------------------------------------ */

plx_schedule_function plx_dmma_schedule, plx_dmma_bulk_schedule;
/* Operands are packed first whose rows are no multiple of 16 bytes apart; both where one of them does not begin so. */
plx_schedule_function plx_dmma_bulk_unaligned;
plx_recipe_function plx_dmma_recipe, plx_dmma_bulk_recipe;
int64_t plx_dmma_depth(const plx_problem *problem, const plx_device_info *device, const plx_schedule *schedule);

#endif
