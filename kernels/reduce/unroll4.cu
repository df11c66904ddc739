/* reduce/unroll4: each block combines four elements per thread while loading: half of the
 * threads of a tree are idle from its first step on, these have all loaded four. */
#include "device.cuh"

/* Block b combines elements [b * 4096, (b + 1) * 4096) of x into out[b].  The four loads
 * do not wait for each other; past the end the identity stands in, so no tail is lost. */
template <class R>
__device__ void reduce_unroll4(const typename R::T *__restrict__ x, typename R::T *__restrict__ out, int64_t n)
{
    __shared__ typename R::T tile[REDUCE_BLOCK];
    const int thread = threadIdx.x;
    tile[thread] = combine_items<R>(x, n);
    combine_tile<R>(tile, out);
}

REDUCE_ENTRIES(unroll4, REDUCE_BLOCK)
