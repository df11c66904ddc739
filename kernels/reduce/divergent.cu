/* reduce/divergent: the tree over neighbours in shared memory.  In each step every second, fourth, eighth ... thread
 * works, so that all warps take part to the end, with fewer and fewer of their lanes. */
#include "device.cuh"

/* Block b combines elements [b * 1024, (b + 1) * 1024) of x into out[b]. */
template <class R>
__device__ void reduce_divergent(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    __shared__ typename R::T tile[REDUCE_BLOCK];
    const int thread = threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * REDUCE_BLOCK + thread;

    tile[thread] = i < n ? x[i] : R::identity();
    __syncthreads();
    for (int distance = 1; distance < REDUCE_BLOCK; distance *= 2) {
        if (thread % (2 * distance) == 0)
            tile[thread] = R::combine(tile[thread], tile[thread + distance]);
        __syncthreads();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finalize(tile[0]);
}

REDUCE_ENTRIES(divergent, REDUCE_BLOCK)
