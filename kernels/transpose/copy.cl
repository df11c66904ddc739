/* transpose/copy: no transpose, the practical upper limit. */
#include "device.clh"

/* The copy is dense: element (i, j) goes to out[i * cols + j].  That fills the operand
 * of a transpose exactly when its rows lie without gaps (ld_out == rows). */
kernel SQUARE_GROUP void transpose_copy(TRANSPOSE_PARAMETERS)
{
    const tile_place tile = tile_in_order(tiles, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.row * cols + tile.col;
    const held_part held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.height && x < tile.width)
            out[(y + k) * cols + x] = held.at[k / TRANSPOSE_ROWS];
}
