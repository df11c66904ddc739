/* The entry points of this directory's kernels: matvec_<kernel>_<type>_<layout>, n for A as it is and
 * t for A transposed, and what a kernel appends to that; as kernels.c spells them.  A kernel file ends
 * with the lines that make its own. */
#pragma once

#include <cstdint>

#define MATVEC_PARAMETERS_OF(In, Out)                                                                        \
    const In *__restrict__ a, const In *__restrict__ x, Out *__restrict__ y, int64_t outputs, int64_t terms, \
        int64_t lda, SumOf<In>::T alpha, SumOf<In>::T beta
#define MATVEC_PARAMETERS(T) MATVEC_PARAMETERS_OF(T, T)
#define MATVEC_FROM(In, Out) (Matvec<In, Out>{a, x, y, outputs, terms, lda, alpha, beta})
#define MATVEC_OF(T) MATVEC_FROM(T, T)

/* X(type, T, ...) */
#define MATVEC_TYPES(X, ...) X(f32, float, __VA_ARGS__) X(f64, double, __VA_ARGS__)

/* X(type, T, layout, TRANS, ...) */
#define MATVEC_LAYOUTS(X, ...) MATVEC_TYPES(X, n, false, __VA_ARGS__) MATVEC_TYPES(X, t, true, __VA_ARGS__)

/* kernel<TRANS>(Matvec<T>) by blocks of `threads`. */
#define MATVEC_ENTRIES(kernel, threads) MATVEC_LAYOUTS(MATVEC_ENTRY, kernel, threads)

#define MATVEC_ENTRY(type, T, layout, TRANS, kernel, threads)                                                       \
    extern "C" __global__ void __launch_bounds__(threads) matvec_##kernel##_##type##_##layout(MATVEC_PARAMETERS(T)) \
    {                                                                                                               \
        kernel<TRANS>(MATVEC_OF(T));                                                                                \
    }

/* The same where so many blocks of f32, and half as many of f64, shall fit on a multiprocessor: a thread gets
 * no more registers than that leaves it. */
#define MATVEC_DENSE_ENTRIES(kernel, threads, blocks) MATVEC_LAYOUTS(MATVEC_DENSE_ENTRY, kernel, threads, blocks)

#define MATVEC_DENSE_ENTRY(type, T, layout, TRANS, kernel, threads, blocks)       \
    extern "C" __global__ void __launch_bounds__(threads, (blocks)*4 / sizeof(T)) \
        matvec_##kernel##_##type##_##layout(MATVEC_PARAMETERS(T))                 \
    {                                                                             \
        kernel<TRANS>(MATVEC_OF(T));                                              \
    }
