/* Products of which one side is short: out(i, j) = sum over k of x(i, k) p(k, j), i < FEW, where p
 * is long and read once.  A block has a panel of j and a part of k; it keeps the x of a chunk of k in
 * shared memory, which all its threads read.  Nothing need be aligned: neighbouring lanes read
 * neighbouring elements. */
#pragma once

#include "gemm/device/common/tiles.h"

#include <cstdint>

struct FewProblem {
    const float *x;
    int64_t x_few, x_k; /* steps of x along i and k */
    const float *p;
    int64_t ldp;
    float *out;
    int64_t out_few, out_many;
    int few; /* at most FEW */
    int64_t many, k;
    float alpha, beta;
};

/* Parts of k, and the sums that they leave: [part][few][many]. */
struct FewParts {
    int64_t length; /* of a part */
    float *partial;
    unsigned *tickets; /* one for each panel */
};

enum { FEW_WARPS = GEMM_FEW_THREADS / 32, FEW_J = GEMM_FEW_COLUMNS };
static_assert(GEMM_FEW_ACROSS == 32 * FEW_J && GEMM_FEW_ALONG == FEW_WARPS * FEW_J, "a place for every column");

template <int FEW> struct FewBlock {
    union {
        float x[GEMM_FEW_CHUNK * FEW];
        float sums[FEW_WARPS / 2][FEW][GEMM_FEW_ACROSS]; /* of warps that share columns, at the end */
    };
    bool last;
};

template <int FEW> struct FewSums {
    float of[FEW][FEW_J];

    __device__ __forceinline__ FewSums()
    {
#pragma unroll
        for (int i = 0; i < FEW; ++i)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                of[i][j] = 0.0f;
    }

    __device__ __forceinline__ void add(const float (&x)[FEW], const float (&p)[FEW_J])
    {
#pragma unroll
        for (int i = 0; i < FEW; ++i)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                of[i][j] = fmaf(x[i], p[j], of[i][j]);
    }
};

/* With so few, lanes read x where it lies: no barrier stands between the loads of p. */
template <int FEW> constexpr bool few_direct = FEW <= 2;

/* Terms between two barriers. */
template <int FEW> constexpr int64_t few_chunk = few_direct<FEW> ? 1 << 30 : GEMM_FEW_CHUNK;

/* x of terms [first, first + count) to shared memory: ALONG as [i][k], else [k][i]; zeros beyond `few`. */
template <int FEW, bool ALONG>
static __device__ void stage_few(FewBlock<FEW> &block, const FewProblem &f, int64_t first, int count)
{
    const bool k_first = f.x_k == 1;
    if (few_direct<FEW>)
        return;
    __syncthreads(); /* the last chunk has been read */
    for (int e = threadIdx.x; e < FEW * GEMM_FEW_CHUNK; e += GEMM_FEW_THREADS) {
        const int i = k_first ? e / GEMM_FEW_CHUNK : e % FEW, k = k_first ? e % GEMM_FEW_CHUNK : e / FEW;
        const bool there = i < f.few && k < count;
        block.x[ALONG ? i * GEMM_FEW_CHUNK + k : k * FEW + i] = there ? f.x[i * f.x_few + (first + k) * f.x_k] : 0.0f;
    }
    __syncthreads();
}

/* x(0, k), x(1, k), ... of the chunk that begins with term `first`; k may be past its end. */
template <int FEW, bool ALONG>
static __device__ __forceinline__ void x_of(float (&x)[FEW], const FewBlock<FEW> &block, const FewProblem &f,
                                            int64_t first, int count, int k)
{
#pragma unroll
    for (int i = 0; i < FEW; ++i)
        if (few_direct<FEW>)
            x[i] = i < f.few && k < count ? __ldg(f.x + i * f.x_few + (first + k) * f.x_k) : 0.0f;
        else
            x[i] = block.x[ALONG ? i * GEMM_FEW_CHUNK + k % GEMM_FEW_CHUNK : k % GEMM_FEW_CHUNK * FEW + i];
}

/* Terms whose p a thread loads before it uses the first: bytes under way, as many as registers hold. */
template <int FEW> constexpr int few_together = FEW >= 16 ? 4 : 8;

