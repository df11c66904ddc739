/* Sizes that the C compiler, nvcc and OpenCL share.
 *
 * From tile-2d on, tiles are counted in packs of 16 bytes, 4 f32 or 2 f64: a tile of 32 packs
 * has 128 rows of f32 or 64 of f64, and takes the same shared memory and registers.
 *
 * What is usually called a block's tile BM x BN, its depth BK, a warp's tile WM x WN and a thread's
 * micro-tile TM x TN (W: elements of a pack):
 *
 *                  BM, BN             BK                     WM, WN             TM, TN
 *   smem-block     BLOCK_SIDE         BLOCK_SIDE                                1, 1
 *   tile-1d        TILE_1D_SIDE       TILE_1D_DEPTH                             TILE_1D_ROWS, 1
 *   tile-2d        SIDE_PACKS W       TILE_2D_DEPTH                             BM, BN / TILE_2D_THREADS_SIDE
 *   vectorized     SIDE_PACKS W       VECTORIZED_DEPTH                          as tile-2d, in packs
 *   warp-tile      SIDE_PACKS W       WARP_TILE_DEPTH        WARP_PACKS W       WM / WARP_LANE_ROWS,
 *   double-buffer  SIDE_PACKS W       DOUBLE_BUFFER_DEPTH    WARP_PACKS W         WN / WARP_LANE_COLS
 *   bulk-pipeline  1st, 2nd of TILE_  PIPELINE_DEPTH         8 TM, 4 TN         3rd, 4th of TILE_
 *   split-k        1st, 2nd of TILE_  PIPELINE_DEPTH         8 TM, 4 TN         3rd, 4th of TILE_
 *   dmma           _ROWS, _COLS       DMMA_DEPTH             BM, BN by warps    those of mma.m16n8k4
 */

#define GEMM_NAIVE_ROWS 32 /* of C per block; neighbouring threads have neighbouring rows */
#define GEMM_NAIVE_COLS 8

#define GEMM_BLOCK_SIDE 32 /* smem-block; OpenCL devices with small work-groups take half of it */

#define GEMM_TILE_1D_SIDE 64
#define GEMM_TILE_1D_DEPTH 16
#define GEMM_TILE_1D_ROWS 16  /* of C per thread */
#define GEMM_TILE_1D_BLOCKS 3 /* least per multiprocessor; f32 */

#define GEMM_SIDE_PACKS 32 /* side of a block's tile of C, tile-2d and on */

#define GEMM_TILE_2D_DEPTH 8
#define GEMM_TILE_2D_THREADS_SIDE 16 /* 16 x 16 threads, 2 x 2 packs of C each */

#define GEMM_VECTORIZED_DEPTH 8

#define GEMM_WARP_PACKS 16    /* side of a warp's tile: 2 x 2 warps per block */
#define GEMM_WARP_LANE_ROWS 8 /* a warp's lanes, 8 x 4: 2 x 4 packs of C each */
#define GEMM_WARP_LANE_COLS 4
#define GEMM_WARP_TILE_DEPTH 32

#define GEMM_DOUBLE_BUFFER_DEPTH 16

#define GEMM_GROUP 8 /* rows of tiles that are walked together, so that their operands stay in L2 */

/* bulk-pipeline and split-k: tiles of C that warps multiply while others bring the operands.
 * rows, columns, rows and columns of a thread, stages where an operand is transposed on its way,
 * where none is, landing places where both are, the registers of a thread that multiplies
 * (0: as many as all have), and the blocks that a multiprocessor shall have room for. */
#define GEMM_TILE_128X128 128, 128, 8, 16, 2, 3, 1, 208, GEMM_PIPELINE_BLOCKS
#define GEMM_TILE_128X64 128, 64, 8, 8, 3, 4, 1, 168, GEMM_PIPELINE_BLOCKS
#define GEMM_TILE_64X64 64, 64, 8, 4, 3, 3, 2, 0, GEMM_PIPELINE_BLOCKS
#define GEMM_TILE_128X32 128, 32, 8, 4, 3, 4, 2, 0, GEMM_PIPELINE_BLOCKS
#define GEMM_TILE_32X128 32, 128, 4, 8, 3, 4, 2, 0, GEMM_PIPELINE_BLOCKS
/* async-copy: the same numbers; nothing lands. */
#define GEMM_COPIED_128X128 128, 128, 8, 16, 3, 3, 0, 208, 2
#define GEMM_COPIED_128X96 128, 96, 8, 12, 3, 3, 0, 200, 2
#define GEMM_COPIED_96X128 96, 128, 12, 8, 3, 3, 0, 200, 2
#define GEMM_COPIED_128X64 128, 64, 8, 8, 4, 4, 0, 168, 2
#define GEMM_COPIED_64X128 64, 128, 8, 8, 4, 4, 0, 168, 2
#define GEMM_COPIED_256X48 256, 48, 8, 12, 2, 2, 0, 200, 2
#define GEMM_COPIED_48X256 48, 256, 12, 8, 2, 2, 0, 200, 2
#define GEMM_COPIED_64X64 64, 64, 8, 4, 4, 4, 0, 0, 3
#define GEMM_COPIED_128X32 128, 32, 8, 4, 3, 3, 0, 0, 3
#define GEMM_COPIED_32X128 32, 128, 4, 8, 3, 3, 0, 0, 3
#define GEMM_COPIED_32X64 32, 64, 4, 4, 4, 4, 0, 0, 4
#define GEMM_COPIED_64X32 64, 32, 4, 4, 4, 4, 0, 0, 4
#define GEMM_COPIED_128X16 128, 16, 4, 4, 2, 2, 0, 0, 4
#define GEMM_COPIED_16X128 16, 128, 4, 4, 2, 2, 0, 0, 4
#define GEMM_PIPELINE_DEPTH 32     /* of a stage, along k */
#define GEMM_PIPELINE_BRINGERS 128 /* threads that bring the operands */
#define GEMM_PIPELINE_BLOCKS 2     /* least per multiprocessor (__launch_bounds__) */
#define GEMM_EDGE_MOST 4           /* rows or columns past the last whole tile that need no tile of their own */
#define GEMM_REPACK_THREADS 256
#define GEMM_REPACK_UNITS(bytes) (8 / (bytes)) /* of 16 bytes, per thread at a time, by the bytes of an element */
#define GEMM_REPACK_PITCH 128                  /* bytes: rows of repacked operands begin at multiples of it */
#define GEMM_SCALE_THREADS 256

