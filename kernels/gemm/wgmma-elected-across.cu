/* gemm/wgmma-elected for operands of which one lies across k.  The layout in a name is the one of X and Y, which are
 * A and B, or turned B' and A'. */
#include "entries.cuh"
#include "wgmma-elected.cuh"

#define ENTRIES(layout, X_INNER, Y_INNER)                                                        \
    GEMM_ELECTED_ACROSS_TILES(ELECTED_ENTRY, f16, __half, layout, X_INNER, Y_INNER)              \
    GEMM_ELECTED_ACROSS_TILES(ELECTED_ENTRY, bf16, __nv_bfloat16, layout, X_INNER, Y_INNER)

ENTRIES(nn, true, false)
ENTRIES(tt, false, true)
