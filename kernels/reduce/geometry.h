/* How the reductions cut their elements into blocks and passes, and how many roundings a term then
 * meets: what the launches and the error bound both follow. */
#ifndef PLX_KERNELS_REDUCE_GEOMETRY_H
#define PLX_KERNELS_REDUCE_GEOMETRY_H

#include "arithmetic.h"
#include "recipe.h"

#include "segments.h"
#include "tiles.h"

/* NVIDIA's devices copy in bulk, and begin launches early, from compute capability 9.0 on. */
static inline bool is_hopper_or_later(const plx_device_info *device)
{
    return device->compute_major >= 9;
}

static inline bool is_nvidia_opencl(const plx_device_info *device)
{
    return (device->features & PLX_FEATURE_NVIDIA_PTX) != 0;
}

/* Whether tiles can be copied by the copy engine: to what a CUDA block asks for, or to a static array
 * of 192 KiB in NVIDIA's OpenCL, which takes one where a multiprocessor has that much. */
bool plx_reduce_copies_in_bulk(const plx_device_info *device);

/* The largest power of two up to `wanted` that the device's blocks can have. */
int64_t plx_reduce_block_threads(const plx_device_info *device, int64_t wanted);

/* A kernel run over x, then over its own partials, until one block is enough. */
typedef struct plx_reduce_passes {
    size_t count; /* one more than there is room for: n is too large */
    int64_t elements[PLX_MAX_STEPS], blocks[PLX_MAX_STEPS];
} plx_reduce_passes;

plx_reduce_passes plx_reduce_plan_passes(int64_t n, int64_t per_block);

/* Blocks that stay until their share is read: each takes every `blocks`-th tile. */
typedef struct plx_reduce_tiling {
    int64_t threads, loads; /* loads of 16 bytes for each thread and tile */
    int64_t blocks, rounds; /* rounds: tiles of one block, at most */
} plx_reduce_tiling;

/* Of `vector` and `onepass`. */
plx_reduce_tiling plx_reduce_plan_vector(const plx_problem *problem, const plx_device_info *device);

/* A ring of stages in shared memory, each for one tile on its way. */
typedef struct plx_reduce_ring {
    plx_reduce_tiling tiles;
    int64_t stages, stage_bytes;
    int64_t threads; /* of a block, with those that ask for the copies */
} plx_reduce_ring;

plx_reduce_ring plx_reduce_plan_bulk(const plx_problem *problem, const plx_device_info *device);

/* `segments`: many sums at once, along rows or down columns.  A block has `together` problems, or stripes of their
 * columns; `along` threads share the terms of a sum, each every `along`-th of them. */
typedef struct plx_reduce_segments {
    int64_t threads;
    int64_t inner;    /* columns; 1: a problem is a row */
    int64_t width;    /* threads side by side: of a row, or a stripe's columns */
    int64_t height;   /* columns: threads below each other; rows: 1 */
    int64_t turns;    /* problems that a thread takes one after the other */
    int64_t together; /* problems of a block */
    int64_t stripes;  /* blocks beside each other, by which all columns are covered */
    int64_t parts;    /* of a problem's terms, each by blocks of its own, and by a second launch joined */
    int64_t length;   /* terms of a part; the last may have fewer */
    int64_t blocks;   /* INT64_MAX: more than can be counted */
} plx_reduce_segments;

plx_reduce_segments plx_reduce_plan_segments(const plx_problem *problem, const plx_device_info *device);
/* The second launch, which joins the parts. */
plx_reduce_segments plx_reduce_plan_joining(const plx_problem *problem, const plx_device_info *device);

/* ---- depth: additions that a term meets ------------------------------------------ */

int64_t plx_reduce_depth_of_one(const plx_problem *problem, const plx_device_info *device);
int64_t plx_reduce_depth_of_fold(const plx_problem *problem, const plx_device_info *device);
int64_t plx_reduce_depth_of_vector(const plx_problem *problem, const plx_device_info *device);
int64_t plx_reduce_depth_of_bulk(const plx_problem *problem, const plx_device_info *device);
int64_t plx_reduce_depth_of_segments(const plx_problem *problem, const plx_device_info *device);

#endif
