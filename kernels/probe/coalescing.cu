// out[i] = in[(i * stride + offset) mod span]: how many segments one warp touches
// is the only thing that the parameters change.
#include "entries.cuh"
#include "tiles.h"

template <class T>
__device__ void coalescing(const T *in, T *out, long long n, long long stride, long long offset, long long span)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[(i * stride + offset) & (span - 1)];
}

#define COALESCING_ENTRY(type, T)                                                                          \
    extern "C" __global__ void probe_coalescing_##type(const T *in, T *out, long long n, long long stride, \
                                                       long long offset, long long span)                   \
    {                                                                                                      \
        coalescing(in, out, n, stride, offset, span);                                                      \
    }

PROBE_INTEGERS(COALESCING_ENTRY)
