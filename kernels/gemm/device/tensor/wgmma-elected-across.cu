/* gemm/wgmma-elected for operands of which one or both lie across k.  The layout in a name is the one of X and Y,
 * which are A and B, or transposed B' and A'. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/wgmma-elected.cuh"

#define ELECTED_ENTRY(BLOCKS, COLS, type, T, layout, X_INNER, Y_INNER)               \
    extern "C" __global__ void __launch_bounds__(GEMM_ELECTED_THREADS, 1)            \
        gemm_wgmma_elected_##BLOCKS##x##COLS##_##type##_##layout(ELECTED_PARAMETERS) \
    {                                                                                \
        using Tile = ElectedTile<T, BLOCKS, COLS, X_INNER, Y_INNER>;                 \
        open_elected<Tile>(ELECTED_MAPS, ELECTED_SCHEDULE);                          \
        multiply_elected<Tile>(ELECTED_MAPS, ELECTED_RESULT, ELECTED_SCHEDULE, k);   \
    }

#define ENTRIES(layout, X_INNER, Y_INNER)                                           \
    GEMM_ELECTED_ACROSS_TILES(ELECTED_ENTRY, f16, __half, layout, X_INNER, Y_INNER) \
    GEMM_ELECTED_ACROSS_TILES(ELECTED_ENTRY, bf16, __nv_bfloat16, layout, X_INNER, Y_INNER)

ENTRIES(nn, true, false)
ENTRIES(tt, false, true)
ENTRIES(tn, false, false)
