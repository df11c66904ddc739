/* reduce/vector: 16-byte loads, eight of them in flight in every thread, as many blocks
 * as keep the chip busy, and one more to join the partials. */
#include "device.cuh"

/* Block b folds its tiles of x into out[b]. */
template <class R>
__device__ void reduce_vector(const typename R::T *x, typename R::T *out, int64_t n)
{
    grid_dependency_wait();
    const typename R::T total = reduce_block<R, REDUCE_VECTOR_BLOCK>(
        reduce_packs<R, REDUCE_VECTOR_BLOCK, REDUCE_VECTOR_LOADS>(x, n));
    if (threadIdx.x == 0)
        out[blockIdx.x] = R::finish(total);
}

/* One block folds the n partials. */
template <class R>
__device__ void reduce_vector_last(const typename R::T *partials, typename R::T *out, int64_t n)
{
    grid_dependency_wait();
    const typename R::T total = reduce_block<R, REDUCE_VECTOR_BLOCK>(
        reduce_partials<R, REDUCE_VECTOR_BLOCK>(partials, n));
    if (threadIdx.x == 0)
        *out = R::finish(total);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i32_sum(const uint32_t *x, uint32_t *out, int64_t n)
{
    reduce_vector<Sum<uint32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i64_sum(const uint64_t *x, uint64_t *out, int64_t n)
{
    reduce_vector<Sum<uint64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f32_sum(const float *x, float *out, int64_t n)
{
    reduce_vector<Sum<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f64_sum(const double *x, double *out, int64_t n)
{
    reduce_vector<Sum<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i32_min(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_vector<Min<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i64_min(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_vector<Min<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f32_min(const float *x, float *out, int64_t n)
{
    reduce_vector<Min<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f64_min(const double *x, double *out, int64_t n)
{
    reduce_vector<Min<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i32_max(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_vector<Max<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_i64_max(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_vector<Max<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f32_max(const float *x, float *out, int64_t n)
{
    reduce_vector<Max<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_f64_max(const double *x, double *out, int64_t n)
{
    reduce_vector<Max<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i32_sum(const uint32_t *partials, uint32_t *out, int64_t n)
{
    reduce_vector_last<Sum<uint32_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i64_sum(const uint64_t *partials, uint64_t *out, int64_t n)
{
    reduce_vector_last<Sum<uint64_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f32_sum(const float *partials, float *out, int64_t n)
{
    reduce_vector_last<Sum<float>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f64_sum(const double *partials, double *out, int64_t n)
{
    reduce_vector_last<Sum<double>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i32_min(const int32_t *partials, int32_t *out, int64_t n)
{
    reduce_vector_last<Min<int32_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i64_min(const int64_t *partials, int64_t *out, int64_t n)
{
    reduce_vector_last<Min<int64_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f32_min(const float *partials, float *out, int64_t n)
{
    reduce_vector_last<Min<float>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f64_min(const double *partials, double *out, int64_t n)
{
    reduce_vector_last<Min<double>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i32_max(const int32_t *partials, int32_t *out, int64_t n)
{
    reduce_vector_last<Max<int32_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_i64_max(const int64_t *partials, int64_t *out, int64_t n)
{
    reduce_vector_last<Max<int64_t>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f32_max(const float *partials, float *out, int64_t n)
{
    reduce_vector_last<Max<float>>(partials, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_VECTOR_BLOCK)
reduce_vector_last_f64_max(const double *partials, double *out, int64_t n)
{
    reduce_vector_last<Max<double>>(partials, out, n);
}
