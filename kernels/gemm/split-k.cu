/* gemm/split-k: the pipeline on smaller tiles, and with parts of k in blocks of their own. */
#include "pipeline-run.cuh"
#include "queue.cuh"
#include "repack.cuh"

#define ENTRY(name, TILE, A_INNER, B_INNER)                                                       \
    extern "C" __global__ void __launch_bounds__(Shape<Tile<TILE>, A_INNER, B_INNER>::THREADS,    \
                                                 GEMM_PIPELINE_BLOCKS)                            \
        name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, \
             int32_t m, int32_t n, int64_t ldc, float alpha, float beta, int32_t steps,           \
             int32_t longer, float4 *partial, unsigned *tickets, const float *a_there, int64_t lda, \
             const float *b_there, int64_t ldb, int32_t m_all, int32_t n_all, int32_t k)          \
    {                                                                                             \
        using Form = Shape<Tile<TILE>, A_INNER, B_INNER>;                                         \
        const Output out{c, m, n, ldc, alpha, beta};                                              \
        open_pipeline<Form>();                                                                    \
        wait_for_queue();                                                                         \
        if (compute_edges<Form>(out, Edges{a_there, b_there, lda, ldb, m_all, n_all, k}))         \
            return;                                                                               \
        run_pipeline<Form>(&a, &b, out, steps, longer, partial, tickets);                         \
    }

ENTRY(gemm_split_k_128x128_f32_nn, GEMM_TILE_128X128, true, false)
ENTRY(gemm_split_k_128x128_f32_nt, GEMM_TILE_128X128, true, true)
ENTRY(gemm_split_k_128x128_f32_tn, GEMM_TILE_128X128, false, false)
ENTRY(gemm_split_k_128x128_f32_tt, GEMM_TILE_128X128, false, true)

ENTRY(gemm_split_k_128x64_f32_nn, GEMM_TILE_128X64, true, false)
ENTRY(gemm_split_k_128x64_f32_nt, GEMM_TILE_128X64, true, true)
ENTRY(gemm_split_k_128x64_f32_tn, GEMM_TILE_128X64, false, false)
ENTRY(gemm_split_k_128x64_f32_tt, GEMM_TILE_128X64, false, true)

ENTRY(gemm_split_k_64x64_f32_nn, GEMM_TILE_64X64, true, false)
ENTRY(gemm_split_k_64x64_f32_nt, GEMM_TILE_64X64, true, true)
ENTRY(gemm_split_k_64x64_f32_tn, GEMM_TILE_64X64, false, false)
ENTRY(gemm_split_k_64x64_f32_tt, GEMM_TILE_64X64, false, true)

ENTRY(gemm_split_k_128x32_f32_nn, GEMM_TILE_128X32, true, false)
ENTRY(gemm_split_k_128x32_f32_nt, GEMM_TILE_128X32, true, true)
ENTRY(gemm_split_k_128x32_f32_tn, GEMM_TILE_128X32, false, false)
ENTRY(gemm_split_k_128x32_f32_tt, GEMM_TILE_128X32, false, true)

ENTRY(gemm_split_k_32x128_f32_nn, GEMM_TILE_32X128, true, false)
ENTRY(gemm_split_k_32x128_f32_nt, GEMM_TILE_32X128, true, true)
ENTRY(gemm_split_k_32x128_f32_tn, GEMM_TILE_32X128, false, false)
ENTRY(gemm_split_k_32x128_f32_tt, GEMM_TILE_32X128, false, true)

GEMM_REPACK_ENTRY(gemm_repack_f32_nn)
GEMM_REPACK_ENTRY(gemm_repack_f32_nt)
GEMM_REPACK_ENTRY(gemm_repack_f32_tn)
GEMM_REPACK_ENTRY(gemm_repack_f32_tt)

GEMM_SCALE_ENTRY(gemm_scale_f32_nn)
GEMM_SCALE_ENTRY(gemm_scale_f32_nt)
GEMM_SCALE_ENTRY(gemm_scale_f32_tn)
GEMM_SCALE_ENTRY(gemm_scale_f32_tt)
