/* transpose/padded: the tile one column wider, so that a column of it meets every bank once. */
#include "device.clh"

/* Elements of a column lie 33 apart: in 32 different banks for 4 bytes each. */
kernel __attribute__((reqd_work_group_size(TRANSPOSE_TILE, TRANSPOSE_ROWS, 1)))
void transpose_padded(global const T *restrict in, long in_offset, global T *restrict out,
                      long out_offset, long rows, long cols, long ld_in, long ld_out, int down)
{
    local T staged[TRANSPOSE_TILE][TRANSPOSE_TILE + 1];
    const tile_place tile = tile_downwards(down, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.col * ld_out + tile.row;
    const held_part held = read_tile(in, ld_in, tile);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        staged[y + k][x] = held.at[k / TRANSPOSE_ROWS];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (y + k < tile.width && x < tile.height)
            out[(y + k) * ld_out + x] = staged[x][y + k];
}
