/* A block's way through a pipeline: one tile of C, or one part of k of it.  Parts are added in a fixed
 * order: those of a cluster by their ranks, through shared memory, each block a share of the tile; and
 * what clusters leave in scratch memory by the last of them to come. */
#pragma once

#include "pipeline-write.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Which part of k this block has: part `rank` of the cluster, which is number `blockIdx.y` of its tile's. */
struct Part {
    uint32_t tile, blocks, rank, clusters;

    __device__ __forceinline__ Part()
        : tile(blockIdx.x / blocks_of_cluster()), blocks(blocks_of_cluster()), rank(rank_in_cluster()),
          clusters(gridDim.y)
    {
    }

    /* The first `longer` parts have a step more. */
    template <class S>
    __device__ __forceinline__ Work work(const Output &out, int steps, int longer) const
    {
        const int part = (int)(blockIdx.y * blocks + rank);
        return work_of<S>(tile, out.m, out.n, part * steps + (part < longer ? part : longer),
                          steps + (part < longer ? 1 : 0));
    }
};

/* The sums that clusters leave for the last of them. */
template <class S> struct Partial {
    float4 *of_tile; /* of this thread: quad 0 of the first cluster */
    unsigned *ticket;
    int thread;

    __device__ __forceinline__ Partial(float4 *partial, unsigned *tickets, const Part &part, int thread)
        : of_tile(partial + (int64_t)part.tile * part.clusters * S::QUADS * S::MULTIPLIERS + thread),
          ticket(tickets + part.tile * part.blocks + part.rank), thread(thread)
    {
    }

    __device__ __forceinline__ float4 *place(uint32_t cluster, int quad) const
    {
        return of_tile + ((int64_t)cluster * S::QUADS + quad) * S::MULTIPLIERS;
    }

    /* Whether all other clusters have left their sums; for all threads that multiply. */
    __device__ __forceinline__ bool is_last(uint32_t clusters) const
    {
        __shared__ bool last;
        __threadfence();
        meet<2, S::MULTIPLIERS>();
        if (thread == 0) {
            last = atomicAdd(ticket, 1u) == clusters - 1;
            if (last)
                *ticket = 0; /* for the next launch */
            __threadfence();
        }
        meet<2, S::MULTIPLIERS>();
        return last;
    }

    __device__ __forceinline__ float4 sum(uint32_t clusters, int quad) const
    {
        float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 4
        for (uint32_t i = 0; i < clusters; ++i) {
            const float4 v = __ldcg(place(i, quad));
            sum.x += v.x;
            sum.y += v.y;
            sum.z += v.z;
            sum.w += v.w;
        }
        return sum;
    }
};

/* This block's share of the tile's quads. */
template <class S> struct Quads {
    int begin, end;
    __device__ __forceinline__ explicit Quads(const Part &part)
        : begin((int)part.rank * (S::QUADS / (int)part.blocks)), end(begin + S::QUADS / (int)part.blocks)
    {
    }
};

template <class S>
static __device__ __forceinline__ void write_shared_quads(const Output &out, const Sums<S> &sums, const Part &part,
                                                          const Multiplier<S> &m, const Work &work)
{
    const Quads<S> mine(part);
    const bool packed = out.packed();
#pragma unroll 2
    for (int q = mine.begin; q < mine.end; ++q)
        out.write4(work.row + row_of_quad(m, q), work.col + col_of_quad(m, q),
                   part.blocks > 1 ? sums.quad_of_cluster(q, (int)part.blocks) : sums.quad(q), packed);
}

template <class S>
static __device__ __forceinline__ void write_partial_quads(const Output &out, const Sums<S> &sums, const Part &part,
                                                           const Partial<S> &partial, const Multiplier<S> &m,
                                                           const Work &work)
{
    const Quads<S> mine(part);
    const bool packed = out.packed();
#pragma unroll 2
    for (int q = mine.begin; q < mine.end; ++q)
        *partial.place(blockIdx.y, q) = part.blocks > 1 ? sums.quad_of_cluster(q, (int)part.blocks) : sums.quad(q);
    if (partial.is_last(part.clusters))
#pragma unroll 2
        for (int q = mine.begin; q < mine.end; ++q)
            out.write4(work.row + row_of_quad(m, q), work.col + col_of_quad(m, q), partial.sum(part.clusters, q),
                       packed);
}

template <class S>
static __device__ __forceinline__ void write_parts(const Output &out, const Sums<S> &sums, const Part &part,
                                                   const Partial<S> &partial, const Multiplier<S> &m, const Work &work)
{
    if (part.clusters > 1) {
        write_partial_quads(out, sums, part, partial, m, work);
    } else if (part.blocks > 1 || out.packed()) {
        write_shared_quads(out, sums, part, m, work);
    } else {
        meet<2, S::MULTIPLIERS>();
        write_rows(out, sums, work);
    }
}

/* The block's barriers; touches no memory but its own. */
template <class S> static __device__ __forceinline__ void open_pipeline()
{
    extern __shared__ char shared[];
    if (threadIdx.x == 0)
        Places<S>(shared).open();
    __syncthreads();
}

template <class S>
static __device__ __forceinline__ void run_pipeline(const CUtensorMap *a, const CUtensorMap *b, const Output &out,
                                               int steps, int longer, float4 *partial, unsigned *tickets)
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
        Multiplier<S> multiplier(threadIdx.x);
        const Sums<S> sums{at.stages, (int)threadIdx.x};
        multiplier.run(at, work.steps);
        meet<2, S::MULTIPLIERS>(); /* the stages have been read */
        sums.store(multiplier);
        if (part.blocks > 1)
            meet_cluster();
        write_parts(out, sums, part, Partial<S>(partial, tickets, part, threadIdx.x), multiplier, work);
    }
    if (part.blocks > 1) /* nobody leaves while others read its shared memory */
        meet_cluster();
}
#else /* never launched there: the recipe refuses */
template <class S> static __device__ void open_pipeline() {}
template <class S>
static __device__ void run_pipeline(const CUtensorMap *, const CUtensorMap *, const Output &, int, int, float4 *,
                                    unsigned *)
{
}
#endif
