// The rounds of banks and banks-padded: a tile whose rows are PITCH elements apart.
#pragma once

#include "tiles.h"

template <int PITCH, class T> __device__ void banks(const T *in, T *out, long long n, long long stride, int repeat)
{
    const int columns = PROBE_BANK_COLUMNS, pitch = PITCH;
    __shared__ T tile[PROBE_BANK_ROWS * pitch];
    for (int j = threadIdx.x; j < PROBE_BANK_ROWS * columns; j += PROBE_BLOCK)
        tile[j / columns * pitch + j % columns] = in[j];
    __syncthreads();

    int base = (int)((threadIdx.x * stride) & (PROBE_BANK_BASE - 1));
    const T *start = tile + base / columns * pitch + base % columns;
    T sum = 0;
    int r = 0;
    for (; r + PROBE_BANK_UNROLL <= repeat; r += PROBE_BANK_UNROLL) {
        const T *rows = start + (r & (PROBE_BANK_STEPS - 1)) * pitch;
#pragma unroll
        for (int j = 0; j < PROBE_BANK_UNROLL; j++)
            sum += rows[j * pitch];
    }
    for (; r < repeat; r++)
        sum += start[(r & (PROBE_BANK_STEPS - 1)) * pitch];
    long long i = (long long)blockIdx.x * PROBE_BLOCK + threadIdx.x;
    if (i < n)
        out[i] = sum;
}
