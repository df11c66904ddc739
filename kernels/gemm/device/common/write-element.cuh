/* An element of C, of any of its types. */
#pragma once

#include "gemm/device/common/epilogue.cuh"

/* At (row, col), if it exists. */
static __device__ __forceinline__ void write_element(const Result &to, int64_t row, int64_t col, float sum)
{
    if (row >= to.m || col >= to.n)
        return;
    const float x = finished(to, row, col, sum);
    const int64_t at = row * to.ldc + col;
    if (to.type == GEMM_RESULT_F32)
        static_cast<float *>(to.c)[at] = x;
    else
        static_cast<uint16_t *>(to.c)[at] = (uint16_t)narrowed(to.type, x, 0.0f);
}
