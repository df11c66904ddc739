// Adds one to every element, with the guard that any size needs.
#include "tiles.h"

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_guard(global const UT *in, long in_offset, global UT *out, long out_offset, long n)
{
    long i = (long)get_group_id(0) * PROBE_BLOCK + (long)get_local_id(0);
    if (i < n)
        out[out_offset + i] = in[in_offset + i] + 1;
}
