// Reverses runs of 64 elements through shared memory whose size comes with the launch.
#include "entries.cuh"
#include "reverse.cuh"

#define SHARED_DYNAMIC_ENTRY(type, T)                                                        \
    extern "C" __global__ void probe_shared_dynamic_##type(const T *in, T *out, long long n) \
    {                                                                                        \
        extern __shared__ T tile_##type[];                                                   \
        reverse(in, out, n, tile_##type);                                                    \
    }

PROBE_INTEGERS(SHARED_DYNAMIC_ENTRY)
