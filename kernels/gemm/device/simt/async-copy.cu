/* gemm/async-copy: the pipeline with operands that begin anywhere and lie either way (simt/load-cp-async.cuh):
 * one kernel for all layouts. */
#include "gemm/device/simt/reduce-split-k.cuh"
#include "gemm/device/common/entries.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/simt/long-tiles.h"
#include "gemm/device/simt/load-cp-async.cuh"
#include "gemm/device/common/pack-operands.cuh"

#define ASYNC_COPY_ENTRY(tile, ...)                                                                                   \
    extern "C" __global__ void __launch_bounds__(CopiedShape<Tile<__VA_ARGS__>>::THREADS, Tile<__VA_ARGS__>::BLOCKS)  \
        gemm_async_copy_##tile##_f32(const float *a, int64_t lda, int32_t a_inner, const float *b, int64_t ldb,       \
                                     int32_t b_inner, float *c, int32_t m, int32_t n, int32_t k, int64_t ldc,         \
                                     float alpha, float beta, int32_t steps, int32_t longer, float4 *partial)         \
    {                                                                                                                 \
        using Form = CopiedShape<Tile<__VA_ARGS__>>;                                                                  \
        open_pipeline<Form>();                                                                                        \
        grid_dependency_wait();                                                                                       \
        run_copied<Form>(Lying{a, lda, a_inner != 0}, Lying{b, ldb, b_inner != 0}, Output{c, m, n, ldc, alpha, beta}, \
                         k, steps, longer, partial);                                                                  \
    }

ASYNC_COPY_ENTRY(128x128, GEMM_COPIED_128X128)
ASYNC_COPY_ENTRY(128x96, GEMM_COPIED_128X96)
ASYNC_COPY_ENTRY(96x128, GEMM_COPIED_96X128)
ASYNC_COPY_ENTRY(128x64, GEMM_COPIED_128X64)
ASYNC_COPY_ENTRY(64x128, GEMM_COPIED_64X128)
ASYNC_COPY_ENTRY(256x48, GEMM_COPIED_256X48)
ASYNC_COPY_ENTRY(48x256, GEMM_COPIED_48X256)
ASYNC_COPY_ENTRY(64x64, GEMM_COPIED_64X64)
ASYNC_COPY_ENTRY(128x32, GEMM_COPIED_128X32)
ASYNC_COPY_ENTRY(32x128, GEMM_COPIED_32X128)
ASYNC_COPY_ENTRY(32x64, GEMM_COPIED_32X64)
ASYNC_COPY_ENTRY(64x32, GEMM_COPIED_64X32)
ASYNC_COPY_ENTRY(128x16, GEMM_COPIED_128X16)
ASYNC_COPY_ENTRY(16x128, GEMM_COPIED_16X128)
ASYNC_COPY_ENTRY(256x64, GEMM_COPIED_256X64)
ASYNC_COPY_ENTRY(64x256, GEMM_COPIED_64X256)
ASYNC_COPY_ENTRY(256x32, GEMM_COPIED_256X32)
ASYNC_COPY_ENTRY(32x256, GEMM_COPIED_32X256)
GEMM_LAYOUTS(GEMM_SCALE_ENTRY)
GEMM_ADD_PARTS_ENTRY
