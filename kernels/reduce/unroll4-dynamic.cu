/* reduce/unroll4-dynamic: unroll4 with its shared memory sized by the launch. */
#include "device.cuh"

/* Block b combines elements [b * 4096, (b + 1) * 4096) of x into out[b]; the launch gives
 * one element of dynamic shared memory per thread. */
template <class R>
__device__ void reduce_unroll4_dynamic(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    extern __shared__ __align__(16) unsigned char dynamic[];
    typename R::T *tile = reinterpret_cast<typename R::T *>(dynamic);
    const int thread = threadIdx.x;
    tile[thread] = combine_items<R>(x, n);
    combine_tile<R>(tile, out);
}

REDUCE_ENTRIES(unroll4_dynamic, REDUCE_BLOCK)
