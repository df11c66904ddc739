/* reduce/shuffle: unroll4 whose tree runs from register to register. */
#include "device.cuh"

static_assert(REDUCE_FOLD == 4, "the four values are joined by name");

/* Block b folds elements [b * 4096, (b + 1) * 4096) of x into out[b]: each warp by
 * shuffles, then the first warp the results of all, so one barrier instead of six. */
template <class R>
__device__ void reduce_shuffle(const typename R::T *__restrict__ x, typename R::T *__restrict__ out,
                               int64_t n)
{
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * (REDUCE_BLOCK * REDUCE_FOLD) + thread;
    typename R::T value[REDUCE_FOLD];

#pragma unroll
    for (int k = 0; k < REDUCE_FOLD; ++k)
        value[k] = first + k * REDUCE_BLOCK < n ? x[first + k * REDUCE_BLOCK] : R::identity();
    const typename R::T total =
        reduce_block<R, REDUCE_BLOCK>(R::join(R::join(value[0], value[1]), R::join(value[2], value[3])));
    if (thread == 0)
        out[blockIdx.x] = R::finish(total);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i32_sum(const uint32_t *x, uint32_t *out, int64_t n)
{
    reduce_shuffle<Sum<uint32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i64_sum(const uint64_t *x, uint64_t *out, int64_t n)
{
    reduce_shuffle<Sum<uint64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f32_sum(const float *x, float *out, int64_t n)
{
    reduce_shuffle<Sum<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f64_sum(const double *x, double *out, int64_t n)
{
    reduce_shuffle<Sum<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i32_min(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_shuffle<Min<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i64_min(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_shuffle<Min<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f32_min(const float *x, float *out, int64_t n)
{
    reduce_shuffle<Min<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f64_min(const double *x, double *out, int64_t n)
{
    reduce_shuffle<Min<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i32_max(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_shuffle<Max<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_i64_max(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_shuffle<Max<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f32_max(const float *x, float *out, int64_t n)
{
    reduce_shuffle<Max<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_shuffle_f64_max(const double *x, double *out, int64_t n)
{
    reduce_shuffle<Max<double>>(x, out, n);
}
