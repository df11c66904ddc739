/* gemm/few-rows: where C has few rows, or few columns, the other operand is read once (few.cuh). */
#include "few.cuh"
#include "queue.cuh"

#define ENTRY(name, FEW, ALONG)                                                                   \
    extern "C" __global__ void __launch_bounds__(GEMM_FEW_THREADS)                                \
        name(const float *x, int64_t x_few, int64_t x_k, const float *p, int64_t ldp, float *out, \
             int64_t out_few, int64_t out_many, int32_t few_there, int64_t many, int64_t k,       \
             float alpha, float beta, int64_t length, float *partial, unsigned *tickets)          \
    {                                                                                             \
        wait_for_queue();                                                                         \
        few<FEW, ALONG>(FewProblem{x, x_few, x_k, p, ldp, out, out_few, out_many, few_there,      \
                                   many, k, alpha, beta},                                         \
                        FewParts{length, partial, tickets});                                      \
    }

ENTRY(gemm_few_1_across_f32, 1, false)
ENTRY(gemm_few_2_across_f32, 2, false)
ENTRY(gemm_few_4_across_f32, 4, false)
ENTRY(gemm_few_8_across_f32, 8, false)
ENTRY(gemm_few_16_across_f32, 16, false)

ENTRY(gemm_few_1_along_f32, 1, true)
ENTRY(gemm_few_2_along_f32, 2, true)
ENTRY(gemm_few_4_along_f32, 4, true)
ENTRY(gemm_few_8_along_f32, 8, true)
ENTRY(gemm_few_16_along_f32, 16, true)
