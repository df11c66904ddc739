// Reverses runs of 64 elements through shared memory whose size the compiler knows.
#include "entries.cuh"
#include "reverse.cuh"

#define SHARED_STATIC_ENTRY(type, T)                                                        \
    extern "C" __global__ void probe_shared_static_##type(const T *in, T *out, long long n) \
    {                                                                                       \
        __shared__ T tile[PROBE_REVERSE];                                                   \
        reverse(in, out, n, tile);                                                          \
    }

PROBE_INTEGERS(SHARED_STATIC_ENTRY)
