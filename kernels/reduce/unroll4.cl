/* reduce/unroll4: each group combines four elements per thread while loading: half of the
 * threads of a tree are idle from its first step on, these have all loaded four. */
#include "device.clh"

/* Group b combines elements [b * BLOCK * 4, (b + 1) * BLOCK * 4) of x into out[b].  The
 * four loads do not wait for each other; past the end the identity stands in, so no
 * tail is lost. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_unroll4(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    tile[get_local_id(0)] = combine_items(x + x_offset, n);
    combine_tile(tile, &out[out_offset + get_group_id(0)]);
}
