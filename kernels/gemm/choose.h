/* The kernels of matrix products, by their places on the ladder, and which of them `auto` takes. */
#ifndef PLX_KERNELS_GEMM_CHOOSE_H
#define PLX_KERNELS_GEMM_CHOOSE_H

#include "recipe.h"

enum {
    PLX_GEMM_NAIVE,
    PLX_GEMM_COALESCED,
    PLX_GEMM_SMEM_BLOCK,
    PLX_GEMM_TILE_1D,
    PLX_GEMM_TILE_2D,
    PLX_GEMM_VECTORIZED,
    PLX_GEMM_WARP_TILE,
    PLX_GEMM_DOUBLE_BUFFER,
    PLX_GEMM_BULK_PIPELINE,
    PLX_GEMM_SPLIT_K,
    PLX_GEMM_STREAM_K,
    PLX_GEMM_ASYNC_COPY,
    PLX_GEMM_MANY_BLOCKS,
    PLX_GEMM_SHORT_K,
    PLX_GEMM_FEW_ROWS,
    PLX_GEMM_MATVEC,
    PLX_GEMM_DMMA,
    PLX_GEMM_DMMA_BULK,
    PLX_GEMM_MMA_SYNC,
    PLX_GEMM_WGMMA,
    PLX_GEMM_WGMMA_PIPELINED,
    PLX_GEMM_WGMMA_CLUSTER,
    PLX_GEMM_WGMMA_ELECTED,
    PLX_GEMM_MMA_DIRECT,
    PLX_GEMM_WGMMA_NARROW,
    PLX_GEMM_MMA_SYNC_TF32,
    PLX_GEMM_WGMMA_TF32,
    PLX_GEMM_F16X3,
    PLX_GEMM_BF16X6,
    PLX_GEMM_ROWS
};

/* The row whose modelled time is the least of those that the device can run. */
size_t plx_gemm_choose(const plx_problem *problem, const plx_device_info *device);

#endif
