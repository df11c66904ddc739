/* What the f64 products on the matrix units share: the ring of stages between the warps that
 * bring the operands and those that multiply, the list of work, the products, and C.
 *
 * A block takes items of work in turn.  Its producers fill stages of DEPTH along k in shared
 * memory, its consumer warps multiply them with mma.sync; two mbarriers for each stage say
 * "it is full" and "it is free", so that no barrier stops all.  What the matrix units compute
 * is a chain of IEEE fused multiply-adds in the order of k, rounded to nearest: the bound of
 * plain arithmetic holds.
 *
 * An operand lies in a stage in rows of 16 elements, 128 bytes, whose 16-byte chunks change
 * places by the row's number (chunk ^ row % 8), as bulk tensor copies can write them:
 *     inner index along its rows in memory:  [outer][16 inner]
 *     outer index along them:                [outer / 16][inner][16 outer]
 * The lanes of a warp take outer indices in an order of their own, so that no two of them
 * meet in one bank of shared memory; the order is undone where C is written. */
#pragma once

#include "gemm/device/common/problem.cuh"
#include "gemm/device/f64/tiles.h"
#include "grid_dependency.cuh"
#include "gemm/device/common/tile-scheduler.cuh"
#include "gemm/device/common/pipeline-state.cuh"

enum { DEPTH = GEMM_DMMA_DEPTH, ROW_BYTES = DEPTH * (int)sizeof(double) };

static_assert(ROW_BYTES == 128, "a stage's rows are those of the 128-byte swizzle");

/* ROWS x COLS of C for a block, its consumer warps DOWN x ACROSS, STAGES on the way.  INNER:
 * whether an operand's inner index runs along its rows. */
template <int ROWS, int COLS, int DOWN, int ACROSS, int STAGES, bool A_INNER, bool B_INNER> struct Tile {
    static constexpr int rows = ROWS, cols = COLS, down = DOWN, stages = STAGES;
    static constexpr bool a_inner = A_INNER, b_inner = B_INNER;
    static constexpr int warp_rows = ROWS / DOWN, warp_cols = COLS / ACROSS;
    static constexpr int consumers = 32 * DOWN * ACROSS;
    static constexpr unsigned a_bytes = ROWS * ROW_BYTES, stage_bytes = a_bytes + COLS * ROW_BYTES;
    static_assert(warp_rows % 16 == 0 && warp_cols % 16 == 0, "a warp multiplies whole blocks");
};

template <class Tile> __device__ Item item_of(const Gemm<double> &g, const Cut &cut, int number)
{
    return item_at(cut, number, (int)g.m, (int)g.n, Tile::rows, Tile::cols, (int)((g.k + DEPTH - 1) / DEPTH));
}

/* ---- products --------------------------------------------------------------------------- */

static __device__ inline double read_shared(unsigned address)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
    return value;
}

/* sum += a b for 16 x 4 of A and 4 x 8 of B.  Lane l has rows l / 4 and l / 4 + 8 of A and
 * column l / 4 of B, each at k = l % 4; of the sum, columns 2 (l % 4) and the next.  Forms that
 * take more of k at once need more registers for fragments, and are no faster. */
static __device__ inline void multiply_add(double (&sum)[4], const double (&a)[2], double b)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b));
#else /* half the rows at a time */
#pragma unroll
    for (int half = 0; half < 2; ++half)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(sum[2 * half]), "+d"(sum[2 * half + 1])
                     : "d"(a[half]), "d"(b));
#endif
}

/* The outer index, of 16, that a lane group of 8 takes from rows along the outer index. */
static __device__ inline int outer_of_group(int group)
{
    return (group & 1) + (group >> 1 & 1) * 8 + (group >> 2) * 2;
}

