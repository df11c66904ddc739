/* A block's way through pieces of tiles.  The first tiles have a block each.  The steps along k of all others stand in
 * one line, tile after tile, which is cut into equal ranges, a block each: a range begins and ends where it
 * comes to, mostly within a tile, and has a piece of each tile that it meets.  Pieces lie in scratch memory as
 * threads have them; the last of a tile's blocks to come adds them all in the order of k, whoever it is. */
#pragma once

#include "gemm/device/simt/warp-specialised.cuh"
#include "gemm/device/simt/stream-k-pieces.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

enum { MEET_MULTIPLIERS = 2, MEET_ALL = 3 };

/* The block's share: a tile of its own, or a range.  Steps from `at` to `end` of tiles `tile` and on. */
struct Walk {
    uint32_t tile, at, end;

    __device__ __forceinline__ explicit Walk(const Stream &s) : tile(blockIdx.x), at(0), end(s.steps)
    {
        if (blockIdx.x >= s.whole) {
            tile = s.whole;
            at = s.begin(blockIdx.x - s.whole);
            end = s.begin(blockIdx.x - s.whole + 1);
        }
    }

    template <class S> __device__ __forceinline__ Work work(const Output &out, const Stream &s) const
    {
        const uint32_t passed = at / s.steps, first = at % s.steps, left = s.steps - first;
        return work_of<S>(tile + passed, out.m, out.n, (int)first, (int)(end - at < left ? end - at : left));
    }
};

/* The sums of a piece, as its threads have them: unit q * MULTIPLIERS + thread is quad q (Sums). */
template <class S> static __device__ __forceinline__ void leave_piece(float4 *to, const Multiplier<S> &m)
{
    constexpr int COLS = S::THREAD_COLS;
#pragma unroll
    for (int i = 0; i < S::THREAD_ROWS; ++i)
#pragma unroll
        for (int j = 0; j < S::QUADS_ACROSS; ++j)
            __stcg(to + (i * S::QUADS_ACROSS + j) * S::MULTIPLIERS + m.thread,
                   make_float4(m.sum[i][(4 * j + 1) % COLS], m.sum[i][(4 * j + 2) % COLS], m.sum[i][(4 * j + 3) % COLS],
                               m.sum[i][(4 * j + 4) % COLS]));
}

/* Those of the tile, in the order of k, to shared memory.  EIGHT quads are on their way before the first is added. */
template <class S>
static __device__ __forceinline__ void add_pieces(const float4 *from, uint32_t count, const Sums<S> &sums)
{
    constexpr int EIGHT = 8, TILE = S::QUADS * S::MULTIPLIERS;
    static_assert(S::QUADS % EIGHT == 0, "whole rounds");
    from += sums.thread;
#pragma unroll 1
    for (int first = 0; first < S::QUADS; first += EIGHT) {
        float4 sum[EIGHT];
#pragma unroll
        for (int q = 0; q < EIGHT; ++q)
            sum[q] = make_float4(0, 0, 0, 0);
#pragma unroll 2
        for (uint32_t piece = 0; piece < count; ++piece)
#pragma unroll
            for (int q = 0; q < EIGHT; ++q) {
                const float4 v = __ldcg(from + (int64_t)piece * TILE + (first + q) * S::MULTIPLIERS);
                sum[q].x += v.x;
                sum[q].y += v.y;
                sum[q].z += v.z;
                sum[q].w += v.w;
            }
#pragma unroll
        for (int q = 0; q < EIGHT; ++q)
            store_shared4(sums.unit(first + q), sum[q].x, sum[q].y, sum[q].z, sum[q].w);
    }
}

/* A piece that is no whole tile; true where its block has now the tile's sums in shared memory. */
template <class S>
static __device__ __forceinline__ bool join_pieces(const Stream &s, float4 *left, const Walk &walk,
                                                   const Multiplier<S> &m, const Sums<S> &sums)
{
    constexpr int64_t TILE = S::QUADS * S::MULTIPLIERS;
    const Pieces pieces(s, walk.at / s.steps);
    leave_piece(left + (pieces.tile + blockIdx.x - s.whole) * TILE, m);
    if (!came_last<MEET_MULTIPLIERS, S::MULTIPLIERS>(s.came + pieces.tile, pieces.count))
        return false;
    add_pieces(left + pieces.first * TILE, pieces.count, sums);
    return true;
}

template <class S>
static __device__ __forceinline__ void multiply_piece(const Places<S> &at, const Output &out, const Stream &s,
                                                      float4 *left, const Walk &walk, const Work &work,
                                                      Turn<S::STAGES> &stage)
{
    Multiplier<S> multiplier(threadIdx.x);
    const Sums<S> sums{at.stages, (int)threadIdx.x};
    multiplier.run(at, work.steps, S::DEPTH / S::TOGETHER, stage);
    if ((uint32_t)work.steps < s.steps) {
        if (!join_pieces(s, left, walk, multiplier, sums))
            return;
    } else {
        meet<MEET_MULTIPLIERS, S::MULTIPLIERS>(); /* the stages have been read */
        sums.store(multiplier);
    }
    if (out.beta == 0.0f)
        write_whole<S>(out.overwritten(), sums, multiplier, work);
    else
        write_whole<S>(out, sums, multiplier, work);
}

/* Between two pieces the stages hold the sums of the first, until they are written. */
template <class S> static __device__ __forceinline__ void end_piece(bool another)
{
    if (another) {
        show_copy_engine();
        __syncwarp(); /* one thread may have brought everything */
        meet<MEET_ALL, S::THREADS>();
    }
}

template <class S>
static __device__ __forceinline__ void run_stream(const TensorMap *a, const TensorMap *b, const Output &out,
                                                  const Stream &s, float4 *left)
{
    extern __shared__ char shared[];
    const Places<S> at(shared);
    Walk walk(s);

    if (threadIdx.x >= S::MULTIPLIERS) {
        Turn<S::STAGES> stage(1);
        Turn<S::LANDINGS> landing(0);
        give_registers_back<S::REGISTERS ? 40 : 0>();
#pragma unroll 1
        while (walk.at < walk.end) {
            const Work work = walk.work<S>(out, s);
            Bringer<S>{a, b, at, work, (int)threadIdx.x - S::MULTIPLIERS}.bring(stage, landing);
            walk.at += work.steps;
            end_piece<S>(walk.at < walk.end);
        }
    } else {
        Turn<S::STAGES> stage(0);
        take_registers<S::REGISTERS>();
#pragma unroll 1
        while (walk.at < walk.end) {
            const Work work = walk.work<S>(out, s);
            multiply_piece<S>(at, out, s, left, walk, work, stage);
            walk.at += work.steps;
            end_piece<S>(walk.at < walk.end);
        }
    }
}
#else /* never launched there: the recipe refuses */
template <class S>
static __device__ void run_stream(const TensorMap *, const TensorMap *, const Output &, const Stream &, float4 *)
{
}
#endif
