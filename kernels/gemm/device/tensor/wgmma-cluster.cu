/* gemm/wgmma-cluster: pairs of blocks, one tile above the other, share what they load of B: each loads half
 * of it, and the copy engine writes it to both.  Tiles that would leave a last round of pairs nearly empty are
 * divided along k, as in wgmma-pipelined. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/persistent.cuh"

/* The tile's numbers, which common/tensor-tiles.h has, are what comes last. */
#define CLUSTER_ENTRY(layout, TRANS_A, TRANS_B, tile, type, T, ...)                                 \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_THREADS, 1)                             \
        gemm_wgmma_cluster_##tile##_##type##_##layout(WGMMA_PARAMETERS)                             \
    {                                                                                               \
        using Form = Tile<T, !TRANS_A, TRANS_B, __VA_ARGS__>;                                       \
        open_pipeline<Form>();                                                                      \
        grid_dependency_wait();                                                                     \
        run_pipeline<Form>(map_a, map_b, WGMMA_DESTINATION, k, partials, Cut{whole, parts, items}); \
    }

GEMM_LAYOUTS(CLUSTER_ENTRY, 128x256, f16, __half, GEMM_WGMMA_PAIR_128X256)
GEMM_LAYOUTS(CLUSTER_ENTRY, 128x128, f16, __half, GEMM_WGMMA_PAIR_128X128)
GEMM_LAYOUTS(CLUSTER_ENTRY, 128x256, bf16, __nv_bfloat16, GEMM_WGMMA_PAIR_128X256)
GEMM_LAYOUTS(CLUSTER_ENTRY, 128x128, bf16, __nv_bfloat16, GEMM_WGMMA_PAIR_128X128)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_cluster, f16, false, 2)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_cluster, bf16, false, 2)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
