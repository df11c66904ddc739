/* reduce/onepass: one launch; the block that finishes last combines the partials, so that nobody
 * waits for a second launch. */
#include "device.cuh"

template <class R>
__device__ void reduce_onepass(const typename R::T *x, typename R::T *result, typename R::T *partials,
                               unsigned *tickets, int64_t n)
{
    grid_dependency_wait();
    reduce_grid<R, REDUCE_VECTOR_BLOCK>(reduce_packs<R, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS>(x, n), result,
                                        partials, tickets);
}

REDUCE_VARIANTS(REDUCE_GRID_ENTRY, onepass, REDUCE_VECTOR_BLOCK)
