/* The block of coalesced, read by C, nvcc and OpenCL: neighbouring threads have neighbouring columns of C. */
#define GEMM_COALESCED_ROWS 8
#define GEMM_COALESCED_COLS 32
