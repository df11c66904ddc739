/* A pipeline without warps of its own for copies: all of a block's threads bring operands, then multiply.
 * Blocks need few registers and little shared memory, so that many stand beside each other and some write C
 * while others multiply. */
#pragma once

#include "gemm/device/simt/load-cp-async.cuh"

/* Stages hold a step along k each; C's tile has its place where they were. */
template <class Of> struct ManyShape : CopiedShape<Of> {
    using Base = CopiedShape<Of>;
    static constexpr int THREADS = Base::MULTIPLIERS;
    static constexpr bool CHUNKS_ALONE = true; /* a last step of 7 terms brings 8, not 32 */
    static_assert(THREADS == Base::BRINGERS, "all of them bring");
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

static __device__ __forceinline__ void close_group_of_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* All but the last OPEN groups of this thread's copies have come. */
template <int OPEN> static __device__ __forceinline__ void await_groups_of_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory");
}

/* What one step along k brings to its stage: one group of copies, also where there is nothing left. */
template <class S> struct Steps {
    Copier<S, S::ROWS, S::A_PITCH> a;
    Copier<S, S::COLS, S::B_PITCH> b;
    uint32_t stages;
    int count, k; /* steps; terms from the first on */

    __device__ __forceinline__ Steps(const Lying &of_a, const Lying &of_b, const Output &out, const Work &work, int k,
                                     uint32_t stages)
        : a(of_a, work.row, work.first * S::DEPTH, out.m, threadIdx.x),
          b(of_b, work.col, work.first * S::DEPTH, out.n, threadIdx.x), stages(stages), count(work.steps),
          k(k - work.first * S::DEPTH)
    {
    }

    __device__ __forceinline__ uint32_t stage(int step) const
    {
        return stages + step % S::STAGES * S::STAGE;
    }

    __device__ __forceinline__ int terms(int step) const
    {
        return k - step * S::DEPTH < S::DEPTH ? k - step * S::DEPTH : S::DEPTH;
    }

    template <bool WHOLE> __device__ __forceinline__ void copy(int step)
    {
        a.template copy<WHOLE>(stage(step), terms(step));
        b.template copy<WHOLE>(stage(step) + S::A_BYTES, terms(step));
    }

    __device__ __forceinline__ void bring(int step)
    {
        if (step < count && terms(step) == S::DEPTH)
            copy<true>(step);
        else if (step < count)
            copy<false>(step);
        close_group_of_copies();
    }
};

/* `chunks` times TOGETHER terms of a stage. */
template <class S> static __device__ __forceinline__ void multiply_stage(Multiplier<S> &m, uint32_t stage, int chunks)
{
    constexpr int U = S::TOGETHER;
    uint32_t a = stage + m.row * 4, b = stage + S::A_BYTES + m.col * 4;
    typename Multiplier<S>::Factors factors[2]; /* of this term and the next */

    m.load(factors[0], a, b, 0);
#pragma unroll 1
    for (int chunk = 0; chunk < chunks; ++chunk, a += U * S::A_PITCH * 4, b += U * S::B_PITCH * 4)
        unrolled(
            [&](auto index) {
                constexpr int term = index.value;
                if (term < U - 1 || chunk + 1 < chunks)
                    m.load(factors[(term & 1) ^ 1], a, b, term + 1);
                m.multiply(factors[term & 1]);
            },
            std::make_integer_sequence<int, U>{});
}

template <class S>
static __device__ __forceinline__ void run_many(const Lying &a, const Lying &b, const Output &out, int k, int steps,
                                                int longer, float4 *partial)
{
    extern __shared__ char shared[];
    const uint32_t stages = ((uint32_t)__cvta_generic_to_shared(shared) + 15) & ~15u;
    const Part part;
    const Work work = part.work<S>(out, steps, longer);
    Steps<S> all(a, b, out, work, k, stages);
    Multiplier<S> multiplier(threadIdx.x);

    for (int step = 0; step < S::STAGES - 1; ++step)
        all.bring(step);
#pragma unroll 1
    for (int step = 0; step < work.steps; ++step) {
        await_groups_of_copies<S::STAGES - 2>();
        __syncthreads(); /* the step has come, and the stage before it has been read */
        all.bring(step + S::STAGES - 1);
        multiply_stage<S>(multiplier, all.stage(step), (all.terms(step) + S::TOGETHER - 1) / S::TOGETHER);
    }
    __syncthreads(); /* the stages have been read */
    const Sums<S> sums{stages, (int)threadIdx.x};
    sums.store(multiplier);
    if (part.blocks > 1)
        meet_cluster();
    write_or_leave(out, partial, sums, part, multiplier, work);
    if (part.blocks > 1) /* nobody leaves while others read its shared memory */
        meet_cluster();
}
#else
template <class S>
static __device__ void run_many(const Lying &, const Lying &, const Output &, int, int, int, float4 *)
{
}
#endif
