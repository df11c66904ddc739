/* gemm/wgmma-pipelined: one thread asks for tiles of the operands, two warpgroups multiply them, and none
 * waits for more than what it needs next.  Tiles that would leave a last round of blocks nearly empty are
 * divided along k; another launch adds their parts in order. */
#include "entries.cuh"
#include "wgmma-run.cuh"

GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x256, f16, __half, GEMM_WGMMA_128X256)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x128, f16, __half, GEMM_WGMMA_128X128)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x64, f16, __half, GEMM_WGMMA_128X64)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x256, bf16, __nv_bfloat16, GEMM_WGMMA_128X256)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x128, bf16, __nv_bfloat16, GEMM_WGMMA_128X128)
GEMM_LAYOUTS(WGMMA_ENTRY, wgmma_pipelined, 128x64, bf16, __nv_bfloat16, GEMM_WGMMA_128X64)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_pipelined, f16)
GEMM_LAYOUTS(WGMMA_SUM_ENTRY, wgmma_pipelined, bf16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
