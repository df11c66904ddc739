// Two long computations behind one branch, which runs of `stride` threads take in
// turn (0: all threads take the first).  A warp that splits executes both.
#include "tiles.h"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_divergence(global const UT *in, long in_offset, global UT *out, long out_offset, long n, long stride, int repeat)
{
    long i = (long)get_group_id(0) * PROBE_BLOCK + (long)get_local_id(0);
    if (i >= n)
        return;
    UT x = in[in_offset + i];
    bool second = stride > 0 && (i / stride) % 2 == 1;
    if (second) {
#pragma unroll 1
        for (int r = 0; r < repeat; r++)
            x = x * (UT)22695477 + (UT)1;
    } else {
#pragma unroll 1
        for (int r = 0; r < repeat; r++)
            x = x * (UT)1664525 + (UT)1013904223;
    }
    out[out_offset + i] = x;
}
