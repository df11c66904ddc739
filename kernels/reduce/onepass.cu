/* reduce/onepass: one launch; the block that finishes last joins the partials. */
#include "device.cuh"

/* Publishes a block's partial and draws a ticket; true in all threads of the block
 * that drew the last one, which then may read every partial.  atomicInc wraps, so the
 * counter is zero again after the last ticket. */
template <class T> __device__ bool is_last_block(T total, T *partials, unsigned *tickets)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = total;
        __threadfence(); /* the partial is visible before its ticket */
        last = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last)
        __threadfence(); /* and the partials are read after it */
    return last;
}

/* The order in which the partials are joined depends on their number alone, not on
 * which block comes last. */
template <class R>
__device__ void reduce_onepass(const typename R::T *x, typename R::T *result,
                               typename R::T *partials,
                               unsigned *tickets, int64_t n)
{
    using T = typename R::T;
    T total = reduce_block<R, REDUCE_ONEPASS_BLOCK>(
        reduce_packs<R, REDUCE_ONEPASS_BLOCK, REDUCE_ONEPASS_LOADS>(x, n));

    if (gridDim.x > 1) {
        if (!is_last_block<T>(total, partials, tickets))
            return;
        total = reduce_block<R, REDUCE_ONEPASS_BLOCK>(
            reduce_partials<R, REDUCE_ONEPASS_BLOCK>(partials, gridDim.x));
    }
    if (threadIdx.x == 0)
        *result = R::finish(total);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i32_sum(const uint32_t *x, uint32_t *result, uint32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<uint32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i64_sum(const uint64_t *x, uint64_t *result, uint64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<uint64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f32_sum(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Sum<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f64_sum(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<double>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i32_min(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<int32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i64_min(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<int64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f32_min(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Min<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f64_min(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<double>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i32_max(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<int32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_i64_max(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<int64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f32_max(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Max<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_ONEPASS_BLOCK)
reduce_onepass_f64_max(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<double>>(x, result, partials, tickets, n);
}
