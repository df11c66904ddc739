/* reduce/vector: 16-byte loads, eight of them in flight in every thread, as many blocks
 * as keep the chip busy, and one more to combine the partials. */
#include "half.cuh"

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
template <class R> __device__ void reduce_vector_last(const typename R::T *partials, typename R::T *out, int64_t n)
{
    grid_dependency_wait();
    const typename R::T total =
        reduce_block<R, REDUCE_VECTOR_BLOCK>(reduce_partials<R, REDUCE_VECTOR_BLOCK>(partials, n));
    if (threadIdx.x == 0)
        *out = R::finalize(total);
}

/* The same of 16 bits: by one block to the result, by several to partials in f32, and those to it. */
template <class R, class In, class Out> __device__ void reduce_half(const In *x, Out *out, int64_t n)
{
    grid_dependency_wait();
    const float value = reduce_half_packs<R, In, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS>(x, n);
    const float total = reduce_block<R, REDUCE_VECTOR_BLOCK>(value);
    if (threadIdx.x == 0)
        out[blockIdx.x] = Out(R::finalize(total));
}

template <class R, class In> __device__ void reduce_half_part(const In *x, float *out, int64_t n)
{
    reduce_half<R>(x, out, n);
}

template <class R, class Out> __device__ void reduce_half_last(const float *partials, Out *out, int64_t n)
{
    grid_dependency_wait();
    const float total = reduce_block<R, REDUCE_VECTOR_BLOCK>(reduce_partials<R, REDUCE_VECTOR_BLOCK>(partials, n));
    if (threadIdx.x == 0)
        *out = Out(R::finalize(total));
}

REDUCE_ENTRIES(vector, REDUCE_VECTOR_BLOCK)
REDUCE_ENTRIES(vector_last, REDUCE_VECTOR_BLOCK)
REDUCE_HALF_VARIANTS(REDUCE_HALF_ENTRY, half, REDUCE_OF_MEMORY, REDUCE_OF_MEMORY, REDUCE_VECTOR_BLOCK)
REDUCE_HALF_VARIANTS(REDUCE_HALF_ENTRY, half_part, REDUCE_OF_MEMORY, REDUCE_OF_PARTIALS, REDUCE_VECTOR_BLOCK)
REDUCE_HALF_VARIANTS(REDUCE_HALF_ENTRY, half_last, REDUCE_OF_PARTIALS, REDUCE_OF_MEMORY, REDUCE_VECTOR_BLOCK)
