// Reverses runs of PROBE_REVERSE elements through shared memory.
#pragma once

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
