/* gemm/bulk-pipeline: warps with one task each.  Four bring tiles with the copy engine, four do
 * nothing but multiply (simt/mainloop.cuh): no multiply-add waits for memory, for an address, or for a
 * barrier of the whole block. */
#include "gemm/device/common/entries.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/simt/warp-specialised.cuh"
#include "gemm/device/common/pack-operands.cuh"

#define BULK_PIPELINE_ENTRY(layout, TRANS_A, TRANS_B, ...)                                                        \
    extern "C" __global__ void __launch_bounds__(Shape<Tile<GEMM_TILE_128X128>, !TRANS_A, TRANS_B>::THREADS,      \
                                                 GEMM_PIPELINE_BLOCKS)                                            \
        gemm_bulk_pipeline_f32_##layout(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, \
                                        float *c, int32_t m, int32_t n, int64_t ldc, float alpha, float beta,     \
                                        int32_t steps)                                                            \
    {                                                                                                             \
        using Whole = Shape<Tile<GEMM_TILE_128X128>, !TRANS_A, TRANS_B>;                                          \
        open_pipeline<Whole>();                                                                                   \
        grid_dependency_wait();                                                                                   \
        run_pipeline<Whole>(&a, &b, Output{c, m, n, ldc, alpha, beta}, steps, 0, nullptr);                        \
    }

GEMM_LAYOUTS(BULK_PIPELINE_ENTRY)
GEMM_LAYOUTS(GEMM_REPACK_ENTRY)
GEMM_LAYOUTS(GEMM_SCALE_ENTRY)
