/* gemm/mma-direct: products of f16 and bf16 with small tiles of C, wherever their operands begin.
 *
 * Threads read elements as they lie in memory, neighbours beside each other, and write them to where ldmatrix
 * finds them, so nothing is copied to aligned rows before.  A block has a tile of C and the whole of k, or a
 * part of it; it brings 64 terms, multiplies them, and has no others on their way meanwhile: that other
 * blocks of its multiprocessor do.  C leaves through shared memory, a warp writing 64 neighbours of a row at
 * once. */
#include "gemm/device/common/batch.cuh"
#include "gemm/device/common/problem.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/common/tile-scheduler.cuh"
#include "gemm/device/tensor/mma.cuh"
#include "gemm/device/common/epilogue.cuh"
#include "gemm/device/tensor/mma-direct.h"

enum {
    ROWS = GEMM_DIRECT_ROWS,
    COLS = GEMM_DIRECT_COLS,
    THREADS = GEMM_DIRECT_THREADS,
    WARP_ROWS = 16,
    WARPS_ACROSS = THREADS / 32 / (ROWS / WARP_ROWS),
    WARP_COLS = COLS / WARPS_ACROSS,
    QUADS = WARP_COLS / 8, /* of a thread: a product of mma.sync leaves it four sums */
    ADDERS = GEMM_DIRECT_ADDERS
};

/* Where a warp's part of the tile begins. */
static __device__ __forceinline__ int warp_row(int warp = (int)threadIdx.x / 32)
{
    return warp / WARPS_ACROSS * WARP_ROWS;
}

static __device__ __forceinline__ int warp_col(int warp = (int)threadIdx.x / 32)
{
    return warp % WARPS_ACROSS * WARP_COLS;
}

#if __CUDA_ARCH__ >= 800 /* code for other devices has the entry points alone */

using Memory = uint16_t;

enum { PITCH = WARP_COLS + GEMM_DIRECT_APART, TOGETHER = 16, ROWS_AT_ONCE = 8 * 64 / WARP_COLS };
enum { A_BYTES = ROWS * ROW_BYTES, STAGE_BYTES = A_BYTES + COLS * ROW_BYTES };
/* A stage; and once it has been multiplied, C on its way out. */
union Shared {
    alignas(ROW_BYTES) unsigned char stage[STAGE_BYTES];
    float sums[THREADS / 32][WARP_ROWS * PITCH];
};
static_assert(sizeof(Shared) == GEMM_DIRECT_SHARED, "the recipe's");

/* ---- bringing ------------------------------------------------------------------------ */

/* Terms that are multiplied: as many as there are, and zeros up to a multiple of 16. */
static __device__ __forceinline__ int with_zeros(int terms)
{
    return (terms + 15) & ~15;
}

/* Such that 2 to it is `count` at least. */
static __device__ __forceinline__ int log2_up(int count)
{
    return count > 1 ? 32 - __clz(count - 1) : 0;
}

/* A thread's pieces of a tile, `width` elements each: of every `apart` rows in memory one, at the same place
 * in it, so that neighbours bring what lies beside each other. */
template <bool INNER> struct Pieces {
    int along, first, apart, rows; /* place in a row; of rows: the first, and how many are written */
    int there, left;               /* rows that there are, and elements of them from the place on */

    __device__ __forceinline__ Pieces(const Source<Memory> &s, int width)
    {
        const int across = ((INNER ? with_zeros(s.inner) : s.outer) + width - 1) / width, log2 = log2_up(across);
        along = (int)threadIdx.x & ((1 << log2) - 1);
        first = (int)threadIdx.x >> log2;
        apart = THREADS >> log2;
        rows = INNER ? s.outer : with_zeros(s.inner);
        there = INNER ? s.outer : s.inner;
        left = (INNER ? s.inner : s.outer) - along * width;
    }
};

/* Of a row in memory, the chunk `along` of 16 bytes. */
template <bool INNER> static __device__ __forceinline__ unsigned place_in_tile(unsigned tile, int row, int along)
{
    return place_of<Memory, INNER>(tile, INNER ? row : along / CHUNKS * DEPTH<Memory> + row, along % CHUNKS);
}

/* Elements of a thread that are on their way at once.  What lies beyond the outer edge is whatever was there:
 * it meets nothing but itself. */
