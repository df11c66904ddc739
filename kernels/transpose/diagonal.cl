/* transpose/diagonal: swizzled, with the blocks taken in diagonal order: what runs at one time is
 * spread over the partitions of memory. */
#include "device.clh"

/* Groups that run at one time have different rows and different columns of tiles, so
 * neither their reads nor their writes are all a multiple of ld apart.  For each `down`
 * the groups pass through every `right` once, whatever the two numbers are. */
kernel __attribute__((reqd_work_group_size(TRANSPOSE_TILE, TRANSPOSE_ROWS, 1)))
void transpose_diagonal(global const T *restrict in, long in_offset, global T *restrict out,
                        long out_offset, long rows, long cols, long ld_in, long ld_out, int across)
{
    local T staged[TRANSPOSE_TILE][TRANSPOSE_TILE];
    const uint high = get_num_groups(0) / (uint)across, down = get_group_id(0) % high;
    const uint right = (get_group_id(0) / high + down) % (uint)across;
    const tile_place tile = tile_at(down, right, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.col * ld_out + tile.row;
    const held_part held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][x ^ (y + k)] = held.at[k / TRANSPOSE_ROWS];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.width && x < tile.height)
            out[(y + k) * ld_out + x] = staged[x][x ^ (y + k)];
}
