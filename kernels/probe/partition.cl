// Every block reads one region of 256 bytes, over and over, past L1; the blocks are
// dealt to `regions` regions.  All blocks on one region is the one end.
// OpenCL C has no word for a load past L1: on NVIDIA inline PTX says it, elsewhere a
// volatile load comes closest.
#include "tiles.h"

T load_past_l1(global const T *from)
{
#if defined(NVIDIA_PTX) && defined(EIGHT_BYTES)
    T value;
    asm volatile("ld.global.cg.s64 %0, [%1];" : "=l"(value) : "l"(from));
    return value;
#elif defined(NVIDIA_PTX)
    T value;
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
#else
    return *(global const volatile T *)from;
#endif
}

kernel __attribute__((reqd_work_group_size(PROBE_PARTITION_BLOCK, PROBE_PARTITION_BLOCK, 1))) void
probe_partition(global const T *in, long in_offset, global T *out, long out_offset, long n, long regions, int repeat)
{
    const int width = PROBE_REGION_BYTES / (int)sizeof(T);
    const int block = PROBE_PARTITION_BLOCK * PROBE_PARTITION_BLOCK;
    int t = (int)(get_local_id(1) * PROBE_PARTITION_BLOCK + get_local_id(0));
    global const T *region = in + in_offset + ((long)get_group_id(0) % regions) * width;
    T sum = 0;
    for (int r = 0; r < repeat; r++)
        sum += load_past_l1(region + ((t + r) & (width - 1)));
    long i = (long)get_group_id(0) * block + t;
    if (i < n)
        out[out_offset + i] = sum;
}
