// Every block reads one region of 256 bytes, over and over, past L1; the blocks are
// dealt to `regions` regions.  All blocks on one region is the one end.
#include "entries.cuh"
#include "tiles.h"

template <class T> __device__ void partition(const T *in, T *out, long long n, long long regions, int repeat)
{
    const int width = PROBE_REGION_BYTES / (int)sizeof(T);
    const int block = PROBE_PARTITION_BLOCK * PROBE_PARTITION_BLOCK;
    int t = threadIdx.y * PROBE_PARTITION_BLOCK + threadIdx.x;
    const T *region = in + (blockIdx.x % regions) * width;
    T sum = 0;
#pragma unroll 4
    for (int r = 0; r < repeat; r++)
        sum += __ldcg(region + ((t + r) & (width - 1)));
    long long i = (long long)blockIdx.x * block + t;
    if (i < n)
        out[i] = sum;
}

#define PARTITION_ENTRY(type, T)                                                                                       \
    extern "C" __global__ void probe_partition_##type(const T *in, T *out, long long n, long long regions, int repeat) \
    {                                                                                                                  \
        partition(in, out, n, regions, repeat);                                                                        \
    }

PROBE_INTEGERS(PARTITION_ENTRY)
