/* Products of f16, bf16 and TF32 on the matrix units of sm_90a: what the kernels with wgmma share.
 *
 * An operand lies in a stage in rows of 128 bytes, 64 elements of 16 bits or 32 of f32, as bulk tensor copies
 * write them with the 128-byte swizzle and wgmma reads them:
 *     inner index along its rows in memory:  [outer][64 inner]
 *     outer index along them:                [outer / 64][inner][64 outer]; of f32 32 for 64
 * The units read f32 along the inner index alone: where A's runs across, it passes through registers.
 *
 * A warpgroup multiplies 64 rows of A with all columns of the block's tile; its sums stay in registers.  The
 * units add what the instruction multiplies to the sums with truncation, which the bound counts
 * (doc/validation.md).
 *
 * C leaves through shared memory in blocks of 64 rows of 128 bytes: by bulk tensor stores where C can be
 * described to the copy engine and the tile is a whole number of blocks wide, else row by row. */
#pragma once

#include "gemm/device/ptx/copies.cuh"
#include "grid_dependency.cuh"
#include "gemm/device/common/tile-scheduler.cuh"
#include "gemm/device/common/pack-operands.cuh"
#include "gemm/device/common/epilogue.cuh"
#include "gemm/device/common/pipeline-state.cuh"
#include "gemm/device/ptx/wgmma.cuh"

enum { DEPTH = GEMM_UNITS_DEPTH, ROW_BYTES = 128, GROUP_ROWS = 64, GROUP_THREADS = 128 };
enum { BLOCK_BYTES = GROUP_ROWS * ROW_BYTES }; /* 64 rows of a stage, or of C on its way */

static_assert(DEPTH * 2 == ROW_BYTES, "a row of a stage is a swizzled line");

template <class Element_, bool A_INNER, bool B_INNER, int ROWS, int COLS, int STAGES, int CLUSTER, bool TURNED = false>
struct Tile {
    using Element = Element_;
    static constexpr int rows = ROWS, cols = COLS, stages = STAGES, cluster = CLUSTER;
    static constexpr int depth = ROW_BYTES / (int)sizeof(Element); /* of a stage */
    static constexpr bool a_inner = A_INNER, b_inner = B_INNER;
    static constexpr bool turned = TURNED; /* rows of the product are columns of C */
    static constexpr bool a_in_registers = sizeof(Element) == 4 && !A_INNER;
    static constexpr int groups = ROWS / GROUP_ROWS, consumers = groups * GROUP_THREADS;
    static constexpr unsigned a_bytes = ROWS * ROW_BYTES, stage_bytes = a_bytes + COLS * ROW_BYTES;
    static_assert(ROWS % GROUP_ROWS == 0 && COLS % (32 * CLUSTER) == 0 && (B_INNER || COLS % (64 * CLUSTER) == 0),
                  "B comes in whole lines, and C in f32 leaves in whole blocks");
    static_assert(sizeof(Element) == 2 || B_INNER, "the units read f32 along k alone");
};

/* How C is reached: as Result says, and by a map where `bulk`.  A Map is a TensorMap, or what start_box() and
 * start_store() take in its place: of a batch, the matrices of a problem (persistent-batch.cuh). */
template <class Map> struct DestinationBy {
    Result to;
    const Map *map;
    bool bulk;
};
using Destination = DestinationBy<TensorMap>;

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- bringing ------------------------------------------------------------------------ */

/* This block's share of an operand's SIDE x depth, for all blocks of the cluster that share it: one box where
 * the inner index runs along the rows in memory, one for every line of outer indices where those do. */
