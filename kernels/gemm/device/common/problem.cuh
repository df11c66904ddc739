/* What the matrix products of this folder share in CUDA: the problem, the order of the
 * tiles, bringing tiles of the operands to shared memory, and writing C.
 *
 * An operand is seen as (outer, inner): outer is the index it shares with C, inner the
 * one that is summed over.  INNER says that inner runs along its rows in memory: true of
 * A as it is, and of B transposed.  Beyond the edge, tiles hold zeros. */
#pragma once

#include "gemm/device/common/entries.cuh"
#include "pack.cuh"
#include "gemm/device/common/tiles.h"

#include <cstdint>

template <class Element> struct Gemm {
    using T = Element;
    const T *a, *b;
    T *c;
    int64_t m, n, k, lda, ldb, ldc; /* k is 0 when alpha is: A and B are not read */
    T alpha, beta;
};

/* ---- which tile of C a block computes ------------------------------------ */

struct Corner {
    int64_t row, col; /* of the tile's first element in C */
};

/* Row by row. */
template <class T> __device__ Corner tile_in_order(const Gemm<T> &g, int rows, int cols)
{
    const int64_t tiles_across = (g.n + cols - 1) / cols;
    return {blockIdx.x / tiles_across * rows, blockIdx.x % tiles_across * cols};
}

/* GEMM_GROUP rows of tiles together, column by column: blocks that run at the same time
 * share both their rows of A and their columns of B. */
template <class T> __device__ Corner tile_in_group(const Gemm<T> &g, int rows, int cols)
{
    const int64_t down = (g.m + rows - 1) / rows, across = (g.n + cols - 1) / cols;
    const int64_t group = blockIdx.x / (GEMM_GROUP * across), within = blockIdx.x % (GEMM_GROUP * across);
    const int64_t left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    return {(group * GEMM_GROUP + within % height) * rows, within / height * cols};
}

/* ---- operands to shared memory -------------------------------------------- */

/* How many of `count` elements from `first` on lie in a tile of `size`: may be 0 or less. */
__device__ inline int clipped(int64_t count, int64_t first, int size)
{
    return count - first < size ? (int)(count - first) : size;
}

/* A part of an operand: `from` points at its first element. */
template <class T> struct Source {
    const T *from;
    int64_t ld;
    int outer, inner; /* elements there are, at most the tile's */
};

template <bool INNER, class T>
__device__ Source<T> source(const T *matrix, int64_t ld, int64_t outer_first, int64_t outer_count, int64_t inner_first,
                            int64_t inner_count, int side, int depth)
{
    const T *from = matrix + (INNER ? outer_first * ld + inner_first : inner_first * ld + outer_first);
    return {from, ld, clipped(outer_count, outer_first, side), clipped(inner_count, inner_first, depth)};
}

/* The tile of A that block row `row` needs at step `inner`; B likewise. */
template <bool TRANS_A, class T>
__device__ Source<T> source_of_a(const Gemm<T> &g, int64_t row, int64_t inner, int side, int depth)
{
    return source<!TRANS_A>(g.a, g.lda, row, g.m, inner, g.k, side, depth);
}

template <bool TRANS_B, class T>
__device__ Source<T> source_of_b(const Gemm<T> &g, int64_t col, int64_t inner, int side, int depth)
{
    return source<TRANS_B>(g.b, g.ldb, col, g.n, inner, g.k, side, depth);
}

/* Element by element, neighbouring threads along the rows in memory. */
template <bool INNER, int SIDE, int DEPTH, int THREADS, int OUTER_STRIDE, int INNER_STRIDE, class T>
__device__ void stage_elements(T *tile, const Source<T> &s)
{
    constexpr int LENGTH = INNER ? DEPTH : SIDE, COUNT = INNER ? SIDE : DEPTH; /* of rows in memory */
    constexpr int ROWS = THREADS / LENGTH;                                     /* at a time */
    static_assert(THREADS % LENGTH == 0 && COUNT % ROWS == 0, "every thread brings as many elements");
    const int along = threadIdx.x % LENGTH, first = threadIdx.x / LENGTH;
    const int rows = along < (INNER ? s.inner : s.outer) ? (INNER ? s.outer : s.inner) : 0;
    const T *from = s.from + first * s.ld + along;
    T *to = tile + along * (INNER ? INNER_STRIDE : OUTER_STRIDE) + first * (INNER ? OUTER_STRIDE : INNER_STRIDE);

#pragma unroll
    for (int row = 0; row < COUNT; row += ROWS) {
        to[row * (INNER ? OUTER_STRIDE : INNER_STRIDE)] = first + row < rows ? *from : T(0);
        from += ROWS * s.ld;
    }
}

/* A tile whose `outer` runs along its rows of STRIDE elements: SIDE of them, and one pack
 * so that the threads that transpose do not all meet in one bank. */
template <class T, int SIDE> constexpr int stride_of = SIDE + Pack<T>::width;

