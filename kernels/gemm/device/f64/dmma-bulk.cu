/* gemm/dmma-bulk: f64 on the matrix units, the operands brought by bulk tensor copies: one thread
 * asks for whole tiles, which come in the swizzled order without passing through registers.
 * The warps that multiply then have nearly all registers of the block, and larger tiles.
 *
 * An operand that does not begin at 16 bytes, or whose rows are no multiple of 16 bytes apart,
 * can't be copied so: it is first packed into scratch memory, its rows a multiple of 128 bytes
 * apart. */
#include "gemm/device/ptx/copies.cuh"
#include "gemm/device/f64/dmma.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL /* code for other devices has the entry points alone */

/* ---- bulk copies -------------------------------------------------------------------- */

/* SIDE x DEPTH of an operand: one box where the inner index runs along its rows, one for every
 * 16 outer indices where those do. */
template <bool INNER, int SIDE>
__device__ void copy_tile(unsigned to, const TensorMap &map, int outer, int inner, unsigned barrier)
{
    if (INNER) {
        start_box(to, &map, inner, outer, barrier);
    } else {
#pragma unroll
        for (int block = 0; block < SIDE / 16; ++block)
            start_box(to + block * DEPTH * ROW_BYTES, &map, outer + 16 * block, inner, barrier);
    }
}

/* By one thread. */
template <class Tile>
__device__ void copy_items(const Gemm<double> &g, const TensorMap &map_a, const TensorMap &map_b, const Cut &cut,
                           void *shared)
{
    Ring<Tile> ring(shared, 1);

    for (int number = blockIdx.x; number < cut.items; number += gridDim.x) {
        const Item item = item_of<Tile>(g, cut, number);
        for (int step = item.first; step < item.first + item.steps; ++step) {
            barrier_wait(ring.free(), ring.phase);
            arrive_and_expect(ring.full(), Tile::stage_bytes);
            copy_tile<Tile::a_inner, Tile::rows>(ring.data(), map_a, item.row, step * DEPTH, ring.full());
            copy_tile<Tile::b_inner, Tile::cols>(ring.data() + Tile::a_bytes, map_b, item.col, step * DEPTH,
                                                 ring.full());
            ring.next();
        }
    }
}

/* ---- the kernel ------------------------------------------------------------------------ */

#endif

/* Where the sums of a thread need more registers than the block's threads share alike, REGISTERS, the warpgroup of
 * producers gives most of its own away. */
template <class Tile, int REGISTERS>
__device__ void dmma_bulk(const Gemm<double> &g, const TensorMap &map_a, const TensorMap &map_b, double *partials,
                          const Cut &cut)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];

    if (threadIdx.x == 0) {
        Ring<Tile>(shared, 0).init(1, Tile::consumers / 32);
        publish_barriers();
    }
    __syncthreads();
    grid_dependency_wait();
    if (threadIdx.x >= Tile::consumers) {
        give_registers_back<REGISTERS ? GEMM_DMMA_BULK_COPYING_REGISTERS : 0>();
        if (threadIdx.x == Tile::consumers)
            copy_items<Tile>(g, map_a, map_b, cut, shared);
    } else {
        take_registers<REGISTERS>();
        multiply_items<Tile>(g, cut, partials, shared);
    }
#endif
}

/* ---- operands that bulk copies can't read -------------------------------------------------- */

/* An operand and where it is packed; no rows: it isn't. */
struct Packing {
    const double *from;
    double *to;
    int64_t rows, width, ld, pitch;
};

/* A warp copies a piece of one row; all its loads are on their way before it stores. */
static __device__ inline void pack(const Packing &p)
{
    constexpr int AT_ONCE = GEMM_DMMA_PACK_PIECE / 32;
    const int64_t warp = (int64_t)blockIdx.x * (GEMM_DMMA_PACK_THREADS / 32) + threadIdx.x / 32;
    const int64_t pieces = (p.width + GEMM_DMMA_PACK_PIECE - 1) / GEMM_DMMA_PACK_PIECE;
    const int64_t row = warp / pieces, first = warp % pieces * GEMM_DMMA_PACK_PIECE + threadIdx.x % 32;
    double element[AT_ONCE];

    grid_dependency_wait();
    if (row >= p.rows)
        return;
    const double *from = p.from + row * p.ld + first;
    double *to = p.to + row * p.pitch + first;
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i)
        if (first + 32 * i < p.width)
            element[i] = from[32 * i];
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i)
        if (first + 32 * i < p.width)
            to[32 * i] = element[i];
}

/* ---- entry points ---------------------------------------------------------------------------- */

#define DMMA_BULK_ENTRY(layout, TRANS_A, TRANS_B, tile, SIZE)                                                         \
    extern "C" __global__ void __launch_bounds__(SIZE##_THREADS, SIZE##_BLOCKS) gemm_dmma_bulk_##tile##_f64_##layout( \
        const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, double *c, int m, int n,    \
        int k, int64_t ldc, double alpha, double beta, double *partials, int whole, int parts, int items)             \
    {                                                                                                                 \
        dmma_bulk<Tile<SIZE##_ROWS, SIZE##_COLS, SIZE##_WARPS, SIZE##_STAGES, !TRANS_A, TRANS_B>, SIZE##_REGISTERS>(  \
            Gemm<double>{nullptr, nullptr, c, m, n, k, 0, 0, ldc, alpha, beta}, map_a, map_b, partials,               \
            Cut{whole, parts, items});                                                                                \
    }

/* Blocks (x, 1) pack B. */
#define DMMA_PACK_ENTRY(layout, TRANS_A, TRANS_B, kernel)                                                              \
    extern "C" __global__ void __launch_bounds__(GEMM_DMMA_PACK_THREADS) gemm_##kernel##_pack_f64_##layout(            \
        const double *a, double *to_a, int64_t rows_a, int64_t width_a, int64_t lda, int64_t pitch_a, const double *b, \
        double *to_b, int64_t rows_b, int64_t width_b, int64_t ldb, int64_t pitch_b)                                   \
    {                                                                                                                  \
        pack(blockIdx.y ? Packing{b, to_b, rows_b, width_b, ldb, pitch_b}                                              \
                        : Packing{a, to_a, rows_a, width_a, lda, pitch_a});                                            \
    }

/* The tiles: 64 x 32 for each of 8 warps, 32 x 32 for each of 8, and five of 4 warps. */
GEMM_LAYOUTS(DMMA_BULK_ENTRY, large, GEMM_DMMA_BULK_LARGE)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, middle, GEMM_DMMA_BULK_MIDDLE)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, square, GEMM_DMMA_BULK_SQUARE)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, small, GEMM_DMMA_BULK_SMALL)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, tiny, GEMM_DMMA_BULK_TINY)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, flat, GEMM_DMMA_BULK_FLAT)
GEMM_LAYOUTS(DMMA_BULK_ENTRY, tall, GEMM_DMMA_BULK_TALL)
GEMM_LAYOUTS(DMMA_SUM_ENTRY, dmma_bulk)
GEMM_LAYOUTS(DMMA_PACK_ENTRY, dmma_bulk)
