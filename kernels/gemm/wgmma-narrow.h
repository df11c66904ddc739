/* Sizes of wgmma-narrow, that the C compiler and nvcc share: rows of a tile, threads of a block, and bytes of shared
 * memory: all stages, and with barriers, what leaves turned, and room to begin at 1024. */

#define GEMM_NARROW_ROWS 64
#define GEMM_NARROW_THREADS 160
#define GEMM_NARROW_STAGES 208896
#define GEMM_NARROW_PITCH (GEMM_NARROW_ROWS + 4) /* of the sums of a column on their way */
#define GEMM_NARROW_SHARED (1024 + GEMM_NARROW_STAGES + 512 + 64 * GEMM_NARROW_PITCH * 4)
#define GEMM_NARROW_ADDERS 8 /* warps that add up parts of k */
