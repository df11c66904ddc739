/* transpose/copy: no transpose, the practical upper limit. */
#include "device.cuh"

/* The copy is dense: element (i, j) goes to out[i * cols + j].  That fills the operand
 * of a transpose exactly when its rows lie without gaps (ld_out == rows). */
template <class T>
__device__ void transpose_copy(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols, int64_t ld_in,
                               int64_t ld_out, int across)
{
    grid_dependency_wait();
    const Tile tile = tile_in_order(across, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.row * cols + tile.col;
    const Held<T> held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[(y + k) * cols + x] = held.at[k / TRANSPOSE_ROWS];
}

TRANSPOSE_ENTRIES(copy)
