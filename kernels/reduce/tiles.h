/* Sizes that the C compiler, nvcc and OpenCL share.  Threads are counted per block.
 * An OpenCL device with smaller work-groups gets the largest power of two that it
 * has (BLOCK in the recipe's defines); CUDA devices have 1024 threads everywhere. */

#define REDUCE_BLOCK 1024        /* gmem to shuffle; at least 64 */
#define REDUCE_FOLD 4            /* elements a thread of unroll4 and shuffle folds while loading */

#define REDUCE_VECTOR_BLOCK 256  /* vector and onepass: threads */
#define REDUCE_VECTOR_LOADS 8    /* 16-byte loads in flight per thread; a power of two */
#define REDUCE_VECTOR_PER_UNIT 4 /* blocks for each multiprocessor: they stay until all is read */

#define REDUCE_BULK_BLOCK 256  /* bulk: threads that add up; one more warp asks for copies */
#define REDUCE_BULK_STAGES 6   /* copies under way in a block */
#define REDUCE_BULK_LOADS 8    /* 16-byte parts of a copy that a thread adds up: 32 KiB a copy */
#define REDUCE_BULK_PER_UNIT 1

#define REDUCE_BULK_OPENCL_LOADS 4 /* the same in NVIDIA's OpenCL, which gives 96 KiB to a group */
#define REDUCE_BULK_OPENCL_PER_UNIT 2

#define REDUCE_BULK_PLAIN_STAGES 2 /* and in OpenCL's own words, without that warp */
#define REDUCE_BULK_PLAIN_LOADS 2
#define REDUCE_BULK_PLAIN_PER_UNIT 4
