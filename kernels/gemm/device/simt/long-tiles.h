/* Tiles of async-copy in CUDA alone, for the C compiler and nvcc: what tiles.h says of the others.  They are long and
 * narrow: a thread has as many sums as in a square tile of as many threads, so that it reads fewer factors from
 * shared memory for each product than in a small tile. */
#define GEMM_COPIED_256X64 256, 64, 8, 16, 2, 2, 0, 208, 2
#define GEMM_COPIED_64X256 64, 256, 8, 16, 2, 2, 0, 208, 2
#define GEMM_COPIED_256X32 256, 32, 8, 8, 3, 3, 0, 168, 2
#define GEMM_COPIED_32X256 32, 256, 8, 8, 3, 3, 0, 168, 2
