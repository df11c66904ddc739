/* transpose/swizzled: no padding; the column index is XORed with the row: no bank conflicts, and no
 * shared memory for gaps. */
#include "device.cuh"

/* Row i holds column j at j ^ i: a permutation of each row, which also puts the elements
 * of a column into 32 different banks. */
template <class T>
__device__ void transpose_swizzled(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                   int64_t ld_in, int64_t ld_out, int down)
{
    grid_dependency_wait();
    __shared__ T staged[TRANSPOSE_TILE][TRANSPOSE_TILE];
    const Tile tile = tile_downwards(down, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    const Held<T> held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][x ^ (y + k)] = held.at[k / TRANSPOSE_ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.width && x < tile.height)
            out[(y + k) * ld_out + x] = staged[x][x ^ (y + k)];
}

TRANSPOSE_ENTRIES(swizzled)
