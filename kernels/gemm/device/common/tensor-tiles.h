/* Sizes of the products of f16 and bf16 on the matrix units, and of what f32 is made of there, that the C compiler
 * and nvcc share. */

/* The element of C that products on the matrix units write: a number that their launches bring. */
#define GEMM_RESULT_F32 0
#define GEMM_RESULT_F16 1
#define GEMM_RESULT_BF16 2

/* mma-sync and wgmma: rows of a stage are 64 elements of 2 bytes, what one line of the 128-byte swizzle holds. */
#define GEMM_UNITS_DEPTH 64

#define GEMM_MMA_SYNC_SIDE 128 /* of a block's tile */
#define GEMM_MMA_SYNC_STAGES 3
#define GEMM_MMA_SYNC_THREADS 256

/* rows, columns, stages, blocks that share what they load of B. */
#define GEMM_WGMMA_64X128 64, 128, 3, 1
#define GEMM_WGMMA_128X256 128, 256, 4, 1
#define GEMM_WGMMA_128X192 128, 192, 4, 1
#define GEMM_WGMMA_128X128 128, 128, 5, 1
#define GEMM_WGMMA_128X64 128, 64, 7, 1
#define GEMM_WGMMA_128X96 128, 96, 6, 1 /* B along k */
#define GEMM_WGMMA_PAIR_128X256 128, 256, 4, 2
#define GEMM_WGMMA_PAIR_128X128 128, 128, 5, 2
#define GEMM_WGMMA_THREADS 384 /* two warpgroups multiply, one brings */
#define GEMM_WGMMA_SUM_THREADS 256

/* f16x3 and bf16x6: a tile of C, and the stages of all planes. */
#define GEMM_PLANES_SIDE 128
#define GEMM_F16X3_STAGES 3
#define GEMM_BF16X6_STAGES 2
#define GEMM_F16X3_PLAIN_THREADS 128
#define GEMM_SPLIT_THREADS 256
#define GEMM_RANGE_PIECE 1024 /* elements of a row whose largest a warp finds */
#define GEMM_RANGE_ROWS 64    /* of a column whose largest a thread finds */
#define GEMM_SPLIT_PIECE 512  /* elements of a row that a warp splits */
