/* transpose/turned: reads along columns, writes along rows. */
#include "device.cuh"

/* A warp reads an element of each of 32 rows and writes them side by side. */
template <class T>
__device__ void transpose_turned(const T *__restrict__ in, T *__restrict__ out, int64_t rows, int64_t cols,
                                 int64_t ld_in, int64_t ld_out, int across)
{
    grid_dependency_wait();
    const Tile tile = tile_in_order(across, TRANSPOSE_TILE, rows, cols);
    const int x = threadIdx.x, y = threadIdx.y;

    in += tile.row * ld_in + tile.col;
    out += tile.col * ld_out + tile.row;
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (x < tile.height && y + k < tile.width)
            out[(y + k) * ld_out + x] = in[x * ld_in + y + k];
}

TRANSPOSE_ENTRIES(turned)
