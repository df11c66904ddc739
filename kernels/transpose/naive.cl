/* transpose/naive: reads along rows, writes along columns. */
#include "device.clh"

/* A warp reads 32 neighbours of a row and writes them to 32 rows of `out`. */
kernel SQUARE_GROUP void transpose_naive(TRANSPOSE_PARAMETERS)
{
    const tile_place tile = tile_downwards(tiles, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.col * ld_out + tile.row;
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[x * ld_out + y + k] = in[(y + k) * ld_in + x];
}
