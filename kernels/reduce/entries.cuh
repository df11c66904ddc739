/* The entry points of this directory's kernels: reduce_<kernel>_<type>_<operation>, as kernels.c spells
 * them.  A kernel file ends with the line that makes its own. */
#pragma once

#include <cstdint>

/* X(variant, R, ...): how R (device.cuh) combines two elements.  Integers are summed without sign:
 * they wrap by definition. */
#define REDUCE_VARIANTS(X, ...)            \
    X(i32_sum, Sum<uint32_t>, __VA_ARGS__) \
    X(i64_sum, Sum<uint64_t>, __VA_ARGS__) \
    X(f32_sum, Sum<float>, __VA_ARGS__)    \
    X(f64_sum, Sum<double>, __VA_ARGS__)   \
    X(i32_min, Min<int32_t>, __VA_ARGS__)  \
    X(i64_min, Min<int64_t>, __VA_ARGS__)  \
    X(f32_min, Min<float>, __VA_ARGS__)    \
    X(f64_min, Min<double>, __VA_ARGS__)   \
    X(i32_max, Max<int32_t>, __VA_ARGS__)  \
    X(i64_max, Max<int64_t>, __VA_ARGS__)  \
    X(f32_max, Max<float>, __VA_ARGS__)    \
    X(f64_max, Max<double>, __VA_ARGS__)

/* reduce_<kernel><R>(x, out, n) by blocks of `threads`. */
#define REDUCE_ENTRIES(kernel, threads) REDUCE_VARIANTS(REDUCE_ENTRY, kernel, threads)

#define REDUCE_ENTRY(variant, R, kernel, threads)                        \
    extern "C" __global__ void __launch_bounds__(threads)                \
        reduce_##kernel##_##variant(const R::T *x, R::T *out, int64_t n) \
    {                                                                    \
        reduce_##kernel<R>(x, out, n);                                   \
    }

/* reduce_<kernel><R>(x, result, partials, tickets, n), of kernels with one launch. */
#define REDUCE_GRID_ENTRY(variant, R, kernel, threads)                                                         \
    extern "C" __global__ void __launch_bounds__(threads)                                                      \
        reduce_##kernel##_##variant(const R::T *x, R::T *result, R::T *partials, unsigned *tickets, int64_t n) \
    {                                                                                                          \
        reduce_##kernel<R>(x, result, partials, tickets, n);                                                   \
    }
