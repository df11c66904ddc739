/* gemm/short-k: few terms, so that the time goes into writing C.  A block brings all terms of its rows and
 * columns to shared memory at once; many blocks beside each other hide how long that takes. */
#include "grid_dependency.cuh"
#include "gemm/device/common/tiles.h"

#include <cstdint>

enum {
    ROWS = GEMM_SHORT_ROWS,
    COLS = GEMM_SHORT_COLS,
    THREADS = GEMM_SHORT_THREADS,
    WARP_ROWS = ROWS / (THREADS / 32),
    A_PITCH = ROWS + 4
};
static_assert(COLS == 4 * 32 && WARP_ROWS == 8, "a lane has 8 rows and 4 columns");

struct ShortBlock {
    float a[GEMM_SHORT_MOST * A_PITCH], b[GEMM_SHORT_MOST * COLS]; /* [k][outer] */
};

static __device__ __forceinline__ void start_copy(float *to, const float *from, bool there)
{
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(there ? 4 : 0) : "memory");
}

static __device__ __forceinline__ void await_copies()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}

/* Starts to bring an operand's elements from (first, 0) on, SIDE outer ones of which `left` are there, to
 * [k][outer], with zeros for the others.  Neighbouring threads take what is neighbouring in memory; `width`
 * is k or the next power of two. */
template <int SIDE, int PITCH>
static __device__ __forceinline__ void bring(float *to, const float *from, int64_t ld, bool inner, int64_t first,
                                             int64_t left, int k, int width_log2)
{
    for (int e = threadIdx.x; e < SIDE << width_log2; e += THREADS) {
        const int outer = inner ? e >> width_log2 : e % SIDE, term = inner ? e & ((1 << width_log2) - 1) : e / SIDE;
        const int there = outer < left ? outer : 0;
        if (term < k)
            start_copy(&to[term * PITCH + outer],
                       from + (inner ? (first + there) * ld + term : term * ld + first + there), outer < left);
    }
}

/* Column j of a lane: four beside each other where C's rows begin at 16 bytes, else 32 apart. */
template <bool PACKED> static __device__ __forceinline__ int column(int lane, int j)
{
    return PACKED ? 4 * lane + j : lane + 32 * j;
}

template <bool PACKED>
static __device__ __forceinline__ void multiply(float (&sum)[WARP_ROWS][4], const ShortBlock &block, int k)
{
    const int row = threadIdx.x / 32 * WARP_ROWS, lane = threadIdx.x % 32;
#pragma unroll 2
    for (int term = 0; term < k; ++term) {
        float a[WARP_ROWS], b[4];
#pragma unroll
        for (int i = 0; i < WARP_ROWS; ++i)
            a[i] = block.a[term * A_PITCH + row + i];
#pragma unroll
        for (int j = 0; j < 4; ++j)
            b[j] = block.b[term * COLS + column<PACKED>(lane, j)];
#pragma unroll
        for (int i = 0; i < WARP_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
                sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
}

static __device__ __forceinline__ float finished(float sum, float alpha, float beta, float before)
{
    const float product = alpha * sum;
    return beta == 0.0f ? product : fmaf(beta, before, product);
}

/* A lane's part of a row; `left` columns are there from the block's first on. */
template <bool PACKED>
static __device__ __forceinline__ void write_row(float *c, const float (&sum)[4], float alpha, float beta, int64_t left)
{
    const int lane = threadIdx.x % 32;
    if (PACKED && 4 * lane + 3 < left) {
        float4 *to = reinterpret_cast<float4 *>(c) + lane;
        const float4 before = beta == 0.0f ? make_float4(0, 0, 0, 0) : *to;
        *to = make_float4(finished(sum[0], alpha, beta, before.x), finished(sum[1], alpha, beta, before.y),
                          finished(sum[2], alpha, beta, before.z), finished(sum[3], alpha, beta, before.w));
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
        if (column<PACKED>(lane, j) < left) {
            float *to = c + column<PACKED>(lane, j);
            *to = finished(sum[j], alpha, beta, beta == 0.0f ? 0.0f : *to);
        }
}

/* A warp's rows, of which `rows` are there. */
template <bool PACKED>
static __device__ __forceinline__ void write(float *c, int64_t ldc, const float (&sum)[WARP_ROWS][4], int64_t rows,
                                             int64_t cols, float alpha, float beta)
{
#pragma unroll
    for (int i = 0; i < WARP_ROWS; ++i)
        if (i < rows)
            write_row<PACKED>(c + i * ldc, sum[i], alpha, beta, cols);
}

template <bool PACKED>
static __device__ __forceinline__ void multiply_and_write(const ShortBlock &block, float *c, int64_t ldc, int k,
                                                          int64_t rows, int64_t cols, float alpha, float beta)
{
    const int row = threadIdx.x / 32 * WARP_ROWS;
    float sum[WARP_ROWS][4] = {};
    multiply<PACKED>(sum, block, k);
    if (beta == 0.0f) /* known to be so: no store is behind a branch */
        write<PACKED>(c + row * ldc, ldc, sum, rows - row, cols, alpha, 0.0f);
    else
        write<PACKED>(c + row * ldc, ldc, sum, rows - row, cols, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(THREADS, GEMM_SHORT_BLOCKS)
    gemm_short_k_f32(const float *a, int64_t lda, int32_t a_inner, const float *b, int64_t ldb, int32_t b_inner,
                     float *c, int64_t m, int64_t n, int32_t k, int64_t ldc, float alpha, float beta, int32_t across)
{
    __shared__ ShortBlock block;
    const int64_t row = (int64_t)(blockIdx.x / (uint32_t)across) * ROWS,
                  col = (int64_t)(blockIdx.x % (uint32_t)across) * COLS;

    grid_dependency_wait();
    const int width_log2 = k > 1 ? 32 - __clz(k - 1) : 0;
    bring<ROWS, A_PITCH>(block.a, a, lda, a_inner != 0, row, m - row, k, width_log2);
    bring<COLS, COLS>(block.b, b, ldb, b_inner != 0, col, n - col, k, width_log2);
    await_copies();
    c += row * ldc + col;
    if ((uintptr_t)c % 16 == 0 && ldc % 4 == 0)
        multiply_and_write<true>(block, c, ldc, k, m - row, n - col, alpha, beta);
    else
        multiply_and_write<false>(block, c, ldc, k, m - row, n - col, alpha, beta);
}