/* One operand's fragments in a stage: where a lane's elements lie. */
template <bool INNER> struct Fragments {
    unsigned lane; /* bytes from the operand's first to this lane's element at k 0 */

    __device__ Fragments(int outer)
    {
        const int group = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
        const unsigned along = INNER ? 2 * group * ROW_BYTES + (2 * (group & 3) + (q >> 1)) * 16 + (q & 1) * 8
                                     : q * ROW_BYTES + ((outer_of_group(group) >> 1) ^ q) * 16 + (group & 1) * 8;
        lane = outer * ROW_BYTES + along;
    }

    /* At k = 4 `step`; `half` 0 or 1 of the block of 16. */
    __device__ unsigned at(unsigned operand, int step, int half) const
    {
        if (INNER) {
            const unsigned even = (operand + lane) ^ (step << 5);
            return half ? (even ^ 16) + ROW_BYTES : even;
        }
        const unsigned first = ((operand + lane) ^ ((step & 1) << 6)) + step * 4 * ROW_BYTES;
        return half ? first ^ 32 : first;
    }
};

/* ---- pairs of C ---------------------------------------------------------------------- */

struct Pair {
    double first, second; /* neighbours in a row of C */
};

/* Those of a pair that exist: `count` of them, which may be 0 or less. */
static __device__ inline Pair read_pair(const double *c, int count, bool aligned)
{
    if (aligned && count >= 2) {
        const double2 both = *reinterpret_cast<const double2 *>(c);
        return {both.x, both.y};
    }
    return {count >= 1 ? c[0] : 0.0, count >= 2 ? c[1] : 0.0};
}

static __device__ inline void write_pair(double *c, Pair pair, int count, bool aligned)
{
    if (aligned && count >= 2) {
        *reinterpret_cast<double2 *>(c) = make_double2(pair.first, pair.second);
        return;
    }
    if (count >= 1)
        c[0] = pair.first;
    if (count >= 2)
        c[1] = pair.second;
}

static __device__ inline Pair finished(const Gemm<double> &g, Pair sum, Pair before)
{
    write_element(g, &before.first, sum.first);
    write_element(g, &before.second, sum.second);
    return before;
}

/* ---- a warp's part of a tile --------------------------------------------------------- */

