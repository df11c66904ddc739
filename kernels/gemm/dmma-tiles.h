/* More of the tiles of the f64 products on the matrix units than tiles.h says: the warps that multiply, down and
 * across, and two tiles of 128 x 64. */

#define GEMM_DMMA_LARGE_WARPS 6, 2
#define GEMM_DMMA_SMALL_WARPS 2, 2
#define GEMM_DMMA_TINY_WARPS 2, 2

#define GEMM_DMMA_BULK_LARGE_WARPS 2, 4
#define GEMM_DMMA_BULK_MIDDLE_WARPS 2, 4
#define GEMM_DMMA_BULK_SQUARE_WARPS 2, 2
#define GEMM_DMMA_BULK_SMALL_WARPS 2, 2
#define GEMM_DMMA_BULK_TINY_WARPS 2, 2
#define GEMM_DMMA_BULK_FLAT_WARPS 1, 4
#define GEMM_DMMA_BULK_TALL_WARPS 4, 1

/* Half of the large tile, in half of its warps: two blocks side by side, one of which multiplies while the other
 * writes C. */
#define GEMM_DMMA_BULK_LONG_ROWS 128
#define GEMM_DMMA_BULK_LONG_COLS 64
#define GEMM_DMMA_BULK_LONG_WARPS 2, 2
#define GEMM_DMMA_BULK_LONG_THREADS 256 /* a warpgroup copies, to give its registers away */
#define GEMM_DMMA_BULK_LONG_STAGES 4
#define GEMM_DMMA_BULK_LONG_BLOCKS 2

#define GEMM_DMMA_BULK_WIDE_ROWS 64
#define GEMM_DMMA_BULK_WIDE_COLS 128
#define GEMM_DMMA_BULK_WIDE_WARPS 1, 4
#define GEMM_DMMA_BULK_WIDE_THREADS 256
#define GEMM_DMMA_BULK_WIDE_STAGES 4
#define GEMM_DMMA_BULK_WIDE_BLOCKS 2

/* Registers of a thread that multiplies and of one that copies, which the launch gives as many each; 0: as it gives
 * them. */
#define GEMM_DMMA_BULK_LARGE_REGISTERS 232
#define GEMM_DMMA_BULK_LONG_REGISTERS 216
#define GEMM_DMMA_BULK_WIDE_REGISTERS 216
#define GEMM_DMMA_BULK_MIDDLE_REGISTERS 0
#define GEMM_DMMA_BULK_SQUARE_REGISTERS 0
#define GEMM_DMMA_BULK_SMALL_REGISTERS 0
#define GEMM_DMMA_BULK_TINY_REGISTERS 0
#define GEMM_DMMA_BULK_FLAT_REGISTERS 0
#define GEMM_DMMA_BULK_TALL_REGISTERS 0
#define GEMM_DMMA_BULK_COPYING_REGISTERS 40