template <bool INNER, int SIDE, int CLUSTER, int LINE = 64, class Map>
static __device__ __forceinline__ void bring(unsigned to, const Map &map, int outer, int inner, unsigned barrier)
{
    constexpr int SHARE = SIDE / CLUSTER, BOX = INNER ? SHARE : LINE;
    const int first = CLUSTER > 1 ? (int)rank_in_cluster() * SHARE : 0;

#pragma unroll
    for (int box = 0; box < SHARE; box += BOX) {
        const int at = first + box, x = INNER ? inner : outer + at, y = INNER ? outer + at : inner;
        if constexpr (CLUSTER > 1)
            start_box_for_all<CLUSTER>(to + at * ROW_BYTES, &map, x, y, barrier);
        else
            start_box(to + at * ROW_BYTES, &map, x, y, barrier);
    }
}

/* Fills the ring's stage with step `step` of an item.  By one thread. */
template <class Tile, class Map>
static __device__ __forceinline__ void bring_stage(const Ring<Tile> &ring, const Map &map_a, const Map &map_b, int row,
                                                   int col, int step)
{
    arrive_and_expect(ring.full(), Tile::stage_bytes);
    bring<Tile::a_inner, Tile::rows, 1, Tile::depth>(ring.data(), map_a, row, step * Tile::depth, ring.full());
    bring<Tile::b_inner, Tile::cols, Tile::cluster, Tile::depth>(ring.data() + Tile::a_bytes, map_b, col,
                                                                 step * Tile::depth, ring.full());
}

/* ---- multiplying --------------------------------------------------------------------- */

/* The consumers let go of a stage, a warp at a time: where B is shared, in all blocks that filled it. */
template <class Tile> static __device__ __forceinline__ void release(unsigned free)
{
    const unsigned lane = threadIdx.x % 32;
    if constexpr (Tile::cluster > 1) {
        if (lane < Tile::cluster)
            arrive_there(place_in(free, lane));
    } else if (lane == 0) {
        barrier_arrive(free);
    }
}

/* One warpgroup's part of a tile: 64 rows of C. */
template <class Tile> struct Group {
    using Element = typename Tile::Element;
    static constexpr int COUNT = Tile::cols / 2; /* of a thread's sums */
    int number;                                  /* among the block's */
    float sum[COUNT];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < COUNT; ++i)
            sum[i] = 0.0f;
    }

    /* Begins to multiply a stage. */
    __device__ __forceinline__ void multiply(unsigned stage)
    {
        static_assert(!Tile::a_in_registers, "A is read from shared memory");
        const uint64_t a = operand_at<Tile::a_inner>(stage + number * BLOCK_BYTES);
        const uint64_t b = operand_at<Tile::b_inner>(stage + Tile::a_bytes);

        begin_products();
#pragma unroll
        for (int k = 0; k < ROW_BYTES / 32; ++k)
            multiply_add<Element, Tile::a_inner, Tile::b_inner>(sum, a + k * NEXT_INNER<Tile::a_inner>,
                                                                b + k * NEXT_INNER<Tile::b_inner>);
        end_products();
    }

    /* `steps` stages of the ring, one at least.  A stage is let go of when the next one's products have
     * begun. */
    __device__ __forceinline__ void consume(Ring<Tile> &ring, int steps)
    {
        unsigned before = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            barrier_wait(ring.full(), ring.phase);
            multiply(ring.data());
            if (step > 0) {
                await_products<1>();
                release<Tile>(before);
            }
            before = ring.free();
            ring.next();
        }
        await_products<0>();
        settle(sum);
        release<Tile>(before);
    }
};

/* ---- C ------------------------------------------------------------------------------- */

/* A warpgroup's block on its way: 64 rows of 128 bytes, swizzled as the map says. */
static __device__ __forceinline__ unsigned place_in_block(unsigned block, int row, int chunk)
{
    return block + row * ROW_BYTES + ((chunk ^ (row & 7)) << 4);
}

/* Columns of the tile in a block of C in 16 bits that begins with column FIRST. */
template <class Tile, int FIRST> constexpr int COLS_OF_BLOCK = Tile::cols - FIRST < 64 ? Tile::cols - FIRST : 64;

