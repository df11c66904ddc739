/* gemm/wgmma-elected: tiles of any width, either operand as the rows, in clusters that share what they load; one elected
 * lane of a whole warp asks for it.  Here both operands' rows run along k; the others are in wgmma-elected-across.cu. */
#include "entries.cuh"
#include "wgmma-elected.cuh"

GEMM_ELECTED_TILES(ELECTED_ENTRY, f16, __half, nt, true, true)
GEMM_ELECTED_TILES(ELECTED_ENTRY, bf16, __nv_bfloat16, nt, true, true)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)