template <class Tile> struct WarpTile {
    static constexpr int down = Tile::warp_rows / 16, across = Tile::warp_cols / 8;
    static constexpr int reads = DEPTH / 4; /* of a stage */
    int row, col;                           /* in the block's tile */
    Fragments<Tile::a_inner> of_a;
    Fragments<Tile::b_inner> of_b;
    double sum[down][across][4];
    double a[2][down][2], b[2][across]; /* one set is multiplied while one is read */

    __device__ WarpTile()
        : row(threadIdx.x / 32 % Tile::down * Tile::warp_rows), col(threadIdx.x / 32 / Tile::down * Tile::warp_cols),
          of_a(row), of_b(col)
    {
    }

    __device__ void clear()
    {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int j = 0; j < across; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    sum[i][j][e] = 0.0;
    }

    __device__ void read(int set, unsigned stage, int step)
    {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half)
                a[set][i][half] = read_shared(of_a.at(stage, step, half) + i * 16 * ROW_BYTES);
#pragma unroll
        for (int j = 0; j < across; ++j)
            b[set][j] = read_shared(of_b.at(stage + Tile::a_bytes, step, j & 1) + j / 2 * 16 * ROW_BYTES);
    }

    /* To and fro, so that neighbouring multiplications share an operand. */
    __device__ void multiply(int set)
    {
#pragma unroll
        for (int i = 0; i < down; ++i)
#pragma unroll
            for (int to = 0; to < across; ++to) {
                const int j = i & 1 ? across - 1 - to : to;
                multiply_add(sum[i][j], a[set][i], b[set][j]);
            }
    }

    /* Multiplies `steps` stages of the ring. */
    __device__ void consume(Ring<Tile> &ring, int steps)
    {
        if (steps == 0)
            return;
        barrier_wait(ring.full(), ring.phase);
        read(0, ring.data(), 0);
#pragma unroll 1
        for (int left = steps; left > 0; --left) {
            const unsigned stage = ring.data(), free = ring.free();
            ring.next();
#pragma unroll
            for (int step = 0; step < reads; ++step) {
                if (step + 1 < reads) {
                    read((step + 1) & 1, stage, step + 1);
                } else if (left > 1) {
                    barrier_wait(ring.full(), ring.phase);
                    read(0, ring.data(), 0);
                }
                multiply(step & 1);
            }
            /* Not before the multiplications: they wait for what was read, while an arrival
             * doesn't, and the next copy would overwrite what is still being read. */
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                barrier_arrive(free);
        }
    }

    /* The sums of a row of 16 columns that are neighbours in C: the pairs at columns
     * first_of_pairs() and 4 further.  The warp's lanes call it together. */
    __device__ void pairs_of(Pair (&pairs)[2], int i, int half, int j) const
    {
        const double *even = sum[i][j] + 2 * half, *odd = sum[i][j + 1] + 2 * half;
        if (!Tile::b_inner) {
            pairs[0] = {even[0], even[1]};
            pairs[1] = {odd[0], odd[1]};
            return;
        }
        /* A lane has four columns side by side.  It exchanges a pair with its neighbour, so that the
         * lanes' stores fill whole sectors. */
        const bool low = threadIdx.x % 2 == 0;
        const Pair before = {even[0], odd[0]}, after = {even[1], odd[1]};
        const Pair sent = low ? after : before;
        const Pair got = {__shfl_xor_sync(0xffffffffu, sent.first, 1), __shfl_xor_sync(0xffffffffu, sent.second, 1)};
        pairs[0] = low ? before : got;
        pairs[1] = low ? got : after;
    }

    static __device__ int first_of_pairs()
    {
        const int q = threadIdx.x % 4;
        return Tile::b_inner ? (q >> 1) * 8 + (q & 1) * 2 : (q & 1) * 8 + (q >> 1) * 2;
    }

    __device__ void write(const Gemm<double> &g, int rows, int cols) const;
};

/* ---- to C ------------------------------------------------------------------------------- */

/* The warp's sums to a tile at g.c, of which rows x cols exist.  What beta needs of a row is read
 * before any of it is written, so that the reads wait for memory together. */
template <class Tile> __device__ void WarpTile<Tile>::write(const Gemm<double> &g, int rows, int cols) const
{
    const int group = threadIdx.x % 32 / 4, first = col + first_of_pairs();
    const bool aligned = rows_aligned(g.c, g.ldc);

#pragma unroll
    for (int i = 0; i < down; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int to_row = row + 16 * i + (Tile::a_inner ? 2 * group + half : outer_of_group(group) + 4 * half);
            double *to = g.c + to_row * g.ldc;
            Pair pairs[across / 2][2], before[across] = {};
#pragma unroll
            for (int j = 0; j < across; j += 2)
                pairs_of(pairs[j / 2], i, half, j);
            if (to_row >= rows)
                continue;
#pragma unroll
            for (int j = 0; j < across; ++j) {
                const int at = first + j / 2 * 16 + j % 2 * 4;
                if (g.beta != 0.0)
                    before[j] = read_pair(to + at, cols - at, aligned);
            }
#pragma unroll
            for (int j = 0; j < across; ++j) {
                const int at = first + j / 2 * 16 + j % 2 * 4;
                write_pair(to + at, finished(g, pairs[j / 2][j % 2], before[j]), cols - at, aligned);
            }
        }
}

static __device__ inline Gemm<double> tile_of_c(const Gemm<double> &g, const Item &item)
{
    Gemm<double> tile = g;
    tile.c += item.row * g.ldc + item.col;
    return tile;
}

/* The sums as they are, without a gap between rows. */
template <class Tile> __device__ Gemm<double> partial_tile(double *partials, int number)
{
    Gemm<double> tile = {};
    tile.c = partials + (int64_t)number * (Tile::rows * Tile::cols);
    tile.ldc = Tile::cols;
    tile.alpha = 1.0;
    return tile;
}

