/* A block's way through a pipeline: one tile of C, or one part of k of it.  Parts are added in a fixed
 * order: those of a cluster by their ranks, through shared memory, each block a share of the tile; and
 * what clusters leave in scratch memory by another launch (simt/reduce-split-k.cuh). */
#pragma once

#include "gemm/device/common/skinny.cuh"
#include "gemm/device/simt/epilogue.cuh"

/* Rows and columns of C past the last whole tile, few enough that tiles of their own would be a waste:
 * blocks after those of the tiles compute them as common/skinny.cuh does.  C is then m_all x n_all. */
struct Edges {
    const float *a, *b;
    int64_t lda, ldb;
    int m_all, n_all, k;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Which part of k this block has: part `rank` of the cluster, which is number `blockIdx.y` of its tile's. */
struct Part {
    uint32_t tile, blocks, rank;

    __device__ __forceinline__ Part()
        : tile(blockIdx.x / blocks_of_cluster()), blocks(blocks_of_cluster()), rank(rank_in_cluster())
    {
    }

    /* The first `longer` parts have a step more. */
    template <class S> __device__ __forceinline__ Work work(const Output &out, int steps, int longer) const
    {
        const int part = (int)(blockIdx.y * blocks + rank);
        return work_of<S>(tile, out.m, out.n, part * steps + (part < longer ? part : longer),
                          steps + (part < longer ? 1 : 0));
    }
};

/* A block of a cluster of BLOCKS has a share of the tile's quads. */
template <class S, int BLOCKS>
static __device__ __forceinline__ void write_shared_quads(const Output &out, const Sums<S> &sums, const Part &part,
                                                          const Multiplier<S> &m, const Work &work)
{
    constexpr int SHARE = S::QUADS / BLOCKS, TOGETHER = SHARE < 4 ? SHARE : 4;
    const int begin = (int)part.rank * SHARE;
    const bool aligned = out.aligned();
#pragma unroll(TOGETHER)
    for (int q = begin; q < begin + SHARE; ++q)
        out.write4(work.row + row_of_quad(m, q), work.col + col_of_quad(m, q), sums.template sum_of<BLOCKS>(q),
                   aligned);
}

template <class S>
static __device__ __forceinline__ void write_whole(const Output &out, const Sums<S> &sums, const Multiplier<S> &m,
                                                   const Work &work)
{
    if (out.aligned()) {
        write_quads(out, sums, m, work);
    } else {
        meet<2, S::MULTIPLIERS>();
        write_rows(out, sums, work);
    }
}

template <class S>
static __device__ __forceinline__ void write_sums(const Output &out, const Sums<S> &sums, const Part &part,
                                                  const Multiplier<S> &m, const Work &work)
{
    switch (part.blocks) {
    case 1:
        return out.beta == 0.0f ? write_whole<S>(out.overwritten(), sums, m, work) : write_whole<S>(out, sums, m, work);
    case 2:
        return write_shared_quads<S, 2>(out, sums, part, m, work);
    case 4:
        return write_shared_quads<S, 4>(out, sums, part, m, work);
    default:
        return write_shared_quads < S, S::QUADS < 8 ? S::QUADS : 8 > (out, sums, part, m, work);
    }
}

/* To C, or, where the launch has parts that no cluster adds, to scratch memory.  Not by a choice of addresses and
 * factors: these would take registers while the block multiplies. */
template <class S>
static __device__ __forceinline__ void write_or_leave(const Output &out, float4 *partial, const Sums<S> &sums,
                                                      const Part &part, const Multiplier<S> &m, const Work &work)
{
    if (gridDim.y > 1)
        write_sums(out.left_in(partial), sums, part, m, work);
    else
        write_sums(out, sums, part, m, work);
}

/* The rows below the tiles, all along C. */
template <class S> static __device__ __forceinline__ FewProblem rows_below(const Output &out, const Edges &e)
{
    return {e.a + out.m * (S::A_INNER ? e.lda : 1),
            S::A_INNER ? e.lda : 1,
            S::A_INNER ? 1 : e.lda,
            e.b,
            e.ldb,
            out.c + out.m * out.ldc,
            out.ldc,
            1,
            e.m_all - out.m,
            e.n_all,
            e.k,
            out.alpha,
            out.beta};
}

/* The columns beside the tiles. */
template <class S> static __device__ __forceinline__ FewProblem columns_beside(const Output &out, const Edges &e)
{
    return {e.b + out.n * (S::B_INNER ? e.ldb : 1),
            S::B_INNER ? e.ldb : 1,
            S::B_INNER ? 1 : e.ldb,
            e.a,
            e.lda,
            out.c + out.n,
            1,
            out.ldc,
            e.n_all - out.n,
            out.m,
            e.k,
            out.alpha,
            out.beta};
}

/* Of blocks after the tiles'; true where this was one. */
template <class S> static __device__ __forceinline__ bool compute_edges(const Output &out, const Edges &e)
{
    static_assert(S::THREADS == GEMM_FEW_THREADS, "as many threads as common/skinny.cuh wants");
    extern __shared__ char shared[];
    const uint32_t across = (uint32_t)(out.n - 1) / S::COLS + 1, down = (uint32_t)(out.m - 1) / S::ROWS + 1;
    const uint32_t of_tiles = across * down * blocks_of_cluster();
    FewBlock<GEMM_EDGE_MOST> &block = *reinterpret_cast<FewBlock<GEMM_EDGE_MOST> *>(shared);

    if (blockIdx.x < of_tiles)
        return false;
    if (blockIdx.y == 0 && e.m_all > out.m)
        few_by<GEMM_EDGE_MOST, S::B_INNER>(block, rows_below<S>(out, e), blockIdx.x - of_tiles, gridDim.x - of_tiles);
    if (blockIdx.y == 0 && e.n_all > out.n)
        few_by<GEMM_EDGE_MOST, S::A_INNER>(block, columns_beside<S>(out, e), blockIdx.x - of_tiles,
                                           gridDim.x - of_tiles);
    return true;
}

/* The block's barriers; touches no memory but its own. */
template <class S> static __device__ __forceinline__ void open_pipeline()
{
    extern __shared__ char shared[];
    if (threadIdx.x == 0)
        Places<S>(shared).open();
    __syncthreads();
}

/* What the threads that multiply do, and the cluster's meetings. */
template <class S>
static __device__ __forceinline__ void multiply_and_write(const Places<S> &at, const Output &out, float4 *partial,
                                                          const Part &part, const Work &work, int chunks)
{
    Multiplier<S> multiplier(threadIdx.x);
    const Sums<S> sums{at.stages, (int)threadIdx.x};
    Turn<S::STAGES> stage(0);
    multiplier.run(at, work.steps, chunks, stage);
    meet<2, S::MULTIPLIERS>(); /* the stages have been read */
    sums.store(multiplier);
    if (part.blocks > 1)
        meet_cluster();
    write_or_leave(out, partial, sums, part, multiplier, work);
}

template <class S>
static __device__ __forceinline__ void run_pipeline(const TensorMap *a, const TensorMap *b, const Output &out,
                                                    int steps, int longer, float4 *partial)
{
    extern __shared__ char shared[];
    const Places<S> at(shared);
    const Part part;
    const Work work = part.work<S>(out, steps, longer);

    if (threadIdx.x >= S::MULTIPLIERS) {
        give_registers_back<S::REGISTERS ? 40 : 0>();
        Bringer<S>{a, b, at, work, (int)threadIdx.x - S::MULTIPLIERS}.bring();
        if (part.blocks > 1)
            meet_cluster();
    } else {
        take_registers<S::REGISTERS>();
        multiply_and_write<S>(at, out, partial, part, work, S::DEPTH / S::TOGETHER);
    }
    if (part.blocks > 1) /* nobody leaves while others read its shared memory */
        meet_cluster();
}
#else /* never launched there: the recipe refuses */
template <class S> static __device__ void open_pipeline()
{
}
template <class S> static __device__ bool compute_edges(const Output &, const Edges &)
{
    return true;
}
template <class S>
static __device__ void run_pipeline(const TensorMap *, const TensorMap *, const Output &, int, int, float4 *)
{
}
#endif
