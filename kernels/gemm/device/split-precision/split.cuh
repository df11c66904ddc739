/* f32 operands as planes of 16-bit elements, which lie one behind the other.
 *
 * Two of f16: x = 2^-s (hi + lo / 2^12), where 2^s takes the largest of a row of A, or of a column of B, to
 * 2^14 and more.  Three of bf16: x = high + middle + low, without a scale and without loss.  What planes do
 * not hold well enough is found on the way: then the product is computed another way. */
#pragma once

#include "grid_dependency.cuh"
#include "gemm/device/split-precision/panels.h"
#include "gemm/device/common/tensor-tiles.h"

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { SPLIT_TOP = 14, SPLIT_LOW = 12 }; /* exponents: of the largest after scaling, of what lo is multiplied with */
enum { SPLIT_MOST_EXPONENT = 70 };       /* of the largest before: sums don't overflow while scales are undone */

/* An operand in memory; `inner`: its rows run along the index that is summed over. */
struct Unsplit {
    const float *from;
    int64_t rows, cols, ld;
    bool inner;
    unsigned *range; /* for each outer index the bits of the largest magnitude */
};

/* The exponent of the largest of a row or column: of 0 it does not matter. */
static __device__ __forceinline__ int exponent_of(unsigned range)
{
    return range == 0 ? 0 : (int)(range >> 23) - 127;
}

static __device__ __forceinline__ unsigned magnitude(float x)
{
    return __float_as_uint(x) & 0x7fffffffu;
}

/* 2^exponent. */
static __device__ __forceinline__ float power_of_two(int exponent)
{
    return __uint_as_float((unsigned)(exponent + 127) << 23);
}

/* What undoes the scale of outer index `at` of `count`. */
static __device__ __forceinline__ float inverse_scale(const unsigned *range, int64_t at, int64_t count)
{
    return power_of_two((at < count ? exponent_of(range[at]) : 0) - SPLIT_TOP);
}

/* ---- the largest magnitudes ---------------------------------------------------------- */

enum { RANGE_PIECE = GEMM_RANGE_PIECE, RANGE_ROWS = GEMM_RANGE_ROWS, SPLIT_PIECE = GEMM_SPLIT_PIECE };
enum { SPLIT_WARPS = GEMM_SPLIT_THREADS / 32 };

static __device__ __forceinline__ unsigned largest_of_warp(unsigned most)
{
#if __CUDA_ARCH__ >= 800 /* it runs on 9.0 alone, but code is made for all */
    most = __reduce_max_sync(0xffffffffu, most);
#endif
    return most;
}

/* A warp takes a piece of a row. */
static __device__ inline void range_of_row(const Unsplit &s)
{
    const int64_t pieces = (s.cols + RANGE_PIECE - 1) / RANGE_PIECE;
    const int64_t warp = (int64_t)blockIdx.x * SPLIT_WARPS + threadIdx.x / 32, row = warp / pieces;
    const int64_t first = warp % pieces * RANGE_PIECE + threadIdx.x % 32;
    unsigned most = 0;

    if (row >= s.rows)
        return;
#pragma unroll 8
    for (int i = 0; i < RANGE_PIECE; i += 32)
        if (first + i < s.cols)
            most = max(most, magnitude(s.from[row * s.ld + first + i]));
    most = largest_of_warp(most);
    if (threadIdx.x % 32 == 0)
        atomicMax(&s.range[row], most);
}

/* A thread takes a piece of a column. */
static __device__ inline void range_of_column(const Unsplit &s)
{
    const int64_t across = (s.cols + GEMM_SPLIT_THREADS - 1) / GEMM_SPLIT_THREADS;
    const int64_t col = blockIdx.x % across * GEMM_SPLIT_THREADS + threadIdx.x,
                  first = blockIdx.x / across * RANGE_ROWS;
    unsigned most = 0;

    if (col >= s.cols)
        return;
#pragma unroll 8
    for (int i = 0; i < RANGE_ROWS; ++i)
        if (first + i < s.rows)
            most = max(most, magnitude(s.from[(first + i) * s.ld + col]));
    if (first < s.rows)
        atomicMax(&s.range[col], most);
}

/* ---- the planes ------------------------------------------------------------------------ */

/* Where the planes of an operand go: `rows` of each, zeros beyond those that the operand has. */
struct Planes {
    uint16_t *first;
    int64_t rows, pitch; /* elements, even */
};

/* Two planes of f16.  `share`: of a magnitude, what hi leaves to lo at most. */
struct HalfPlanes {
    static constexpr int COUNT = 2;
    float share;

