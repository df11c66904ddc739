/* gemm/dmma: f64 on the matrix units.  A warpgroup of producers copies element by element
 * (cp.async), so that any alignment and leading dimension is served alike, while the consumer
 * warps multiply; neither stops at a barrier of the block. */
#include "gemm/device/f64/dmma.cuh"

enum { PRODUCERS = GEMM_DMMA_PRODUCERS, ROWS_AT_ONCE = PRODUCERS / DEPTH };

/* Starts to copy one element to shared memory, or a zero where there is none. */
static __device__ inline void copy_element(unsigned to, const double *from, bool exists)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(exists ? 8 : 0) : "memory");
}

/* The barrier hears of this thread's copies when they have come. */
static __device__ inline void arrive_with_copies(unsigned barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/* A tile of SIDE x DEPTH whose inner index runs along the rows in memory: half a warp to a row. */
template <int SIDE> __device__ void copy_inner(unsigned to, const Source<double> &s, const double *valid)
{
    const int along = threadIdx.x % DEPTH, first = threadIdx.x % PRODUCERS / DEPTH;
    const double *from = s.from + first * s.ld + along;

    to += first * ROW_BYTES + ((along / 2 ^ first) << 4) + (along & 1) * 8;
#pragma unroll
    for (int row = 0; row < SIDE; row += ROWS_AT_ONCE) {
        const bool exists = along < s.inner && first + row < s.outer;
        copy_element(to + row * ROW_BYTES, exists ? from : valid, exists);
        from += ROWS_AT_ONCE * s.ld;
    }
}

/* The outer index does: half a warp to 16 of them. */
template <int SIDE> __device__ void copy_outer(unsigned to, const Source<double> &s, const double *valid)
{
    const int along = threadIdx.x % 16, first = threadIdx.x % PRODUCERS / 16;

    to += first * ROW_BYTES + ((along / 2 ^ first) << 4) + (along & 1) * 8;
#pragma unroll
    for (int row = 0; row < DEPTH; row += ROWS_AT_ONCE) {
        const double *from = s.from + (first + row) * s.ld + along;
#pragma unroll
        for (int block = 0; block < SIDE / 16; ++block) {
            const bool exists = first + row < s.inner && along + 16 * block < s.outer;
            copy_element(to + (block * DEPTH + row) * ROW_BYTES, exists ? from + 16 * block : valid, exists);
        }
    }
}

template <bool INNER, int SIDE> __device__ void copy_tile(unsigned to, const Source<double> &s, const double *valid)
{
    static_assert(ROWS_AT_ONCE == 8, "the chunks change places with a period of 8 rows");
    if (INNER)
        copy_inner<SIDE>(to, s, valid);
    else
        copy_outer<SIDE>(to, s, valid);
}

template <class Tile> __device__ void copy_items(const Gemm<double> &g, const Cut &cut, void *shared)
{
    Ring<Tile> ring(shared, 1);

    for (int number = blockIdx.x; number < cut.items; number += gridDim.x) {
        const Item item = item_of<Tile>(g, cut, number);
        for (int step = 0; step < item.steps; ++step) {
            const int64_t inner = (int64_t)(item.first + step) * DEPTH;
            barrier_wait(ring.free(), ring.phase);
            copy_tile<Tile::a_inner, Tile::rows>(
                ring.data(), source_of_a<!Tile::a_inner>(g, item.row, inner, Tile::rows, DEPTH), g.a);
            copy_tile<Tile::b_inner, Tile::cols>(
                ring.data() + Tile::a_bytes, source_of_b<Tile::b_inner>(g, item.col, inner, Tile::cols, DEPTH), g.b);
            arrive_with_copies(ring.full());
            ring.next();
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory"); /* no block ends with copies on their way */
}

template <class Tile> __device__ void dmma(const Gemm<double> &g, double *partials, int whole, int parts, int items)
{
    extern __shared__ char shared[];
    const Cut cut = {whole, parts, items};

    if (threadIdx.x == 0)
        Ring<Tile>(shared, 0).init(PRODUCERS, Tile::consumers / 32);
    __syncthreads();
    grid_dependency_wait();
    if (threadIdx.x >= Tile::consumers)
        copy_items<Tile>(g, cut, shared);
    else
        multiply_items<Tile>(g, cut, partials, shared);
}

#define DMMA_ENTRY(layout, TRANS_A, TRANS_B, tile, SIZE, ...)                                                       \
    extern "C" __global__ void __launch_bounds__(__VA_ARGS__)                                                       \
        gemm_dmma_##tile##_f64_##layout(GEMM_PARAMETERS(double), double *partials, int whole, int parts, int items) \
    {                                                                                                               \
        dmma<Tile<SIZE##_ROWS, SIZE##_COLS, SIZE##_WARPS, SIZE##_STAGES, !TRANS_A, TRANS_B>>(                       \
            GEMM_OF(double), partials, whole, parts, items);                                                        \
    }

/* The tiles: 16 x 48 for each of 12 warps, 16 x 32 and 16 x 16 for each of 4. */
GEMM_LAYOUTS(DMMA_ENTRY, large, GEMM_DMMA_LARGE, GEMM_DMMA_LARGE_THREADS)
GEMM_LAYOUTS(DMMA_ENTRY, small, GEMM_DMMA_SMALL, GEMM_DMMA_SMALL_THREADS, GEMM_DMMA_SMALL_BLOCKS)
GEMM_LAYOUTS(DMMA_ENTRY, tiny, GEMM_DMMA_TINY, GEMM_DMMA_TINY_THREADS, GEMM_DMMA_TINY_BLOCKS)
GEMM_LAYOUTS(DMMA_SUM_ENTRY, dmma)
