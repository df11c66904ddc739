/* reduce/vector: 16-byte loads, eight of them in flight in every thread, as many blocks
 * as keep the chip busy, and one more to combine the partials. */
#include "device.cuh"

/* Block b combines its tiles of x into out[b]. */
template <class R> __device__ void reduce_vector(const typename R::T *x, typename R::T *out, int64_t n)
{
    grid_dependency_wait();
    const typename R::T total =
        reduce_block<R, REDUCE_VECTOR_BLOCK>(reduce_packs<R, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS>(x, n));
    if (threadIdx.x == 0)
        out[blockIdx.x] = R::finalize(total);
}

/* One block combines the n partials. */
template <class R>
__device__ void reduce_vector_last(const typename R::T *partials, typename R::T *out, int64_t n)
{
    grid_dependency_wait();
    const typename R::T total =
        reduce_block<R, REDUCE_VECTOR_BLOCK>(reduce_partials<R, REDUCE_VECTOR_BLOCK>(partials, n));
    if (threadIdx.x == 0)
        *out = R::finalize(total);
}

REDUCE_ENTRIES(vector, REDUCE_VECTOR_BLOCK)
REDUCE_ENTRIES(vector_last, REDUCE_VECTOR_BLOCK)
