/* Sizes that the C compiler, nvcc and OpenCL share.  x of a matvec has `terms` elements, y
 * has `outputs`; a group of 32 threads is called a warp in OpenCL, too; a pack is 16 bytes. */

#define MATVEC_BLOCK 256 /* threads; row-per-thread, row-scattered, shared-x */

#define MATVEC_SCATTER 513 /* row-scattered: distance of the rows that neighbouring threads take */

#define MATVEC_TILE_ROWS 64 /* shared-a-x: a thread for each */
#define MATVEC_TILE_DEPTH 64

#define MATVEC_WARPS 8     /* per block: warp-per-row, and vector, split, tall-skinny not transposed */
#define MATVEC_IN_FLIGHT 8 /* loads a thread of warp-per-row starts before it uses one */

/* vector, split and narrow: rows that a block, or in tall-skinny a group of lanes, sums together;
 * the packs of each that a thread of vector and split has in flight, and of a row alone.  Of
 * long rows vector takes a pair. */
#define MATVEC_ROWS 4
#define MATVEC_STEPS 2
#define MATVEC_PAIR_ROWS 2
#define MATVEC_PAIR_STEPS 4
#define MATVEC_ALONE_STEPS 4
#define MATVEC_COALIGNED_BLOCKS 4     /* of vector and split: least blocks per multiprocessor */
#define MATVEC_COALIGNED_BLOCKS_F64 3 /* of split */
#define MATVEC_FEW_ITEMS 16           /* split: groups of rows that read a chunk of x at one time, if no more */

/* The same, transposed: threads of a block, which has a panel of columns; rows that a
 * thread has in flight, packs of each of them, and blocks that a multiprocessor shall have room
 * for.  Three shapes: the usual one; one block as large as can be, for panels of whole rows or of
 * a few long ones; and four packs side by side, for few rows.  A device with smaller blocks has
 * smaller ones of the usual shape. */
#define MATVEC_PANEL_STEPS 8
#define MATVEC_PANEL_STEPS_F64 7       /* in CUDA: registers for no more */
#define MATVEC_PANEL_STEPS_HALF 7      /* as for F64; a pack of 16-bit elements has eight sums */
#define MATVEC_TALL_PANEL_STEPS_HALF 5 /* beside those, in half the registers */
#define MATVEC_PANEL_THREADS 512
#define MATVEC_PANEL_BLOCKS 2
#define MATVEC_TALL_PANEL_THREADS 1024
#define MATVEC_TALL_PANEL_BLOCKS 1
#define MATVEC_WIDE_PANEL_THREADS 256
#define MATVEC_WIDE_PANEL_BLOCKS 4
#define MATVEC_WIDE_PANEL_PACKS 4
#define MATVEC_WIDE_PANEL_STEPS 1

#define MATVEC_TICKETS 256        /* counters that split may use, of PLX_SCRATCH_COUNTERS bytes */
#define MATVEC_CHUNKS_IN_FLIGHT 8 /* partial sums a thread of the last block starts to read together */

/* tall-skinny: blocks that a multiprocessor shall have room for; and, where a group has one row,
 * as there are few, its packs in flight */
#define MATVEC_TALL_SKINNY_BLOCKS 5
#define MATVEC_TALL_SKINNY_BLOCKS_F64 4
#define MATVEC_TALL_SKINNY_BLOCKS_HALF 4
#define MATVEC_TALL_SKINNY_FEW_BLOCKS 3
#define MATVEC_TALL_SKINNY_FEW_STEPS 4

#define MATVEC_STREAM_ROWS 64 /* tall-skinny: rows of a block, a thread for each */
#define MATVEC_STREAM_STEPS 8 /* packs a thread has in flight */
#define MATVEC_STREAM_SUMS 8  /* in which a thread adds up a row; a power of two */
