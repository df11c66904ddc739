/* transpose/padded: the tile one column wider, so that a column of it meets every bank once. */
#define PITCH (TRANSPOSE_TILE + 1)
#define COLUMN(i, j) (j)
#include "turned.clh"

/* Elements of a column lie 33 apart: in 32 different banks for 4 bytes each. */
kernel SQUARE_GROUP void transpose_padded(TRANSPOSE_PARAMETERS)
{
    local T staged[TRANSPOSE_TILE][PITCH];
    const tile_place tile = tile_downwards(tiles, TRANSPOSE_TILE, rows, cols);
    turn_tile(in, in_offset, out, out_offset, ld_in, ld_out, tile, staged);
}
