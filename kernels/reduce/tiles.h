/* Sizes that the C compiler, nvcc and OpenCL share.  Threads are counted per block.
 * An OpenCL device with smaller work-groups gets the largest power of two that it
 * has (BLOCK in the recipe's defines); CUDA devices have 1024 threads everywhere. */

#define REDUCE_BLOCK 1024        /* gmem to shuffle; at least 64 */
#define REDUCE_FOLD 4            /* elements a thread of unroll4 and shuffle folds while loading */

#define REDUCE_VECTOR_BLOCK 256  /* vector: threads */
#define REDUCE_VECTOR_LOADS 8    /* 16-byte loads in flight per thread; a power of two */
#define REDUCE_LAST_BLOCK 1024   /* vector: threads of the one block that joins the partials */

#define REDUCE_ONEPASS_BLOCK 512
#define REDUCE_ONEPASS_LOADS 4
