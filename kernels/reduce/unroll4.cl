/* reduce/unroll4: each group combines four elements per thread while loading: half of the
 * threads of a tree are idle from its first step on, these have all loaded four. */
#include "device.clh"

/* Group b combines elements [b * BLOCK * 4, (b + 1) * BLOCK * 4) of x into out[b].  The
 * four loads do not wait for each other; past the end the identity stands in, so no
 * tail is lost. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce_unroll4(global const T *restrict x, long x_offset, global T *restrict out, long out_offset,
                    long n)
{
    local T tile[BLOCK];
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
