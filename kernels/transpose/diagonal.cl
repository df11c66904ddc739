/* transpose/diagonal: swizzled, with the blocks taken in diagonal order: what runs at one time is
 * spread over the partitions of memory. */
#define PITCH TRANSPOSE_TILE
#define COLUMN(i, j) ((j) ^ (i))
#include "turned.clh"

/* Groups that run at one time have different rows and different columns of tiles, so
 * neither their reads nor their writes are all a multiple of ld apart.  For each `down`
 * the groups pass through every `right` once, whatever the two numbers are. */
kernel SQUARE_GROUP void transpose_diagonal(TRANSPOSE_PARAMETERS)
{
    local T staged[TRANSPOSE_TILE][PITCH];
    const uint group = get_group_id(0), groups = get_num_groups(0); /* 32 bits are enough to divide */
    const uint high = groups / (uint)tiles, down = group % high, right = (group / high + down) % (uint)tiles;
    const tile_place tile = tile_at(down, right, TRANSPOSE_TILE, rows, cols);
    turn_tile(in, in_offset, out, out_offset, ld_in, ld_out, tile, staged);
}