template <bool INNER> struct Elements {
    Pieces<INNER> p;
    const Memory *from;
    int64_t step;
    unsigned tile;
    int row;
    Memory element[TOGETHER];

    __device__ __forceinline__ Elements(unsigned tile, const Source<Memory> &s)
        : p(s, 1), from(s.from + p.first * s.ld + p.along), step(p.apart * s.ld), tile(tile), row(p.first)
    {
    }
    __device__ __forceinline__ bool any() const
    {
        return row < p.rows;
    }
    __device__ __forceinline__ void load()
    {
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i, from += step)
            element[i] = row + i * p.apart < p.there && p.left > 0 ? *from : (Memory)0;
    }
    __device__ __forceinline__ void store()
    {
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i, row += p.apart)
            if (row < p.rows)
                asm volatile(
                    "st.shared.u16 [%0], %1;" ::"r"(place_in_tile<INNER>(tile, row, p.along / 8) + p.along % 8 * 2),
                    "h"(element[i])
                    : "memory");
    }
};

/* The same where rows begin at multiples of 16 bytes; `valid` is an address that may be named where nothing
 * is read. */
template <bool INNER>
static __device__ __forceinline__ void bring_chunks(unsigned tile, const Source<Memory> &s, const Memory *valid)
{
    constexpr int WIDTH = CHUNK<Memory>;
    const Pieces<INNER> p(s, WIDTH);
    const Memory *from = s.from + p.first * s.ld + p.along * WIDTH;
    for (int row = p.first; row < p.rows; row += p.apart, from += p.apart * s.ld) {
        const int left = row < p.there ? p.left : 0, count = left < 0 ? 0 : left < WIDTH ? left : WIDTH;
        copy_chunk(place_in_tile<INNER>(tile, row, p.along), count > 0 ? from : valid, count * (int)sizeof(Memory));
    }
}

/* An operand whose rows begin anywhere is loaded while the other is. */
template <bool A_INNER, bool B_INNER>
static __device__ __forceinline__ void bring(unsigned stage, const Gemm<Memory> &g, const Source<Memory> &of_a,
                                             const Source<Memory> &of_b, bool a_aligned, bool b_aligned)
{
    Elements<A_INNER> a(stage, of_a);
    Elements<B_INNER> b(stage + A_BYTES, of_b);
    if (a_aligned)
        bring_chunks<A_INNER>(stage, of_a, g.a);
    if (b_aligned)
        bring_chunks<B_INNER>(stage + A_BYTES, of_b, g.b);
    end_copies();
    while ((!a_aligned && a.any()) || (!b_aligned && b.any())) {
        if (!a_aligned)
            a.load();
        if (!b_aligned)
            b.load();
        if (!a_aligned)
            a.store();
        if (!b_aligned)
            b.store();
    }
}

/* ---- multiplying --------------------------------------------------------------------- */

/* `terms` terms of a warp's rows, and of its columns `cols` and what fills up 16.  Lane l has rows l / 4 and
 * l / 4 + 8 and of every eight columns 2 (l % 4) and the next. */
template <class T, bool A_INNER, bool B_INNER>
static __device__ __forceinline__ void multiply(float (&sum)[QUADS][4], unsigned stage, int terms, int cols)
{
    const int row = warp_row(), col = warp_col();
#pragma unroll 1
    for (int inner = 0; inner < terms; inner += 16) {
        unsigned a[4];
        read_fragment<Memory, A_INNER, false>(a, stage, row, inner);
#pragma unroll
        for (int j = 0; j < QUADS / 2; ++j)
            if (16 * j < cols) {
                unsigned b[4];
                read_fragment<Memory, B_INNER, true>(b, stage + A_BYTES, col + 16 * j, inner);
                multiply_add<T>(sum[2 * j], a, b);
                multiply_add<T>(sum[2 * j + 1], a, b + 2);
            }
    }
}

/* ---- C ------------------------------------------------------------------------------- */

/* Where elements of C begin in pairs: 0 or 1 of (row, col). */
static __device__ __forceinline__ int oddness(const Result &to, int64_t row, int64_t col)
{
    return (int)((uintptr_t)to.c / bytes_of_element(to.type) + row * to.ldc + col) & 1;
}

