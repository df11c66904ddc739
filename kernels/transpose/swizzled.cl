/* transpose/swizzled: no padding; the column index is XORed with the row: no bank conflicts, and no
 * shared memory for gaps. */
#define PITCH TRANSPOSE_TILE
#define COLUMN(i, j) ((j) ^ (i))
#include "batch.clh"
#include "turned.clh"

/* Row i holds column j at j ^ i: a permutation of each row, which also puts the elements
 * of a column into 32 different banks. */
kernel SQUARE_GROUP void transpose_swizzled(TRANSPOSE_BATCH_PARAMETERS)
{
    local T staged[TRANSPOSE_TILE][PITCH];
    const tile_place tile = tile_numbered(TILE_OF_PROBLEM, tiles, TRANSPOSE_TILE, rows, cols);
    turn_tile(in, IN_OF_PROBLEM, out, OUT_OF_PROBLEM, ld_in, ld_out, tile, staged);
}
