/* transpose/copy-shared: the copy through shared memory, to see what the detour costs. */
#include "device.cuh"

/* The copy is dense: element (i, j) goes to out[i * cols + j].  That fills the operand
 * of a transpose exactly when its rows lie without gaps (ld_out == rows). */
template <class T>
__device__ void transpose_copy_shared(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                      int64_t ld_in, int64_t ld_out, int across)
{
    grid_dependency_wait();
    __shared__ T staged[TRANSPOSE_TILE][TRANSPOSE_TILE];
    const Tile tile = tile_in_order(across, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.row * cols + tile.col;
    const Held<T> held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][x] = held.at[k / TRANSPOSE_ROWS];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[(y + k) * cols + x] = staged[y + k][x];
}

TRANSPOSE_ENTRIES(copy_shared)
