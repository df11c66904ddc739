/* reduce/gmem: a tree in global memory.  The published form adds up its input in
 * place; this one works on a copy. */
#include "device.cuh"

/* Block b copies elements [b * 1024, (b + 1) * 1024) of x to `work`, combines the copy
 * onto its first element and writes that to out[b].  A barrier also orders the
 * block's global memory accesses; within the last warp __syncwarp does. */
template <class R>
__device__ void reduce_gmem(const typename R::T *x, typename R::T *work, typename R::T *out, int64_t n)
{
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * REDUCE_BLOCK, left = n - first;

    work += first;
    if (thread < left)
        work[thread] = x[first + thread];
    __syncthreads();
    for (int distance = REDUCE_BLOCK / 2; distance >= 32; distance /= 2) {
        if (thread < distance && thread + distance < left)
            work[thread] = R::combine(work[thread], work[thread + distance]);
        __syncthreads();
    }
    if (thread >= 32)
        return;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if (thread < distance && thread + distance < left)
            work[thread] = R::combine(work[thread], work[thread + distance]);
        __syncwarp();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finalize(left > 0 ? work[0] : R::identity());
}

#define GMEM_ENTRY(variant, R, ...)                                            \
    extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)                 \
        reduce_gmem_##variant(const R::T *x, R::T *work, R::T *out, int64_t n) \
    {                                                                          \
        reduce_gmem<R>(x, work, out, n);                                       \
    }

REDUCE_VARIANTS(GMEM_ENTRY)
