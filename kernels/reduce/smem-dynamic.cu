/* reduce/smem-dynamic: smem with its shared memory sized by the launch. */
#include "device.cuh"

/* Block b combines elements [b * 1024, (b + 1) * 1024) of x into out[b]; the launch
 * gives one element of dynamic shared memory per thread. */
template <class R>
__device__ void reduce_smem_dynamic(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    extern __shared__ __align__(16) unsigned char dynamic[];
    typename R::T *tile = reinterpret_cast<typename R::T *>(dynamic);
    const int thread = threadIdx.x;
    const int64_t i = (int64_t)blockIdx.x * REDUCE_BLOCK + thread;

    tile[thread] = i < n ? x[i] : R::identity();
    combine_tile<R>(tile, out);
}

REDUCE_ENTRIES(smem_dynamic, REDUCE_BLOCK)
