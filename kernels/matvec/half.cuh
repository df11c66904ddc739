/* The entry points for elements of 16 bits, whose sums are kept in f32: matvec_<kernel>_<type>_<layout>, to
 * a result of the inputs' own type, and to one in f32. */
#pragma once

#include "device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <> struct SumOf<__half> {
    using T = float;
};

template <> struct SumOf<__nv_bfloat16> {
    using T = float;
};

/* From the words that were loaded: the compiler would keep each element in a register of its own. */
__device__ inline float lane_of(const Pack<__nv_bfloat16> &pack, int q)
{
    uint32_t word;
    memcpy(&word, &pack.lane[q / 2 * 2], sizeof word);
    return __uint_as_float(q % 2 == 0 ? word << 16 : word & 0xffff0000u);
}

/* X(type, In, Out, ...) */
#define MATVEC_HALF_TYPES(X, ...)                      \
    X(f16, __half, __half, __VA_ARGS__)                \
    X(f16_f32, __half, float, __VA_ARGS__)             \
    X(bf16, __nv_bfloat16, __nv_bfloat16, __VA_ARGS__) \
    X(bf16_f32, __nv_bfloat16, float, __VA_ARGS__)

#define MATVEC_ALL_TYPES(X, ...)        \
    X(f32, float, float, __VA_ARGS__)   \
    X(f64, double, double, __VA_ARGS__) \
    MATVEC_HALF_TYPES(X, __VA_ARGS__)

/* As MATVEC_ENTRIES. */
#define MATVEC_HALF_ENTRIES(kernel, threads)                        \
    MATVEC_HALF_TYPES(MATVEC_HALF_ENTRY, n, false, kernel, threads) \
    MATVEC_HALF_TYPES(MATVEC_HALF_ENTRY, t, true, kernel, threads)

#define MATVEC_HALF_ENTRY(type, In, Out, layout, TRANS, kernel, threads)   \
    extern "C" __global__ void __launch_bounds__(threads)                  \
        matvec_##kernel##_##type##_##layout(MATVEC_PARAMETERS_OF(In, Out)) \
    {                                                                      \
        kernel<TRANS>(MATVEC_FROM(In, Out));                               \
    }
