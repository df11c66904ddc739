/* How a pipeline's sums leave: through shared memory, where parts of a sum can be added, and where
 * neighbouring threads find neighbouring elements. */
#pragma once

#include "gemm/device/simt/mainloop.cuh"

/* C, and what the sums become. */
struct Output {
    float *c;
    int m, n;
    int64_t ldc;
    float alpha, beta;

    /* The rows that part blockIdx.y of k leaves in scratch memory, of whole units of 16 bytes: the last is filled
     * with whatever sums there are, so that it can be read as a whole. */
    __device__ __forceinline__ Output left_in(float4 *partial) const
    {
        const int pitch = (n + 3) / 4 * 4;
        return {(float *)partial + (int64_t)blockIdx.y * m * pitch, m, pitch, pitch, 1.0f, 0.0f};
    }

    /* The same where beta is 0, in a form in which the compiler knows it: no store is behind a branch. */
    __device__ __forceinline__ Output overwritten() const
    {
        return {c, m, n, ldc, alpha, 0.0f};
    }

    __device__ __forceinline__ bool aligned() const
    {
        return (uintptr_t)c % 16 == 0 && ldc % 4 == 0;
    }

    __device__ __forceinline__ float finished(float sum, float before) const
    {
        const float product = alpha * sum;
        return beta == 0.0f ? product : fmaf(beta, before, product);
    }

    __device__ __forceinline__ void write(int row, int col, float sum) const
    {
        if (row < m && col < n) {
            float *to = c + row * ldc + col;
            *to = finished(sum, beta == 0.0f ? 0.0f : *to);
        }
    }

    /* Four sums beside each other; `aligned` as above. */
    __device__ __forceinline__ void write4(int row, int col, float4 sum, bool aligned) const
    {
        if (aligned && row < m && col + 3 < n) {
            float4 *to = reinterpret_cast<float4 *>(c + row * ldc + col);
            const float4 before = beta == 0.0f ? make_float4(0, 0, 0, 0) : *to;
            *to = make_float4(finished(sum.x, before.x), finished(sum.y, before.y), finished(sum.z, before.z),
                              finished(sum.w, before.w));
        } else {
            write(row, col, sum.x);
            write(row, col + 1, sum.y);
            write(row, col + 2, sum.z);
            write(row, col + 3, sum.w);
        }
    }
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* The sums of a block in shared memory: quad `q` of thread t is unit q * MULTIPLIERS + t of 16 bytes.
 * Quad (i, j) of a thread holds columns 4j+1 to 4j+4 of its row i, the last of them column 0 of the
 * next quad, or of the first (simt/mainloop.cuh says why). */
template <class S> struct Sums {
    uint32_t from;
    int thread;

    __device__ __forceinline__ uint32_t unit(int quad) const
    {
        return from + ((uint32_t)(quad * S::MULTIPLIERS + thread) << 4);
    }

    __device__ __forceinline__ void store(const Multiplier<S> &m) const
    {
        constexpr int COLS = S::THREAD_COLS;
#pragma unroll
        for (int i = 0; i < S::THREAD_ROWS; ++i)
#pragma unroll
            for (int j = 0; j < S::QUADS_ACROSS; ++j)
                store_shared4(unit(i * S::QUADS_ACROSS + j), m.sum[i][(4 * j + 1) % COLS], m.sum[i][(4 * j + 2) % COLS],
                              m.sum[i][(4 * j + 3) % COLS], m.sum[i][(4 * j + 4) % COLS]);
    }

    /* Where column 0 of quad `quad` lies: at the end of the quad before it. */
    __device__ __forceinline__ uint32_t first_of(int quad) const
    {
        const int i = quad / S::QUADS_ACROSS, j = quad % S::QUADS_ACROSS;
        return unit(i * S::QUADS_ACROSS + (j + S::QUADS_ACROSS - 1) % S::QUADS_ACROSS) + 12;
    }

    __device__ __forceinline__ float4 quad(int quad) const
    {
        const float4 v = load_shared4(unit(quad));
        return make_float4(load_shared(first_of(quad)), v.x, v.y, v.z);
    }

    /* Where the sums of a row of the tile lie, but for what the column adds. */
    __device__ __forceinline__ uint32_t row(uint32_t row) const
    {
        const uint32_t in_warp = row % S::WARP_ROWS, i = in_warp / (4 * S::LANES_DOWN) * 4 + in_warp % 4;
        const uint32_t owner = row / S::WARP_ROWS * 32 + Lanes<S>::of_row(in_warp / 4 % S::LANES_DOWN);
        return from + ((i * S::QUADS_ACROSS * S::MULTIPLIERS + owner) << 4);
    }

    /* What a column adds to it. */
    static __device__ __forceinline__ uint32_t column(uint32_t col)
    {
        const uint32_t in_warp = col % S::WARP_COLS;
        const uint32_t j = (in_warp / (4 * S::LANES_ACROSS) * 4 + in_warp % 4 + S::THREAD_COLS - 1) % S::THREAD_COLS;
        const uint32_t owner =
            col / S::WARP_COLS * S::WARPS_DOWN * 32 + Lanes<S>::of_column(in_warp / 4 % S::LANES_ACROSS);
        return ((j / 4 * S::MULTIPLIERS + owner) << 4) + j % 4 * 4;
    }

    /* The same quad of the cluster's blocks, added in the order of their ranks.  All loads first: each takes
     * as long as one from memory. */
    template <int BLOCKS> __device__ __forceinline__ float4 quad_of_cluster(int quad) const
    {
        float4 v[BLOCKS], sum = make_float4(0, 0, 0, 0);
        float first[BLOCKS];
#pragma unroll
        for (int rank = 0; rank < BLOCKS; ++rank) {
            v[rank] = load_cluster4(place_in(unit(quad), rank));
            first[rank] = load_cluster(place_in(first_of(quad), rank));
        }
#pragma unroll
        for (int rank = 0; rank < BLOCKS; ++rank) {
            sum.x += first[rank];
            sum.y += v[rank].x;
            sum.z += v[rank].y;
            sum.w += v[rank].z;
        }
        return sum;
    }

    template <int BLOCKS> __device__ __forceinline__ float4 sum_of(int q) const
    {
        if constexpr (BLOCKS > 1)
            return quad_of_cluster<BLOCKS>(q);
        else
            return quad(q);
    }
};

/* Row and column of a thread's quad in the block's tile. */
template <class S> static __device__ __forceinline__ int row_of_quad(const Multiplier<S> &m, int quad)
{
    const int i = quad / S::QUADS_ACROSS;
    return m.row + i / 4 * S::LANES_DOWN * 4 + i % 4;
}

template <class S> static __device__ __forceinline__ int col_of_quad(const Multiplier<S> &m, int quad)
{
    return m.col + quad % S::QUADS_ACROSS * S::LANES_ACROSS * 4;
}

/* Every thread its own quads: 16-byte stores.  Four are read before the first is written, for each read from
 * shared memory takes as long as all of them. */
template <class S>
static __device__ __forceinline__ void write_quads(const Output &out, const Sums<S> &sums, const Multiplier<S> &m,
                                                   const Work &work)
{
    constexpr int TOGETHER = 4;
    static_assert(S::QUADS % TOGETHER == 0, "whole rounds");
#pragma unroll 1
    for (int first = 0; first < S::QUADS; first += TOGETHER) {
        float4 sum[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i)
            sum[i] = sums.quad(first + i);
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i)
            out.write4(work.row + row_of_quad(m, first + i), work.col + col_of_quad(m, first + i), sum[i], true);
    }
}

