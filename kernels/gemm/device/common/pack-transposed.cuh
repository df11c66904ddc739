/* Operands whose rows do not run along k are turned for the matrix units, which read TF32 along k alone, and for tiles
 * that are no multiple of 64 wide: tiles of 64 x 64 pass through shared memory.  One launch serves both operands. */
#pragma once

#include "grid_dependency.cuh"
#include "gemm/device/common/pack-operands.cuh"
#include "gemm/device/common/tiles.h"
#include "gemm/device/common/pack-transposed.h"

#include <cstdint>

enum { TURN_SIDE = GEMM_TURN_SIDE, TURN_ROWS = GEMM_REPACK_THREADS / TURN_SIDE, TURN_AT_ONCE = TURN_SIDE / TURN_ROWS };

/* To cols x rows, `pitch` apart. */
static __device__ void turn(const Repack<float> &t)
{
    __shared__ float tile[TURN_SIDE][TURN_SIDE + 1];
    const int along = threadIdx.x % TURN_SIDE, first = threadIdx.x / TURN_SIDE;
    const int64_t across = (t.cols + TURN_SIDE - 1) / TURN_SIDE, down = (t.rows + TURN_SIDE - 1) / TURN_SIDE;

    for (int64_t number = blockIdx.x; number < across * down; number += gridDim.x) {
        const int64_t row = number / across * TURN_SIDE, col = number % across * TURN_SIDE;
        float kept[TURN_AT_ONCE];
#pragma unroll
        for (int i = 0; i < TURN_AT_ONCE; ++i) /* all loads first */
            kept[i] = row + first + i * TURN_ROWS < t.rows && col + along < t.cols
                          ? t.from[(row + first + i * TURN_ROWS) * t.ld + col + along]
                          : 0.0f;
        __syncthreads(); /* the tile before has left */
#pragma unroll
        for (int i = 0; i < TURN_AT_ONCE; ++i)
            tile[first + i * TURN_ROWS][along] = kept[i];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TURN_AT_ONCE; ++i)
            if (col + first + i * TURN_ROWS < t.cols && row + along < t.rows)
                t.to[(col + first + i * TURN_ROWS) * t.pitch + row + along] = tile[along][first + i * TURN_ROWS];
    }
}

/* The same of 16-bit elements, which are read and written in units of 16 bytes; fewer than 2^31 units.  Zeros fill the
 * rows of the copy to whole units. */
static __device__ void turn(const Repack<uint16_t> &t)
{
    constexpr int WIDTH = Unit<uint16_t>::WIDTH, PER_ROW = TURN_SIDE / WIDTH,
                  EACH = TURN_SIDE * PER_ROW / GEMM_REPACK_THREADS;
    constexpr int PITCH = TURN_SIDE / 2 + 1; /* words: rows eight apart lie in different banks */
    __shared__ unsigned tile[TURN_SIDE][PITCH];
    const int unit = threadIdx.x % PER_ROW * WIDTH, first = threadIdx.x / PER_ROW;
    const unsigned across = (unsigned)((t.cols + TURN_SIDE - 1) / TURN_SIDE),
                   down = (unsigned)((t.rows + TURN_SIDE - 1) / TURN_SIDE);

    for (unsigned number = blockIdx.x; number < across * down; number += gridDim.x) {
        const int row = (int)(number / across) * TURN_SIDE, col = (int)(number % across) * TURN_SIDE;
        Unit<uint16_t> kept[EACH];
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = row + first + i * (TURN_SIDE / EACH);
            kept[i].begin(t, at, col + unit, at < t.rows && col + unit < t.cols);
        }
        __syncthreads(); /* the tile before has left */
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const uint4 v = kept[i].value();
            unsigned *to = &tile[first + i * (TURN_SIDE / EACH)][unit / 2];
            to[0] = v.x;
            to[1] = v.y;
            to[2] = v.z;
            to[3] = v.w;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < EACH; ++i) {
            const int at = first + i * (TURN_SIDE / EACH), half = at % 2 ? 0x7632 : 0x5410;
            unsigned v[WIDTH / 2];
#pragma unroll
            for (int j = 0; j < WIDTH / 2; ++j)
                v[j] = __byte_perm(tile[unit + 2 * j][at / 2], tile[unit + 2 * j + 1][at / 2], half);
            if (col + at < t.cols && row + unit < t.rows)
                *reinterpret_cast<uint4 *>(t.to + (col + at) * t.pitch + row + unit) =
                    make_uint4(v[0], v[1], v[2], v[3]);
        }
    }
}

/* Blocks of the grid's second row have B.  `turned`: 1 A, 2 B; what is not turned is repacked. */
#define GEMM_TURN_ENTRY(variant, T)                                                           \
    extern "C" __global__ void __launch_bounds__(GEMM_REPACK_THREADS)                         \
        gemm_turn_##variant(GEMM_REPACK_PARAMETERS(T), int turned)                            \
    {                                                                                         \
        const Repack<T> copy = blockIdx.y ? Repack<T>{b, b_to, b_rows, b_cols, ldb, b_pitch}  \
                                          : Repack<T>{a, a_to, a_rows, a_cols, lda, a_pitch}; \
        grid_dependency_wait();                                                               \
        if (turned >> blockIdx.y & 1)                                                         \
            turn(copy);                                                                       \
        else                                                                                  \
            repack(copy);                                                                     \
    }
