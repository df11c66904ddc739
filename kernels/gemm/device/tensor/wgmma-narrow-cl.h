/* Sizes of wgmma-narrow in OpenCL, that the C compiler and the kernel share: rows of a tile, threads of a work-group,
 * and bytes of local memory: all stages, and with what leaves turned, barriers, and room to begin at 1024. */

#define GEMM_NARROW_CL_ROWS 64
#define GEMM_NARROW_CL_THREADS 160
#define GEMM_NARROW_CL_STAGES 208896
#define GEMM_NARROW_CL_PITCH (GEMM_NARROW_CL_ROWS + 4) /* of the sums of a column on their way */
#define GEMM_NARROW_CL_LEAVING (64 * GEMM_NARROW_CL_PITCH * 4)
#define GEMM_NARROW_CL_LOCAL (1024 + GEMM_NARROW_CL_STAGES + GEMM_NARROW_CL_LEAVING + 512)
