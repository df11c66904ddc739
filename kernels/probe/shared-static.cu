// Reverses runs of 64 elements through shared memory whose size the compiler knows.
#include "entries.cuh"
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

#define SHARED_STATIC_ENTRY(type, T)                                                        \
    extern "C" __global__ void probe_shared_static_##type(const T *in, T *out, long long n) \
    {                                                                                       \
        __shared__ T tile[PROBE_REVERSE];                                                   \
        reverse(in, out, n, tile);                                                          \
    }

PROBE_INTEGERS(SHARED_STATIC_ENTRY)
