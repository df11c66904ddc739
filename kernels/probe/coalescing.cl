// out[i] = in[(i * stride + offset) mod span]: how many segments one warp touches
// is the only thing that the parameters change.
#include "tiles.h"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_coalescing(global const T *in, long in_offset, global T *out, long out_offset, long n, long stride, long offset,
                 long span)
{
    long i = (long)get_group_id(0) * PROBE_BLOCK + (long)get_local_id(0);
    if (i < n)
        out[out_offset + i] = in[in_offset + ((i * stride + offset) & (span - 1))];
}
