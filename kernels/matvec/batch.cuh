/* Batches in CUDA: the blocks of one problem after those of the one before. */
#pragma once

#include "device.cuh"

#define MATVEC_BATCH_PARAMETERS int32_t blocks_of_problem, int64_t a_stride, int64_t x_stride, int64_t y_stride
#define MATVEC_BATCH (Batch{(unsigned)blocks_of_problem, a_stride, x_stride, y_stride})

struct Batch {
    unsigned blocks; /* of one problem */
    int64_t a_stride, x_stride, y_stride;

    /* Moves the operands to this block's problem, and returns the block's number there. */
    template <class V> __device__ unsigned move(V &v) const
    {
        if (blocks == gridDim.x)
            return blockIdx.x;
        const unsigned problem = blockIdx.x / blocks;
        v.a += problem * a_stride;
        v.x += problem * x_stride;
        v.y += problem * y_stride;
        return blockIdx.x - problem * blocks;
    }
};
