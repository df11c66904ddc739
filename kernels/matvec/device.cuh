/* What the matrix-vector products of this directory share in CUDA: the problem, the end of a
 * sum, and the transposed walk in which neighbouring threads have neighbouring columns. */
#pragma once

#include "entries.cuh"
#include "grid_dependency.cuh"
#include "pack.cuh"
#include "tiles.h"

#include <cstdint>

#define ALL_LANES 0xffffffffu

/* What the sums of such elements are kept in; half.cuh has those of 16 bits. */
template <class In> struct SumOf {
    using T = In;
};

/* Element q of a pack, as it is summed. */
template <class In> __device__ typename SumOf<In>::T lane_of(const Pack<In> &pack, int q)
{
    return pack.lane[q];
}

template <class Element, class Result = Element> struct Matvec {
    using In = Element;
    using T = typename SumOf<In>::T;
    const In *a, *x;
    Result *y;
    int64_t outputs, terms, lda; /* terms is 0 when alpha is: A and x are not read */
    T alpha, beta;
};

/* Where the factor of x[l] for y[i] lies in A. */
template <bool TRANS, class V> __device__ int64_t place_in_a(const V &v, int64_t i, int64_t l)
{
    return TRANS ? l * v.lda + i : i * v.lda + l;
}

/* Rounded once to what y holds, to the nearest; beyond its range it is infinite. */
template <class Result, class T> __device__ void write_output(Result *y, T alpha, T beta, T sum)
{
    const T product = alpha * sum;
    *y = Result(beta == T(0) ? product : fma(beta, T(*y), product));
}

/* The sum of a warp's values, in lane 0. */
template <class T> __device__ T sum_of_warp(T value)
{
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_down_sync(ALL_LANES, value, distance);
    return value;
}

/* This thread's share of the sum of a[l * distance] * x[l * distance] for l < count, every
 * `stride`-th from `first` on.  The loads of a round are started together. */
template <class In>
__device__ typename SumOf<In>::T sum_strided(const In *a, int64_t a_distance, const In *x, int64_t first,
                                             int64_t stride, int64_t count)
{
    using T = typename SumOf<In>::T;
    T sum = 0;
    int64_t l = first;

    for (; l + (MATVEC_IN_FLIGHT - 1) * stride < count; l += MATVEC_IN_FLIGHT * stride) {
        T of_a[MATVEC_IN_FLIGHT], of_x[MATVEC_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u) {
            of_a[u] = T(a[(l + u * stride) * a_distance]);
            of_x[u] = T(x[l + u * stride]);
        }
#pragma unroll
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u)
            sum = fma(of_a[u], of_x[u], sum);
    }
    for (; l < count; l += stride)
        sum = fma(T(a[l * a_distance]), T(x[l]), sum);
    return sum;
}

/* Of a column, every MATVEC_WARPS-th row from `first` on. */
template <class V> __device__ typename V::T share_of_column(const V &v, int64_t column, int64_t first)
{
    return sum_strided(v.a + column, v.lda, v.x, first, (int64_t)MATVEC_WARPS, v.terms);
}

/* Transposed: the sums of 32 columns from `column` on; the warps of the block take the rows
 * in turn.  The result is in the lanes of warp 0, and 0 in lanes without a column.  All
 * threads of the block take part. */
template <class V> __device__ typename V::T sum_columns(const V &v, int64_t column)
{
    using T = typename V::T;
    __shared__ T of_warp[MATVEC_WARPS][32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T sum = 0;

    if (column + lane < v.outputs)
        sum = share_of_column(v, column + lane, (int64_t)warp);
    of_warp[warp][lane] = sum;
    __syncthreads();
    if (warp == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            sum += of_warp[w][lane];
    return sum;
}
