/* Sizes of warp-per-product, read by C and nvcc. */
#ifndef PLX_KERNELS_GEMM_WARP_PER_PRODUCT_H
#define PLX_KERNELS_GEMM_WARP_PER_PRODUCT_H

#define GEMM_WARP_SIDE 32       /* the most rows and columns of C */
#define GEMM_WARP_SMALL_SIDE 16 /* with less to do for each */
#define GEMM_WARP_PRODUCTS 4    /* of a block */
#define GEMM_WARP_DEPTH 32      /* terms in shared memory at a time */

#endif
