/* few-rows' own form of common/skinny.cuh: elements of the long operand are asked for a turn before they are
 * multiplied, and terms of the few are copied to shared memory a chunk before, so that loads of memory are under way
 * all the time.  Nothing need be aligned, either. */
#pragma once

#include "gemm/device/common/skinny.cuh"

/* Terms of the few that are in shared memory together. */
template <int FEW, bool ALONG> constexpr int few_terms = ALONG &&FEW <= 8 ? 512 : 256;

/* Where x(i, k) of a chunk lies.  Pitches: those that copy to shared memory, 32 at a time, meet in no bank. */
template <int FEW, bool ALONG> struct FewChunk {
    static constexpr int TERMS = few_terms<FEW, ALONG>, PITCH = ALONG ? TERMS + 32 / FEW : FEW >= 8 ? FEW + 4 : FEW;
    float x[ALONG ? FEW * PITCH : TERMS * PITCH];

    static __device__ __forceinline__ int at(int i, int k)
    {
        return ALONG ? i * PITCH + k : k * PITCH + i;
    }

    /* x(0, k), x(1, k), ... */
    __device__ __forceinline__ void get(float (&of)[FEW], int k) const
    {
#pragma unroll
        for (int i = 0; i < FEW; ++i)
            of[i] = x[at(i, k)];
    }
};

/* One chunk is read, the other filled; then threads add their sums. */
template <int FEW, bool ALONG> union FewStreamShared {
    alignas(16) FewChunk<FEW, ALONG> chunks[2];
    FewBlock<FEW> at_end;
};

/* Starts to copy an element to shared memory; a zero where it is not `there`.  Before 8.0, where few-rows is never
 * launched, it copies. */
static __device__ __forceinline__ void start_copy(float *to, const float *from, bool there)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(there ? 4 : 0)
                 : "memory");
#else
    *to = there ? *from : 0.0f;
#endif
}

static __device__ __forceinline__ void await_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Starts to bring x of terms [first, first + GEMM_FEW_THREADS) to the place of term `at` of the chunk, with zeros
 * beyond `few` and from `end` on.  Neighbouring threads copy neighbouring elements, or eight of each of four rows, as x
 * lies. */
template <int FEW, bool ALONG>
static __device__ __forceinline__ void start_terms(FewChunk<FEW, ALONG> &chunk, int at, const FewProblem &f,
                                                   int64_t first, int64_t end)
{
    const bool k_first = f.x_k == 1, rows = ALONG && k_first;
    constexpr int APART = GEMM_FEW_THREADS / FEW; /* terms from one copy of a thread to the next */
    const int e = threadIdx.x, down = rows ? 1 : 0, on = rows ? 0 : APART;
    int i = rows ? 0 : k_first ? e / 8 % FEW : e % FEW;
    int64_t k = rows ? e : k_first ? e / (8 * FEW) * 8 + e % 8 : e / FEW;
    float *to = &chunk.x[chunk.at(i, at + (int)k)];
    k += first;
    const float *from = f.x + i * f.x_few + k * f.x_k;
    const int64_t step = down * f.x_few + on * f.x_k;
#pragma unroll 2
    for (int n = 0; n < FEW; ++n, i += down, k += on, from += step, to += chunk.at(down, on))
        start_copy(to, from, i < f.few && k < end);
}

template <int FEW, bool ALONG>
static __device__ __forceinline__ void start_chunk(FewChunk<FEW, ALONG> &chunk, const FewProblem &f, int64_t first,
                                                   int64_t end)
{
#pragma unroll 1
    for (int at = 0; at < chunk.TERMS; at += GEMM_FEW_THREADS)
        start_terms(chunk, at, f, first + at, end);
}

/* The elements of p that this thread multiplies: columns 32 apart and every eighth term, or, where memory runs along
 * k, four rows and every 32nd term; a turn has U of these terms. */
