/* Tiles of many-blocks, for the C compiler and nvcc: what tiles.h says of async-copy's, with stages for one step
 * along k each and no registers that move. */
#define GEMM_MANY_128X64 128, 64, 8, 8, 2, 2, 0, 0, 4
#define GEMM_MANY_64X128 64, 128, 8, 8, 2, 2, 0, 0, 4
#define GEMM_MANY_64X64 64, 64, 8, 4, 2, 2, 0, 0, 5
#define GEMM_MANY_128X32 128, 32, 8, 4, 2, 2, 0, 0, 5
#define GEMM_MANY_32X128 32, 128, 4, 8, 2, 2, 0, 0, 5
