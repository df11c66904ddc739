/* gemm/wgmma-narrow: products whose C has few columns, or few rows, which are then columns of the product B^T
 * A^T whose result is turned on its way out.  Tiles have 64 rows and 16, 32 or 64 columns, so that nearly all
 * of a multiprocessor's shared memory holds what is on its way of the larger operand, or 128 rows and 16 columns,
 * which read the smaller operand half as often.  A block has one item of work, and two blocks share a
 * multiprocessor, so that one begins or ends while the other reads.  Where tiles are few, the blocks of a cluster
 * have shares of k of one tile, and add up their sums through each other's shared memory. */
#include "gemm/device/common/entries.cuh"
#include "gemm/device/tensor/wgmma-narrow.h"
#include "gemm/device/ptx/wgmma-narrow.cuh"

#include "gemm/device/tensor/mainloop.cuh"
#include "gemm/device/common/write-element.cuh"

template <class Element_, bool A_INNER, bool B_INNER, int ROWS, int COLS> struct Narrow {
    using Element = Element_;
    static constexpr int rows = ROWS, cols = COLS, cluster = 1, depth = DEPTH;
    static constexpr int groups = ROWS / GROUP_ROWS, consumers = groups * GROUP_THREADS;
    static constexpr bool a_inner = A_INNER, b_inner = B_INNER, turned = false, a_in_registers = false;
    /* Of B in a stage: bytes of a line, and lines. */
    static constexpr int b_line = B_INNER ? ROW_BYTES : 2 * COLS, b_lines = B_INNER ? COLS : DEPTH;
    static constexpr unsigned a_bytes = rows * ROW_BYTES, stage_bytes = a_bytes + b_lines * b_line;
    static constexpr int stages = GEMM_NARROW_STAGES / stage_bytes;
    /* Of the sums on their way: from a column to the next one where C is turned, else from row to row. */
    static constexpr int turned_pitch = rows + 4, straight_pitch = COLS + 8;
    static_assert(ROWS % GROUP_ROWS == 0 && 2 * BARRIER_BYTES * stages <= GEMM_NARROW_BARRIERS, "as the recipe counts");
    static_assert(4 * cols * turned_pitch <= stages * stage_bytes && 4 * rows * straight_pitch <= stages * stage_bytes,
                  "sums lie where stages were");
};

/* Where a product's sums go: C, or C turned. */
struct Target {
    Result to;
    bool turned;

    __device__ __forceinline__ int rows() const
    {
        return (int)(turned ? to.n : to.m);
    }

    __device__ __forceinline__ int cols() const
    {
        return (int)(turned ? to.m : to.n);
    }

    /* Two neighbours in a row of C. */
    __device__ __forceinline__ void write(int row, int col, float2 sums) const
    {
        write_pair(to, turned ? col : row, turned ? row : col, sums.x, sums.y);
    }
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* This block among those of its cluster, which share an item's steps. */
struct Share {
    int rank, blocks;

    __device__ __forceinline__ Share() : rank((int)rank_in_cluster()), blocks((int)blocks_of_cluster())
    {
    }

    __device__ __forceinline__ void cut(Item &item) const
    {
        const int share = item.steps / blocks, more = item.steps % blocks;
        item.first += rank * share + (rank < more ? rank : more);
        item.steps = share + (rank < more);
    }
};

/* ---- bringing ------------------------------------------------------------------------ */

/* One box of each operand. */
template <bool INNER>
static __device__ __forceinline__ void bring_box(unsigned to, const TensorMap &map, int outer, int step,
                                                 unsigned barrier)
{
    start_box(to, &map, INNER ? step * DEPTH : outer, INNER ? outer : step * DEPTH, barrier);
}

/* By one thread, with the copy engine; lines of A that run across k hold the rows of a warpgroup.  Of a product with
 * fewer columns than the tile the boxes of B are no larger than it: what lies behind an operand is not asked for. */
template <class Tile>
static __device__ __forceinline__ void bring_stages(const TensorMap &map_a, const TensorMap &map_b, int cols,
                                                    Ring<Tile> ring, const Item &item)
{
    const unsigned bytes = Tile::a_bytes + (Tile::b_inner ? min(cols, Tile::cols) : Tile::b_lines) * Tile::b_line;
    for (int step = item.first; step < item.first + item.steps; ++step) {
        barrier_wait(ring.free(), ring.phase);
        arrive_and_expect(ring.full(), bytes);
#pragma unroll
        for (int row = 0; row < Tile::rows; row += Tile::a_inner ? Tile::rows : GROUP_ROWS)
            bring_box<Tile::a_inner>(ring.data() + row * ROW_BYTES, map_a, item.row + row, step, ring.full());
        bring_box<Tile::b_inner>(ring.data() + Tile::a_bytes, map_b, item.col, step, ring.full());
        ring.next();
    }
}

/* ---- multiplying --------------------------------------------------------------------- */

/* Begins to multiply a stage. */
template <class Tile> static __device__ __forceinline__ void multiply_stage(Group<Tile> &group, unsigned stage)
{
    const uint64_t a = operand_at<Tile::a_inner>(stage + group.number * BLOCK_BYTES);
    const uint64_t b =
        Tile::b_inner ? operand_at<true>(stage + Tile::a_bytes) : operand_across<Tile::b_line>(stage + Tile::a_bytes);
    constexpr uint64_t NEXT_B = Tile::b_inner ? NEXT_INNER<true> : NEXT_ACROSS<Tile::b_line>;
    begin_products();
#pragma unroll
    for (int k = 0; k < DEPTH / 16; ++k)
        multiply_add<typename Tile::Element, Tile::a_inner, Tile::b_inner>(group.sum, a + k * NEXT_INNER<Tile::a_inner>,
                                                                           b + k * NEXT_B);
    end_products();
}

/* As Group::consume(). */
template <class Tile>
static __device__ __forceinline__ void consume_stages(Group<Tile> &group, Ring<Tile> ring, int steps)
{
    unsigned before = 0;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        barrier_wait(ring.full(), ring.phase);
        multiply_stage(group, ring.data());
        if (step > 0) {
            await_products<1>();
            release<Tile>(before);
        }
        before = ring.free();
        ring.next();
    }
    await_products<0>();
    settle(group.sum);
}

