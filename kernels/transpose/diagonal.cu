/* transpose/diagonal: swizzled, with the blocks taken in diagonal order: what runs at one time is
 * spread over the partitions of memory. */
#include "device.cuh"

/* Blocks that run at one time have different rows and different columns of tiles, so
 * neither their reads nor their writes are all a multiple of ld apart.  For each `down`
 * the blocks pass through every `right` once, whatever the two numbers are. */
template <class T>
__device__ void transpose_diagonal(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                   int64_t ld_in, int64_t ld_out, int across)
{
    grid_dependency_wait();
    __shared__ T staged[TRANSPOSE_TILE][TRANSPOSE_TILE];
    const unsigned high = gridDim.x / (unsigned)across, down = blockIdx.x % high;
    const unsigned right = (blockIdx.x / high + down) % (unsigned)across;
    const Tile tile = tile_at(down, right, TRANSPOSE_TILE, rows, cols);
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

TRANSPOSE_ENTRIES(diagonal)
