/* gemm/wgmma-elected: tiles of any width, either operand as the rows, in clusters that share what they load;
 * one elected lane of a whole warp asks for it.  Here both operands' rows run along k; the others are in
 * wgmma-elected-across.cu. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/wgmma-elected-sum.cuh"
#include "gemm/device/tensor/wgmma-elected.cuh"

#define ELECTED_ENTRY(BLOCKS, COLS, type, T, layout, X_INNER, Y_INNER)               \
    extern "C" __global__ void __launch_bounds__(GEMM_ELECTED_THREADS, 1)            \
        gemm_wgmma_elected_##BLOCKS##x##COLS##_##type##_##layout(ELECTED_PARAMETERS) \
    {                                                                                \
        using Tile = ElectedTile<T, BLOCKS, COLS, X_INNER, Y_INNER>;                 \
        open_elected<Tile>(ELECTED_MAPS, ELECTED_SCHEDULE);                          \
        multiply_elected<Tile>(ELECTED_MAPS, ELECTED_RESULT, ELECTED_SCHEDULE, k);   \
    }

GEMM_ELECTED_TILES(ELECTED_ENTRY, f16, __half, nt, true, true)
GEMM_ELECTED_TILES(ELECTED_ENTRY, bf16, __nv_bfloat16, nt, true, true)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)

extern "C" __global__ void __launch_bounds__(GEMM_ELECTED_SUM_THREADS)
    gemm_wgmma_elected_sum_f32(void *c, int type_of_c, int m, int n, int64_t ldc, float alpha, float beta, int turned,
                               const float4 *partials, int ranges, int rows, int cols, int across)
{
    add_ranges(Result{c, type_of_c, m, n, ldc, alpha, beta}, turned != 0, partials, ranges, rows, cols, across);
}
