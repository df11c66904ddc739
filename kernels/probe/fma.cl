// Independent sequences of multiply-adds in registers, joined at the end: what the plain
// units can give.  Each step rounds once, so the result is the same everywhere.
#include "tiles.h"

#ifdef NEEDS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

kernel __attribute__((reqd_work_group_size(PROBE_BLOCK, 1, 1))) void
probe_fma(global const T *in, long in_offset, global T *out, long out_offset, long n, int repeat)
{
    long i = (long)get_group_id(0) * PROBE_BLOCK + (long)get_local_id(0);
    T a[PROBE_FMA_CHAINS];
    if (i >= n)
        return;
#pragma unroll
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++)
        a[chain] = in[in_offset + i] + (T)chain;
#pragma unroll 8
    for (int r = 0; r < repeat; r++) {
#pragma unroll
        for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++)
            a[chain] = fma(a[chain], (T)PROBE_FMA_FACTOR, (T)PROBE_FMA_TERM);
    }
#pragma unroll
    for (int chain = 1; chain < PROBE_FMA_CHAINS; chain++)
        a[0] += a[chain];
    out[out_offset + i] = a[0];
}
