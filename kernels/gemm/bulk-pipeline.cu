/* gemm/bulk-pipeline: four warps bring tiles with the copy engine, four multiply (pipeline.cuh). */
#include "pipeline-run.cuh"
#include "queue.cuh"
#include "repack.cuh"

#define ENTRY(name, A_INNER, B_INNER)                                                             \
    extern "C" __global__ void __launch_bounds__(Shape<Tile<GEMM_TILE_128X128>, A_INNER, B_INNER>::THREADS, \
                                                 GEMM_PIPELINE_BLOCKS)                            \
        name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, \
             int32_t m, int32_t n, int64_t ldc, float alpha, float beta, int32_t steps)           \
    {                                                                                             \
        using Whole = Shape<Tile<GEMM_TILE_128X128>, A_INNER, B_INNER>;                           \
        open_pipeline<Whole>();                                                                   \
        wait_for_queue();                                                                         \
        run_pipeline<Whole>(&a, &b, Output{c, m, n, ldc, alpha, beta}, steps, 0, nullptr, nullptr); \
    }

ENTRY(gemm_bulk_pipeline_f32_nn, true, false)
ENTRY(gemm_bulk_pipeline_f32_nt, true, true)
ENTRY(gemm_bulk_pipeline_f32_tn, false, false)
ENTRY(gemm_bulk_pipeline_f32_tt, false, true)

GEMM_REPACK_ENTRY(gemm_repack_f32_nn)
GEMM_REPACK_ENTRY(gemm_repack_f32_nt)
GEMM_REPACK_ENTRY(gemm_repack_f32_tn)
GEMM_REPACK_ENTRY(gemm_repack_f32_tt)

GEMM_SCALE_ENTRY(gemm_scale_f32_nn)
GEMM_SCALE_ENTRY(gemm_scale_f32_nt)
GEMM_SCALE_ENTRY(gemm_scale_f32_tn)
GEMM_SCALE_ENTRY(gemm_scale_f32_tt)
