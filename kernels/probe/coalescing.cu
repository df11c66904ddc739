// out[i] = in[(i * stride + offset) mod span]: how many segments one warp touches
// is the only thing that the parameters change.
#include "tiles.h"

template <class T>
__device__ void coalescing(const T *in, T *out, long long n, long long stride, long long offset,
                           long long span)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[(i * stride + offset) & (span - 1)];
}

extern "C" __global__ void probe_coalescing_i32(const int *in, int *out, long long n, long long stride,
                                                long long offset, long long span)
{
    coalescing(in, out, n, stride, offset, span);
}

extern "C" __global__ void probe_coalescing_i64(const long long *in, long long *out, long long n,
                                                long long stride, long long offset, long long span)
{
    coalescing(in, out, n, stride, offset, span);
}
