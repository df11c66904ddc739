/* Operands that the copy engine can't take as they lie, because a row does not begin at a
 * multiple of 16 bytes, are copied to rows that do: two reads of 16 bytes and a shift for each
 * 16 bytes.  One launch serves both operands. */
#pragma once

#include "grid_dependency.cuh"
#include "tiles.h"

#include <cstdint>

/* `rows` of `cols` f32; rows of the copy are `pitch` apart, a multiple of 4. */
struct Repack {
    const float *from;
    float *to;
    int64_t rows, cols, ld, pitch; /* rows 0: nothing to do */
};

/* 16 bytes that begin `shift` elements into `low`. */
static __device__ __forceinline__ uint4 shifted(uint4 low, uint4 high, unsigned shift)
{
    if (shift & 2) {
        low = make_uint4(low.z, low.w, high.x, high.y);
        high = make_uint4(high.z, high.w, 0, 0);
    }
    return shift & 1 ? make_uint4(low.y, low.z, low.w, high.x) : low;
}

/* The 16 bytes from `from` on, of which `left` elements belong to the row.  The operand has
 * `before` elements before them and `after` from them on; nothing else is read. */
static __device__ __forceinline__ uint4 read_unit(const float *from, int64_t left, int64_t before,
                                                  int64_t after)
{
    const unsigned shift = (unsigned)((uintptr_t)from / 4 % 4);
    if (before < shift || after < 8) {
        const unsigned *words = reinterpret_cast<const unsigned *>(from);
        return make_uint4(words[0], left > 1 ? words[1] : 0, left > 2 ? words[2] : 0,
                          left > 3 ? words[3] : 0);
    }
    const uint4 *units = reinterpret_cast<const uint4 *>(from - shift);
    return shifted(units[0], shift != 0 ? units[1] : make_uint4(0, 0, 0, 0), shift);
}

/* Fewer than 2^31 units of 16 bytes. */
static __device__ void repack(const Repack &r)
{
    const unsigned per_row = (unsigned)((r.cols + 3) / 4), units = (unsigned)r.rows * per_row;
    const unsigned step = gridDim.x * GEMM_REPACK_THREADS;

    for (unsigned begin = blockIdx.x * GEMM_REPACK_THREADS + threadIdx.x; begin < units;
         begin += GEMM_REPACK_UNITS * step) {
        uint4 unit[GEMM_REPACK_UNITS];
        float *to[GEMM_REPACK_UNITS];
#pragma unroll
        for (unsigned q = 0; q < GEMM_REPACK_UNITS; ++q) { /* all loads first */
            const unsigned i = begin + q * step, row = i / per_row, col = (i - row * per_row) * 4;
            to[q] = i < units ? r.to + row * r.pitch + col : nullptr;
            if (i < units)
                unit[q] = read_unit(r.from + row * r.ld + col, r.cols - col, row * r.ld + col,
                                    (r.rows - 1 - row) * r.ld + r.cols - col);
        }
#pragma unroll
        for (unsigned q = 0; q < GEMM_REPACK_UNITS; ++q)
            if (to[q])
                *reinterpret_cast<uint4 *>(to[q]) = unit[q];
    }
}

#define GEMM_REPACK_PARAMETERS                                                                 \
    const float *a, float *a_to, int64_t a_rows, int64_t a_cols, int64_t lda, int64_t a_pitch, \
        const float *b, float *b_to, int64_t b_rows, int64_t b_cols, int64_t ldb, int64_t b_pitch

/* Blocks of the grid's second row copy B. */
#define GEMM_REPACK_ENTRY(layout, ...)                                      \
    extern "C" __global__ void __launch_bounds__(GEMM_REPACK_THREADS)       \
        gemm_repack_f32_##layout(GEMM_REPACK_PARAMETERS)                    \
    {                                                                       \
        grid_dependency_wait();                                             \
        repack(blockIdx.y ? Repack{b, b_to, b_rows, b_cols, ldb, b_pitch}   \
                          : Repack{a, a_to, a_rows, a_cols, lda, a_pitch}); \
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