static __device__ __forceinline__ void write_element(const Result &to, int64_t row, int64_t col, float sum)
{
    const int64_t at = row * to.ldc + col;
    const float x = finished(to, row, col, sum);
    if (to.type == GEMM_RESULT_F32)
        static_cast<float *>(to.c)[at] = x;
    else
        static_cast<uint16_t *>(to.c)[at] = (uint16_t)narrowed(to.type, x, x);
}

static __device__ __forceinline__ void write_aligned_pair(const Result &to, int64_t row, int64_t col, float first,
                                                          float second)
{
    const int64_t at = row * to.ldc + col;
    const float x = finished(to, row, col, first), y = finished(to, row, col + 1, second);
    if (to.type == GEMM_RESULT_F32)
        *reinterpret_cast<float2 *>(static_cast<float *>(to.c) + at) = make_float2(x, y);
    else
        *reinterpret_cast<unsigned *>(static_cast<uint16_t *>(to.c) + at) = narrowed(to.type, x, y);
}

/* Of a warp's sums `rows` x `cols` to C at (row, col): pairs that begin where two elements may, ROWS_AT_ONCE
 * rows read before the first is written; then what is left at the ends of rows. */
static __device__ __forceinline__ void write_rows(const Result &to, int64_t row, int64_t col, const float *own,
                                                  int rows, int cols)
{
    const int lane = threadIdx.x % 32, odd = oddness(to, row, col), change = (int)(to.ldc & 1);
    for (int first = 0; first < rows; first += ROWS_AT_ONCE) {
        float sums[ROWS_AT_ONCE][WARP_COLS / 64][2];
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
#pragma unroll
            for (int j = 0; j < WARP_COLS / 64; ++j) {
                const float *from = own + (first + i) * PITCH + (odd ^ (i & change)) + 2 * lane + 64 * j;
                sums[i][j][0] = from[0];
                sums[i][j][1] = from[1];
            }
#pragma unroll
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
#pragma unroll
            for (int j = 0; j < WARP_COLS / 64; ++j) {
                const int at = (odd ^ (i & change)) + 2 * lane + 64 * j;
                if (first + i < rows && at + 1 < cols)
                    write_aligned_pair(to, row + first + i, col + at, sums[i][j][0], sums[i][j][1]);
            }
    }
    const int i = lane % WARP_ROWS, begins = odd ^ (i & change), at = lane < WARP_ROWS ? 0 : cols - 1;
    if (i < rows && (lane < WARP_ROWS ? begins : (cols - begins) & 1))
        write_element(to, row + i, col + at, own[i * PITCH + at]);
}

static __device__ __forceinline__ void write_sums(const Result &to, int64_t row, int64_t col,
                                                  const float (&sum)[QUADS][4], float *own, int rows, int cols)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < QUADS; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half)
            *reinterpret_cast<float2 *>(&own[(lane / 4 + 8 * half) * PITCH + 8 * j + lane % 4 * 2]) =
                make_float2(sum[j][2 * half], sum[j][2 * half + 1]);
    __syncwarp();
    write_rows(to, row, col, own, rows, cols);
}

/* What a part of k comes to, as the threads have it: quad j of a thread at [j][thread]; `cols` columns exist.
 */
static __device__ __forceinline__ void write_partial(float4 *to, const float (&sum)[QUADS][4], int cols)
{
#pragma unroll
    for (int j = 0; j < QUADS; ++j)
        if (8 * j < cols)
            to[j * THREADS + threadIdx.x] = make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
}

#endif

/* ---- the product --------------------------------------------------------------------- */