/* Columns FIRST and on of the thread's sums, 128 bytes of each row at most, to `block`. */
template <class Tile, int FIRST>
static __device__ __forceinline__ void stage_narrow(const Group<Tile> &group, int type, unsigned block)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x % GROUP_THREADS / 32 * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < COLS_OF_BLOCK<Tile, FIRST> / 8; j += 2) {
        const float *s = group.sum + FIRST / 2 + 4 * j;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         place_in_block(block, row, j + lane / 16)),
                     "r"(narrowed(type, s[0], s[1])), "r"(narrowed(type, s[2], s[3])), "r"(narrowed(type, s[4], s[5])),
                     "r"(narrowed(type, s[6], s[7]))
                     : "memory");
    }
}

template <class Tile, int FIRST>
static __device__ __forceinline__ void stage_wide(const Group<Tile> &group, unsigned block)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x % GROUP_THREADS / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float *s = group.sum + FIRST / 2 + 4 * j + 2 * half;
            const unsigned at = place_in_block(block, row + 8 * half, 2 * j + lane % 4 / 2) + lane % 2 * 8;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(s[0]), "f"(s[1]) : "memory");
        }
}

/* Of a row of a block, an element. */
template <class Element> static __device__ __forceinline__ Element element_of_block(unsigned block, int row, int along)
{
    constexpr int CHUNK = 16 / (int)sizeof(Element);
    const unsigned from = place_in_block(block, row, along / CHUNK) + along % CHUNK * (int)sizeof(Element);
    if constexpr (sizeof(Element) == 4) {
        return load_shared(from);
    } else {
        Element element;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(element) : "r"(from));
        return element;
    }
}

/* A warp writes its 16 rows of a block to C, `cols` elements of each, one by one; those of eight rows are read before
 * the first is written, so that the writes do not wait for reads one by one. */
template <class Element>
static __device__ __forceinline__ void write_rows(const Result &to, unsigned block, int first_row, int first_col,
                                                  int cols)
{
    constexpr int AT_ONCE = 8, PER_ROW = ROW_BYTES / (int)sizeof(Element) / 32; /* of a lane */
    const int lane = threadIdx.x % 32, rows = threadIdx.x % GROUP_THREADS / 32 * 16;
    const int left = to.n - first_col < cols ? (int)to.n - first_col : cols;
    Element *c = static_cast<Element *>(to.c) + (int64_t)(first_row + rows) * to.ldc + first_col + lane;
#pragma unroll 1
    for (int first = rows; first < rows + 16; first += AT_ONCE) {
        Element element[AT_ONCE][PER_ROW];
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i)
#pragma unroll
            for (int j = 0; j < PER_ROW; ++j)
                element[i][j] = element_of_block<Element>(block, first + i, lane + 32 * j);
#pragma unroll
        for (int i = 0; i < AT_ONCE; ++i, c += to.ldc)
#pragma unroll
            for (int j = 0; j < PER_ROW; ++j)
                if (first_row + first + i < to.m && lane + 32 * j < left)
                    c[32 * j] = element[i][j];
    }
}

/* Of a product that is turned, half a block has 32 rows of 32 columns of C: warps 0 and 1 stage the first
 * half, the others the second. */
enum { TURNED_ROWS = 32, TURNED_BYTES = TURNED_ROWS * ROW_BYTES };

/* A warp writes the 16 columns of C that it staged; `col` is the block's first. */
static __device__ __forceinline__ void write_columns(const Result &to, unsigned block, int first_row, int col)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32, along = warp % 2 * 16 + lane % 16;
    block += warp / 2 * TURNED_BYTES;
    col += warp * 16 + lane % 16;
#pragma unroll 4
    for (int i = lane / 16; i < TURNED_ROWS; i += 2)
        if (first_row + i < to.m && col < to.n)
            static_cast<float *>(to.c)[(int64_t)(first_row + i) * to.ldc + col] =
                load_shared(place_in_block(block, i, along / 4) + along % 4 * 4);
}

/* Of one warpgroup. */
static __device__ __forceinline__ void meet_group(int number)
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + number), "n"((int)GROUP_THREADS) : "memory");
}

