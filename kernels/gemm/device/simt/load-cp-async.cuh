/* A pipeline whose operands may begin anywhere and lie either way: threads bring them by asynchronous
 * copies of one element, or of four where rows begin at 16 bytes, each to its place in a stage.  An
 * operand whose rows run along k is thereby transposed on its way.  Which way it lies is known only
 * when the kernel runs, so that one kernel serves all layouts. */
#pragma once

#include "gemm/device/simt/warp-specialised.cuh"

/* An operand: element (outer, inner) of the product lies at outer * ld + inner where its rows run along
 * k, else at inner * ld + outer. */
struct Lying {
    const float *from;
    int64_t ld;
    bool inner;

    __device__ __forceinline__ bool in_units() const
    {
        return !inner && (uintptr_t)from % 16 == 0 && ld % 4 == 0;
    }
};

/* Rows of a stage are four elements longer than the tile's side: eight k of four outer elements, which is
 * what a warp transposes at a time, then lie in 32 banks. */
template <class Of> struct CopiedShape : Shape<Of, false, false> {
    using Base = Shape<Of, false, false>;
    static constexpr int A_PITCH = Of::ROWS + 4, B_PITCH = Of::COLS + 4;
    static constexpr uint32_t A_BYTES = A_PITCH * Base::DEPTH * 4, B_BYTES = B_PITCH * Base::DEPTH * 4;
    static constexpr uint32_t STAGE = A_BYTES + B_BYTES;
    static constexpr bool CHUNKS_ALONE =
        false; /* of a short step: warps that only copy have too few registers for that */
    static constexpr int LANDINGS = 0, FILLERS = Base::BRINGERS;
    static_assert(Of::ROWS * Of::COLS * 4 <= Base::STAGES * STAGE, "C's tile has room there, too");
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* BYTES of 4 or 16, of which the first `there` are read and the others become zeros. */
template <int BYTES> static __device__ __forceinline__ void copy_async(uint32_t to, const float *from, int there)
{
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(there) : "memory");
}

