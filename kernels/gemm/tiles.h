/* Sizes that the C compiler, nvcc and OpenCL share.
 *
 * From tile-2d on, tiles are counted in packs of 16 bytes, 4 f32 or 2 f64: a tile of 32 packs
 * has 128 rows of f32 or 64 of f64, and takes the same shared memory and registers. */

#define GEMM_NAIVE_ROWS 32 /* of C per block; neighbouring threads have neighbouring rows */
#define GEMM_NAIVE_COLS 8

#define GEMM_BLOCK_SIDE 32 /* smem-block; OpenCL devices with small work-groups take half of it */

#define GEMM_TILE_1D_SIDE 64
#define GEMM_TILE_1D_DEPTH 16
#define GEMM_TILE_1D_ROWS 16 /* of C per thread */
#define GEMM_TILE_1D_BLOCKS 3 /* that a multiprocessor shall have room for; f32 */

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