/* A warpgroup's two blocks for what leaves take turns. */
template <class Tile> struct Outbox {
    unsigned blocks;
    int turn = 0;

    __device__ Outbox(const Ring<Tile> &ring, int number)
    {
        const unsigned end = ring.barriers + 2 * BARRIER_BYTES * Tile::stages;
        blocks = ((end + STAGE_ALIGNMENT - 1) & ~(unsigned)(STAGE_ALIGNMENT - 1)) + number * 2 * BLOCK_BYTES;
    }

    /* The block that `stage` fills, `cols` wide, goes to (row, col) of C. */
    template <class Map, class Stage>
    __device__ __forceinline__ void send(const DestinationBy<Map> &c, int number, int row, int col, int cols,
                                         const Stage &stage)
    {
        const unsigned block = blocks + turn * BLOCK_BYTES;
        const bool first = threadIdx.x % GROUP_THREADS == 0;

        turn ^= 1;
        if (!c.bulk) { /* a warp writes what it staged */
            __syncwarp();
            stage(block);
            __syncwarp();
            if constexpr (Tile::turned)
                write_columns(c.to, block, row, col);
            else if (c.to.type == GEMM_RESULT_F32)
                write_rows<float>(c.to, block, row, col, cols);
            else
                write_rows<uint16_t>(c.to, block, row, col, cols);
            return;
        }
        if (first)
            await_stores_read<Tile::turned ? 2 : 1>();
        meet_group(number);
        stage(block);
        show_copy_engine();
        meet_group(number);
        if (first)
            start_store(c.map, col, row, block);
        if (first && Tile::turned)
            start_store(c.map, col + 32, row, block + TURNED_BYTES);
    }
};

/* sum + beta * C, for what there is of C. */
template <class Tile, class Element>
static __device__ __forceinline__ void add_before(Group<Tile> &group, const Result &to, const Element *c, int row,
                                                  int col)
{
#pragma unroll
    for (int i = 0; i < Group<Tile>::COUNT; ++i) {
        const int at_row = row + i / 2 % 2 * 8, at_col = col + i / 4 * 8 + i % 2;
        if (at_row < to.m && at_col < to.n)
            group.sum[i] = fmaf(to.beta, (float)c[at_row * to.ldc + at_col], group.sum[i]);
    }
}

/* alpha and beta are applied to the thread's sums where they are. */
template <class Tile>
static __device__ __forceinline__ void finish(Group<Tile> &group, const Result &to, int row, int col)
{
    row += threadIdx.x % GROUP_THREADS / 32 * 16 + threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < Group<Tile>::COUNT; ++i)
        group.sum[i] *= to.alpha;
    if (to.beta == 0.0f)
        return;
    if (to.type == GEMM_RESULT_F32)
        add_before(group, to, static_cast<const float *>(to.c), row, col);
    else if (to.type == GEMM_RESULT_F16)
        add_before(group, to, static_cast<const __half *>(to.c), row, col);
    else
        add_before(group, to, static_cast<const __nv_bfloat16 *>(to.c), row, col);
}

/* C in f32, 32 columns at a time. */
template <class Tile, int FIRST, class Map>
static __device__ __forceinline__ void send_wide_from(const Group<Tile> &group, const DestinationBy<Map> &c,
                                                      Outbox<Tile> &outbox, int row, int col)
{
    if constexpr (FIRST < Tile::cols) {
        const auto stage = [&](unsigned block) { stage_wide<Tile, FIRST>(group, block); };
        outbox.send(c, group.number, row, col + FIRST, 32, stage);
        send_wide_from<Tile, FIRST + 32>(group, c, outbox, row, col);
    }
}

/* In 16 bits, 64 columns at a time. */
template <class Tile, int FIRST, class Map>
static __device__ __forceinline__ void send_narrow_from(const Group<Tile> &group, const DestinationBy<Map> &c,
                                                        Outbox<Tile> &outbox, int row, int col)
{
    if constexpr (FIRST < Tile::cols) {
        const auto stage = [&](unsigned block) { stage_narrow<Tile, FIRST>(group, c.to.type, block); };
        outbox.send(c, group.number, row, col + FIRST, COLS_OF_BLOCK<Tile, FIRST>, stage);
        send_narrow_from<Tile, FIRST + 64>(group, c, outbox, row, col);
    }
}

