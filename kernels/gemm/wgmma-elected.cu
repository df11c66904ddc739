/* gemm/wgmma-elected: tiles of any width, either operand as the rows, in clusters that share what they load; one elected
 * lane of a whole warp asks for it. */
#include "entries.cuh"
#include "wgmma-elected.cuh"

#define ELECTED_ENTRY(BLOCKS, COLS, type, T)                                                                         \
    extern "C" __global__ void __launch_bounds__(GEMM_ELECTED_THREADS, 1)                                            \
        gemm_wgmma_elected_##BLOCKS##x##COLS##_##type##_nt(                                                          \
            const __grid_constant__ TensorMap map_x, const __grid_constant__ TensorMap map_y,                        \
            const __grid_constant__ TensorMap map_c, const __grid_constant__ TensorMap map_rest, void *c,            \
            int type_of_c, int m, int n, int k, int64_t ldc, float alpha, float beta, int cluster_rows,              \
            int cluster_cols, int down, int across, int order, int stages, int outs, int flags)                      \
    {                                                                                                                \
        using Tile = ElectedTile<T, BLOCKS, COLS>;                                                                   \
        const ElectedMaps maps = {&map_x, &map_y, &map_c, &map_rest};                                                \
        const ElectedCut cut = {cluster_rows, cluster_cols, down, across, order, stages, outs, flags};               \
        open_elected<Tile>(maps, cut);                                                                               \
        grid_dependency_wait();                                                                                      \
        multiply_elected<Tile>(maps, Result{c, type_of_c, m, n, ldc, alpha, beta}, cut, k);                          \
    }

GEMM_ELECTED_TILES(ELECTED_ENTRY, f16, __half)
GEMM_ELECTED_TILES(ELECTED_ENTRY, bf16, __nv_bfloat16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