/* ---- C ------------------------------------------------------------------------------- */

/* The thread's sums, to where stages were: those of a row of C one after the other. */
template <class Tile> static __device__ __forceinline__ void lay_out(const Group<Tile> &group, bool turned, unsigned to)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < Group<Tile>::COUNT; ++i) {
        const int row = warp * 16 + lane / 4 + i / 2 % 2 * 8, col = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const int at = turned ? col * Tile::turned_pitch + row : row * Tile::straight_pitch + col;
        store_shared(to + 4 * at, group.sum[i]);
    }
}

/* Blocks of a cluster take pairs of neighbours in turn, and add what all have of them in the blocks' order.
 */
template <class Tile>
static __device__ __forceinline__ void write_shares(const Target &c, const Item &item, unsigned sums,
                                                    const Share &share)
{
    constexpr int PAIRS = Tile::rows * Tile::cols / 2;
    for (int i = share.rank * Tile::consumers + (int)threadIdx.x; i < PAIRS; i += share.blocks * Tile::consumers) {
        const int row = c.turned ? i % (Tile::rows / 2) * 2 : i / (Tile::cols / 2),
                  col = c.turned ? i / (Tile::rows / 2) : i % (Tile::cols / 2) * 2;
        const int at = c.turned ? col * Tile::turned_pitch + row : row * Tile::straight_pitch + col;
        float2 sum = make_float2(0.0f, 0.0f);
#pragma unroll 4
        for (int block = 0; block < share.blocks; ++block) {
            const float2 v = load_cluster2(place_in(sums + 4 * at, block));
            sum.x += v.x;
            sum.y += v.y;
        }
        c.write(item.row + row, item.col + col, sum);
    }
}

/* Of all that multiply. */
template <class Tile> static __device__ __forceinline__ void meet_consumers()
{
    asm volatile("bar.sync 1, %0;" ::"n"(Tile::consumers) : "memory");
}

/* Where blocks read each other's shared memory, none ends before all have. */
template <class Tile>
static __device__ __forceinline__ void leave(const Group<Tile> &group, const Target &c, const Item &item, unsigned sums,
                                             const Share &share)
{
    meet_consumers<Tile>(); /* all warps have read the stages */
    lay_out(group, c.turned, sums);
    if (share.blocks == 1) {
        meet_consumers<Tile>();
        write_shares<Tile>(c, item, sums, share);
        return;
    }
    meet_cluster();
    write_shares<Tile>(c, item, sums, share);
    meet_cluster();
}

#endif

template <class Tile>
static __device__ __forceinline__ void multiply_narrow(const TensorMap &map_a, const TensorMap &map_b, const Target &c,
                                                       int k, float4 *partials, const Cut &cut)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const Share share;
    Item item = item_at(cut, (int)blockIdx.x / share.blocks, c.rows(), c.cols(), Tile::rows, Tile::cols,
                        (k + DEPTH - 1) / DEPTH);
    share.cut(item);
    if (threadIdx.x == 0) {
        Ring<Tile>(shared, 0).init(1, Tile::consumers / 32);
        publish_barriers();
    }
    __syncthreads();
    grid_dependency_wait();
    if (threadIdx.x == Tile::consumers)
        bring_stages<Tile>(map_a, map_b, c.cols(), Ring<Tile>(shared, 1), item);
    if (threadIdx.x >= Tile::consumers)
        return;
    const Ring<Tile> ring(shared, 0);
    Group<Tile> group;
    group.number = threadIdx.x / GROUP_THREADS;
    group.clear();
    consume_stages(group, ring, item.steps);
    if (item.partial >= 0)
        write_partial(group, partials, item.partial);
    else
        leave(group, c, item, ring.first, share);
