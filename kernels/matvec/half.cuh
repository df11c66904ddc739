/* What the plain matrix-vector products need for elements of 16 bits: the problem, whose sums are kept
 * in f32, and what device.cuh does with one. */
#pragma once

#include "device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class InMemory, class Result> struct HalfMatvec {
    using T = float;
    using In = InMemory;
    const In *a, *x;
    Result *y;
    int64_t outputs, terms, lda; /* terms is 0 when alpha is: A and x are not read */
    T alpha, beta;
};

template <bool TRANS, class In, class Out>
__device__ int64_t place_in_a(const HalfMatvec<In, Out> &v, int64_t i, int64_t l)
{
    return TRANS ? l * v.lda + i : i * v.lda + l;
}

template <class T> __device__ void write_result(const Matvec<T> &v, int64_t i, T sum)
{
    write_output(v.y + i, v.alpha, v.beta, sum);
}

/* Rounded once, to the nearest; beyond the range of Out it is infinite. */
template <class In, class Out> __device__ void write_result(const HalfMatvec<In, Out> &v, int64_t i, float sum)
{
    const float product = v.alpha * sum;
    v.y[i] = Out(v.beta == 0.0f ? product : fma(v.beta, float(v.y[i]), product));
}

/* As sum_strided() of device.cuh. */
template <class In>
__device__ float half_sum_strided(const In *a, int64_t a_distance, const In *x, int64_t first, int64_t stride,
                                  int64_t count)
{
    constexpr int IN_FLIGHT = MATVEC_IN_FLIGHT;
    float sum = 0;
#pragma unroll(IN_FLIGHT)
    for (int64_t l = first; l < count; l += stride)
        sum = fma(float(a[l * a_distance]), float(x[l]), sum);
    return sum;
}

template <class In, class Out>
__device__ float share_of_column(const HalfMatvec<In, Out> &v, int64_t column, int64_t first)
{
    return half_sum_strided(v.a + column, v.lda, v.x, first, (int64_t)MATVEC_WARPS, v.terms);
}

/* A lane's share of row `row`. */
template <class T> __device__ T share_of_row(const Matvec<T> &v, int64_t row, int lane)
{
    return sum_strided<T>(v.a + row * v.lda, 1, v.x, lane, 32, v.terms);
}

template <class In, class Out>
__device__ float share_of_row(const HalfMatvec<In, Out> &v, int64_t row, int lane)
{
    return half_sum_strided(v.a + row * v.lda, 1, v.x, lane, 32, v.terms);
}

/* matvec_<kernel>_<type>_<layout>: to a result of the inputs' own type, and to one in f32. */
#define MATVEC_HALF_ENTRIES(kernel, threads)                              \
    MATVEC_HALF_TYPES(MATVEC_HALF_ENTRY, kernel, n, false, threads)       \
    MATVEC_HALF_TYPES(MATVEC_HALF_ENTRY, kernel, t, true, threads)

#define MATVEC_HALF_TYPES(X, ...)                           \
    X(f16, __half, __half, __VA_ARGS__)                     \
    X(f16_f32, __half, float, __VA_ARGS__)                  \
    X(bf16, __nv_bfloat16, __nv_bfloat16, __VA_ARGS__)      \
    X(bf16_f32, __nv_bfloat16, float, __VA_ARGS__)

#define MATVEC_HALF_ENTRY(type, In, Out, kernel, layout, TRANS, threads)                                    \
    extern "C" __global__ void __launch_bounds__(threads) matvec_##kernel##_##type##_##layout(              \
        const In *__restrict__ a, const In *__restrict__ x, Out *__restrict__ y, int64_t outputs,           \
        int64_t terms, int64_t lda, float alpha, float beta)                                                \
    {                                                                                                       \
        kernel<TRANS>(HalfMatvec<In, Out>{a, x, y, outputs, terms, lda, alpha, beta});                      \
    }
