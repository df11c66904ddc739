/* gemm/wgmma-cluster: pairs of blocks, one tile above the other, share what they load of B: each loads half
 * of it, and the copy engine writes it to both. */
#include "entries.cuh"
#include "wgmma-run.cuh"

GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_cluster, 128x256, f16, __half, GEMM_WGMMA_PAIR_128X256)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_cluster, 128x128, f16, __half, GEMM_WGMMA_PAIR_128X128)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_cluster, 128x256, bf16, __nv_bfloat16, GEMM_WGMMA_PAIR_128X256)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_cluster, 128x128, bf16, __nv_bfloat16, GEMM_WGMMA_PAIR_128X128)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
