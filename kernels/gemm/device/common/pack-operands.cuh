/* Operands that the copy engine can't take as they lie, because a row does not begin at a
 * multiple of 16 bytes, are copied to rows that do: two reads of 16 bytes and a shift for each
 * 16 bytes.  One launch serves both operands. */
#pragma once

#include "grid_dependency.cuh"
#include "gemm/device/common/tiles.h"

#include <cstdint>

/* `rows` of `cols` elements of 4 or 2 bytes; rows of the copy are `pitch` apart, a multiple of 16 bytes. */
template <class T> struct Repack {
    const T *from;
    T *to;
    int64_t rows, cols, ld, pitch; /* rows 0: nothing to do */
};

/* 16 bytes that begin `shift` bytes into `low`; 4 bytes at a time, and then by what is less in 16-bit elements. */
template <class T> static __device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned shift)
{
    if (shift & 8) {
        low = make_uint4(low.z, low.w, high.x, high.y);
        high = make_uint4(high.z, high.w, 0, 0);
    }
    if (shift & 4) {
        low = make_uint4(low.y, low.z, low.w, high.x);
        high.x = high.y;
    }
    if (sizeof(T) == 2 && shift & 2)
        low = make_uint4(__byte_perm(low.x, low.y, 0x5432), __byte_perm(low.y, low.z, 0x5432),
                         __byte_perm(low.z, low.w, 0x5432), __byte_perm(low.w, high.x, 0x5432));
    return low;
}

/* Element by element, zeros behind the last of the row. */
template <class T> static __device__ __forceinline__ uint4 read_elements(const T *from, int64_t left)
{
    uint4 unit = make_uint4(0, 0, 0, 0);
    T *to = reinterpret_cast<T *>(&unit);
#pragma unroll
    for (int i = 0; i < 16 / (int)sizeof(T); ++i)
        if (i < left)
            to[i] = from[i];
    return unit;
}

/* 16 bytes of a copy: what is read for them, and where they go. */
template <class T> struct Unit {
    static constexpr int WIDTH = 16 / sizeof(T);
    const T *from;
    T *to;
    int left; /* elements of the row from `from` on, or WIDTH */
    bool there, whole;
    uint4 low, high; /* the 32 bytes that hold it where all of them are the operand's; nothing else is read */

    __device__ __forceinline__ unsigned shift() const
    {
        return (unsigned)((uintptr_t)from / sizeof(T) % WIDTH);
    }

    /* Begins to read it, and does not wait. */
    __device__ __forceinline__ void begin(const Repack<T> &r, int64_t row, int64_t col, bool exists)
    {
        const int64_t before = row * r.ld + col, after = (r.rows - 1 - row) * r.ld + r.cols - col;
        from = r.from + before;
        to = r.to + row * r.pitch + col;
        left = (int)(r.cols - col < WIDTH ? r.cols - col : WIDTH);
        there = exists;
        whole = exists && before >= shift() && after >= 2 * WIDTH;
        const uint4 *units = reinterpret_cast<const uint4 *>(from - shift());
        low = high = make_uint4(0, 0, 0, 0);
        if (whole) {
            low = units[0];
            high = units[1];
        }
    }

    /* Zeros where there is nothing. */
    __device__ __forceinline__ uint4 value() const
    {
        return whole ? shifted<T>(low, high, shift() * (unsigned)sizeof(T)) : read_elements(from, there ? left : 0);
    }

    __device__ __forceinline__ void end() const
    {
        if (there)
            *reinterpret_cast<uint4 *>(to) = value();
    }
};

/* Fewer than 2^31 units. */
template <class T> static __device__ void repack(const Repack<T> &r)
{
    constexpr int AT_ONCE = GEMM_REPACK_UNITS(sizeof(T)), WIDTH = Unit<T>::WIDTH;
    const unsigned per_row = (unsigned)((r.cols + WIDTH - 1) / WIDTH), units = (unsigned)r.rows * per_row;
    const unsigned step = gridDim.x * GEMM_REPACK_THREADS;

    for (unsigned first = blockIdx.x * GEMM_REPACK_THREADS + threadIdx.x; first < units; first += AT_ONCE * step) {
        Unit<T> unit[AT_ONCE];
#pragma unroll
        for (unsigned q = 0; q < AT_ONCE; ++q) {
            const unsigned i = first + q * step, row = i / per_row;
            unit[q].begin(r, row, (i - row * per_row) * WIDTH, i < units);
        }
#pragma unroll
        for (unsigned q = 0; q < AT_ONCE; ++q)
            unit[q].end();
    }
}

#define GEMM_REPACK_PARAMETERS(T)                                                                           \
    const T *a, T *a_to, int64_t a_rows, int64_t a_cols, int64_t lda, int64_t a_pitch, const T *b, T *b_to, \
        int64_t b_rows, int64_t b_cols, int64_t ldb, int64_t b_pitch

/* Blocks of the grid's second row copy B. */
#define GEMM_REPACK_ENTRY(layout, ...)                                             \
    extern "C" __global__ void __launch_bounds__(GEMM_REPACK_THREADS)              \
        gemm_repack_f32_##layout(GEMM_REPACK_PARAMETERS(float))                    \
    {                                                                              \
        grid_dependency_wait();                                                    \
        repack(blockIdx.y ? Repack<float>{b, b_to, b_rows, b_cols, ldb, b_pitch}   \
                          : Repack<float>{a, a_to, a_rows, a_cols, lda, a_pitch}); \
    }

/* For elements of 16 bits, whatever they are. */
#define HALF_REPACK_ENTRY(layout, TRANS_A, TRANS_B, type)                             \
    extern "C" __global__ void __launch_bounds__(GEMM_REPACK_THREADS)                 \
        gemm_repack_##type##_##layout(GEMM_REPACK_PARAMETERS(uint16_t))               \
    {                                                                                 \
        grid_dependency_wait();                                                       \
        repack(blockIdx.y ? Repack<uint16_t>{b, b_to, b_rows, b_cols, ldb, b_pitch}   \
                          : Repack<uint16_t>{a, a_to, a_rows, a_cols, lda, a_pitch}); \
    }

/* ---- products without terms ------------------------------------------------------- */

/* C = beta * C, where there is nothing to sum. */
#define GEMM_SCALE_ENTRY(layout, ...)                                                                    \
    extern "C" __global__ void __launch_bounds__(GEMM_SCALE_THREADS)                                     \
        gemm_scale_f32_##layout(float *c, int64_t m, int64_t n, int64_t ldc, float alpha, float beta)    \
    {                                                                                                    \
        const int64_t step = (int64_t)gridDim.x * GEMM_SCALE_THREADS;                                    \
        grid_dependency_wait();                                                                          \
        for (int64_t i = (int64_t)blockIdx.x * GEMM_SCALE_THREADS + threadIdx.x; i < m * n; i += step) { \
            float *at = c + i / n * ldc + i % n;                                                         \
            const float product = alpha * 0.0f;                                                          \
            *at = beta == 0.0f ? product : fmaf(beta, *at, product);                                     \
        }                                                                                                \
    }
