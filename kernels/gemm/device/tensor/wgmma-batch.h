/* What launches of wgmma-tf32 for batches say besides numbers, read by C and nvcc. */
#ifndef PLX_KERNELS_GEMM_WGMMA_BATCH_H
#define PLX_KERNELS_GEMM_WGMMA_BATCH_H

#define GEMM_WGMMA_BULK 1  /* C leaves by bulk stores */
#define GEMM_WGMMA_ONE_A 2 /* all problems have one first operand of the product that is multiplied, or one second */
#define GEMM_WGMMA_ONE_B 4

#endif
