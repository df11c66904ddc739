/* Sizes that the C compiler, nvcc and OpenCL share. */

#define TRANSPOSE_TILE 32 /* rows and columns of a tile; threads in x */
#define TRANSPOSE_ROWS 4  /* threads in y: each moves TILE / ROWS elements */

/* vector: rows and columns of a tile for elements of 1, 2, 4, 8 and 16 bytes.  A thread
 * moves a micro-tile as wide as 16 bytes, so a block has (tile / width)^2 threads, and a row
 * of a tile is 128 to 256 bytes. */
#define TRANSPOSE_VECTOR_TILE_B1 128
#define TRANSPOSE_VECTOR_TILE_B2 64
#define TRANSPOSE_VECTOR_TILE_B4 64
#define TRANSPOSE_VECTOR_TILE_B8 32
#define TRANSPOSE_VECTOR_TILE_B16 16

/* sector-aligned: a tile writes WIDTH rows of `out`, HEIGHT elements of each from a multiple of RUN on.
 * RUN elements are 32 bytes; for 16-byte elements more, because the threads read whole rows
 * of a tile at a time. */
#define TRANSPOSE_SECTOR_ALIGNED_THREADS 256
#define TRANSPOSE_SECTOR_ALIGNED_WIDTH_B1 64
#define TRANSPOSE_SECTOR_ALIGNED_HEIGHT_B1 128
#define TRANSPOSE_SECTOR_ALIGNED_RUN_B1 32
#define TRANSPOSE_SECTOR_ALIGNED_WIDTH_B2 64
#define TRANSPOSE_SECTOR_ALIGNED_HEIGHT_B2 96
#define TRANSPOSE_SECTOR_ALIGNED_RUN_B2 16
#define TRANSPOSE_SECTOR_ALIGNED_WIDTH_B4 64
#define TRANSPOSE_SECTOR_ALIGNED_HEIGHT_B4 64
#define TRANSPOSE_SECTOR_ALIGNED_RUN_B4 8
#define TRANSPOSE_SECTOR_ALIGNED_WIDTH_B8 64
#define TRANSPOSE_SECTOR_ALIGNED_HEIGHT_B8 64
#define TRANSPOSE_SECTOR_ALIGNED_RUN_B8 4
#define TRANSPOSE_SECTOR_ALIGNED_WIDTH_B16 32
#define TRANSPOSE_SECTOR_ALIGNED_HEIGHT_B16 64
#define TRANSPOSE_SECTOR_ALIGNED_RUN_B16 8

/* tall-skinny: elements of a tile, at most 16 KiB; shared memory holds half as many again, for the
 * gaps. */
#define TRANSPOSE_TALL_SKINNY_THREADS 256
#define TRANSPOSE_TALL_SKINNY_BLOCKS 6 /* least per multiprocessor (__launch_bounds__) */
#define TRANSPOSE_TALL_SKINNY_SIDE 64  /* at most, of the shorter side of a tile */
#define TRANSPOSE_TALL_SKINNY_CAPACITY_B1 4096
#define TRANSPOSE_TALL_SKINNY_CAPACITY_B2 4096
#define TRANSPOSE_TALL_SKINNY_CAPACITY_B4 4096
#define TRANSPOSE_TALL_SKINNY_CAPACITY_B8 2048
#define TRANSPOSE_TALL_SKINNY_CAPACITY_B16 1024