template <int BYTES> static __device__ __forceinline__ void copy_async(uint32_t to, const float *from)
{
    if constexpr (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}

/* Arrives when all copies of this thread have come. */
static __device__ __forceinline__ void arrive_when_copied(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* A thread's part of the copies of one operand, of which `outer` elements are the tile's. */
template <class S, int SIDE, int PITCH> struct Copier {
    enum { INNER, OUTER, UNITS };
    static constexpr int LANES = SIDE < 32 ? 16 : 32, OUTER_ROWS = S::BRINGERS / LANES;
    static constexpr int UNIT_LANES = SIDE <= 16    ? 4
                                      : SIDE <= 32  ? 8
                                      : SIDE <= 64  ? 16
                                      : SIDE <= 128 ? 32
                                                    : 64;      /* of which SIDE / 4 have work */
    static constexpr int UNIT_ROWS = S::BRINGERS / UNIT_LANES; /* at a time */
    static_assert(SIDE % 16 == 0 && SIDE <= 256, "a place for every thread");

    const float *from;     /* this thread's first element of the next step */
    int64_t ld, step;      /* elements from row to row, from step to step */
    int way, outer, inner; /* how it lies; this thread's first place in the tile */
    int left;              /* elements of the tile from there on: may be 0 or less */

    __device__ __forceinline__ Copier(const Lying &operand, int first_outer, int first_inner, int outer_count,
                                      int thread)
        : ld(operand.ld), way(operand.inner        ? INNER
                              : operand.in_units() ? UNITS
                                                   : OUTER)
    {
        const int lanes = way == INNER ? 8 : way == OUTER ? LANES : UNIT_LANES;
        const int fast = thread % lanes, slow = thread / lanes;
        outer = way == INNER ? slow : way == OUTER ? fast : 4 * fast;
        inner = way == INNER ? fast : slow;
        const int there = outer_count - first_outer < SIDE ? outer_count - first_outer : SIDE;
        left = there - outer;
        step = way == INNER ? S::DEPTH : S::DEPTH * ld;
        from = operand.from + (way == INNER ? (first_outer + outer) * ld + first_inner + inner
                                            : (first_inner + inner) * ld + first_outer + outer);
    }

    /* Whether terms from k on of a step of `depth` are multiplied, in chunks of TOGETHER. */
    template <bool WHOLE> static __device__ __forceinline__ bool wanted(int k, int depth)
    {
        return WHOLE || !S::CHUNKS_ALONE || k / S::TOGETHER * S::TOGETHER < depth;
    }

    /* `depth` terms of the step are there; the others become zeros. */
    template <bool WHOLE, int BYTES>
    __device__ __forceinline__ void put(uint32_t to, const float *at, int k, int depth, int bytes) const
    {
        if (WHOLE && BYTES == 4)
            copy_async<BYTES>(to, at);
        else
            copy_async<BYTES>(to, at, WHOLE || inner + k < depth ? bytes : 0);
    }

    template <bool WHOLE> __device__ __forceinline__ void along(uint32_t to, int depth) const
    {
        const float *row = from;
#pragma unroll
        for (int i = 0; i < SIDE / 16; ++i, row += 16 * ld)
            if (16 * i < left)
#pragma unroll
                for (int k = 0; k < S::DEPTH; k += 8)
                    if (wanted<WHOLE>(k, depth))
                        put<WHOLE, 4>(to + (k * PITCH + 16 * i) * 4, row + k, k, depth, 4);
    }

    template <bool WHOLE> __device__ __forceinline__ void across(uint32_t to, int depth) const
    {
        const float *row = from;
#pragma unroll
        for (int k = 0; k < S::DEPTH; k += OUTER_ROWS, row += OUTER_ROWS * ld)
#pragma unroll
            for (int i = 0; i < SIDE; i += LANES)
                if (i < left && wanted<WHOLE>(k, depth))
                    put<WHOLE, 4>(to + (k * PITCH + i) * 4, row + i, k, depth, 4);
    }

    template <bool WHOLE> __device__ __forceinline__ void in_units(uint32_t to, int depth) const
    {
        const float *row = from;
        const int bytes = left < 4 ? 4 * left : 16;
#pragma unroll
        for (int k = 0; k < S::DEPTH; k += UNIT_ROWS, row += UNIT_ROWS * ld)
            if (left > 0 && wanted<WHOLE>(k, depth))
                put<WHOLE, 16>(to + k * PITCH * 4, row, k, depth, bytes);
    }

    template <bool WHOLE> __device__ __forceinline__ void copy(uint32_t stage, int depth)
    {
        const uint32_t to = stage + (inner * PITCH + outer) * 4;
        if (way == INNER)
            along<WHOLE>(to, depth);
        else if (way == OUTER)
            across<WHOLE>(to, depth);
        else
            in_units<WHOLE>(to, depth);
        from += step;
    }
};

/* Brings all steps of a block's work, from stage `stage` on; k is the product's. */
template <class S>
static __device__ __forceinline__ void bring_copied(const Lying &a, const Lying &b, const Places<S> &at,
                                                    const Work &work, const Output &out, int k, int thread,
                                                    Turn<S::STAGES> &stage)
{
    const int first = work.first * S::DEPTH;
    Copier<S, S::ROWS, S::A_PITCH> of_a(a, work.row, first, out.m, thread);
    Copier<S, S::COLS, S::B_PITCH> of_b(b, work.col, first, out.n, thread);

    for (int step = 0, depth = k - first; step < work.steps; ++step, depth -= S::DEPTH, stage.advance()) {
        const uint32_t to = at.stages + stage.place * S::STAGE;
        await(at.empty + 8 * stage.place, stage.parity);
        if (depth >= S::DEPTH) {
            of_a.template copy<true>(to, depth);
            of_b.template copy<true>(to + S::A_BYTES, depth);
        } else {
            of_a.template copy<false>(to, depth);
            of_b.template copy<false>(to + S::A_BYTES, depth);
        }
        arrive_when_copied(at.full + 8 * stage.place);
    }
}

/* Chunks of TOGETHER terms that the block's last step has. */
template <class S> static __device__ __forceinline__ int chunks_of_last(const Work &work, int k)
{
    const int left = k - (work.first + work.steps - 1) * S::DEPTH;
    return left >= S::DEPTH ? S::DEPTH / S::TOGETHER : (left + S::TOGETHER - 1) / S::TOGETHER;
}

template <class S>
static __device__ __forceinline__ void run_copied(const Lying &a, const Lying &b, const Output &out, int k, int steps,
                                                  int longer, float4 *partial)
{
    extern __shared__ char shared[];
    const Places<S> at(shared);
    const Part part;
    const Work work = part.work<S>(out, steps, longer);

    if (threadIdx.x >= S::MULTIPLIERS) {
        give_registers_back<S::REGISTERS ? 40 : 0>();
        Turn<S::STAGES> stage(1);
        bring_copied<S>(a, b, at, work, out, k, (int)threadIdx.x - S::MULTIPLIERS, stage);
        if (part.blocks > 1)
            meet_cluster();
    } else {
        take_registers<S::REGISTERS>();
        multiply_and_write<S>(at, out, partial, part, work, chunks_of_last<S>(work, k));
    }
    if (part.blocks > 1) /* nobody leaves while others read its shared memory */
        meet_cluster();
}
#else
template <class S>
static __device__ void run_copied(const Lying &, const Lying &, const Output &, int, int, int, float4 *)
{
}
#endif
