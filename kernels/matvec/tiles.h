/* Sizes that the C compiler, nvcc and OpenCL share.  x of a matvec has `terms` elements, y
 * has `outputs`; a group of 32 threads is called a warp in OpenCL, too. */

#define MATVEC_BLOCK 256 /* threads; row-per-thread, row-scattered, shared-x */

#define MATVEC_SCATTER 513 /* row-scattered: distance of the rows that neighbouring threads take */

#define MATVEC_TILE_ROWS 64 /* shared-a-x: a thread for each */
#define MATVEC_TILE_DEPTH 64

#define MATVEC_WARPS 8    /* per block: warp-per-row, split, and vector transposed */
#define MATVEC_IN_FLIGHT 8 /* loads a thread of warp-per-row and split starts before it uses one */

#define MATVEC_VECTOR_WARPS 4 /* per block: vector */
#define MATVEC_VECTOR_ROWS 4  /* per warp */
#define MATVEC_VECTOR_STEPS 2 /* packs of each row in flight */
#define MATVEC_VECTOR_TRANS_STEPS 4

#define MATVEC_SLICES 8 /* in which the partial sums of one element of y are joined */
