// Independent sequences of multiply-adds in registers, joined at the end: what the plain
// units can give.  Each step rounds once, so the result is the same everywhere.
#include "entries.cuh"
#include "tiles.h"

__device__ float step(float a)
{
    return fmaf(a, (float)PROBE_FMA_FACTOR, (float)PROBE_FMA_TERM);
}

__device__ double step(double a)
{
    return fma(a, PROBE_FMA_FACTOR, PROBE_FMA_TERM);
}

template <class T> __device__ void multiply_add(const T *in, T *out, long long n, int repeat)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    T a[PROBE_FMA_CHAINS];
    if (i >= n)
        return;
#pragma unroll
    for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++)
        a[chain] = in[i] + (T)chain;
#pragma unroll 8
    for (int r = 0; r < repeat; r++)
#pragma unroll
        for (int chain = 0; chain < PROBE_FMA_CHAINS; chain++)
            a[chain] = step(a[chain]);
#pragma unroll
    for (int chain = 1; chain < PROBE_FMA_CHAINS; chain++)
        a[0] += a[chain];
    out[i] = a[0];
}

#define FMA_ENTRY(type, T)                                             \
    extern "C" __global__ void __launch_bounds__(PROBE_BLOCK)          \
        probe_fma_##type(const T *in, T *out, long long n, int repeat) \
    {                                                                  \
        multiply_add(in, out, n, repeat);                              \
    }

PROBE_FLOATS(FMA_ENTRY)
