// Two long computations behind one branch, which runs of `stride` threads take in
// turn (0: all threads take the first).  A warp that splits executes both.
#include "entries.cuh"
#include "tiles.h"

template <class T> __device__ void divergence(const T *in, T *out, long long n, long long stride, int repeat)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i >= n)
        return;
    T x = in[i];
    bool second = stride > 0 && (i / stride) % 2 == 1;
    if (second) {
#pragma unroll 1
        for (int r = 0; r < repeat; r++)
            x = x * (T)22695477 + (T)1;
    } else {
#pragma unroll 1
        for (int r = 0; r < repeat; r++)
            x = x * (T)1664525 + (T)1013904223;
    }
    out[i] = x;
}

#define DIVERGENCE_ENTRY(type, T)                                                                                      \
    extern "C" __global__ void probe_divergence_##type(const T *in, T *out, long long n, long long stride, int repeat) \
    {                                                                                                                  \
        divergence(in, out, n, stride, repeat);                                                                        \
    }

PROBE_UNSIGNED(DIVERGENCE_ENTRY)
