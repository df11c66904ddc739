/* gemm/wgmma-tf32: wgmma-pipelined for f32 that is multiplied as TF32, which the units read from shared
 * memory along k alone.  Its forms: nt, where both operands lie so; tt, where A's rows run across and A goes
 * through registers; nn, the same with B, whose product is B^T A^T and C turned.  Of tn, where both run
 * across, one is turned first. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/common/pack-transposed.cuh"
#include "gemm/device/tensor/persistent.cuh"

/* The tile's numbers, which common/tensor-tiles.h has, are what comes last. */
#define TF32_ENTRY(tile, layout, A_INNER, TURNED, ...)                                              \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1)                             \
        gemm_wgmma_tf32_##tile##_f32_##layout(WGMMA_PARAMETERS)                                     \
    {                                                                                               \
        using Form = Tile<Tf32, A_INNER, true, __VA_ARGS__, TURNED>;                                \
        open_pipeline<Form>();                                                                      \
        grid_dependency_wait();                                                                     \
        run_pipeline<Form>(map_a, map_b, WGMMA_DESTINATION, k, partials, Cut{whole, parts, items}); \
    }

#define TF32_FORM(layout, A_INNER, TURNED)                           \
    TF32_ENTRY(128x256, layout, A_INNER, TURNED, GEMM_WGMMA_128X256) \
    TF32_ENTRY(128x192, layout, A_INNER, TURNED, GEMM_WGMMA_128X192) \
    TF32_ENTRY(128x128, layout, A_INNER, TURNED, GEMM_WGMMA_128X128) \
    TF32_ENTRY(128x64, layout, A_INNER, TURNED, GEMM_WGMMA_128X64)   \
    TF32_ENTRY(128x96, layout, A_INNER, TURNED, GEMM_WGMMA_128X96)   \
    WGMMA_SUM_ENTRY(layout, , , wgmma_tf32, f32, TURNED, 1)          \
    GEMM_REPACK_ENTRY(layout)                                        \
    GEMM_TURN_ENTRY(f32_##layout, float)                             \
    GEMM_SCALE_ENTRY(layout)

TF32_FORM(nt, true, false)
TF32_FORM(tt, false, false)
TF32_FORM(nn, false, true)
