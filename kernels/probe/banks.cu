// Threads `stride` elements apart read shared memory, row after row: the stride decides how
// many of a warp's threads meet in one bank, and stays the same in every round.
#include "banks.cuh"
#include "entries.cuh"

#define BANKS_ENTRY(type, T)                                                                                      \
    extern "C" __global__ void probe_banks_##type(const T *in, T *out, long long n, long long stride, int repeat) \
    {                                                                                                             \
        banks<PROBE_BANK_COLUMNS>(in, out, n, stride, repeat);                                                    \
    }

PROBE_INTEGERS(BANKS_ENTRY)
