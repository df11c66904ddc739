/* How parts of a sum and overlapping tiles of C are written, for the C compiler and nvcc. */
#define GEMM_ADD_THREADS 128 /* simt/reduce-split-k.cuh: each adds a unit of 16 bytes */
