/* gemm/bulk-pipeline: four warps bring tiles with the copy engine, four multiply (pipeline.cuh). */
#include "pipeline-write.cuh"
#include "queue.cuh"
#include "repack.cuh"

template <bool A_INNER, bool B_INNER> using Whole = Shape<Tile<GEMM_TILE_128X128>, A_INNER, B_INNER>;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
template <class S>
static __device__ __forceinline__ void bulk_pipeline(const CUtensorMap *a, const CUtensorMap *b, const Output &out,
                                                     int steps)
{
    extern __shared__ char shared[];
    const Places<S> at(shared);
    const Work work = work_of<S>(blockIdx.x, out.m, out.n, 0, steps);

    if (threadIdx.x == 0)
        at.open();
    __syncthreads();
    wait_for_queue();
    if (threadIdx.x >= S::MULTIPLIERS) {
        give_registers_back<S::REGISTERS ? 40 : 0>();
        Bringer<S>{a, b, at, work, (int)threadIdx.x - S::MULTIPLIERS}.bring();
    } else {
        take_registers<S::REGISTERS>();
        Multiplier<S> multiplier(threadIdx.x);
        const Sums<S> sums{at.stages, (int)threadIdx.x};
        multiplier.run(at, work.steps);
        meet<2, S::MULTIPLIERS>(); /* the stages have been read */
        sums.store(multiplier);
        if (out.packed()) {
            write_quads(out, sums, multiplier, work);
        } else {
            meet<2, S::MULTIPLIERS>();
            write_rows(out, sums, work);
        }
    }
}
#else /* never launched there: the recipe refuses */
template <class S>
static __device__ void bulk_pipeline(const CUtensorMap *, const CUtensorMap *, const Output &, int)
{
}
#endif

#define ENTRIES(variant, A_INNER, B_INNER)                                                        \
    extern "C" __global__ void __launch_bounds__(Whole<A_INNER, B_INNER>::THREADS, GEMM_PIPELINE_BLOCKS) \
        gemm_bulk_pipeline_##variant(const __grid_constant__ CUtensorMap a,                       \
                                     const __grid_constant__ CUtensorMap b, float *c, int32_t m,  \
                                     int32_t n, int64_t ldc, float alpha, float beta, int32_t steps) \
    {                                                                                             \
        bulk_pipeline<Whole<A_INNER, B_INNER>>(&a, &b, Output{c, m, n, ldc, alpha, beta}, steps);  \
    }                                                                                             \
    GEMM_REPACK_ENTRY(variant)                                                                    \
    GEMM_SCALE_ENTRY(variant)

ENTRIES(f32_nn, true, false)
ENTRIES(f32_nt, true, true)
ENTRIES(f32_tn, false, false)
ENTRIES(f32_tt, false, true)
