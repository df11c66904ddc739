/* Sizes that the C compiler, nvcc and OpenCL share. */

#define TRANSPOSE_TILE 32 /* rows and columns of a tile; threads in x */
#define TRANSPOSE_ROWS 4  /* threads in y: each moves TILE / ROWS elements */

/* vector: rows and columns of a tile for elements of 1, 2, 4, 8 and 16 bytes.  A thread
 * moves a square as wide as 16 bytes, so a block has (tile / width)^2 threads, and a row
 * of a tile is 128 to 256 bytes. */
#define TRANSPOSE_VECTOR_TILE_B1 128
#define TRANSPOSE_VECTOR_TILE_B2 64
#define TRANSPOSE_VECTOR_TILE_B4 64
#define TRANSPOSE_VECTOR_TILE_B8 32
#define TRANSPOSE_VECTOR_TILE_B16 16