/* Terms k, k + STEP, ..., whose p have been asked for; so are their x, where they are read in place, before the
 * first is used. */
template <int FEW, bool ALONG, int U, int STEP>
static __device__ __forceinline__ void add_terms(FewSums<FEW> &sums, const FewBlock<FEW> &block, const FewProblem &f,
                                                 int64_t first, int count, int k, const float (&p)[U][FEW_J])
{
    float x[few_direct<FEW> ? U : 1][FEW];
#pragma unroll
    for (int u = 0; few_direct<FEW> && u < U; ++u)
        x_of<FEW, ALONG>(x[u], block, f, first, count, k + u * STEP);
#pragma unroll
    for (int u = 0; u < U; ++u) {
        if (!few_direct<FEW>)
            x_of<FEW, ALONG>(x[0], block, f, first, count, k + u * STEP);
        if (k + u * STEP < count)
            sums.add(x[few_direct<FEW> ? u : 0], p[u]);
    }
}

/* Memory runs across: a thread has columns 32 apart, and every eighth term. */
template <int FEW>
static __device__ __forceinline__ void add_across(FewSums<FEW> &sums, const FewBlock<FEW> &block, const FewProblem &f,
                                                  int64_t panel, int64_t first, int count)
{
    constexpr int U = few_together<FEW>;
    const int lane = threadIdx.x % 32;
    const int64_t left = f.many - panel - lane;
    for (int k = threadIdx.x / 32; k < count; k += U * FEW_WARPS) {
        const float *from = f.p + (first + k) * f.ldp + panel + lane;
        float p[U][FEW_J];
#pragma unroll
        for (int u = 0; u < U; ++u)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                p[u][j] =
                    k + u * FEW_WARPS < count && 32 * j < left ? __ldg(from + u * FEW_WARPS * f.ldp + 32 * j) : 0.0f;
        add_terms<FEW, false, U, FEW_WARPS>(sums, block, f, first, count, k, p);
    }
}

/* Memory runs along k: a warp has four rows of p, and a lane every 32nd term. */
template <int FEW>
static __device__ __forceinline__ void add_along(FewSums<FEW> &sums, const FewBlock<FEW> &block, const FewProblem &f,
                                                 int64_t panel, int64_t first, int count)
{
    constexpr int U = few_together<FEW>;
    const int64_t row = panel + threadIdx.x / 32 * FEW_J;
    for (int k = threadIdx.x % 32; k < count; k += U * 32) {
        const float *from = f.p + row * f.ldp + first + k;
        float p[U][FEW_J];
#pragma unroll
        for (int u = 0; u < U; ++u)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                p[u][j] = k + 32 * u < count && row + j < f.many ? __ldg(from + j * f.ldp + 32 * u) : 0.0f;
        add_terms<FEW, true, U, 32>(sums, block, f, first, count, k, p);
    }
}

/* Pairs of warps, then pairs of those: warp 0 has the sums. */
template <int FEW> static __device__ __forceinline__ void join_warps(FewSums<FEW> &sums, FewBlock<FEW> &block)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int half = FEW_WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < FEW; ++i)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                if (warp >= half && warp < 2 * half)
                    block.sums[warp - half][i][32 * j + lane] = sums.of[i][j];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < FEW; ++i)
#pragma unroll
            for (int j = 0; j < FEW_J; ++j)
                if (warp < half)
                    sums.of[i][j] += block.sums[warp][i][32 * j + lane];
    }
}

template <int FEW> static __device__ __forceinline__ void join_lanes(FewSums<FEW> &sums)
{
#pragma unroll
    for (int i = 0; i < FEW; ++i)
#pragma unroll
        for (int j = 0; j < FEW_J; ++j)
#pragma unroll
            for (int apart = 16; apart > 0; apart /= 2)
                sums.of[i][j] += __shfl_xor_sync(~0u, sums.of[i][j], apart);
}

static __device__ __forceinline__ void write_few(const FewProblem &f, int i, int64_t j, float sum)
{
    float *to = f.out + i * f.out_few + j * f.out_many;
    const float product = f.alpha * sum;
    *to = f.beta == 0.0f ? product : fmaf(f.beta, *to, product);
}

