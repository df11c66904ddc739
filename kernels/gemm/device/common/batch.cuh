/* Batches: blocks along z have a problem each. */
#pragma once

#include <cstdint>

struct Batch {
    int64_t a, b, c; /* elements from an operand to that of the next problem */
    int first;       /* problem of the launch */

    __device__ __forceinline__ int64_t problem() const
    {
        return first + (int)blockIdx.z;
    }
};

#define BATCH_PARAMETERS int64_t stride_a, int64_t stride_b, int64_t stride_c, int first
#define BATCH (Batch{stride_a, stride_b, stride_c, first})
