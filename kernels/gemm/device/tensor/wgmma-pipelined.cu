/* gemm/wgmma-pipelined: one thread asks for tiles of the operands, two warpgroups multiply them, and none
 * waits for more than what it needs next.  Tiles that would leave a last round of blocks nearly empty are
 * divided along k; another launch adds their parts in order. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/common/pack-transposed.cuh"
#include "gemm/device/tensor/persistent.cuh"

/* The tile's numbers, which common/tensor-tiles.h has, are what comes last. */
#define PIPELINED_ENTRY(layout, TRANS_A, TRANS_B, tile, type, T, ...)                               \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1)                             \
        gemm_wgmma_pipelined_##tile##_##type##_##layout(WGMMA_PARAMETERS)                           \
    {                                                                                               \
        using Form = Tile<T, !TRANS_A, TRANS_B, __VA_ARGS__>;                                       \
        open_pipeline<Form>();                                                                      \
        grid_dependency_wait();                                                                     \
        run_pipeline<Form>(map_a, map_b, WGMMA_DESTINATION, k, partials, Cut{whole, parts, items}); \
    }

GEMM_LAYOUTS(PIPELINED_ENTRY, 128x256, f16, __half, GEMM_WGMMA_128X256)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x192, f16, __half, GEMM_WGMMA_128X192)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x128, f16, __half, GEMM_WGMMA_128X128)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x64, f16, __half, GEMM_WGMMA_128X64)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x256, bf16, __nv_bfloat16, GEMM_WGMMA_128X256)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x192, bf16, __nv_bfloat16, GEMM_WGMMA_128X192)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x128, bf16, __nv_bfloat16, GEMM_WGMMA_128X128)
GEMM_LAYOUTS(PIPELINED_ENTRY, 128x64, bf16, __nv_bfloat16, GEMM_WGMMA_128X64)
/* Lines of B that run across k are 64 columns: here it lies along k, or is turned as it is copied. */
PIPELINED_ENTRY(nt, false, true, 128x96, f16, __half, GEMM_WGMMA_128X96)
PIPELINED_ENTRY(tt, true, true, 128x96, f16, __half, GEMM_WGMMA_128X96)
PIPELINED_ENTRY(nt, false, true, 128x96, bf16, __nv_bfloat16, GEMM_WGMMA_128X96)
PIPELINED_ENTRY(tt, true, true, 128x96, bf16, __nv_bfloat16, GEMM_WGMMA_128X96)
GEMM_TURN_ENTRY(f16_nt, uint16_t)
GEMM_TURN_ENTRY(f16_tt, uint16_t)
GEMM_TURN_ENTRY(bf16_nt, uint16_t)
GEMM_TURN_ENTRY(bf16_tt, uint16_t)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_pipelined, f16, false, 1)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_pipelined, bf16, false, 1)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
