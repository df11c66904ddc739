/* gemm/few-rows: where C has few rows, or few columns, no tile is worth its while: the long operand
 * is read once, at the rate of memory, and the short one lies in shared memory (skinny/streaming.cuh). */
#include "gemm/device/skinny/streaming.cuh"
#include "grid_dependency.cuh"

#define FEW_ENTRY(FEW, along, ALONG)                                                                           \
    extern "C" __global__ void __launch_bounds__(GEMM_FEW_THREADS, 2) gemm_few_##FEW##_##along##_f32(          \
        const float *x, int64_t x_few, int64_t x_k, const float *p, int64_t ldp, float *out, int64_t out_few,  \
        int64_t out_many, int32_t few_there, int64_t many, int64_t k, float alpha, float beta, int64_t length, \
        float *partial, unsigned *tickets)                                                                     \
    {                                                                                                          \
        grid_dependency_wait();                                                                                \
        few_stream<FEW, ALONG>(                                                                                \
            FewProblem{x, x_few, x_k, p, ldp, out, out_few, out_many, few_there, many, k, alpha, beta},        \
            FewParts{length, partial, tickets});                                                               \
    }

/* 1 to 16 rows of C, and memory that runs across the long side, or along k. */
FEW_ENTRY(1, across, false)
FEW_ENTRY(2, across, false)
FEW_ENTRY(4, across, false)
FEW_ENTRY(8, across, false)
FEW_ENTRY(16, across, false)
FEW_ENTRY(4, along, true)
FEW_ENTRY(8, along, true)
FEW_ENTRY(16, along, true)
