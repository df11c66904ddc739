/* reduce/unroll4-dynamic: unroll4 with its local memory sized by the launch. */
#include "device.clh"

/* Group b combines elements [b * BLOCK * 4, (b + 1) * BLOCK * 4) of x into out[b]; tile
 * has one element per thread. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_unroll4_dynamic(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n,
                       local T *tile)
{
    tile[get_local_id(0)] = combine_items(x + x_offset, n);
    combine_tile(tile, &out[out_offset + get_group_id(0)]);
}
