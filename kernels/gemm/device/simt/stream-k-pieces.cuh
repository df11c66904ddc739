/* A line of steps along k, tile after tile, which is cut into equal ranges, a block each: where ranges begin, where
 * pieces of tiles lie, and which block is the last of a tile's. */
#pragma once

#include "gemm/device/ptx/copies.cuh"

#include <cstdint>

/* How the line is cut: `longer` ranges have base + 1 steps, those after them `base`. */
struct Stream {
    uint32_t whole, steps, base, longer; /* tiles that are not of the line; steps of a tile */
    uint32_t *came;                      /* for each tile of the line, the blocks that have left a piece */

    __device__ __forceinline__ uint32_t begin(uint32_t range) const
    {
        return range * base + (range < longer ? range : longer);
    }

    /* Of the range that has this step. */
    __device__ __forceinline__ uint32_t range_of(uint32_t step) const
    {
        const uint32_t in_longer = longer * (base + 1);
        return step < in_longer ? step / (base + 1) : longer + (step - in_longer) / base;
    }
};

/* The pieces of a tile of the line.  Along the line each piece comes to another range or another tile, so that
 * their sum numbers the pieces, and those of a tile are neighbours. */
struct Pieces {
    uint32_t tile, first, count; /* `first` of all pieces */

    __device__ __forceinline__ Pieces(const Stream &s, uint32_t tile) : tile(tile)
    {
        const uint32_t range = s.range_of(tile * s.steps);
        first = tile + range;
        count = s.range_of(tile * s.steps + s.steps - 1) - range + 1;
    }
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* What the block's first THREADS threads ask when they have left a piece: whether all others of the tile had been left
 * before; then all that they left can be seen. */
template <int BARRIER, int THREADS> static __device__ __forceinline__ bool came_last(uint32_t *came, uint32_t count)
{
    __shared__ uint32_t before;
    __threadfence();
    meet<BARRIER, THREADS>();
    if (threadIdx.x == 0) {
        before = atomicAdd(came, 1);
        if (before == count - 1)
            *came = 0; /* as it was found */
        __threadfence();
    }
    meet<BARRIER, THREADS>();
    return before == count - 1;
}

#endif
