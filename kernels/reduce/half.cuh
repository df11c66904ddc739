/* Reductions of elements of 16 bits: they become f32 as they are read, and combine there. */
#pragma once

#include "device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* As reduce_packs() of device.cuh: a lane of each pack of a tile is combined one after the other. */
template <class R, class In, int BLOCK, int LOADS> __device__ float reduce_half_packs(const In *x, int64_t n)
{
    constexpr int TILE = BLOCK * LOADS, WIDTH = Pack<In>::width;
    const Packed<In> all(x, n);
    float of_lane[WIDTH];

#pragma unroll
    for (int q = 0; q < WIDTH; ++q)
        of_lane[q] = R::identity();
    for (int64_t tile = (int64_t)blockIdx.x * TILE; tile < all.count; tile += (int64_t)gridDim.x * TILE) {
        const Pack<In> *from = all.packs() + tile + threadIdx.x;
        const int64_t left = all.count - tile - threadIdx.x;
        Pack<In> loaded[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
            if (k * BLOCK < left)
                loaded[k] = load_streaming(from + k * BLOCK);
#pragma unroll
        for (int k = 0; k < LOADS; ++k)
#pragma unroll
            for (int q = 0; q < WIDTH; ++q)
                if (k * BLOCK < left)
                    of_lane[q] = R::combine(of_lane[q], float(loaded[k].lane[q]));
    }
#pragma unroll
    for (int width = WIDTH / 2; width > 0; width /= 2)
        for (int q = 0; q < width; ++q)
            of_lane[q] = R::combine(of_lane[q], of_lane[q + width]);
    float value = of_lane[0];
    if (blockIdx.x == 0 && threadIdx.x < all.head)
        value = R::combine(value, float(x[threadIdx.x]));
    if (blockIdx.x == 0 && threadIdx.x < all.n - all.end())
        value = R::combine(value, float(x[all.end() + threadIdx.x]));
    return value;
}

/* X(variant, R, In, Out, ...): a result of the inputs' own type, and one in f32. */
#define REDUCE_HALF_VARIANTS(X, ...)                   \
    REDUCE_HALF_TYPES(X, sum, Sum<float>, __VA_ARGS__) \
    REDUCE_HALF_TYPES(X, min, Min<float>, __VA_ARGS__) \
    REDUCE_HALF_TYPES(X, max, Max<float>, __VA_ARGS__)

#define REDUCE_HALF_TYPES(X, how, R, ...)                       \
    X(f16_##how, R, __half, __half, __VA_ARGS__)                \
    X(f16_f32_##how, R, __half, float, __VA_ARGS__)             \
    X(bf16_##how, R, __nv_bfloat16, __nv_bfloat16, __VA_ARGS__) \
    X(bf16_f32_##how, R, __nv_bfloat16, float, __VA_ARGS__)

/* reduce_<kernel>_<variant>(x, out, n), kernel<R>() from what FROM is to what TO is. */
#define REDUCE_HALF_ENTRY(variant, R, In, Out, kernel, FROM, TO, threads)         \
    extern "C" __global__ void __launch_bounds__(threads)                         \
        reduce_##kernel##_##variant(const FROM(In) * x, TO(Out) * out, int64_t n) \
    {                                                                             \
        reduce_##kernel<R>(x, out, n);                                            \
    }
#define REDUCE_OF_MEMORY(Type) Type
#define REDUCE_OF_PARTIALS(Type) float
