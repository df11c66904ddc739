/* transpose/naive: reads along rows, writes along columns. */
#include "device.clh"

/* A warp reads 32 neighbours of a row and writes them to 32 rows of `out`. */
kernel __attribute__((reqd_work_group_size(TRANSPOSE_TILE, TRANSPOSE_ROWS, 1)))
void transpose_naive(global const T *restrict in, long in_offset, global T *restrict out,
                     long out_offset, long rows, long cols, long ld_in, long ld_out, int down)
{
    const tile_place tile = tile_downwards(down, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.col * ld_out + tile.row;
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[x * ld_out + y + k] = in[(y + k) * ld_in + x];
}
