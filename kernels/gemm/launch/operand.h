/* Operands of a product as they lie in memory, and as the copy engine reaches them. */
#ifndef PLX_KERNELS_GEMM_OPERAND_H
#define PLX_KERNELS_GEMM_OPERAND_H

#include "recipe.h"

typedef struct plx_gemm_operand {
    uint32_t operand;
    plx_dtype dtype;
    int64_t rows, cols, ld; /* elements */
    bool inner;             /* its rows run along k */
    bool repacked;          /* to scratch memory, from `offset` on, in rows of `pitch` elements */
    bool transposed;        /* and its rows become columns; rows, cols and inner are as it was */
    int64_t offset, pitch;
} plx_gemm_operand;

/* Operand 0, A, or 1, B. */
plx_gemm_operand plx_gemm_operand_as(const plx_problem *problem, uint32_t operand);
/* Whether each row begins at a multiple of 16 bytes where the first one does. */
bool plx_gemm_steps_by_units(const plx_gemm_operand *stored);
/* All of its map but the box and the swizzle. */
plx_tensor_map plx_gemm_map_of(const plx_gemm_operand *stored);
/* All of it for tiles with `side` of the operand's other index, GEMM_PIPELINE_DEPTH along k . */
plx_tensor_map plx_gemm_map_of_boxes(const plx_gemm_operand *stored, int side);

/* Room in scratch memory behind *scratch for what their paths ask for, and the launch that packs both, or transposes
 * one of f32 (common/pack-operands.cuh, common/pack-transposed.cuh). */
plx_status plx_gemm_pack(const plx_device_info *device, plx_gemm_operand *a, plx_gemm_operand *b, uint64_t *scratch,
                         plx_recipe *recipe, plx_error *error);
/* As many blocks as `items` need, and at most what a device runs side by side. */
uint64_t plx_gemm_blocks_for(int64_t items, int64_t per_block, const plx_device_info *device);

#endif
