/* wgmma-elected: the launch that adds up the sums of ranges of k. */
#pragma once

#include "gemm/device/common/write-element.cuh"
#include "gemm/device/tensor/mainloop.cuh"
#include "gemm/device/tensor/wgmma-elected.h"

/* Block (tile, y): each thread adds up four sums of a tile, those of the ranges in their order.  TURNED: the tile's
 * rows are columns of C. */
static __device__ __forceinline__ void add_ranges(const Result &to, bool turned, const float4 *partials, int ranges,
                                                  int rows, int cols, int across)
{
    const int quads = rows * cols / 4, quad = (int)(blockIdx.y * blockDim.x + threadIdx.x);
    const int of_group = cols / 8 * GROUP_THREADS, within = quad % of_group;
    const int64_t row = (int64_t)((int)blockIdx.x / across) * rows + quad / of_group * GROUP_ROWS +
                        within % GROUP_THREADS / 32 * 16 + within % 32 / 4;
    const int64_t col = (int64_t)((int)blockIdx.x % across) * cols + within / GROUP_THREADS * 8 + within % 4 * 2;
    const float4 *from = partials + (int64_t)blockIdx.x * ranges * quads + quad;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    grid_dependency_wait();
    if (quad >= quads)
        return;
#pragma unroll 4
    for (int range = 0; range < ranges; ++range, from += quads) {
        const float4 v = *from;
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    if (turned) {
        write_element(to, col, row, sum.x);
        write_element(to, col + 1, row, sum.y);
        write_element(to, col, row + 8, sum.z);
        write_element(to, col + 1, row + 8, sum.w);
    } else {
        write_pair(to, row, col, sum.x, sum.y);
        write_pair(to, row + 8, col, sum.z, sum.w);
    }
}
