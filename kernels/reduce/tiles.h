/* Sizes that the C compiler, nvcc and OpenCL share.  Threads are counted per block.
 * An OpenCL device with smaller work-groups gets the largest power of two that it
 * has (BLOCK in the recipe's defines); CUDA devices have 1024 threads everywhere. */

#define REDUCE_BLOCK 1024        /* gmem to shuffle; at least 64 */
#define REDUCE_FOLD 4            /* elements a thread of unroll4 and shuffle folds while loading */

#define REDUCE_VECTOR_BLOCK 256  /* vector and onepass: threads */
#define REDUCE_VECTOR_LOADS 8    /* 16-byte loads in flight per thread; a power of two */
#define REDUCE_VECTOR_PER_UNIT 4 /* blocks for each multiprocessor: they stay until all is read */

#define REDUCE_BULK_BLOCK 256    /* bulk: threads */
#define REDUCE_BULK_STAGES 6     /* bulk: copies under way in a block, at most */
#define REDUCE_BULK_LOADS 8      /* bulk: 16-byte parts of a copy that a thread adds up: 32 KiB */
#define REDUCE_BULK_SMALL_LOADS 2 /* the same where shared memory is small: 8 KiB */
#define REDUCE_BULK_SMALL_STAGES 5
#define REDUCE_BULK_SMALL_PER_UNIT 4