template <int FEW, bool ALONG, int U> struct FewLoads {
    static constexpr int STEP = ALONG ? 32 : FEW_WARPS, TURN = U * STEP;
    const float *from;
    int64_t of_term, of_column;
    bool there[FEW_J];
    int mine; /* its first term */

    __device__ __forceinline__ FewLoads(const FewProblem &f, int64_t panel, int64_t begin)
    {
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const int64_t column = panel + (ALONG ? warp * FEW_J : lane);
        mine = ALONG ? lane : warp;
        of_term = ALONG ? 1 : f.ldp;
        of_column = ALONG ? f.ldp : 1;
        from = f.p + column * of_column + (begin + mine) * of_term;
#pragma unroll
        for (int j = 0; j < FEW_J; ++j)
            there[j] = column + (ALONG ? j : 32 * j) < f.many;
    }

    /* Those of the next turn, which has `left` terms. */
    __device__ __forceinline__ void next(float (&p)[U][FEW_J], int64_t left)
    {
        const bool whole = left >= TURN;
        const int64_t apart = ALONG ? of_column : 32;
#pragma unroll
        for (int u = 0; u < U; ++u, from += STEP * of_term)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                p[u][j] = there[j] && (whole || mine + u * STEP < left) ? __ldg(from + j * apart) : 0.0f;
    }
};

/* Terms of a turn: as registers allow, and two turns or more in a chunk. */
template <int FEW, bool ALONG> constexpr int few_loads = FEW >= 16 ? 4 : 8;

/* The block's sums of the panel that begins at `panel`, over terms [begin, end). */
template <int FEW, bool ALONG>
static __device__ __forceinline__ void stream_panel(FewSums<FEW> &sums, FewStreamShared<FEW, ALONG> &shared,
                                                    const FewProblem &f, int64_t panel, int64_t begin, int64_t end)
{
    constexpr int U = few_loads<FEW, ALONG>;
    using Loads = FewLoads<FEW, ALONG, U>;
    constexpr int TERMS = few_terms<FEW, ALONG>, TURNS = TERMS / Loads::TURN; /* of a chunk */
    Loads loads(f, panel, begin);
    float p[2][U][FEW_J];

    if (begin >= end)
        return;
    start_chunk(shared.chunks[0], f, begin, end);
    loads.next(p[0], end - begin);
    int which = 0;
    for (int64_t first = begin; first < end; first += TERMS, which ^= 1) {
        await_copies();
        __syncthreads(); /* this chunk has come, and the one before has been read */
        if (first + TERMS < end)
            start_chunk(shared.chunks[which ^ 1], f, first + TERMS, end);
#pragma unroll
        for (int turn = 0; turn < TURNS; ++turn) {
            const int64_t left = end - first - turn * Loads::TURN;
            if (turn > 0 && left <= 0)
                break;
            loads.next(p[(turn & 1) ^ 1], left - Loads::TURN);
#pragma unroll
            for (int u = 0; u < U; ++u) {
                float x[FEW];
                shared.chunks[which].get(x, turn * Loads::TURN + u * Loads::STEP + loads.mine);
                sums.add(x, p[turn & 1][u]);
            }
        }
    }
    static_assert(TURNS % 2 == 0, "a chunk begins with the same registers");
}

/* A panel for each column of the grid, a part of k for each row. */
template <int FEW, bool ALONG> static __device__ void few_stream(const FewProblem &f, const FewParts &parts)
{
    __shared__ FewStreamShared<FEW, ALONG> shared;
    const int64_t panel = (int64_t)blockIdx.x * few_width<ALONG>;
    const int64_t begin = blockIdx.y * parts.length, end = begin + parts.length < f.k ? begin + parts.length : f.k;
    FewSums<FEW> sums;

    stream_panel<FEW, ALONG>(sums, shared, f, panel, begin, end);
    if (ALONG)
        join_lanes(sums);
    else
        join_warps(sums, shared.at_end);
    leave_sums<FEW, ALONG>(sums, f, gridDim.y > 1 ? parts.partial : nullptr, panel);
    if (gridDim.y > 1)
        finish_parts<FEW, ALONG>(shared.at_end, f, parts, panel);
}
