// Reverses runs of 64 elements through shared memory whose size the compiler knows.
#include "tiles.h"

template <class T> __device__ void reverse(const T *in, T *out, long long n, T *tile)
{
    long long first = (long long)blockIdx.x * PROBE_REVERSE;
    int length = (int)min((long long)PROBE_REVERSE, n - first);
    int t = threadIdx.x;
    if (t < length)
        tile[t] = in[first + t];
    __syncthreads();
    if (t < length)
        out[first + t] = tile[length - 1 - t];
}

extern "C" __global__ void probe_shared_static_i32(const int *in, int *out, long long n)
{
    __shared__ int tile[PROBE_REVERSE];
    reverse(in, out, n, tile);
}

extern "C" __global__ void probe_shared_static_i64(const long long *in, long long *out, long long n)
{
    __shared__ long long tile[PROBE_REVERSE];
    reverse(in, out, n, tile);
}
