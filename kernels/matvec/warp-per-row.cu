/* matvec/warp-per-row: the lanes of a warp read a row side by side and add up their sums by
 * shuffles.  Transposed, a block has 32 columns and its warps take the rows in turn. */
#include "half.cuh"

enum { WARP_THREADS = 32 * MATVEC_WARPS };

template <bool TRANS, class V> __device__ void warp_per_row(V v)
{
    using T = typename V::T;
    grid_dependency_wait();
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (TRANS) {
        const int64_t column = (int64_t)blockIdx.x * 32;
        const T sum = sum_columns(v, column);
        if (warp == 0 && column + lane < v.outputs)
            write_output(v.y + column + lane, v.alpha, v.beta, sum);
    } else {
        const int64_t row = (int64_t)blockIdx.x * MATVEC_WARPS + warp;
        if (row >= v.outputs)
            return;
        const T sum = sum_of_warp(sum_strided(v.a + row * v.lda, 1, v.x, lane, 32, v.terms));
        if (lane == 0)
            write_output(v.y + row, v.alpha, v.beta, sum);
    }
}

MATVEC_ENTRIES(warp_per_row, WARP_THREADS)
MATVEC_HALF_ENTRIES(warp_per_row, WARP_THREADS)
