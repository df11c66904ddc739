/* Sizes of wgmma-narrow, that the C compiler and nvcc share: threads of a block, two for each row of a tile and a warp
 * that brings, blocks that a multiprocessor has room for, and bytes of shared memory: all stages, and with barriers and
 * room to begin at 1024. */

#define GEMM_NARROW_THREADS(rows) (2 * (rows) + 32)
#define GEMM_NARROW_BLOCKS 2
#define GEMM_NARROW_STAGES 112640
#define GEMM_NARROW_BARRIERS 512
#define GEMM_NARROW_SHARED (1024 + GEMM_NARROW_STAGES + GEMM_NARROW_BARRIERS)
#define GEMM_NARROW_ADDERS 8     /* warps that add up parts of k */
#define GEMM_NARROW_PART_ROWS 64 /* of the tiles whose parts they add */
