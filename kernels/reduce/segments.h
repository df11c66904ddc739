/* Sizes of `segments` that the C compiler, nvcc and OpenCL share, as tiles.h has those of the others. */

#define REDUCE_SEGMENTS_BLOCK 256    /* threads */
#define REDUCE_SEGMENTS_LOADS 8      /* elements that a thread has under way; a power of two */
#define REDUCE_SEGMENTS_TURNS 4      /* short rows that a thread takes */
#define REDUCE_SEGMENTS_OF_WARP 1024 /* elements of a row that a warp takes; a block those of longer ones */
#define REDUCE_SEGMENTS_PER_UNIT 8   /* blocks for each multiprocessor; where there are fewer, rows are cut in parts */