#endif
}

#define NARROW_TARGET (Target{Result{c, type_of_c, m, n, ldc, alpha, beta}, turned != 0})

#define NARROW_ENTRY(layout, TRANS_A, TRANS_B, ROWS, COLS, type, T)                                                   \
    extern "C" __global__ void __launch_bounds__(GEMM_NARROW_THREADS(ROWS), GEMM_NARROW_BLOCKS)                       \
        gemm_wgmma_narrow_##ROWS##x##COLS##_##type##_##layout(                                                        \
            const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b, void *c, int type_of_c, \
            int m, int n, int k, int64_t ldc, float alpha, float beta, int turned, float4 *partials, int whole,       \
            int parts, int items)                                                                                     \
    {                                                                                                                 \
        multiply_narrow<Narrow<T, !TRANS_A, TRANS_B, ROWS, COLS>>(map_a, map_b, NARROW_TARGET, k, partials,           \
                                                                  Cut{whole, parts, items});                          \
    }

GEMM_LAYOUTS(NARROW_ENTRY, 64, 16, f16, __half)
GEMM_LAYOUTS(NARROW_ENTRY, 64, 32, f16, __half)
GEMM_LAYOUTS(NARROW_ENTRY, 64, 64, f16, __half)
GEMM_LAYOUTS(NARROW_ENTRY, 128, 16, f16, __half)
GEMM_LAYOUTS(NARROW_ENTRY, 64, 16, bf16, __nv_bfloat16)
GEMM_LAYOUTS(NARROW_ENTRY, 64, 32, bf16, __nv_bfloat16)
GEMM_LAYOUTS(NARROW_ENTRY, 64, 64, bf16, __nv_bfloat16)
GEMM_LAYOUTS(NARROW_ENTRY, 128, 16, bf16, __nv_bfloat16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, f16)
GEMM_LAYOUTS(HALF_REPACK_ENTRY, bf16)

/* ---- parts of k ---------------------------------------------------------------------- */

/* Block (tile, y) adds up 32 quads of a tile's parts: warp w parts w, w + ADDERS and on, and then the warps'
 * sums in their order. */
static __device__ __forceinline__ void add_parts(const Target &c, const float4 *partials, int whole, int parts,
                                                 int cols)
{
    constexpr int ADDERS = GEMM_NARROW_ADDERS;
    __shared__ float4 sums[ADDERS][32];
    const int lane = threadIdx.x % 32, warp = (int)threadIdx.x / 32, quad = (int)blockIdx.y * 32 + lane;
    const int64_t quads = cols / 8 * GROUP_THREADS;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int row, col;

    place_tile(whole + (int)blockIdx.x, c.rows(), c.cols(), GEMM_NARROW_PART_ROWS, cols, &row, &col);
    row += quad % GROUP_THREADS / 32 * 16 + lane / 4;
    col += quad / GROUP_THREADS * 8 + lane % 4 * 2;
    grid_dependency_wait();
    partials += blockIdx.x * parts * quads + quad;
#pragma unroll 4
    for (int part = warp; part < parts; part += ADDERS) {
        const float4 v = partials[part * quads];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0)
        return;
#pragma unroll
    for (int i = 1; i < ADDERS; ++i) {
        sum.x += sums[i][lane].x;
        sum.y += sums[i][lane].y;
        sum.z += sums[i][lane].z;
        sum.w += sums[i][lane].w;
    }
    if (c.turned) {
        write_element(c.to, col, row, sum.x);
        write_element(c.to, col + 1, row, sum.y);
        write_element(c.to, col, row + 8, sum.z);
        write_element(c.to, col + 1, row + 8, sum.w);
    } else {
        write_pair(c.to, row, col, sum.x, sum.y);
        write_pair(c.to, row + 8, col, sum.z, sum.w);
    }
}

extern "C" __global__ void __launch_bounds__(32 * GEMM_NARROW_ADDERS)
    gemm_wgmma_narrow_sum_f32(void *c, int type_of_c, int m, int n, int64_t ldc, float alpha, float beta, int turned,
                              const float4 *partials, int whole, int parts, int cols)
{
    add_parts(NARROW_TARGET, partials, whole, parts, cols);
}
