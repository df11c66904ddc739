/* transpose/turned: reads along columns, writes along rows. */
#include "device.clh"

/* 32 work-items read an element of each of 32 rows and write them side by side. */
kernel __attribute__((reqd_work_group_size(TRANSPOSE_TILE, TRANSPOSE_ROWS, 1))) void
transpose_turned(global const T *restrict in, long in_offset, global T *restrict out, long out_offset, long rows,
                 long cols, long ld_in, long ld_out, int across)
{
    const tile_place tile = tile_in_order(across, TRANSPOSE_TILE, rows, cols);
    const int x = get_local_id(0), y = get_local_id(1);

    in += in_offset + tile.row * ld_in + tile.col;
    out += out_offset + tile.col * ld_out + tile.row;
    for (int k = 0; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
        if (x < tile.height && y + k < tile.width)
            out[(y + k) * ld_out + x] = in[x * ld_in + y + k];
}