    /* False where they don't hold x. */
    __device__ __forceinline__ bool split(float x, unsigned range, uint16_t (&to)[COUNT]) const
    {
        const int exponent = exponent_of(range);
        const bool scalable = exponent >= -SPLIT_MOST_EXPONENT && exponent <= SPLIT_MOST_EXPONENT;
        const float scaled = x * power_of_two(SPLIT_TOP - (scalable ? exponent : 0));
        const __half hi = __float2half_rn(scaled);
        const float rest = scaled - __half2float(hi);

        to[0] = __half_as_ushort(hi);
        to[1] = __half_as_ushort(__float2half_rn(rest * (float)(1 << SPLIT_LOW)));
        return scalable && (x == 0.0f || (scaled != 0.0f && fabsf(rest) <= share * fabsf(scaled)));
    }
};

/* Three planes of bf16: each takes 8 bits of the 24. */
struct ThirdPlanes {
    static constexpr int COUNT = 3;

    /* False where the lowest bits may be below the range of bf16, or sums of products above that of f32. */
    __device__ __forceinline__ bool split(float x, unsigned, uint16_t (&to)[COUNT]) const
    {
        float rest = x;
#pragma unroll
        for (int plane = 0; plane < COUNT; ++plane) {
            const __nv_bfloat16 part = __float2bfloat16_rn(rest);
            to[plane] = __bfloat16_as_ushort(part);
            rest -= __bfloat162float(part);
        }
        return x == 0.0f || (fabsf(x) >= 0x1p-100f && fabsf(x) <= 0x1p48f);
    }
};

/* Neighbours in a row of memory: 0 where the operand has none. */
static __device__ __forceinline__ void read_pair(const Unsplit &s, int64_t row, int64_t col, float (&x)[2])
{
#pragma unroll
    for (int e = 0; e < 2; ++e)
        x[e] = row < s.rows && col + e < s.cols ? s.from[row * s.ld + col + e] : 0.0f;
}

/* To all planes; false where they don't hold the pair. */
template <class Scheme>
static __device__ __forceinline__ bool split_pair(const Scheme &scheme, const Planes &to, int64_t row, int64_t col,
                                                  const float (&x)[2], const unsigned (&range)[2])
{
    uint16_t planes[2][Scheme::COUNT];
    bool held = true;
#pragma unroll
    for (int e = 0; e < 2; ++e)
        held &= scheme.split(x[e], range[e], planes[e]);
#pragma unroll
    for (int plane = 0; plane < Scheme::COUNT; ++plane)
        *reinterpret_cast<unsigned *>(to.first + (plane * to.rows + row) * to.pitch + col) =
            planes[0][plane] | (unsigned)planes[1][plane] << 16;
    return held;
}

/* A warp takes a piece of a row of all planes, a lane pairs of neighbours.  *lost becomes 1 where they don't
 * hold it. */
template <class Scheme>
static __device__ inline void split_piece(const Scheme &scheme, const Unsplit &s, const Planes &to, unsigned *lost)
{
    constexpr int PAIRS = SPLIT_PIECE / 64;
    const int64_t pieces = (s.cols + SPLIT_PIECE - 1) / SPLIT_PIECE;
    const int64_t warp = (int64_t)blockIdx.x * SPLIT_WARPS + threadIdx.x / 32, row = warp / pieces;
    const int64_t first = warp % pieces * SPLIT_PIECE + threadIdx.x % 32 * 2;
    float x[PAIRS][2];
    bool held = true;

    if (row >= to.rows)
        return;
#pragma unroll
    for (int i = 0; i < PAIRS; ++i)
        read_pair(s, row, first + 64 * i, x[i]);
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
        const int64_t col = first + 64 * i;
        unsigned range[2];
        if (col >= s.cols)
            break;
#pragma unroll
        for (int e = 0; e < 2; ++e)
            range[e] = s.range[s.inner ? min(row, s.rows - 1) : min(col + e, s.cols - 1)];
        held &= split_pair(scheme, to, row, col, x[i], range);
    }
    if (!held)
        *lost = 1;
}

/* ---- the largest magnitudes and the planes in one pass --------------------------------- */

enum { PANEL_SIDE = GEMM_PANEL_SIDE, PANEL_AT_ONCE = 8 /* pairs that a thread reads before it writes */ };
static_assert(PANEL_SIDE == SPLIT_WARPS, "a warp for each row");

