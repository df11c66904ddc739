/* Operands of f32 whose rows do not run along k are turned for the matrix units, which read TF32 along k
 * alone: tiles of 64 x 64 pass through shared memory.  One launch serves both operands. */
#pragma once

#include "grid_dependency.cuh"
#include "repack.cuh"
#include "tiles.h"
#include "turn.h"

#include <cstdint>

enum {
    TURN_SIDE = GEMM_TURN_SIDE,
    TURN_ROWS = GEMM_REPACK_THREADS / TURN_SIDE,
    TURN_AT_ONCE = TURN_SIDE / TURN_ROWS
};

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
                t.to[(col + first + i * TURN_ROWS) * t.pitch + row + along] =
                    tile[along][first + i * TURN_ROWS];
    }
}

/* Blocks of the grid's second row have B.  `turned`: 1 A, 2 B; what is not turned is repacked. */
#define GEMM_TURN_ENTRY(layout)                                                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_REPACK_THREADS)                                 \
        gemm_turn_f32_##layout(GEMM_REPACK_PARAMETERS(float), int turned)                             \
    {                                                                                                 \
        const Repack<float> copy = blockIdx.y ? Repack<float>{b, b_to, b_rows, b_cols, ldb, b_pitch}  \
                                              : Repack<float>{a, a_to, a_rows, a_cols, lda, a_pitch}; \
        grid_dependency_wait();                                                                       \
        if (turned >> blockIdx.y & 1)                                                                 \
            turn(copy);                                                                               \
        else                                                                                          \
            repack(copy);                                                                             \
    }
