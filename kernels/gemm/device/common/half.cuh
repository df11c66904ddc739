/* What the plain matrix products need for elements of 16 bits: the problem, whose sums are kept in f32,
 * and what common/problem.cuh does with one.  Tiles in shared memory hold elements as they lie in memory; they
 * become f32 where they are multiplied, and products of two are then exact. */
#pragma once

#include "gemm/device/common/problem.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

template <class In, class Result> struct HalfGemm {
    using T = float;
    using Out = Result;
    const In *a, *b;
    Out *c;
    int64_t m, n, k, lda, ldb, ldc; /* k is 0 when alpha is: A and B are not read */
    T alpha, beta;
};

/* Of a Gemm or a HalfGemm: what A and B hold. */
template <class G> using ElementOf = std::remove_const_t<std::remove_pointer_t<decltype(G::a)>>;

template <class In, class Out> __device__ Corner tile_in_order(const HalfGemm<In, Out> &g, int rows, int cols)
{
    return tile_in_order(Gemm<float>{nullptr, nullptr, nullptr, g.m, g.n, g.k, 0, 0, 0, 0, 0}, rows, cols);
}

template <bool TRANS_A, class In, class Out>
__device__ Source<In> source_of_a(const HalfGemm<In, Out> &g, int64_t row, int64_t inner, int side, int depth)
{
    return source<!TRANS_A>(g.a, g.lda, row, g.m, inner, g.k, side, depth);
}

template <bool TRANS_B, class In, class Out>
__device__ Source<In> source_of_b(const HalfGemm<In, Out> &g, int64_t col, int64_t inner, int side, int depth)
{
    return source<TRANS_B>(g.b, g.ldb, col, g.n, inner, g.k, side, depth);
}

/* Rounded once, to the nearest; beyond the range of Out it is infinite. */
template <class In, class Out> __device__ void write_element(const HalfGemm<In, Out> &g, Out *c, float sum)
{
    const float product = g.alpha * sum;
    *c = Out(g.beta == 0.0f ? product : fma(g.beta, float(*c), product));
}

/* gemm_<kernel>_<type>_<layout>: to a result of the inputs' own type, and to one in f32. */
#define GEMM_HALF_ENTRIES(kernel, ...)                                                     \
    GEMM_LAYOUTS(GEMM_HALF_ENTRY, kernel, f16, __half, __half, __VA_ARGS__)                \
    GEMM_LAYOUTS(GEMM_HALF_ENTRY, kernel, f16_f32, __half, float, __VA_ARGS__)             \
    GEMM_LAYOUTS(GEMM_HALF_ENTRY, kernel, bf16, __nv_bfloat16, __nv_bfloat16, __VA_ARGS__) \
    GEMM_LAYOUTS(GEMM_HALF_ENTRY, kernel, bf16_f32, __nv_bfloat16, float, __VA_ARGS__)

#define GEMM_HALF_ENTRY(layout, TRANS_A, TRANS_B, kernel, type, In, Out, ...)                                     \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) gemm_##kernel##_##type##_##layout(                  \
        const In *__restrict__ a, const In *__restrict__ b, Out *__restrict__ c, int64_t m, int64_t n, int64_t k, \
        int64_t lda, int64_t ldb, int64_t ldc, float alpha, float beta)                                           \
    {                                                                                                             \
        kernel<TRANS_A, TRANS_B>(HalfGemm<In, Out>{a, b, c, m, n, k, lda, ldb, ldc, alpha, beta});                \
    }
