/* Sizes of wgmma-narrow, that the C compiler and nvcc share: rows of a tile, threads of a block, blocks that a
 * multiprocessor has room for, and bytes of shared memory: all stages, and with barriers and room to begin at
 * 1024. */

#define GEMM_NARROW_ROWS 64
#define GEMM_NARROW_THREADS 160
#define GEMM_NARROW_BLOCKS 2
#define GEMM_NARROW_STAGES 112640
#define GEMM_NARROW_BARRIERS 512
#define GEMM_NARROW_SHARED (1024 + GEMM_NARROW_STAGES + GEMM_NARROW_BARRIERS)
#define GEMM_NARROW_ADDERS 8 /* warps that add up parts of k */
