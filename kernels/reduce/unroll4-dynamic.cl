/* reduce/unroll4-dynamic: unroll4 with its local memory sized by the launch. */
#include "device.clh"

/* Group b combines elements [b * BLOCK * 4, (b + 1) * BLOCK * 4) of x into out[b]; tile
 * has one element per thread. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_unroll4_dynamic(global const T *restrict x, long x_offset, global T *restrict out,
                            long out_offset, long n, local T *tile)
{
    const int thread = get_local_id(0);
    const long first = (long)get_group_id(0) * (BLOCK * REDUCE_ITEMS) + thread;
    T value[REDUCE_ITEMS];

    x += x_offset;
#pragma unroll
    for (int k = 0; k < REDUCE_ITEMS; ++k)
        value[k] = first + k * BLOCK < n ? x[first + k * BLOCK] : IDENTITY;
    tile[thread] = combine(combine(value[0], value[1]), combine(value[2], value[3]));
    barrier(CLK_LOCAL_MEM_FENCE);
    combine_tile(tile);
    if (thread == 0)
        out[out_offset + get_group_id(0)] = finalize(tile[0]);
}
