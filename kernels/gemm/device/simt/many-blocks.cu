/* gemm/many-blocks: all threads bring, then multiply (simt/multistage.cuh); operands as async-copy takes them. */
#include "gemm/device/simt/reduce-split-k.cuh"
#include "gemm/device/common/batch.cuh"
#include "gemm/device/common/entries.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/simt/multistage-tiles.h"
#include "gemm/device/simt/multistage.cuh"
#include "gemm/device/common/pack-operands.cuh"

#define MANY_BLOCKS_ENTRY(tile, ...)                                                                               \
    extern "C" __global__ void __launch_bounds__(ManyShape<Tile<__VA_ARGS__>>::THREADS, Tile<__VA_ARGS__>::BLOCKS) \
        gemm_many_blocks_##tile##_f32(const float *a, int64_t lda, int32_t a_inner, const float *b, int64_t ldb,   \
                                      int32_t b_inner, float *c, int32_t m, int32_t n, int32_t k, int64_t ldc,     \
                                      float alpha, float beta, int32_t steps, int32_t longer, float4 *partial,     \
                                      BATCH_PARAMETERS)                                                            \
    {                                                                                                              \
        using Form = ManyShape<Tile<__VA_ARGS__>>;                                                                 \
        const Batch batch = BATCH;                                                                                 \
        grid_dependency_wait();                                                                                    \
        run_many<Form>(Lying{a + batch.problem() * batch.a, lda, a_inner != 0},                                    \
                       Lying{b + batch.problem() * batch.b, ldb, b_inner != 0},                                    \
                       Output{c + batch.problem() * batch.c, m, n, ldc, alpha, beta}, k, steps, longer, partial);  \
    }

MANY_BLOCKS_ENTRY(128x64, GEMM_MANY_128X64)
MANY_BLOCKS_ENTRY(64x128, GEMM_MANY_64X128)
MANY_BLOCKS_ENTRY(64x64, GEMM_MANY_64X64)
MANY_BLOCKS_ENTRY(128x32, GEMM_MANY_128X32)
MANY_BLOCKS_ENTRY(32x128, GEMM_MANY_32X128)
MANY_BLOCKS_ENTRY(128x96, GEMM_MANY_128X96)
MANY_BLOCKS_ENTRY(96x128, GEMM_MANY_96X128)
MANY_BLOCKS_ENTRY(64x96, GEMM_MANY_64X96)
MANY_BLOCKS_ENTRY(96x64, GEMM_MANY_96X64)
MANY_BLOCKS_ENTRY(128x48, GEMM_MANY_128X48)
MANY_BLOCKS_ENTRY(48x128, GEMM_MANY_48X128)
GEMM_LAYOUTS(GEMM_SCALE_ENTRY)
GEMM_ADD_PARTS_ENTRY
