// Adds one to every element, with the guard that any size needs.
#include "entries.cuh"
#include "tiles.h"

#define GUARD_ENTRY(type, T)                                                        \
    extern "C" __global__ void probe_guard_##type(const T *in, T *out, long long n) \
    {                                                                               \
        long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;            \
        if (i < n)                                                                  \
            out[i] = in[i] + 1;                                                     \
    }

PROBE_UNSIGNED(GUARD_ENTRY)
