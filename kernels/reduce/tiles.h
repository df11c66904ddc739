/* Sizes that the C compiler, nvcc and OpenCL share.  Threads are counted per block.
 * An OpenCL device with smaller work-groups gets the largest power of two that it
 * has (BLOCK in the recipe's defines); CUDA devices have 1024 threads everywhere. */

#define REDUCE_BLOCK 1024 /* gmem to shuffle; at least 64 */
#define REDUCE_ITEMS 4    /* elements a thread of unroll4 and shuffle combines while loading */

#define REDUCE_VECTOR_BLOCK 256  /* vector and onepass: threads */
#define REDUCE_VECTOR_LOADS 8    /* 16-byte loads in flight per thread; a power of two */
#define REDUCE_VECTOR_PER_UNIT 4 /* blocks at a time on a multiprocessor */

#define REDUCE_BULK_BLOCK 256 /* bulk: threads that add up; one more warp asks for copies */
#define REDUCE_BULK_STAGES 6  /* copies under way in a block */
#define REDUCE_BULK_LOADS 8   /* 16-byte parts of a copy that a thread adds up: 32 KiB a copy */
#define REDUCE_BULK_PER_UNIT 1

/* Blocks stay until all is read.  Where that is long, so many times as many have a share each:
 * the multiprocessors of a chip are not all as near to the memory, and who is ready early takes
 * another.  A share has at least so many tiles. */
#define REDUCE_SHARES 8
#define REDUCE_VECTOR_SHARE_TILES 7
#define REDUCE_BULK_SHARE_TILES 64
