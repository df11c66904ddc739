/* The second launch of the kernels that split sums: y from partial sums, partial[chunk][i],
 * joined in an order that depends on their number alone. */
#pragma once

#include "device.cuh"

enum { COMBINE_THREADS = 32 * MATVEC_SLICES };

#define COMBINE_PARAMETERS(T) \
    const T *__restrict__ partial, T *__restrict__ y, int64_t outputs, int64_t chunks, T alpha, T beta

template <class T>
__device__ void combine(const T *partial, T *y, int64_t outputs, int64_t chunks, T alpha, T beta)
{
    __shared__ T of_slice[MATVEC_SLICES][32];
    const int lane = threadIdx.x % 32, slice = threadIdx.x / 32;
    const int64_t i = (int64_t)blockIdx.x * 32 + lane;
    T sum = 0;

    if (i < outputs)
#pragma unroll 8
        for (int64_t chunk = slice; chunk < chunks; chunk += MATVEC_SLICES)
            sum += partial[chunk * outputs + i];
    of_slice[slice][lane] = sum;
    __syncthreads();
    if (slice > 0 || i >= outputs)
        return;
    for (int s = 1; s < MATVEC_SLICES; ++s)
        sum += of_slice[s][lane];
    write_output(y + i, alpha, beta, sum);
}