/* A warp takes a row. */
template <class Scheme>
static __device__ inline bool split_row(const Scheme &scheme, const Unsplit &s, const Planes &to)
{
    const int64_t row = (int64_t)blockIdx.x * PANEL_SIDE + threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    unsigned most = 0;
    bool held = true;
    float x[PANEL_AT_ONCE][2];

    if (row >= to.rows)
        return true;
#pragma unroll 8
    for (int64_t col = 2 * lane; col < s.cols; col += 64) {
        read_pair(s, row, col, x[0]);
        most = max(most, max(magnitude(x[0][0]), magnitude(x[0][1])));
    }
    most = largest_of_warp(most);
    if (lane == 0 && row < s.rows)
        s.range[row] = most;
    const unsigned range[2] = {most, most};
    for (int64_t next = 2 * lane; next < s.cols; next += PANEL_AT_ONCE * 64) {
#pragma unroll
        for (int i = 0; i < PANEL_AT_ONCE; ++i)
            read_pair(s, row, next + i * 64, x[i]);
#pragma unroll
        for (int i = 0; i < PANEL_AT_ONCE; ++i)
            if (next + i * 64 < s.cols)
                held &= split_pair(scheme, to, row, next + i * 64, x[i], range);
    }
    return held;
}

/* A block takes PANEL_SIDE columns, a thread every so many rows of two of them. */
template <class Scheme>
static __device__ inline bool split_columns(const Scheme &scheme, const Unsplit &s, const Planes &to)
{
    constexpr int PAIRS = PANEL_SIDE / 2, ROWS = GEMM_SPLIT_THREADS / PAIRS;
    __shared__ unsigned most_of[PANEL_SIDE];
    const int pair = 2 * (threadIdx.x % PAIRS), first = threadIdx.x / PAIRS;
    const int64_t col = (int64_t)blockIdx.x * PANEL_SIDE + pair;
    unsigned most[2] = {0, 0};
    bool held = true;
    float x[PANEL_AT_ONCE][2];

    if (threadIdx.x < PANEL_SIDE)
        most_of[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 8
    for (int64_t row = first; row < s.rows; row += ROWS) {
        read_pair(s, row, col, x[0]);
        most[0] = max(most[0], magnitude(x[0][0]));
        most[1] = max(most[1], magnitude(x[0][1]));
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {
#pragma unroll
        for (int apart = PAIRS; apart < 32; apart *= 2)
            most[e] = max(most[e], __shfl_xor_sync(0xffffffffu, most[e], apart));
        if (threadIdx.x % 32 < PAIRS)
            atomicMax(&most_of[pair + e], most[e]);
    }
    __syncthreads();
    if (threadIdx.x < PANEL_SIDE && (int64_t)blockIdx.x * PANEL_SIDE + threadIdx.x < s.cols)
        s.range[(int64_t)blockIdx.x * PANEL_SIDE + threadIdx.x] = most_of[threadIdx.x];
    if (col >= s.cols)
        return true;
    const unsigned range[2] = {most_of[pair], most_of[pair + 1]};
    for (int64_t next = first; next < to.rows; next += PANEL_AT_ONCE * ROWS) {
#pragma unroll
        for (int i = 0; i < PANEL_AT_ONCE; ++i)
            read_pair(s, next + i * ROWS, col, x[i]);
#pragma unroll
        for (int i = 0; i < PANEL_AT_ONCE; ++i)
            if (next + i * ROWS < to.rows)
                held &= split_pair(scheme, to, next + i * ROWS, col, x[i], range);
    }
    return held;
}

/* Rows or columns whole: their largest magnitudes go to s.range. */
template <class Scheme>
static __device__ inline void split_panel(const Scheme &scheme, const Unsplit &s, const Planes &to, unsigned *lost)
{
    const bool held = s.inner ? split_row(scheme, s, to) : split_columns(scheme, s, to);
    if (!held)
        *lost = 1;
}

/* ---- entry points -------------------------------------------------------------------- */

/* One launch serves both operands; blocks of the grid's second row take B. */
#define GEMM_UNSPLIT                                                                                             \
    const float *a, int64_t a_rows, int64_t a_cols, int64_t lda, int a_inner, unsigned *a_range, const float *b, \
        int64_t b_rows, int64_t b_cols, int64_t ldb, int b_inner, unsigned *b_range
#define GEMM_UNSPLIT_OPERAND                                             \
    (blockIdx.y ? Unsplit{b, b_rows, b_cols, ldb, b_inner != 0, b_range} \
                : Unsplit{a, a_rows, a_cols, lda, a_inner != 0, a_range})
#define GEMM_PLANES \
    uint16_t *a_planes, int64_t a_plane_rows, int64_t a_pitch, uint16_t *b_planes, int64_t b_plane_rows, int64_t b_pitch
#define GEMM_PLANES_OPERAND \
    (blockIdx.y ? Planes{b_planes, b_plane_rows, b_pitch} : Planes{a_planes, a_plane_rows, a_pitch})
