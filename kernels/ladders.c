/* The list of operations that have device kernels: one line each. */
#include "recipe.h"

const plx_ladder *plx_ladder_of(plx_op op)
{
    static const plx_ladder *const ladders[PLX_OP_COUNT] = {
        [PLX_REDUCE] = &plx_reduce_ladder,
        [PLX_TRANSPOSE] = &plx_transpose_ladder,
        [PLX_MATVEC] = &plx_matvec_ladder,
        [PLX_GEMM] = &plx_gemm_ladder,
    };
    return (unsigned)op < PLX_OP_COUNT ? ladders[op] : NULL;
}
