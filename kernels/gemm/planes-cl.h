/* f16x3 and bf16x6 in OpenCL without matrix units, for the C compiler and the kernels: a work-group makes a square of C,
 * a work-item each element. */
#define GEMM_PLANES_PLAIN_SIDE 16
