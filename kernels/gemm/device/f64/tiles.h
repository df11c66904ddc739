/* More of the tiles of the f64 products on the matrix units than tiles.h says: the warps that multiply, down and
 * across, and registers. */

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

/* Registers of a thread that multiplies and of one that copies, which the launch gives as many each; 0: as it gives
 * them. */
#define GEMM_DMMA_BULK_LARGE_REGISTERS 232
#define GEMM_DMMA_BULK_MIDDLE_REGISTERS 0
#define GEMM_DMMA_BULK_SQUARE_REGISTERS 0
#define GEMM_DMMA_BULK_SMALL_REGISTERS 0
#define GEMM_DMMA_BULK_TINY_REGISTERS 0
#define GEMM_DMMA_BULK_FLAT_REGISTERS 0
#define GEMM_DMMA_BULK_TALL_REGISTERS 0
#define GEMM_DMMA_BULK_COPYING_REGISTERS 40