/* Where rows of C don't begin at multiples of 16 bytes: a warp writes rows of the tile, neighbouring lanes
 * neighbouring elements; 16 of a lane are read before the first is written. */
template <class S>
static __device__ __forceinline__ void write_rows(const Output &out, const Sums<S> &sums, const Work &work)
{
    constexpr int LANES = S::COLS % 32 == 0 ? 32 : 16, STEP = S::MULTIPLIERS / LANES; /* rows at a time */
    constexpr int ACROSS = S::COLS / LANES, TOGETHER = ACROSS < 16 ? 16 / ACROSS : 1;
    constexpr bool EVEN = S::ROWS % (STEP * TOGETHER) == 0;
    const uint32_t thread = sums.thread, lane = thread % LANES;
    uint32_t of_col[ACROSS];
#pragma unroll
    for (int p = 0; p < ACROSS; ++p)
        of_col[p] = sums.column(lane + LANES * p);
#pragma unroll 1
    for (uint32_t first = thread / LANES; first < S::ROWS; first += STEP * TOGETHER) {
        float sum[TOGETHER][ACROSS];
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
            const uint32_t row = sums.row(EVEN || first + i * STEP < S::ROWS ? first + i * STEP : first);
#pragma unroll
            for (int p = 0; p < ACROSS; ++p)
                sum[i][p] = load_shared(row + of_col[p]);
        }
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i)
#pragma unroll
            for (int p = 0; p < ACROSS; ++p)
                if (EVEN || first + i * STEP < S::ROWS)
                    out.write(work.row + first + i * STEP, work.col + lane + LANES * p, sum[i][p]);
    }
}

#endif