/* What a consumer warp does: every item of its block, to C or to a partial tile. */
template <class Tile>
__device__ void multiply_items(const Gemm<double> &g, const Cut &cut, double *partials, void *shared)
{
    Ring<Tile> ring(shared, 0);
    WarpTile<Tile> warp;

    for (int number = blockIdx.x; number < cut.items; number += gridDim.x) {
        const Item item = item_of<Tile>(g, cut, number);
        warp.clear();
        warp.consume(ring, item.steps);
        if (item.partial < 0)
            warp.write(tile_of_c(g, item), clipped(g.m, item.row, Tile::rows), clipped(g.n, item.col, Tile::cols));
        else
            warp.write(partial_tile<Tile>(partials, item.partial), Tile::rows, Tile::cols);
    }
}

/* ---- tiles that were divided along k -------------------------------------------------------- */

/* The parts of one slice, in their order. */
static __device__ inline Pair add_slice(const double2 *from, int64_t step, int first, int end)
{
    Pair sum = {0.0, 0.0};

#pragma unroll 8
    for (int part = first; part < end; ++part) {
        const double2 two = from[part * step];
        sum.first += two.x;
        sum.second += two.y;
    }
    return sum;
}

/* Block (tile, y) adds up pairs of neighbours of C.  Where there are many parts, `slices` threads share those of a
 * pair, and the first adds what they have, in their order.  Tiles are rows x cols.  With no parts at all, C becomes
 * beta * C. */
static __device__ inline void add_parts(const Gemm<double> &g, const double *partials, int whole, int parts, int slices,
                                        int rows, int cols)
{
    __shared__ Pair sums[GEMM_DMMA_SUM_THREADS];
    const int pairs = GEMM_DMMA_SUM_THREADS / slices, slice = (int)threadIdx.x / pairs;
    const int pair = 2 * (int)(blockIdx.y * pairs + threadIdx.x % pairs), in_row = pair / cols, in_col = pair % cols;
    const int64_t size = (int64_t)rows * cols;
    const double2 *from = (const double2 *)(partials + blockIdx.x * parts * size + pair);
    Pair before = {};
    int row, col;

    grid_dependency_wait();
    place_tile(whole + (int)blockIdx.x, (int)g.m, (int)g.n, rows, cols, &row, &col);
    row += in_row;
    col += in_col;
    const bool exists = in_row < rows && row < g.m && col < g.n;
    Pair sum = {0.0, 0.0};
    if (exists)
        sum = add_slice(from, size / 2, slice * parts / slices, (slice + 1) * parts / slices);
    if (slices > 1) {
        sums[threadIdx.x] = sum;
        __syncthreads();
    }
    if (!exists || slice > 0)
        return;
    for (int other = 1; other < slices; ++other) {
        sum.first += sums[threadIdx.x + other * pairs].first;
        sum.second += sums[threadIdx.x + other * pairs].second;
    }
    double *to = g.c + row * g.ldc + col;
    const int there = clipped(g.n, col, 2);
    const bool aligned = rows_aligned(g.c, g.ldc);
    if (g.beta != 0.0)
        before = read_pair(to, there, aligned);
    write_pair(to, finished(g, sum, before), there, aligned);
}

#define DMMA_SUM_ENTRY(layout, TRANS_A, TRANS_B, kernel)                                                               \
    extern "C" __global__ void __launch_bounds__(GEMM_DMMA_SUM_THREADS)                                                \
        gemm_##kernel##_sum_f64_##layout(double *c, int m, int n, int64_t ldc, double alpha, double beta,              \
                                         const double *partials, int whole, int parts, int slices, int rows, int cols) \
    {                                                                                                                  \
        add_parts({nullptr, nullptr, c, m, n, 0, 0, 0, ldc, alpha, beta}, partials, whole, parts, slices, rows, cols); \
    }
