/* The list of operations that have device kernels: one line each. */
#include "recipe.h"

#include <stddef.h>

typedef struct ladder_entry {
    const char *name;
    const plx_ladder *ladder;
} ladder_entry;

static const ladder_entry ladders[PLX_OP_COUNT] = {
    [PLX_REDUCE] = {"reduce", &plx_reduce_ladder},
    [PLX_TRANSPOSE] = {"transpose", &plx_transpose_ladder},
    [PLX_MATVEC] = {"matvec", &plx_matvec_ladder},
    [PLX_GEMM] = {"gemm", &plx_gemm_ladder},
    [PLX_PROBE] = {"probe", &plx_probe_ladder},
};

const plx_ladder *plx_ladder_of(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].ladder : NULL;
}

const char *plx_ladder_name(plx_op op)
{
    return (unsigned)op < PLX_OP_COUNT ? ladders[op].name : NULL;
}
