/* transpose/coalesced: a tile in shared memory, so that both global accesses run along rows. */
#define PITCH TRANSPOSE_TILE
#define COLUMN(i, j) (j)
#include "turned.clh"

/* The tile is written by rows and read by columns: the 32 threads of a warp then read
 * addresses 32 elements apart, which all lie in one bank. */
kernel SQUARE_GROUP void transpose_coalesced(TRANSPOSE_PARAMETERS)
{
    local T staged[TRANSPOSE_TILE][PITCH];
    const tile_place tile = tile_downwards(tiles, TRANSPOSE_TILE, rows, cols);
    turn_tile(in, in_offset, out, out_offset, ld_in, ld_out, tile, staged);
}