/* 16 bytes at a time; an operand whose inner index runs along its rows is transposed. */
template <bool INNER, int SIDE, int DEPTH, int THREADS, class T>
__device__ void stage_packs(T *tile, const Source<T> &s, bool aligned)
{
    constexpr int L = Pack<T>::width, COUNT = SIDE * DEPTH / L / THREADS, STRIDE = stride_of<T, SIDE>;
    static_assert(SIDE * DEPTH % (L * THREADS) == 0, "every thread brings as many packs");
    Pack<T> packs[COUNT];

#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int outer = INNER ? e / (DEPTH / L) : e % (SIDE / L) * L;
        const int inner = INNER ? e % (DEPTH / L) * L : e / (SIDE / L);
        const T *from = s.from + (INNER ? outer * s.ld + inner : inner * s.ld + outer);
        const bool inside = INNER ? outer < s.outer : inner < s.inner;
        packs[i] = load_part(from, inside ? (INNER ? s.inner - inner : s.outer - outer) : 0, aligned);
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int e = i * THREADS + threadIdx.x;
        const int outer = INNER ? e / (DEPTH / L) : e % (SIDE / L) * L;
        const int inner = INNER ? e % (DEPTH / L) * L : e / (SIDE / L);
        if (INNER) {
#pragma unroll
            for (int q = 0; q < L; ++q)
                tile[(inner + q) * STRIDE + outer] = packs[i].lane[q];
        } else {
            *reinterpret_cast<Pack<T> *>(&tile[inner * STRIDE + outer]) = packs[i];
        }
    }
}

/* ---- the product of two tiles --------------------------------------------- */

/* One thread's share of a tile of C: ROW_PACKS x COL_PACKS packs, ROW_STEP and COL_STEP
 * elements apart, the first at (row, col) of the block's tile. */
template <class Element, int ROW_PACKS, int COL_PACKS, int ROW_STEP, int COL_STEP> struct Share {
    using T = Element;
    static constexpr int L = Pack<T>::width, ROWS = ROW_PACKS * L, COLS = COL_PACKS * L;
    int row, col;
    T sum[ROWS][COLS];

    __device__ Share(int row, int col) : row(row), col(col)
    {
#pragma unroll
        for (int i = 0; i < ROWS; ++i)
#pragma unroll
            for (int j = 0; j < COLS; ++j)
                sum[i][j] = T(0);
    }

    template <int DEPTH, int A_STRIDE, int B_STRIDE> __device__ void multiply(const T *a, const T *b)
    {
        /* A deep tile unrolled as a whole outgrows the registers. */
        constexpr int TOGETHER = DEPTH > 16 ? 8 : DEPTH;
#pragma unroll(TOGETHER)
        for (int inner = 0; inner < DEPTH; ++inner) {
            Pack<T> of_a[ROW_PACKS], of_b[COL_PACKS];
#pragma unroll
            for (int i = 0; i < ROW_PACKS; ++i)
                of_a[i] = *reinterpret_cast<const Pack<T> *>(&a[inner * A_STRIDE + row + i * ROW_STEP]);
#pragma unroll
            for (int j = 0; j < COL_PACKS; ++j)
                of_b[j] = *reinterpret_cast<const Pack<T> *>(&b[inner * B_STRIDE + col + j * COL_STEP]);
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
#pragma unroll
                for (int j = 0; j < COLS; ++j)
                    sum[i][j] = fma(of_a[i / L].lane[i % L], of_b[j / L].lane[j % L], sum[i][j]);
        }
    }

    __device__ void write(const Gemm<T> &g, Corner corner) const;
};

/* ---- C --------------------------------------------------------------------- */

template <class T> __device__ void write_element(const Gemm<T> &g, T *c, T sum)
{
    const T product = g.alpha * sum;
    *c = g.beta == T(0) ? product : fma(g.beta, *c, product);
}

/* `count` elements, at most a pack, at c. */
template <class T> __device__ void write_pack(const Gemm<T> &g, T *c, const T *sum, int64_t count, bool aligned)
{
    if (aligned && count >= Pack<T>::width) {
        Pack<T> pack = {};
        if (g.beta != T(0))
            pack = *reinterpret_cast<Pack<T> *>(c);
#pragma unroll
        for (int q = 0; q < Pack<T>::width; ++q)
            write_element(g, &pack.lane[q], sum[q]);
        *reinterpret_cast<Pack<T> *>(c) = pack;
    } else {
#pragma unroll
        for (int q = 0; q < Pack<T>::width; ++q)
            if (q < count)
                write_element(g, c + q, sum[q]);
    }
}

template <class T, int ROW_PACKS, int COL_PACKS, int ROW_STEP, int COL_STEP>
__device__ void Share<T, ROW_PACKS, COL_PACKS, ROW_STEP, COL_STEP>::write(const Gemm<T> &g, Corner corner) const
{
    const bool aligned = rows_aligned(g.c, g.ldc);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        const int64_t to_row = corner.row + row + i / L * ROW_STEP + i % L;
        if (to_row < g.m) {
            T *c = g.c + to_row * g.ldc;
#pragma unroll
            for (int j = 0; j < COL_PACKS; ++j) {
                const int64_t to_col = corner.col + col + j * COL_STEP;
                write_pack(g, c + to_col, &sum[i][j * L], g.n - to_col, aligned);
            }
        }
    }
}
