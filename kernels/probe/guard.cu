// Adds one to every element, with the guard that any size needs.
#include "tiles.h"

extern "C" __global__ void probe_guard_i32(const unsigned *in, unsigned *out, long long n)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}

extern "C" __global__ void probe_guard_i64(const unsigned long long *in, unsigned long long *out, long long n)
{
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}
