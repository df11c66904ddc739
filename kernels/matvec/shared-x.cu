/* matvec/shared-x: x comes to shared memory once per block, and every thread reads it there. */
#include "device.cuh"

template <bool TRANS, class T> __device__ void shared_x(Matvec<T> v)
{
    grid_dependency_wait();
    __shared__ T x[MATVEC_BLOCK];
    const int64_t i = (int64_t)blockIdx.x * MATVEC_BLOCK + threadIdx.x;
    T sum = 0;

    for (int64_t first = 0; first < v.terms; first += MATVEC_BLOCK) {
        const int64_t left = v.terms - first;
        const int count = left < MATVEC_BLOCK ? (int)left : MATVEC_BLOCK;
        if (threadIdx.x < count)
            x[threadIdx.x] = v.x[first + threadIdx.x];
        __syncthreads();
        if (i < v.outputs)
            for (int l = 0; l < count; ++l)
                sum = fma(v.a[place_in_a<TRANS>(v, i, first + l)], x[l], sum);
        __syncthreads();
    }
    if (i < v.outputs)
        write_output(v.y + i, v.alpha, v.beta, sum);
}

MATVEC_ENTRIES(shared_x, MATVEC_BLOCK)
