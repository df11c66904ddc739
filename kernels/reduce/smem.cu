/* reduce/smem: the tree of gmem in static shared memory: each element is read from global memory once,
 * and what the tree writes stays on the multiprocessor. */
#include "device.cuh"

/* Block b combines elements [b * 1024, (b + 1) * 1024) of x into out[b]. */
template <class R>
__device__ void reduce_smem(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    __shared__ typename R::T tile[REDUCE_BLOCK];
    const int thread = threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * REDUCE_BLOCK + thread;

    tile[thread] = i < n ? x[i] : R::identity();
    combine_tile<R>(tile, out);
}

REDUCE_ENTRIES(smem, REDUCE_BLOCK)
