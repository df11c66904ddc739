/* gemm/wgmma-tf32 for batches, whose maps have a third dimension.  Its forms are those of wgmma-tf32.cu.  No operand is
 * copied or turned first, and no tile is divided. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/persistent-batch.cuh"

#define TF32_BATCH_ENTRY(tile, layout, A_INNER, TURNED, ...)                                  \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1)                       \
        gemm_wgmma_tf32_batch_##tile##_f32_##layout(WGMMA_BATCH_PARAMETERS)                   \
    {                                                                                         \
        using Form = Tile<Tf32, A_INNER, true, __VA_ARGS__, TURNED>;                          \
        open_pipeline<Form>();                                                                \
        grid_dependency_wait();                                                               \
        run_batch<Form>(map_a, map_b, map_c, Result{c, type_of_c, m, n, ldc, alpha, beta}, k, \
                        Batch{tiles, items, flags, stride_c});                                \
    }

#define TF32_BATCH_FORM(layout, A_INNER, TURNED)                           \
    TF32_BATCH_ENTRY(128x256, layout, A_INNER, TURNED, GEMM_WGMMA_128X256) \
    TF32_BATCH_ENTRY(128x192, layout, A_INNER, TURNED, GEMM_WGMMA_128X192) \
    TF32_BATCH_ENTRY(128x128, layout, A_INNER, TURNED, GEMM_WGMMA_128X128) \
    TF32_BATCH_ENTRY(128x64, layout, A_INNER, TURNED, GEMM_WGMMA_128X64)   \
    TF32_BATCH_ENTRY(128x96, layout, A_INNER, TURNED, GEMM_WGMMA_128X96)

TF32_BATCH_FORM(nt, true, false)
TF32_BATCH_FORM(tt, false, false)
TF32_BATCH_FORM(nn, false, true)