template <class T, bool TRANS_A, bool TRANS_B>
static __device__ __forceinline__ void multiply_item(const Gemm<uint16_t> &g, const Result &to, float4 *partials,
                                                     int parts)
{
#if __CUDA_ARCH__ >= 800
    __shared__ Shared shared;
    const unsigned stage = (unsigned)__cvta_generic_to_shared(shared.stage);
    const int steps = (int)((g.k + DEPTH<Memory> - 1) / DEPTH<Memory>);
    const Cut cut = {parts > 1 ? 0 : (int)gridDim.x, parts, (int)gridDim.x};
    const Item item = item_at(cut, blockIdx.x, (int)g.m, (int)g.n, ROWS, COLS, steps);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    const int row = item.row + warp_row(), col = item.col + warp_col();
    const int rows = clipped(g.m, row, WARP_ROWS), cols = clipped(g.n, col, WARP_COLS);
    float sum[QUADS][4] = {};

    grid_dependency_wait();
    for (int step = item.first; step < item.first + item.steps; ++step) {
        const int64_t inner = (int64_t)step * DEPTH<Memory>;
        const auto of_a = source_of_a<TRANS_A>(g, item.row, inner, ROWS, DEPTH<Memory>);
        if (step > item.first)
            __syncthreads(); /* the step before has been multiplied */
        const auto of_b = source_of_b<TRANS_B>(g, item.col, inner, COLS, DEPTH<Memory>);
        bring<!TRANS_A, TRANS_B>(stage, g, of_a, of_b, a_aligned, b_aligned);
        await_copies<0>();
        __syncthreads();
        if (rows > 0 && cols > 0)
            multiply<T, !TRANS_A, TRANS_B>(sum, stage, with_zeros(of_a.inner), cols);
    }
    if (item.partial >= 0) {
        write_partial(partials + (int64_t)item.partial * (QUADS * THREADS), sum, cols);
        return;
    }
    __syncthreads();
    if (cols > 0)
        write_sums(to, row, col, sum, shared.sums[threadIdx.x / 32], rows, cols);
#endif
}

#define DIRECT_ENTRY(layout, TRANS_A, TRANS_B, type, T)                                                              \
    extern "C" __global__ void __launch_bounds__(GEMM_DIRECT_THREADS, GEMM_DIRECT_BLOCKS)                            \
        gemm_mma_direct_##type##_##layout(const uint16_t *a, const uint16_t *b, void *c, int type_of_c, int64_t m,   \
                                          int64_t n, int64_t k, int64_t lda, int64_t ldb, int64_t ldc, float alpha,  \
                                          float beta, float4 *partials, int parts, BATCH_PARAMETERS)                 \
    {                                                                                                                \
        const Batch batch = BATCH;                                                                                   \
        const int64_t to = batch.problem() * batch.c * bytes_of_element(type_of_c);                                  \
        multiply_item<T, TRANS_A, TRANS_B>(                                                                          \
            Gemm<uint16_t>{a + batch.problem() * batch.a, b + batch.problem() * batch.b, nullptr, m, n, k, lda, ldb, \
                           ldc, 0, 0},                                                                               \
            Result{static_cast<char *>(c) + to, type_of_c, m, n, ldc, alpha, beta}, partials, parts);                \
    }

GEMM_LAYOUTS(DIRECT_ENTRY, f16, __half)
GEMM_LAYOUTS(DIRECT_ENTRY, bf16, __nv_bfloat16)

/* ---- parts of k ---------------------------------------------------------------------- */

static __device__ __forceinline__ void add(float4 &sum, const float4 &v)
{
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
}

/* Block (tile, y) adds up 32 quads of a tile's parts: warp w parts w, w + ADDERS and on, and then the warps'
 * sums in their order. */
static __device__ __forceinline__ void add_partials(const Result &to, const float4 *partials, int parts)
{
    __shared__ float4 sums[ADDERS][32];
    const int lane = threadIdx.x % 32, warp = (int)threadIdx.x / 32, quad = (int)blockIdx.y * 32 + lane;
    const int thread = quad % THREADS;
    const int64_t step = QUADS * THREADS;
    int row, col;

    place_tile(blockIdx.x, (int)to.m, (int)to.n, ROWS, COLS, &row, &col);
    row += warp_row(thread / 32) + thread % 32 / 4;
    col += warp_col(thread / 32) + quad / THREADS * 8;
    if (col >= to.n) /* of all lanes: nothing was written there */
        return;
    col += thread % 4 * 2;
    grid_dependency_wait();
    partials += blockIdx.x * parts * step + quad;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 8
    for (int part = warp; part < parts; part += ADDERS)
        add(sum, partials[part * step]);
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0)
        return;
#pragma unroll
    for (int i = 1; i < ADDERS; ++i)
        add(sum, sums[i][lane]);
    write_pair(to, row, col, sum.x, sum.y);
    write_pair(to, row + 8, col, sum.z, sum.w);
}

extern "C" __global__ void __launch_bounds__(32 * GEMM_DIRECT_ADDERS)
    gemm_mma_direct_sum_f32(void *c, int type_of_c, int m, int n, int64_t ldc, float alpha, float beta,
                            const float4 *partials, int parts)
{
    add_partials(Result{c, type_of_c, m, n, ldc, alpha, beta}, partials, parts);
}
