// The same reads as banks, from a tile whose rows are one element wider: a walk down a
// column now meets every bank once.
#include "banks.cuh"
#include "entries.cuh"

#define BANKS_PADDED_ENTRY(type, T)                                                                          \
    extern "C" __global__ void probe_banks_padded_##type(const T *in, T *out, long long n, long long stride, \
                                                         int repeat)                                         \
    {                                                                                                        \
        banks<PROBE_BANK_COLUMNS + 1>(in, out, n, stride, repeat);                                           \
    }

PROBE_INTEGERS(BANKS_PADDED_ENTRY)
