/* The entry points of this folder's kernels.  Each is compiled for the layouts of its operands,
 * nn, nt, tn, tt (A, B: as it is, or transposed), and named gemm_<kernel>_<type>_<layout>, as the
 * recipes in C spell it (kernels.c, pipeline.c, dmma_recipe.c).  A kernel file ends with the lines
 * that make its own. */
#pragma once

#include <cstdint>

#define GEMM_PARAMETERS(T)                                                                                             \
    const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int64_t m, int64_t n, int64_t k, int64_t lda, \
        int64_t ldb, int64_t ldc, T alpha, T beta
#define GEMM_OF(T) (Gemm<T>{a, b, c, m, n, k, lda, ldb, ldc, alpha, beta})

/* X(layout, TRANS_A, TRANS_B, ...) for each of the four. */
#define GEMM_LAYOUTS(X, ...)         \
    X(nn, false, false, __VA_ARGS__) \
    X(nt, false, true, __VA_ARGS__)  \
    X(tn, true, false, __VA_ARGS__)  \
    X(tt, true, true, __VA_ARGS__)

/* kernel<TRANS_A, TRANS_B>(Gemm<T>) of common/problem.cuh, for f32 and f64; then its launch bounds. */
#define GEMM_ENTRIES(kernel, ...)                             \
    GEMM_LAYOUTS(GEMM_ENTRY, kernel, f32, float, __VA_ARGS__) \
    GEMM_LAYOUTS(GEMM_ENTRY, kernel, f64, double, __VA_ARGS__)

#define GEMM_ENTRY(layout, TRANS_A, TRANS_B, kernel, type, T, ...)                                                  \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__) gemm_##kernel##_##type##_##layout(GEMM_PARAMETERS(T)) \
    {                                                                                                               \
        kernel<TRANS_A, TRANS_B>(GEMM_OF(T));                                                                       \
    }