/* A sum of a part: to scratch memory, or, where that is the whole, to C. */
static __device__ __forceinline__ void leave_few(const FewProblem &f, float *partial, int i, int64_t j, float sum)
{
    if (i >= f.few || j >= f.many)
        return;
    if (partial)
        partial[((int64_t)blockIdx.y * f.few + i) * f.many + j] = sum;
    else
        write_few(f, i, j, sum);
}

template <int FEW, bool ALONG>
static __device__ __forceinline__ void leave_sums(const FewSums<FEW> &sums, const FewProblem &f, float *partial,
                                                  int64_t panel)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < FEW; ++i)
#pragma unroll
        for (int j = 0; j < FEW_J; ++j)
            if (ALONG ? lane == 0 : warp == 0)
                leave_few(f, partial, i, panel + (ALONG ? warp * FEW_J + j : 32 * j + lane), sums.of[i][j]);
}

/* The last block of a panel adds what all have left, in the order of the parts. */
template <int FEW, bool ALONG>
static __device__ __forceinline__ void finish_parts(FewBlock<FEW> &block, const FewProblem &f, const FewParts &parts,
                                                    int64_t panel)
{
    constexpr int WIDTH = ALONG ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        block.last = atomicAdd(&parts.tickets[blockIdx.x], 1u) == gridDim.y - 1;
        if (block.last)
            parts.tickets[blockIdx.x] = 0; /* for the next launch */
        __threadfence();
    }
    __syncthreads();
    if (!block.last)
        return;
    for (int e = threadIdx.x; e < f.few * WIDTH; e += GEMM_FEW_THREADS) {
        const int64_t j = panel + e % WIDTH;
        float sum = 0.0f;
        for (unsigned part = 0; j < f.many && part < gridDim.y; ++part)
            sum += __ldcg(&parts.partial[((int64_t)part * f.few + e / WIDTH) * f.many + j]);
        if (j < f.many)
            write_few(f, e / WIDTH, j, sum);
    }
}

/* The block's sums of the panel that begins at `panel`, over terms [begin, end). */
template <int FEW, bool ALONG>
static __device__ __forceinline__ void sum_panel(FewSums<FEW> &sums, FewBlock<FEW> &block, const FewProblem &f,
                                                 int64_t panel, int64_t begin, int64_t end)
{
    for (int64_t first = begin; first < end; first += few_chunk<FEW>) {
        const int count = (int)(end - first < few_chunk<FEW> ? end - first : few_chunk<FEW>);
        stage_few<FEW, ALONG>(block, f, first, count);
        if (ALONG)
            add_along(sums, block, f, panel, first, count);
        else
            add_across(sums, block, f, panel, first, count);
    }
    if (ALONG)
        join_lanes(sums);
    else
        join_warps(sums, block);
}

template <bool ALONG> constexpr int few_width = ALONG ? GEMM_FEW_ALONG : GEMM_FEW_ACROSS;

/* A panel for each column of the grid, a part of k for each row. */
template <int FEW, bool ALONG> static __device__ void few(const FewProblem &f, const FewParts &parts)
{
    __shared__ FewBlock<FEW> block;
    const int64_t panel = (int64_t)blockIdx.x * few_width<ALONG>;
    const int64_t begin = blockIdx.y * parts.length, end = begin + parts.length < f.k ? begin + parts.length : f.k;
    FewSums<FEW> sums;

    sum_panel<FEW, ALONG>(sums, block, f, panel, begin, end);
    leave_sums<FEW, ALONG>(sums, f, gridDim.y > 1 ? parts.partial : nullptr, panel);
    if (gridDim.y > 1)
        finish_parts<FEW, ALONG>(block, f, parts, panel);
}

/* All of it by `blocks` blocks, of which this is number `block_number`. */
template <int FEW, bool ALONG>
static __device__ void few_by(FewBlock<FEW> &block, const FewProblem &f, int64_t block_number, int64_t blocks)
{
    for (int64_t panel = block_number * few_width<ALONG>; panel < f.many; panel += blocks * few_width<ALONG>) {
        FewSums<FEW> sums;
        sum_panel<FEW, ALONG>(sums, block, f, panel, 0, f.k);
        leave_sums<FEW, ALONG>(sums, f, nullptr, panel);
    }
}
