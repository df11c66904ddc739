/* What parts of k leave in scratch memory, added in the order of the parts by a launch of its own: all of the
 * device adds, where the last block of each tile would read what all others left. */
#pragma once

#include "grid_dependency.cuh"
#include "parts.h"
#include "pipeline-write.cuh"

/* A thread adds a unit of 16 bytes of a row; eight loads at a time are on their way. */
static __device__ __forceinline__ void add_parts(const Output &out, const float4 *partial, int parts)
{
    const uint32_t units = (uint32_t)(out.n + 3) / 4, unit = blockIdx.x * GEMM_ADD_THREADS + threadIdx.x;
    const int row = (int)(unit / units), col = (int)(unit % units * 4);
    const int64_t all = (int64_t)out.m * units;
    float4 sum = make_float4(0, 0, 0, 0);

    if (unit >= all)
        return;
#pragma unroll 8
    for (int part = 0; part < parts; ++part) {
        const float4 v = __ldcg(partial + part * all + unit);
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    out.write4(row, col, sum, out.aligned());
}

#define GEMM_ADD_PARTS_ENTRY                                                                     \
    extern "C" __global__ void __launch_bounds__(GEMM_ADD_THREADS)                               \
        gemm_add_parts_f32(float *c, int32_t m, int32_t n, int64_t ldc, float alpha, float beta, \
                           const float4 *partial, int32_t parts)                                 \
    {                                                                                            \
        grid_dependency_wait();                                                                  \
        add_parts(Output{c, m, n, ldc, alpha, beta}, partial, parts);                            \
    }
