/* reduce/gmem: a tree in global memory.  The published form adds up its input in
 * place; this one works on a copy. */
#include "device.cuh"

/* Block b copies elements [b * 1024, (b + 1) * 1024) of x to `work`, folds the copy
 * onto its first element and writes that to out[b].  A barrier also orders the
 * block's global memory accesses; within the last warp __syncwarp does. */
template <class R>
__device__ void reduce_gmem(const typename R::T *x, typename R::T *work, typename R::T *out,
                            int64_t n)
{
    const int thread = threadIdx.x;
    const int64_t first = (int64_t)blockIdx.x * REDUCE_BLOCK, left = n - first;

    work += first;
    if (thread < left)
        work[thread] = x[first + thread];
    __syncthreads();
    for (int distance = REDUCE_BLOCK / 2; distance >= 32; distance /= 2) {
        if (thread < distance && thread + distance < left)
            work[thread] = R::join(work[thread], work[thread + distance]);
        __syncthreads();
    }
    if (thread >= 32)
        return;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        if (thread < distance && thread + distance < left)
            work[thread] = R::join(work[thread], work[thread + distance]);
        __syncwarp();
    }
    if (thread == 0)
        out[blockIdx.x] = R::finish(left > 0 ? work[0] : R::identity());
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i32_sum(const uint32_t *x, uint32_t *work, uint32_t *out, int64_t n)
{
    reduce_gmem<Sum<uint32_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i64_sum(const uint64_t *x, uint64_t *work, uint64_t *out, int64_t n)
{
    reduce_gmem<Sum<uint64_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f32_sum(const float *x, float *work, float *out, int64_t n)
{
    reduce_gmem<Sum<float>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f64_sum(const double *x, double *work, double *out, int64_t n)
{
    reduce_gmem<Sum<double>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i32_min(const int32_t *x, int32_t *work, int32_t *out, int64_t n)
{
    reduce_gmem<Min<int32_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i64_min(const int64_t *x, int64_t *work, int64_t *out, int64_t n)
{
    reduce_gmem<Min<int64_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f32_min(const float *x, float *work, float *out, int64_t n)
{
    reduce_gmem<Min<float>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f64_min(const double *x, double *work, double *out, int64_t n)
{
    reduce_gmem<Min<double>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i32_max(const int32_t *x, int32_t *work, int32_t *out, int64_t n)
{
    reduce_gmem<Max<int32_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_i64_max(const int64_t *x, int64_t *work, int64_t *out, int64_t n)
{
    reduce_gmem<Max<int64_t>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f32_max(const float *x, float *work, float *out, int64_t n)
{
    reduce_gmem<Max<float>>(x, work, out, n);
}

extern "C" __global__ void __launch_bounds__(REDUCE_BLOCK)
reduce_gmem_f64_max(const double *x, double *work, double *out, int64_t n)
{
    reduce_gmem<Max<double>>(x, work, out, n);
}
