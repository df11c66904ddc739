/* reduce/onepass: one launch; the block that finishes last joins the partials. */
#include "device.cuh"

template <class R>
__device__ void reduce_onepass(const typename R::T *x, typename R::T *result, typename R::T *partials,
                               unsigned *tickets, int64_t n)
{
    grid_dependency_wait();
    reduce_grid<R, REDUCE_VECTOR_BLOCK>(reduce_packs<R, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS>(x, n),
                                        result, partials, tickets);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i32_sum(const uint32_t *x, uint32_t *result, uint32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<uint32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i64_sum(const uint64_t *x, uint64_t *result, uint64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<uint64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f32_sum(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Sum<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f64_sum(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Sum<double>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i32_min(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<int32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i64_min(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<int64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f32_min(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Min<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f64_min(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Min<double>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i32_max(const int32_t *x, int32_t *result, int32_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<int32_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_i64_max(const int64_t *x, int64_t *result, int64_t *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<int64_t>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f32_max(const float *x, float *result, float *partials, unsigned *tickets, int64_t n)
{
    reduce_onepass<Max<float>>(x, result, partials, tickets, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_onepass_f64_max(const double *x, double *result, double *partials, unsigned *tickets,
                       int64_t n)
{
    reduce_onepass<Max<double>>(x, result, partials, tickets, n);
}
