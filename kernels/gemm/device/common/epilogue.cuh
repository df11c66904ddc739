/* C as the products on matrix units write it: sums are f32, and the elements of C f32, f16 or bf16.
 * alpha * sum + beta * C is computed in f32 and rounded once more where C is narrower. */
#pragma once

#include "gemm/device/common/tensor-tiles.h"

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Result {
    void *c;
    int type; /* GEMM_RESULT_ */
    int64_t m, n, ldc;
    float alpha, beta;
};

static __device__ __forceinline__ int bytes_of_element(int type)
{
    return type == GEMM_RESULT_F32 ? 4 : 2;
}

static __device__ __forceinline__ float element_before(const Result &to, int64_t row, int64_t col)
{
    const int64_t at = row * to.ldc + col;
    if (to.type == GEMM_RESULT_F32)
        return static_cast<const float *>(to.c)[at];
    return to.type == GEMM_RESULT_F16 ? __half2float(static_cast<const __half *>(to.c)[at])
                                      : __bfloat162float(static_cast<const __nv_bfloat16 *>(to.c)[at]);
}

/* What is to be written at (row, col), which need not exist. */
static __device__ __forceinline__ float finished(const Result &to, int64_t row, int64_t col, float sum)
{
    const float product = to.alpha * sum;
    return to.beta == 0.0f || row >= to.m || col >= to.n ? product
                                                         : fmaf(to.beta, element_before(to, row, col), product);
}

/* Two neighbours in a row, as they lie in memory; 16-bit types. */
static __device__ __forceinline__ unsigned narrowed(int type, float first, float second)
{
    if (type == GEMM_RESULT_F16) {
        const __half2 both = __floats2half2_rn(first, second);
        return *reinterpret_cast<const unsigned *>(&both);
    }
    const __nv_bfloat162 both = __floats2bfloat162_rn(first, second);
    return *reinterpret_cast<const unsigned *>(&both);
}

/* The neighbours at (row, col) and (row, col + 1), those that exist. */
static __device__ __forceinline__ void write_pair(const Result &to, int64_t row, int64_t col, float first, float second)
{
    const bool one = row < to.m && col < to.n, both = one && col + 1 < to.n;
    const int64_t at = row * to.ldc + col;
    const float x = finished(to, row, col, first), y = finished(to, row, col + 1, second);

    if (to.type == GEMM_RESULT_F32) {
        float *c = static_cast<float *>(to.c) + at;
        if (both && (uintptr_t)c % 8 == 0) {
            *reinterpret_cast<float2 *>(c) = make_float2(x, y);
            return;
        }
        if (one)
            c[0] = x;
        if (both)
            c[1] = y;
        return;
    }
    uint16_t *c = static_cast<uint16_t *>(to.c) + at;
    const unsigned pair = narrowed(to.type, x, y);
    if (both && (uintptr_t)c % 4 == 0) {
        *reinterpret_cast<unsigned *>(c) = pair;
        return;
    }
    if (one)
        c[0] = (uint16_t)pair;
    if (both)
        c[1] = (uint16_t)(pair >> 16);
}

/* The element at (row, col), if it exists; C in f32. */
static __device__ __forceinline__ void write_one(const Result &to, int64_t row, int64_t col, float sum)
{
    if (row < to.m && col < to.n)
        static_cast<float *>(to.c)[row * to.ldc + col] = finished(to, row, col, sum);
}
