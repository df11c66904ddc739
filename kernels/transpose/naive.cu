/* transpose/naive: reads along rows, writes along columns. */
#include "device.cuh"

/* A warp reads 32 neighbours of a row and writes them to 32 rows of `out`. */
template <class T>
__device__ void transpose_naive(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                int64_t ld_in, int64_t ld_out, int down)
{
    grid_dependency_wait();
    const Tile tile = tile_downwards(down, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[x * ld_out + y + k] = in[(y + k) * ld_in + x];
}

TRANSPOSE_ENTRIES(naive)
