/* Batches in CUDA: the tiles of one problem after those of the one before. */
#pragma once

#include "device.cuh"

#define TRANSPOSE_BATCH_PARAMETERS(T) \
    TRANSPOSE_PARAMETERS(T), int tiles_of_problem, int64_t in_stride, int64_t out_stride
#define TRANSPOSE_BATCH (Batch{(unsigned)tiles_of_problem, in_stride, out_stride})

struct Batch {
    unsigned tiles; /* of one problem */
    int64_t in_stride, out_stride;

    /* Moves both operands to this block's problem, and returns the number of its tile there. */
    template <class T> __device__ unsigned move(const T *__restrict__ &in, T *__restrict__ &out) const
    {
        if (tiles == gridDim.x)
            return blockIdx.x;
        const unsigned problem = blockIdx.x / tiles;
        in += problem * in_stride;
        out += problem * out_stride;
        return blockIdx.x - problem * tiles;
    }
};

/* As tile_downwards(), of the tile with this number. */
static __device__ Tile tile_numbered(unsigned number, int down, int size, int64_t rows, int64_t cols)
{
    const unsigned right = number / (unsigned)down, below = number % (unsigned)down;
    return tile_at(below, right, size, rows, cols);
}
