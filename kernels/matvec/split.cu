/* matvec/split: long sums are cut in chunks, one per block, so that a few rows occupy the
 * whole device; a second launch joins the partial sums in a fixed order. */
#include "combine.cuh"

enum { SPLIT_THREADS = 32 * MATVEC_WARPS };

/* The sum of a block's values, in thread 0.  All threads take part. */
template <class T> __device__ T sum_of_block(T value)
{
    __shared__ T of_warp[MATVEC_WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    value = sum_of_warp(value);
    if (lane == 0)
        of_warp[warp] = value;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            value += of_warp[w];
    return value;
}

template <bool TRANS, class T>
__device__ void split(Matvec<T> v, T *partial, int64_t chunks, int64_t chunk_terms)
{
    const int64_t chunk = blockIdx.x % chunks, item = blockIdx.x / chunks; /* a row, or 32 columns */
    const int64_t first = chunk * chunk_terms;
    const int64_t end = v.terms - first < chunk_terms ? v.terms : first + chunk_terms;

    if (TRANS) {
        const int64_t i = item * 32 + threadIdx.x;
        const T sum = sum_columns(v, item * 32, first, end);
        if (threadIdx.x < 32 && i < v.outputs)
            partial[chunk * v.outputs + i] = sum;
    } else {
        const T sum = sum_of_block(sum_strided<T>(v.a + item * v.lda + first, 1, v.x + first, threadIdx.x,
                                                  SPLIT_THREADS, end - first));
        if (threadIdx.x == 0)
            partial[chunk * v.outputs + item] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
matvec_split_f32_n(MATVEC_PARAMETERS(float),
    float *partial, int64_t chunks, int64_t chunk_terms)
{
    split<false>(Matvec<float>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
matvec_split_f32_t(MATVEC_PARAMETERS(float),
    float *partial, int64_t chunks, int64_t chunk_terms)
{
    split<true>(Matvec<float>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
matvec_split_f64_n(MATVEC_PARAMETERS(double),
    double *partial, int64_t chunks, int64_t chunk_terms)
{
    split<false>(Matvec<double>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS)
matvec_split_f64_t(MATVEC_PARAMETERS(double),
    double *partial, int64_t chunks, int64_t chunk_terms)
{
    split<true>(Matvec<double>MATVEC_ARGUMENTS, partial, chunks, chunk_terms);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_split_combine_f32_n(COMBINE_PARAMETERS(float))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_split_combine_f32_t(COMBINE_PARAMETERS(float))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_split_combine_f64_n(COMBINE_PARAMETERS(double))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(COMBINE_THREADS)
matvec_split_combine_f64_t(COMBINE_PARAMETERS(double))
{
    combine(partial, y, outputs, chunks, alpha, beta);
}
