/* Sizes of mma-direct, that the C compiler and nvcc share: a tile of C, blocks on a multiprocessor, warps that add up
 * parts of k; and the bytes of a tile's sums, in rows of a warp's 64 columns that are 8 further apart. */

#define GEMM_DIRECT_ROWS 64
#define GEMM_DIRECT_COLS 128
#define GEMM_DIRECT_THREADS 256
#define GEMM_DIRECT_BLOCKS 2
#define GEMM_DIRECT_ADDERS 8
#define GEMM_DIRECT_APART 8
#define GEMM_DIRECT_SHARED (GEMM_DIRECT_ROWS * (GEMM_DIRECT_COLS + GEMM_DIRECT_THREADS / 128 * GEMM_DIRECT_APART) * 4)
