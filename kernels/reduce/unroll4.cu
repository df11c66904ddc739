/* reduce/unroll4: each block folds the data of four while it loads them. */
#include "device.cuh"

static_assert(REDUCE_FOLD == 4, "the four values are joined by name");

/* Block b folds elements [b * 4096, (b + 1) * 4096) of x into out[b].  The four loads
 * do not wait for each other; past the end the identity stands in, so no tail is lost. */
template <class R>
__device__ void reduce_unroll4(const typename R::T *__restrict__ x, typename R::T *__restrict__ out,
                               int64_t n)
{
    __shared__ typename R::T tile[REDUCE_BLOCK];
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * (REDUCE_BLOCK * REDUCE_FOLD) + thread;
    typename R::T value[REDUCE_FOLD];

#pragma unroll
    for (int k = 0; k < REDUCE_FOLD; ++k)
        value[k] = first + k * REDUCE_BLOCK < n ? x[first + k * REDUCE_BLOCK] : R::identity();
    tile[thread] = R::join(R::join(value[0], value[1]), R::join(value[2], value[3]));
    __syncthreads();
    for (int distance = REDUCE_BLOCK / 2; distance >= 32; distance /= 2) {
        if (thread < distance)
            tile[thread] = R::join(tile[thread], tile[thread + distance]);
        __syncthreads();
    }
    if (thread >= 32)
        return;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if (thread < distance)
            tile[thread] = R::join(tile[thread], tile[thread + distance]);
        __syncwarp();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finish(tile[0]);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i32_sum(const uint32_t *x, uint32_t *out, int64_t n)
{
    reduce_unroll4<Sum<uint32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i64_sum(const uint64_t *x, uint64_t *out, int64_t n)
{
    reduce_unroll4<Sum<uint64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f32_sum(const float *x, float *out, int64_t n)
{
    reduce_unroll4<Sum<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f64_sum(const double *x, double *out, int64_t n)
{
    reduce_unroll4<Sum<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i32_min(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_unroll4<Min<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i64_min(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_unroll4<Min<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f32_min(const float *x, float *out, int64_t n)
{
    reduce_unroll4<Min<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f64_min(const double *x, double *out, int64_t n)
{
    reduce_unroll4<Min<double>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i32_max(const int32_t *x, int32_t *out, int64_t n)
{
    reduce_unroll4<Max<int32_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_i64_max(const int64_t *x, int64_t *out, int64_t n)
{
    reduce_unroll4<Max<int64_t>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f32_max(const float *x, float *out, int64_t n)
{
    reduce_unroll4<Max<float>>(x, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_unroll4_f64_max(const double *x, double *out, int64_t n)
{
    reduce_unroll4<Max<double>>(x, out, n);
}
