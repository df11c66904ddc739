/* reduce/shuffle: unroll4 whose tree runs from register to register: five steps without shared memory
 * or barriers. */
#include "device.cuh"

/* Block b combines elements [b * 4096, (b + 1) * 4096) of x into out[b]: each warp by
 * shuffles, then the first warp the results of all, so one barrier instead of six. */
template <class R>
__device__ void reduce_shuffle(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    const int thread = threadIdx.x;
    const typename R::T total = reduce_block<R, REDUCE_BLOCK>(combine_items<R>(x, n));
    if (thread == 0)
        out[blockIdx.x] = R::finalize(total);
}

REDUCE_ENTRIES(shuffle, REDUCE_BLOCK)