/* The tile at (row, col). */
template <class Tile, class Map>
static __device__ __forceinline__ void write(Group<Tile> &group, const DestinationBy<Map> &c, Outbox<Tile> &outbox,
                                             int row, int col)
{
    row += group.number * GROUP_ROWS;
    finish(group, c.to, row, col);
    if constexpr (sizeof(typename Tile::Element) == 4)
        send_wide_from<Tile, 0>(group, c, outbox, row, col);
    else if (c.to.type == GEMM_RESULT_F32)
        send_wide_from<Tile, 0>(group, c, outbox, row, col);
    else
        send_narrow_from<Tile, 0>(group, c, outbox, row, col);
}

/* ---- parts of k ---------------------------------------------------------------------- */

/* The sums of partial tile `number`, as the threads have them: quad j of a thread at [j][thread]. */
template <class Tile>
static __device__ __forceinline__ void write_partial(const Group<Tile> &group, float4 *partials, int number)
{
    float4 *to = partials + (int64_t)number * (Tile::cols / 8 * Tile::consumers) + group.number * GROUP_THREADS +
                 threadIdx.x % GROUP_THREADS;
#pragma unroll
    for (int j = 0; j < Tile::cols / 8; ++j) {
        const float *s = group.sum + 4 * j;
        to[j * Tile::consumers] = make_float4(s[0], s[1], s[2], s[3]);
    }
}

#endif

/* Block (tile, y): each thread adds up a quad of the partial tiles of a tile, the parts in their order.
 * TURNED, CLUSTER: as Tile's; the tiles of a cluster follow each other. */
template <bool TURNED, int CLUSTER>
static __device__ inline void add_partials(const Result &to, const float4 *partials, const Cut &cut, int rows, int cols)
{
    const int consumers = 2 * rows, quad = (int)(blockIdx.y * blockDim.x + threadIdx.x), quads = cols / 8 * consumers;
    const float4 *from = partials + (int64_t)blockIdx.x * cut.parts * quads + quad;
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    int row, col;

    grid_dependency_wait();
    if (quad >= quads)
        return;
#pragma unroll 4
    for (int part = 0; part < cut.parts; ++part, from += quads) {
        const float4 v = *from;
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    place_tile(cut.whole + (int)blockIdx.x / CLUSTER, (int)(TURNED ? to.n : to.m), (int)(TURNED ? to.m : to.n),
               rows * CLUSTER, cols, &row, &col);
    row += (int)blockIdx.x % CLUSTER * rows + quad % consumers / 32 * 16 + quad % 32 / 4;
    col += quad / consumers * 8 + quad % 4 * 2;
    if constexpr (TURNED) {
        write_one(to, col, row, sum.x);
        write_one(to, col + 1, row, sum.y);
        write_one(to, col, row + 8, sum.z);
        write_one(to, col + 1, row + 8, sum.w);
    } else {
        write_pair(to, row, col, sum.x, sum.y);
        write_pair(to, row + 8, col, sum.z, sum.w);
    }
}

#define WGMMA_SUM_ENTRY(layout, TRANS_A, TRANS_B, kernel, type, TURNED, CLUSTER)                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_WGMMA_SUM_THREADS) gemm_##kernel##_sum_##type##_##layout(        \
        void *c, int type_of_c, int m, int n, int64_t ldc, float alpha, float beta, const float4 *partials, int whole, \
        int parts, int rows, int cols)                                                                                 \
    {                                                                                                                  \
        add_partials<TURNED, CLUSTER>(Result{c, type_of_c, m, n, ldc, alpha, beta}, partials, Cut{whole, parts, 0},    \
                                      rows, cols);                                                                     \
    }
