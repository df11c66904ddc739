/* gemm/stream-k: as many whole tiles as fill the device a whole number of times, a block each; the steps along k of the
 * tiles that are left are dealt evenly among blocks, across the bounds of tiles, and pieces of a tile are
 * added in a fixed order. */
#include "gemm/device/common/entries.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/common/pack-operands.cuh"
#include "gemm/device/simt/stream-k.cuh"

#define STREAM_K_ENTRY(layout, TRANS_A, TRANS_B, tile, ...)                                                           \
    extern "C" __global__ void __launch_bounds__(Shape<Tile<__VA_ARGS__>, !TRANS_A, TRANS_B>::THREADS,                \
                                                 GEMM_PIPELINE_BLOCKS)                                                \
        gemm_stream_k_##tile##_f32_##layout(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, \
                                            float *c, int32_t m, int32_t n, int64_t ldc, float alpha, float beta,     \
                                            int32_t steps, int32_t whole, int32_t base, int32_t longer, float4 *left, \
                                            uint32_t *came)                                                           \
    {                                                                                                                 \
        using Form = Shape<Tile<__VA_ARGS__>, !TRANS_A, TRANS_B>;                                                     \
        open_pipeline<Form>();                                                                                        \
        grid_dependency_wait();                                                                                       \
        run_stream<Form>(&a, &b, Output{c, m, n, ldc, alpha, beta},                                                   \
                         Stream{(uint32_t)whole, (uint32_t)steps, (uint32_t)base, (uint32_t)longer, came}, left);     \
    }

GEMM_LAYOUTS(STREAM_K_ENTRY, 128x128, GEMM_TILE_128X128)
GEMM_LAYOUTS(STREAM_K_ENTRY, 128x64, GEMM_TILE_128X64)
GEMM_LAYOUTS(STREAM_K_ENTRY, 64x64, GEMM_TILE_64X64)
GEMM_LAYOUTS(GEMM_REPACK_ENTRY)
GEMM_LAYOUTS(GEMM_SCALE_ENTRY)
