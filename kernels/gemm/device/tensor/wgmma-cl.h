/* Sizes of wgmma in OpenCL, that the C compiler and the kernel share: a tile of C, and stages, of which two are on
 * their way, one is multiplied, and one may still be read. */

#define GEMM_WGMMA_CL_ROWS 64
#define GEMM_WGMMA_CL_COLS 128
#define GEMM_WGMMA_CL_STAGES 4
#define GEMM_WGMMA_CL_THREADS 128
#define GEMM_WGMMA_CL_SWIZZLE 1024 /* bytes: stages begin at multiples of its period */
