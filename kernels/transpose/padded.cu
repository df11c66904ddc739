/* transpose/padded: the tile one column wider, so that a column of it meets every bank once. */
#include "device.cuh"

/* Elements of a column lie 33 apart: in 32 different banks for 4 bytes each. */
template <class T>
__device__ void transpose_padded(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                 int64_t ld_in, int64_t ld_out, int down)
{
    grid_dependency_wait();
    __shared__ T staged[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    const Tile tile = tile_downwards(down, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    const Held<T> held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][x] = held.at[k / TRANSPOSE_ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.width && x < tile.height)
            out[(y + k) * ld_out + x] = staged[x][y + k];
}

TRANSPOSE_ENTRIES(padded)
