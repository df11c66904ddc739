/* A tile that is turned in shared memory. */
#pragma once

#include "device.cuh"

/* Its rows are PITCH elements apart; row i keeps column j at j, or where SWIZZLED at j ^ i. */
template <int PITCH, bool SWIZZLED, class T>
__device__ void turn_tile(const T *__restrict__ in, T *__restrict__ out, int64_t ld_in, int64_t ld_out,
                          const Tile &tile)
{
    __shared__ T staged[TRANSPOSE_TILE][PITCH];
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    const Held<T> held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][SWIZZLED ? x ^ (y + k) : x] = held.at[k / TRANSPOSE_ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.width && x < tile.height)
            out[(y + k) * ld_out + x] = staged[x][SWIZZLED ? x ^ (y + k) : y + k];
}
