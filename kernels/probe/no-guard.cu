// Adds one to every element without a guard: only for whole blocks.
#include "entries.cuh"
#include "tiles.h"

#define NO_GUARD_ENTRY(type, T)                                                        \
    extern "C" __global__ void probe_no_guard_##type(const T *in, T *out, long long n) \
    {                                                                                  \
        long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;               \
        out[i] = in[i] + 1;                                                            \
    }

PROBE_UNSIGNED(NO_GUARD_ENTRY)
