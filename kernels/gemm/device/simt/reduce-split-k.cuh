/* What parts of k leave in scratch memory, added in the order of the parts by a launch of its own: all of the
 * device adds, where the last block of each tile would read what all others left. */
#pragma once

#include "grid_dependency.cuh"
#include "gemm/device/simt/reduce-split-k.h"
#include "gemm/device/simt/epilogue.cuh"

/* What `parts` parts, `step` units from each other, left of one unit.  TOGETHER loads are on their way before
 * the first is added: each takes as long as all of them.  Zeros where there is no part change no sum, as none
 * is -0. */
template <int TOGETHER>
static __device__ __forceinline__ float4 sum_of_parts(const float4 *from, int64_t step, int parts)
{
    float4 sum = make_float4(0, 0, 0, 0);
    for (int left = parts; left > 0; left -= TOGETHER) {
        float4 v[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i, from += step)
            v[i] = i < left ? __ldcg(from) : make_float4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
            sum.x += v[i].x;
            sum.y += v[i].y;
            sum.z += v[i].z;
            sum.w += v[i].w;
        }
    }
    return sum;
}

/* A thread adds a unit of 16 bytes of a row. */
static __device__ __forceinline__ void add_parts(const Output &out, const float4 *partial, int parts)
{
    const uint32_t units = (uint32_t)(out.n + 3) / 4, unit = blockIdx.x * GEMM_ADD_THREADS + threadIdx.x;
    const int row = (int)(unit / units), col = (int)(unit % units * 4);
    const int64_t all = (int64_t)out.m * units;

    if (unit < all)
        out.write4(row, col,
                   parts <= 4 ? sum_of_parts<4>(partial + unit, all, parts)
                              : sum_of_parts<16>(partial + unit, all, parts),
                   out.aligned());
}

/* Blocks to a multiprocessor: without a number the compiler takes so few registers that four loads wait for
 * each other. */
#define GEMM_ADD_PARTS_ENTRY                                                                                        \
    extern "C" __global__ void __launch_bounds__(GEMM_ADD_THREADS, 5) gemm_add_parts_f32(                           \
        float *c, int32_t m, int32_t n, int64_t ldc, float alpha, float beta, const float4 *partial, int32_t parts) \
    {                                                                                                               \
        grid_dependency_wait();                                                                                     \
        add_parts(Output{c, m, n, ldc, alpha, beta}, partial, parts);                                               \
    }
