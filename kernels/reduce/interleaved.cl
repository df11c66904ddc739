/* reduce/interleaved: the first tree that comes to mind: neighbours are combined, then what is two apart, then four, in
 * global memory, on a copy of the input. */
#include "device.clh"

/* Group b copies elements [b * BLOCK, (b + 1) * BLOCK) of x to `work`, combines the copy onto its first element and
 * writes that to out[b].  A barrier of the group orders its global memory accesses. */
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void reduce_interleaved(global const T *x, long x_offset,
                                                                                  global T *work, long work_offset,
                                                                                  global T *out, long out_offset,
                                                                                  long n)
{
    const int thread = get_local_id(0);
    const long first = (long)get_group_id(0) * BLOCK, left = n - first;

    x += x_offset + first;
    work += work_offset + first;
    out += out_offset;
    if (thread < left)
        work[thread] = x[thread];
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int distance = 1; distance < BLOCK; distance *= 2) {
        if ((thread % (2 * distance) == 0) & (thread + distance < left)) /* one branch, not two */
            work[thread] = combine(work[thread], work[thread + distance]);
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (thread == 0)
        out[get_group_id(0)] = finalize(left > 0 ? work[0] : IDENTITY);
}
