/* Not transposed: ROWS rows at a time, which one pack of x serves.  They need not begin at a
 * multiple of 16 bytes, but all have the same alignment modulo 16 bytes: so many rows apart that their
 * distance is such a multiple.  A few elements are left before the first pack and behind the last.  A row
 * alone leaves registers for more of its packs. */
#pragma once

#include "device.cuh"

enum { COALIGNED_THREADS = 32 * MATVEC_WARPS };

/* The rows of one block; `count` of them exist. */
template <class In, int ROWS> struct CoalignedRows {
    const In *row[ROWS];
    int count;
    int64_t first, period; /* row r is first + r * period */
};

template <int ROWS, class V>
__device__ CoalignedRows<typename V::In, ROWS> coaligned_rows(const V &v, int64_t item, int64_t period)
{
    CoalignedRows<typename V::In, ROWS> rows;
    rows.period = period;
    rows.first = item / period * (period * ROWS) + item % period;
    rows.count = 0;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int64_t i = rows.first + r * period;
        rows.row[r] = v.a + (i < v.outputs ? i : 0) * v.lda;
        rows.count += i < v.outputs;
    }
    return rows;
}

/* STEPS packs of each row and of x, a block's threads apart: started together, then used. */
template <int STEPS, bool X_ALIGNED, class In, int ROWS, class T>
__device__ void add_packs(const CoalignedRows<In, ROWS> &rows, const In *x, int64_t at, T *sum)
{
    constexpr int L = Pack<In>::width, APART = COALIGNED_THREADS * L;
    Pack<In> of_a[ROWS][STEPS], of_x[STEPS];

#pragma unroll
    for (int r = 0; r < ROWS; ++r)
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
            if (r < rows.count)
                of_a[r][s] = load_past_l1(rows.row[r] + at + s * APART);
#pragma unroll
    for (int s = 0; s < STEPS; ++s)
        of_x[s] = load_cached<X_ALIGNED>(x + at + s * APART);
#pragma unroll
    for (int r = 0; r < ROWS; ++r)
        if (r < rows.count)
#pragma unroll
            for (int s = 0; s < STEPS; ++s)
#pragma unroll
                for (int q = 0; q < L; ++q)
                    sum[r] = fma(lane_of(of_a[r][s], q), lane_of(of_x[s], q), sum[r]);
}

/* Elements from `at` to `end`, the packs of which the block's threads take in turn. */
template <bool X_ALIGNED, class In, int ROWS, class T>
__device__ void add_all_packs(const CoalignedRows<In, ROWS> &rows, const In *x, int64_t at, int64_t end, T *sum)
{
    constexpr int ROUND = COALIGNED_THREADS * Pack<In>::width;
    constexpr int STEPS = ROWS == MATVEC_ROWS        ? MATVEC_STEPS
                          : ROWS == MATVEC_PAIR_ROWS ? MATVEC_PAIR_STEPS
                                                     : MATVEC_ALONE_STEPS;

    for (at += threadIdx.x * Pack<In>::width; at + (STEPS - 1) * ROUND < end; at += STEPS * ROUND)
        add_packs<STEPS, X_ALIGNED>(rows, x, at, sum);
    for (; at < end; at += ROUND)
        add_packs<1, X_ALIGNED>(rows, x, at, sum);
}

/* This thread's share of one chunk of the rows' sums.  Chunk 0 has the elements that are in
 * no pack. */
template <class V, class In, int ROWS, class T>
__device__ void add_chunk(const V &v, const CoalignedRows<In, ROWS> &rows, int64_t chunk, int64_t chunk_packs, T *sum)
{
    constexpr int L = Pack<In>::width;
    const int64_t head = min(to_boundary(rows.row[0]), v.terms), packs = (v.terms - head) / L;
    const int64_t first = chunk * chunk_packs, end = min(first + chunk_packs, packs);

    if (is_aligned(v.x + head))
        add_all_packs<true>(rows, v.x, head + first * L, head + end * L, sum);
    else
        add_all_packs<false>(rows, v.x, head + first * L, head + end * L, sum);
    if (chunk == 0 && threadIdx.x < v.terms - packs * L) {
        const int64_t at = threadIdx.x < head ? threadIdx.x : packs * L + threadIdx.x;
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (r < rows.count)
                sum[r] = fma(T(rows.row[r][at]), T(v.x[at]), sum[r]);
    }
}

/* The block's sum of row r, in thread r. */
template <int ROWS, class T> __device__ T sum_of_rows(T *sum)
{
    __shared__ T of_warp[MATVEC_WARPS][ROWS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T total = 0;

#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        sum[r] = sum_of_warp(sum[r]);
        if (lane == 0)
            of_warp[warp][r] = sum[r];
    }
    __syncthreads();
    if (threadIdx.x < ROWS)
        for (int w = 0; w < MATVEC_WARPS; ++w)
            total += of_warp[w][threadIdx.x];
    return total;
}
