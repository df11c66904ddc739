/* reduce/interleaved: the first tree that comes to mind: neighbours are combined, then what is two apart, then four, in
 * global memory, on a copy of the input. */
#include "device.cuh"

/* Block b copies elements [b * 1024, (b + 1) * 1024) of x to `work`, combines the copy onto its first element and
 * writes that to out[b].  A barrier also orders the block's global memory accesses. */
template <class R>
__device__ void reduce_interleaved(const typename R::T *x, typename R::T *work, typename R::T *out, int64_t n)
{
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * REDUCE_BLOCK, left = n - first;

    work += first;
    if (thread < left)
        work[thread] = x[first + thread];
    __syncthreads();
    for (int distance = 1; distance < REDUCE_BLOCK; distance *= 2) {
        if (thread % (2 * distance) == 0 && thread + distance < left)
            work[thread] = R::combine(work[thread], work[thread + distance]);
        __syncthreads();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finalize(left > 0 ? work[0] : R::identity());
}

#define INTERLEAVED_ENTRY(variant, R, ...)                                            \
    extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)                        \
        reduce_interleaved_##variant(const R::T *x, R::T *work, R::T *out, int64_t n) \
    {                                                                                 \
        reduce_interleaved<R>(x, work, out, n);                                       \
    }

REDUCE_VARIANTS(INTERLEAVED_ENTRY)
