// out[i] = 1: with one element, as little as a kernel with a result can do.
#include "tiles.h"

template <class T>
__device__ void launch(T *out, long long n)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = 1;
}

extern "C" __global__ void probe_launch_i32(const int *in, int *out, long long n)
{
    launch(out, n);
}

extern "C" __global__ void probe_launch_i64(const long long *in, long long *out, long long n)
{
    launch(out, n);
}
