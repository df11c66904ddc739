/* f16x3 and bf16x6 in OpenCL without matrix units, for the C compiler and the kernels: a work-group makes a square of
 * C, a work-item neighbours in one of its rows. */
#define GEMM_PLANES_PLAIN_SIDE 32
#define GEMM_PLANES_PLAIN_COLS 8
