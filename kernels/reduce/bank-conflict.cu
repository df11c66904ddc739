/* reduce/bank-conflict: the same tree over neighbours by the first threads of the block, which stay together in whole
 * warps. They read shared memory 2, 4, 8 ... elements apart: lanes meet in one bank. */
#include "device.cuh"

/* Block b combines elements [b * 1024, (b + 1) * 1024) of x into out[b]. */
template <class R>
__device__ void reduce_bank_conflict(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    __shared__ typename R::T tile[REDUCE_BLOCK];
    const int thread = threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * REDUCE_BLOCK + thread;

    tile[thread] = i < n ? x[i] : R::identity();
    __syncthreads();
    for (int distance = 1; distance < REDUCE_BLOCK; distance *= 2) {
        const int first = 2 * distance * thread;
        if (first < REDUCE_BLOCK)
            tile[first] = R::combine(tile[first], tile[first + distance]);
        __syncthreads();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finalize(tile[0]);
}

REDUCE_ENTRIES(bank_conflict, REDUCE_BLOCK)
