// out[i] = 1: with one element, as little as a kernel with a result can do.
#include "tiles.h"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_launch(global const T *in, long in_offset, global T *out, long out_offset, long n)
{
    long i = (long)get_group_id(0) * PROBE_BLOCK + (long)get_local_id(0);
    if (i < n)
        out[out_offset + i] = 1;
}
