/* reduce/bank-conflict: the same tree over neighbours by the first threads of the group, which stay together in whole
 * warps. They read local memory 2, 4, 8 ... elements apart: lanes meet in one bank. */
#include "device.clh"

/* Group b combines elements [b * BLOCK, (b + 1) * BLOCK) of x into out[b]. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void
reduce_bank_conflict(global const T *restrict x, long x_offset, global T *restrict out, long out_offset, long n)
{
    local T tile[BLOCK];
    const int thread = get_local_id(0);
    const long i = (long)get_group_id(0) * BLOCK + thread;

    tile[thread] = i < n ? x[x_offset + i] : IDENTITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        const int first = 2 * distance * thread;
        if (first < BLOCK)
            tile[first] = combine(tile[first], tile[first + distance]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0)
        out[out_offset + get_group_id(0)] = finalize(tile[0]);
}
