/* reduce/smem: the tree of gmem in static local memory: each element is read from global memory once,
 * and what the tree writes stays on the compute unit. */
#include "device.clh"

/* Group b combines elements [b * BLOCK, (b + 1) * BLOCK) of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_smem(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const int thread = get_local_id(0);
    const long i = (long)get_group_id(0) * BLOCK + thread;

    tile[thread] = i < n ? x[x_offset + i] : IDENTITY;
    combine_tile(tile, &out[out_offset + get_group_id(0)]);
}
