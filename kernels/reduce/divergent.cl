/* reduce/divergent: the tree over neighbours in local memory.  In each step every second, fourth, eighth ... thread
 * works, so that all warps take part to the end, with fewer and fewer of their lanes. */
#include "device.clh"

/* Group b combines elements [b * BLOCK, (b + 1) * BLOCK) of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_divergent(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const int thread = get_local_id(0);
    const long i = (long)get_group_id(0) * BLOCK + thread;

    tile[thread] = i < n ? x[x_offset + i] : IDENTITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        if (thread % (2 * distance) == 0)
            tile[thread] = combine(tile[thread], tile[thread + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0)
        out[out_offset + get_group_id(0)] = finalize(tile[0]);
}