/* few-rows: one of C's sides is at most GEMM_FEW_MOST. */
#define GEMM_FEW_MOST 16
#define GEMM_FEW_THREADS 256
#define GEMM_FEW_COLUMNS 4  /* of the long side, per thread */
#define GEMM_FEW_CHUNK 256  /* terms of the few that a block keeps in shared memory */
#define GEMM_FEW_ACROSS 128 /* of the long side, per block, where memory runs along it */
#define GEMM_FEW_ALONG 32   /* where memory runs along k */

/* short-k: a block's part of C, and the most terms. */
#define GEMM_SHORT_ROWS 64
#define GEMM_SHORT_COLS 128
#define GEMM_SHORT_THREADS 256
#define GEMM_SHORT_BLOCKS 3 /* that a multiprocessor shall have room for */
#define GEMM_SHORT_MOST 32

/* f64 on the matrix units: tiles of C, the threads of a block (those that multiply and those
 * that copy), stages on their way to them, blocks that a multiprocessor shall have room for. */
#define GEMM_DMMA_DEPTH 16      /* along k, of a stage: rows of 128 bytes */
#define GEMM_DMMA_PRODUCERS 128 /* dmma: threads that copy */

#define GEMM_DMMA_LARGE_ROWS 96
#define GEMM_DMMA_LARGE_COLS 96
#define GEMM_DMMA_LARGE_THREADS (384 + GEMM_DMMA_PRODUCERS)
#define GEMM_DMMA_LARGE_STAGES 6
#define GEMM_DMMA_LARGE_BLOCKS 1

#define GEMM_DMMA_SMALL_ROWS 32
#define GEMM_DMMA_SMALL_COLS 64
#define GEMM_DMMA_SMALL_THREADS (128 + GEMM_DMMA_PRODUCERS)
#define GEMM_DMMA_SMALL_STAGES 6
#define GEMM_DMMA_SMALL_BLOCKS 2

#define GEMM_DMMA_TINY_ROWS 32
#define GEMM_DMMA_TINY_COLS 32
#define GEMM_DMMA_TINY_THREADS (128 + GEMM_DMMA_PRODUCERS)
#define GEMM_DMMA_TINY_STAGES 6
#define GEMM_DMMA_TINY_BLOCKS 4

#define GEMM_DMMA_BULK_LARGE_ROWS 128
#define GEMM_DMMA_BULK_LARGE_COLS 128
#define GEMM_DMMA_BULK_LARGE_THREADS 384 /* a warpgroup copies, to give its registers away */
#define GEMM_DMMA_BULK_LARGE_STAGES 6
#define GEMM_DMMA_BULK_LARGE_BLOCKS 1

#define GEMM_DMMA_BULK_MIDDLE_ROWS 64
#define GEMM_DMMA_BULK_MIDDLE_COLS 128
#define GEMM_DMMA_BULK_MIDDLE_THREADS 288
#define GEMM_DMMA_BULK_MIDDLE_STAGES 6
#define GEMM_DMMA_BULK_MIDDLE_BLOCKS 1

#define GEMM_DMMA_BULK_SQUARE_ROWS 64
#define GEMM_DMMA_BULK_SQUARE_COLS 64
#define GEMM_DMMA_BULK_SQUARE_THREADS 160
#define GEMM_DMMA_BULK_SQUARE_STAGES 6
#define GEMM_DMMA_BULK_SQUARE_BLOCKS 2

#define GEMM_DMMA_BULK_SMALL_ROWS 32
#define GEMM_DMMA_BULK_SMALL_COLS 64
#define GEMM_DMMA_BULK_SMALL_THREADS 160
#define GEMM_DMMA_BULK_SMALL_STAGES 6
#define GEMM_DMMA_BULK_SMALL_BLOCKS 3

#define GEMM_DMMA_BULK_TINY_ROWS 32
#define GEMM_DMMA_BULK_TINY_COLS 32
#define GEMM_DMMA_BULK_TINY_THREADS 160
#define GEMM_DMMA_BULK_TINY_STAGES 6
#define GEMM_DMMA_BULK_TINY_BLOCKS 4

#define GEMM_DMMA_BULK_FLAT_ROWS 16
#define GEMM_DMMA_BULK_FLAT_COLS 128
#define GEMM_DMMA_BULK_FLAT_THREADS 160
#define GEMM_DMMA_BULK_FLAT_STAGES 5
#define GEMM_DMMA_BULK_FLAT_BLOCKS 2

#define GEMM_DMMA_BULK_TALL_ROWS 128
#define GEMM_DMMA_BULK_TALL_COLS 16
#define GEMM_DMMA_BULK_TALL_THREADS 160
#define GEMM_DMMA_BULK_TALL_STAGES 5
#define GEMM_DMMA_BULK_TALL_BLOCKS 2

#define GEMM_DMMA_SUM_THREADS 256
#define GEMM_DMMA_PACK_THREADS 256
#define GEMM_DMMA_PACK_PIECE 256 /* elements of a row that a warp copies */
