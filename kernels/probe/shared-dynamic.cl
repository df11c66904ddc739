// Reverses runs of 64 elements through local memory whose size comes with the launch.
#include "tiles.h"

kernel __attribute__((reqd_work_group_size(PROBE_REVERSE, 1, 1))) void
probe_shared_dynamic(global const T *in, long in_offset, global T *out, long out_offset, long n,
                                 local T *tile)
{
    long first = (long)get_group_id(0) * PROBE_REVERSE;
    int length = (int)min((long)PROBE_REVERSE, n - first);
    int t = (int)get_local_id(0);
    if (t < length)
        tile[t] = in[in_offset + first + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < length)
        out[out_offset + first + t] = tile[length - 1 - t];
}
