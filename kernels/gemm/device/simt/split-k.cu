/* gemm/split-k: bulk-pipeline on smaller tiles, and with parts of k in blocks of their own: as many
 * blocks as fill the device, whatever the shape of C.  The parts are added in a fixed order. */
#include "gemm/device/simt/reduce-split-k.cuh"
#include "gemm/device/common/entries.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/simt/warp-specialised.cuh"
#include "gemm/device/common/pack-operands.cuh"

#define SPLIT_K_ENTRY(layout, TRANS_A, TRANS_B, tile, ...)                                                           \
    extern "C" __global__ void __launch_bounds__(Shape<Tile<__VA_ARGS__>, !TRANS_A, TRANS_B>::THREADS,               \
                                                 GEMM_PIPELINE_BLOCKS)                                               \
        gemm_split_k_##tile##_f32_##layout(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, \
                                           float *c, int32_t m, int32_t n, int64_t ldc, float alpha, float beta,     \
                                           int32_t steps, int32_t longer, float4 *partial, const float *a_there,     \
                                           int64_t lda, const float *b_there, int64_t ldb, int32_t m_all,            \
                                           int32_t n_all, int32_t k)                                                 \
    {                                                                                                                \
        using Form = Shape<Tile<__VA_ARGS__>, !TRANS_A, TRANS_B>;                                                    \
        const Output out{c, m, n, ldc, alpha, beta};                                                                 \
        open_pipeline<Form>();                                                                                       \
        grid_dependency_wait();                                                                                      \
        if (compute_edges<Form>(out, Edges{a_there, b_there, lda, ldb, m_all, n_all, k}))                            \
            return;                                                                                                  \
        run_pipeline<Form>(&a, &b, out, steps, longer, partial);                                                     \
    }

GEMM_LAYOUTS(SPLIT_K_ENTRY, 128x128, GEMM_TILE_128X128)
GEMM_LAYOUTS(SPLIT_K_ENTRY, 128x64, GEMM_TILE_128X64)
GEMM_LAYOUTS(SPLIT_K_ENTRY, 64x64, GEMM_TILE_64X64)
GEMM_LAYOUTS(SPLIT_K_ENTRY, 128x32, GEMM_TILE_128X32)
GEMM_LAYOUTS(SPLIT_K_ENTRY, 32x128, GEMM_TILE_32X128)
GEMM_LAYOUTS(GEMM_REPACK_ENTRY)
GEMM_LAYOUTS(GEMM_SCALE_ENTRY)
GEMM_ADD_PARTS_ENTRY
