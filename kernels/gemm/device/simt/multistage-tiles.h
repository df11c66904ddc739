/* Tiles of many-blocks, for the C compiler and nvcc: what tiles.h says of async-copy's, with stages for one step
 * along k each and no registers that move. */
#define GEMM_MANY_128X64 128, 64, 8, 8, 2, 2, 0, 0, 4
#define GEMM_MANY_64X128 64, 128, 8, 8, 2, 2, 0, 0, 4
#define GEMM_MANY_64X64 64, 64, 8, 4, 2, 2, 0, 0, 5
#define GEMM_MANY_128X32 128, 32, 8, 4, 2, 2, 0, 0, 5
#define GEMM_MANY_32X128 32, 128, 4, 8, 2, 2, 0, 0, 5
#define GEMM_MANY_128X96 128, 96, 8, 12, 2, 2, 0, 0, 3
#define GEMM_MANY_96X128 96, 128, 12, 8, 2, 2, 0, 0, 3
#define GEMM_MANY_64X96 64, 96, 4, 12, 2, 2, 0, 0, 4
#define GEMM_MANY_96X64 96, 64, 12, 4, 2, 2, 0, 0, 4
#define GEMM_MANY_128X48 128, 48, 4, 12, 2, 2, 0, 0, 4
#define GEMM_MANY_48X128 48, 128, 12, 4, 2, 2, 0, 0, 4
