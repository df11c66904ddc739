/* wgmma-elected: what its warps do.  For sm_90a alone.
 *
 * The product is X Y': of A and B, or turned of B and A, whose product is C'.  Either operand's rows in memory run
 * along k (inner), or across it, along rows of X or Y.  A warpgroup multiplies BLOCKS times 64 rows of X with COLS rows
 * of Y, any multiple of 8: the few rows of A can be those columns, and of many tiles one fills the multiprocessors
 * best.  All else comes with the launch: whether the two warpgroups have halves of a tile or tiles of their own, by
 * turns, so that one writes C while the other multiplies; clusters of blocks that share X side by side and Y one below
 * the other; the order of tiles.
 *
 * The warp that brings is whole, and one of its lanes is elected to ask the copy engine: the compiler then
 * knows that addresses are the same in all lanes, where a thread that is chosen by its number makes each copy
 * a loop.
 *
 * What no other block needs is brought without multicast: requests of neighbours for the same lines are
 * joined on their way to L2, which those of multicasts are not. */
#pragma once

#include "gemm/device/ptx/wgmma-any-width.cuh"
#include "gemm/device/tensor/wgmma-elected.h"
#include "gemm/device/tensor/mainloop.cuh"
#include "gemm/device/common/write-element.cuh"

template <class Element_, int BLOCKS, int COLS, bool X_INNER, bool Y_INNER> struct ElectedTile {
    using Element = Element_;
    static constexpr int blocks = BLOCKS, cols = COLS; /* of a warpgroup */
    static constexpr bool x_inner = X_INNER, y_inner = Y_INNER;
    static constexpr int y_lines = Y_INNER ? COLS : (COLS + 63) / 64 * 64; /* lines of 128 bytes of a stage */
    static constexpr int rest = COLS % 64; /* columns behind the last whole block of C */
};

/* How a launch divides the product. */
struct ElectedCut {
    int cluster_rows, cluster_cols; /* blocks of a cluster: those one below the other, and side by side */
    int down, across;               /* clusters that cover the product */
    int order;                      /* rows of clusters before the next column */
    int stages, outs;               /* of the ring; blocks of C on their way, for each warpgroup */
    int flags;                      /* GEMM_ELECTED_ */
    int count;                      /* problems */
    int64_t stride_c;               /* elements from a C to the next */

    /* Of all problems. */
    __device__ __forceinline__ int items() const
    {
        return down * across * count;
    }

    __device__ __forceinline__ bool turns() const
    {
        return flags & GEMM_ELECTED_TURNS;
    }

    __device__ __forceinline__ bool turned() const
    {
        return flags & GEMM_ELECTED_TURNED;
    }

    __device__ __forceinline__ int blocks() const
    {
        return cluster_rows * cluster_cols;
    }
};

struct ElectedMaps {
    const TensorMap *x, *y, *c, *rest; /* of C: its whole blocks, and what is behind them in a tile */
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- what PTX has besides ------------------------------------------------------------ */

static __device__ __forceinline__ bool is_elected()
{
    uint32_t elected;
    asm volatile("{\n"
                 ".reg .pred elected;\n"
                 "elect.sync _|elected, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, elected;\n"
                 "}"
                 : "=r"(elected));
    return elected;
}

/* Starts to bring a box, where SHARED to all blocks of the mask. */
template <bool SHARED>
static __device__ __forceinline__ void start_box_for(unsigned to, const TensorMap *map, int x, int y, int problem,
                                                     unsigned barrier, unsigned mask)
{
    if constexpr (SHARED)
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                     "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(problem), "r"(barrier), "h"((uint16_t)mask)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(problem), "r"(barrier)
                     : "memory");
}

/* Starts to write a box, as a group of its own. */
static __device__ __forceinline__ void start_store_of(const TensorMap *map, int x, int y, int problem, unsigned from)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];\n"
                 "cp.async.bulk.commit_group;" ::"l"(map),
                 "r"(x), "r"(y), "r"(problem), "r"(from)
                 : "memory");
}

static __device__ __forceinline__ void prefetch_map(const TensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* All threads of the cluster, after publish_barriers(): nothing else need be seen. */
static __device__ __forceinline__ void meet_cluster_relaxed()
{
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

static __device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;");
}

/* ---- where things are ---------------------------------------------------------------- */

/* A block's place: in its cluster, and of its stages, blocks of C and barriers in shared memory. */
template <class Tile> struct ElectedPlace {
    int row, col;                     /* in the cluster */
    int rows;                         /* of the block's tile */
    unsigned x_bytes, stage_bytes;    /* of a stage */
    unsigned first, out, bars, order; /* stages, C, pairs of barriers of stages: full and free, barriers of turns */

    __device__ __forceinline__ ElectedPlace(void *shared, const ElectedCut &cut)
    {
        const int rank = cut.blocks() > 1 ? (int)rank_in_cluster() : 0;
        row = rank % cut.cluster_rows;
        col = rank / cut.cluster_rows;
        rows = GROUP_ROWS * Tile::blocks * (cut.turns() ? 1 : 2);
        x_bytes = rows * ROW_BYTES;
        stage_bytes = x_bytes + Tile::y_lines * ROW_BYTES;
        first = ((unsigned)__cvta_generic_to_shared(shared) + STAGE_ALIGNMENT - 1) & ~(unsigned)(STAGE_ALIGNMENT - 1);
        out = first + cut.stages * stage_bytes;
        bars = out + 2 * cut.outs * GEMM_ELECTED_BLOCK;
        order = bars + 2 * BARRIER_BYTES * cut.stages;
    }

    __device__ __forceinline__ unsigned full(int stage) const
    {
        return bars + 2 * BARRIER_BYTES * stage;
    }

    /* By one thread.  A stage is free when all have read it who got a share of it. */
    __device__ __forceinline__ void open(const ElectedCut &cut) const
    {
        const int readers = (cut.cluster_rows + cut.cluster_cols - 1) * (cut.turns() ? 1 : 2);
        for (int stage = 0; stage < cut.stages; ++stage) {
            open_barrier(full(stage), 1);
            open_barrier(full(stage) + BARRIER_BYTES, readers);
        }
        open_barrier(order, 1);
        open_barrier(order + BARRIER_BYTES, 1);
        publish_barriers();
    }

    /* Of the block's tile in the cluster's tile `item` of the products; their number. */
    __device__ __forceinline__ int find(const ElectedCut &cut, int item, int *at_row, int *at_col) const
    {
        const int problem = cut.count > 1 ? item / (cut.down * cut.across) : 0;
        item -= problem * cut.down * cut.across;
        const int of_group = cut.order * cut.across, group = item / of_group, within = item - group * of_group;
        const int left = cut.down - group * cut.order, height = left < cut.order ? left : cut.order;
        *at_row = ((group * cut.order + within % height) * cut.cluster_rows + row) * rows;
        *at_col = (within / height * cut.cluster_cols + col) * Tile::cols;
        return problem;
    }
};

/* ---- bringing ------------------------------------------------------------------------ */

/* A block's share of LINES lines of an operand, one of `shares`: some of its rows, or where those lie across k, some of
 * the stage's steps along k, of 64 rows in each box. */
template <bool INNER, bool SHARED>
static __device__ __forceinline__ void start_share_for(unsigned to, const TensorMap *map, int outer, int inner,
                                                       int problem, int lines, int part, int shares, unsigned barrier,
                                                       unsigned mask)
{
    const int share = (INNER ? lines : DEPTH) / shares, first = part * share;
    to += first * ROW_BYTES;
    if constexpr (INNER) {
        start_box_for<SHARED>(to, map, inner, outer + first, problem, barrier, mask);
    } else {
#pragma unroll 1
        for (int line = 0; line < lines; line += GROUP_ROWS)
            start_box_for<SHARED>(to + line * ROW_BYTES, map, outer + line, inner + first, problem, barrier, mask);
    }
}

/* By a whole warp.  A block brings its share of what it shares, for all that need it. */
template <class Tile, bool X_SHARED, bool Y_SHARED>
static __device__ __forceinline__ void bring_tiles(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                   const ElectedCut &cut, int steps)
{
    const unsigned to_x = place.first, to_y = place.first + place.x_bytes;
    const bool lead = is_elected();
    unsigned of_x = 0, of_y = 0, phase = 1;
    int stage = 0;

    for (int i = 0; i < cut.cluster_cols; ++i)
        of_x |= 1u << (place.row + cut.cluster_rows * i);
    for (int i = 0; i < cut.cluster_rows; ++i)
        of_y |= 1u << (i + cut.cluster_rows * place.col);
    const int items = cut.items(), stride = gridDim.x / cut.blocks();
    for (int item = blockIdx.x / cut.blocks(); item < items; item += stride) {
        int row, col;
        const int problem = place.find(cut, item, &row, &col);
        const int problem_x = cut.flags & GEMM_ELECTED_ONE_X ? 0 : problem,
                  problem_y = cut.flags & GEMM_ELECTED_ONE_Y ? 0 : problem;
        for (int step = 0; step < steps; ++step) {
            const unsigned full = place.full(stage), offset = stage * place.stage_bytes;
            await(full + BARRIER_BYTES, phase);
            if (lead) {
                arrive_and_expect(full, place.stage_bytes);
                start_share_for<Tile::x_inner, X_SHARED>(to_x + offset, maps.x, row, step * DEPTH, problem_x,
                                                         place.rows, place.col, cut.cluster_cols, full, of_x);
                start_share_for<Tile::y_inner, Y_SHARED>(to_y + offset, maps.y, col, step * DEPTH, problem_y,
                                                         Tile::y_lines, place.row, cut.cluster_rows, full, of_y);
            }
            if (++stage == cut.stages) {
                stage = 0;
                phase ^= 1;
            }
        }
    }
}

/* By the warpgroup that does not multiply; its other warps have nothing to do. */
template <class Tile>
static __device__ __forceinline__ void bring_by_one_warp(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                         const ElectedCut &cut, int steps)
{
    if (__shfl_sync(~0u, threadIdx.x / 32, 0) != 2 * GROUP_THREADS / 32)
        return;
    if (cut.cluster_cols > 1 && cut.cluster_rows > 1)
        bring_tiles<Tile, true, true>(place, maps, cut, steps);
    else if (cut.cluster_cols > 1)
        bring_tiles<Tile, true, false>(place, maps, cut, steps);
    else if (cut.cluster_rows > 1)
        bring_tiles<Tile, false, true>(place, maps, cut, steps);
    else
        bring_tiles<Tile, false, false>(place, maps, cut, steps);
}

/* ---- multiplying --------------------------------------------------------------------- */

/* Threads of a warpgroup tell the blocks whose shares it read that a stage is free, one thread each. */
struct StageRelease {
    bool tells;
    unsigned there; /* the first stage's barrier */

    template <class Tile>
    __device__ __forceinline__ StageRelease(const ElectedPlace<Tile> &place, const ElectedCut &cut)
    {
        const int thread = threadIdx.x % GROUP_THREADS, other = thread - cut.cluster_cols;
        const bool beside = thread < cut.cluster_cols,
                   below = !beside && other < cut.cluster_rows && other != place.row;
        tells = beside || below;
        there = place.bars + BARRIER_BYTES;
        if (cut.blocks() > 1 && tells)
            there =
                place_in(there, beside ? place.row + cut.cluster_rows * thread : other + cut.cluster_rows * place.col);
    }

    __device__ __forceinline__ void release(const ElectedCut &cut, int stage) const
    {
        if (!tells)
            return;
        if (cut.blocks() > 1)
            arrive_there(there + 2 * BARRIER_BYTES * stage);
        else
            arrive(there + 2 * BARRIER_BYTES * stage);
    }
};

/* One warpgroup's place in the ring, and the sums of its tile. */
template <class Tile> struct ElectedGroup {
    int number, stage;
    unsigned phase;
    float sum[Tile::blocks][Tile::cols / 2];

    /* Moves by `steps` stages. */
    __device__ __forceinline__ void skip(int steps, int stages)
    {
        const int to = stage + steps;
        phase ^= to / stages & 1;
        stage = to % stages;
    }

    /* Begins to multiply a stage. */
    __device__ __forceinline__ void multiply(const ElectedPlace<Tile> &place, bool turns, bool add)
    {
        const unsigned data = place.first + stage * place.stage_bytes;
        const uint64_t x = operand_at<Tile::x_inner>(data + (turns ? 0 : number * Tile::blocks * BLOCK_BYTES)),
                       y = operand_at<Tile::y_inner>(data + place.x_bytes);
        begin_products();
#pragma unroll
        for (int k = 0; k < DEPTH / 16; ++k)
#pragma unroll
            for (int block = 0; block < Tile::blocks; ++block)
                Product<Tile::cols>::template add_to<typename Tile::Element, Tile::x_inner, Tile::y_inner>(
                    sum[block], x + block * (BLOCK_BYTES >> 4) + k * NEXT_INNER<Tile::x_inner>,
                    y + k * NEXT_INNER<Tile::y_inner>, k > 0 || add);
        end_products();
    }

    /* A tile's steps, one at least.  A stage is let go of when the next one's products have begun. */
    __device__ __forceinline__ void consume(const ElectedPlace<Tile> &place, const ElectedCut &cut,
                                            const StageRelease &free, int steps)
    {
        int before = 0;
#pragma unroll 1
        for (int step = 0; step < steps; ++step) {
            await(place.full(stage), phase);
            multiply(place, cut.turns(), step > 0);
            if (step > 0) {
                await_products<1>();
                free.release(cut, before);
            }
            before = stage;
            if (++stage == cut.stages) {
                stage = 0;
                phase ^= 1;
            }
        }
        if (cut.turns() && threadIdx.x % GROUP_THREADS == 0) /* all its stages have been full: the other may begin */
            arrive(place.order + BARRIER_BYTES * (1 - number));
        await_products<0>();
        free.release(cut, before);
#pragma unroll
        for (int block = 0; block < Tile::blocks; ++block)
            settle(sum[block]);
    }
};

/* ---- C ------------------------------------------------------------------------------- */

template <class Element>
static __device__ __forceinline__ unsigned narrowed_pair(float first, float second, float alpha)
{
    return narrowed(std::is_same<Element, __half>::value ? GEMM_RESULT_F16 : GEMM_RESULT_BF16, alpha * first,
                    alpha * second);
}

/* 64 rows and WIDTH columns of a warpgroup's sums, from `sum` on, in 16 bits to a block of lines of C: of 64
 * columns, or turned of 64 rows of the product; what is narrower lies without swizzle. */
template <class Element, int WIDTH, bool TURNED>
static __device__ __forceinline__ void stage_lines(const float *sum, unsigned block, float alpha)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
#pragma unroll
    for (int j = 0; j < WIDTH / 8; j += 2) {
        const float *s = sum + 4 * j;
        unsigned to;
        if (TURNED)
            to = place_in_block(block, 8 * (j + lane / 16) + lane % 8, 2 * warp + lane / 8 % 2);
        else if (WIDTH == 64)
            to = place_in_block(block, 16 * warp + lane % 16, j + lane / 16);
        else
            to = block + (16 * warp + lane % 16) * 2 * WIDTH + (j + lane / 16) * 16;
        const unsigned a = narrowed_pair<Element>(s[0], s[1], alpha), b = narrowed_pair<Element>(s[2], s[3], alpha);
        if (j + 1 < WIDTH / 8) {
            const unsigned c = narrowed_pair<Element>(s[4], s[5], alpha), d = narrowed_pair<Element>(s[6], s[7], alpha);
            if (TURNED)
                asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a),
                             "r"(b), "r"(c), "r"(d)
                             : "memory");
            else
                asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a),
                             "r"(b), "r"(c), "r"(d)
                             : "memory");
        } else if (TURNED) {
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b)
                         : "memory");
        } else {
            asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a), "r"(b)
                         : "memory");
        }
    }
}

/* 64 rows and WIDTH columns of the sums, 32 at most, in f32 to lines of a block. */
template <int WIDTH> static __device__ __forceinline__ void stage_sums(const float *sum, unsigned block)
{
    const int lane = threadIdx.x % 32, row = threadIdx.x % GROUP_THREADS / 32 * 16 + lane / 4;
#pragma unroll
    for (int j = 0; j < WIDTH / 8; ++j)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const float *s = sum + 4 * j + 2 * half;
            const unsigned at = place_in_block(block, row + 8 * half, 2 * j + lane % 4 / 2) + lane % 2 * 8;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(s[0]), "f"(s[1]) : "memory");
        }
}

static __device__ __forceinline__ float sum_in_block(unsigned block, int row, int col)
{
    return load_shared(place_in_block(block, row, col / 4) + col % 4 * 4);
}

/* A block of sums to C, whatever it is and wherever it lies; a warp's lanes have neighbours in a row. */
static __device__ __forceinline__ void write_sums(const Result &to, bool turned, unsigned block, int row, int col,
                                                  int cols)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
    const int lines = turned ? cols : GROUP_ROWS, along = turned ? GROUP_ROWS : cols;
#pragma unroll 1
    for (int line = warp; line < lines; line += GROUP_THREADS / 32)
#pragma unroll 1
        for (int i = lane; i < along; i += 32)
            if (turned)
                write_element(to, col + line, row + i, sum_in_block(block, i, line));
            else
                write_element(to, row + line, col + i, sum_in_block(block, line, i));
}

/* A warpgroup's blocks for what leaves, by turns. */
template <class Tile> struct ElectedOutbox {
    unsigned blocks;
    int outs, turn = 0;

    __device__ __forceinline__ ElectedOutbox(const ElectedPlace<Tile> &place, const ElectedCut &cut, int number)
    {
        outs = cut.outs;
        blocks = place.out + number * cut.outs * GEMM_ELECTED_BLOCK;
    }

    /* 64 rows and WIDTH columns of the product, which begin at (row, col). */
    template <int WIDTH>
    __device__ __forceinline__ void send(const float *sum, const ElectedMaps &maps, const Result &to, bool turned,
                                         int number, int row, int col, int problem)
    {
        using Element = typename Tile::Element;
        const unsigned block = blocks + turn * GEMM_ELECTED_BLOCK;
        const bool first = threadIdx.x % GROUP_THREADS == 0;
        const TensorMap *map = WIDTH == 64 ? maps.c : maps.rest;

        if (++turn == outs)
            turn = 0;
        if (first && outs == 1)
            await_stores_read<0>();
        else if (first)
            await_stores_read<1>();
        meet_group(number);
        if (turned)
            stage_lines<Element, WIDTH, true>(sum, block, to.alpha);
        else
            stage_lines<Element, WIDTH, false>(sum, block, to.alpha);
        show_copy_engine();
        meet_group(number);
        if (first && turned)
            start_store_of(map, row, col, problem, block);
        else if (first)
            start_store_of(map, col, row, problem, block);
    }

    /* The same, WIDTH at most 32, by all threads of the warpgroup. */
    template <int WIDTH>
    __device__ __forceinline__ void write(const float *sum, const Result &to, bool turned, int number, int row, int col)
    {
        meet_group(number);
        stage_sums<WIDTH>(sum, blocks);
        meet_group(number);
        write_sums(to, turned, blocks, row, col, WIDTH);
    }
};

/* The warpgroup's tile at (row, col). */
template <class Tile>
static __device__ __forceinline__ void write_tile(const ElectedGroup<Tile> &group, ElectedOutbox<Tile> &outbox,
                                                  const ElectedMaps &maps, const Result &first, const ElectedCut &cut,
                                                  int row, int col, int problem)
{
    const bool turned = cut.turned();
    const Result to = {static_cast<char *>(first.c) + problem * cut.stride_c * bytes_of_element(first.type),
                       first.type,
                       first.m,
                       first.n,
                       first.ldc,
                       first.alpha,
                       first.beta};
#pragma unroll
    for (int block = 0; block < Tile::blocks; ++block, row += GROUP_ROWS) {
        const float *sum = group.sum[block];
        if (cut.flags & GEMM_ELECTED_BULK) {
#pragma unroll
            for (int j = 0; j + 64 <= Tile::cols; j += 64)
                outbox.template send<64>(sum + j / 2, maps, to, turned, group.number, row, col + j, problem);
            if constexpr (Tile::rest > 0)
                outbox.template send<Tile::rest>(sum + (Tile::cols - Tile::rest) / 2, maps, to, turned, group.number,
                                                 row, col + Tile::cols - Tile::rest, problem);
        } else {
#pragma unroll
            for (int j = 0; j + 32 <= Tile::cols; j += 32)
                outbox.template write<32>(sum + j / 2, to, turned, group.number, row, col + j);
            if constexpr (Tile::cols % 32 > 0)
                outbox.template write<Tile::cols % 32>(sum + (Tile::cols - Tile::cols % 32) / 2, to, turned,
                                                       group.number, row, col + Tile::cols - Tile::cols % 32);
        }
    }
}

/* By a warpgroup. */
template <class Tile>
static __device__ __forceinline__ void multiply_tiles(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                      const Result &to, const ElectedCut &cut, int steps)
{
    const int items = cut.items(), stride = gridDim.x / cut.blocks(), first = blockIdx.x / cut.blocks();
    const StageRelease free(place, cut);
    ElectedGroup<Tile> group;
    group.number = __shfl_sync(~0u, threadIdx.x / GROUP_THREADS, 0); /* known to be the same in all lanes */
    group.stage = 0;
    group.phase = 0;
    ElectedOutbox<Tile> outbox(place, cut, group.number);
    const bool second = cut.turns() && group.number == 1;
    int nth = 0;

    if (second)
        group.skip(steps, cut.stages);
    for (int item = first + (second ? stride : 0); item < items; item += cut.turns() ? 2 * stride : stride, ++nth) {
        int row, col;
        /* By turns: the other has seen all its stages full, so that the parities of this one's are no earlier
         * ones. */
        if (cut.turns() && (second || nth > 0))
            await(place.order + BARRIER_BYTES * group.number, (second ? nth : nth - 1) & 1);
        group.consume(place, cut, free, steps);
        if (cut.turns())
            group.skip(steps, cut.stages);
        const int problem = place.find(cut, item, &row, &col);
        if (!cut.turns())
            row += group.number * Tile::blocks * GROUP_ROWS;
        write_tile(group, outbox, maps, to, cut, row, col, problem);
    }
    if (threadIdx.x % GROUP_THREADS == 0)
        await_stores();
}

#endif

/* The barriers, for all blocks of a cluster; the maps are fetched meanwhile. */
template <class Tile>
static __device__ __forceinline__ void open_elected(const ElectedMaps &maps, const ElectedCut &cut)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];

    if (threadIdx.x == 0) {
        ElectedPlace<Tile>(shared, cut).open(cut);
        prefetch_map(maps.c);
        prefetch_map(maps.rest);
    }
    if (threadIdx.x == 2 * GROUP_THREADS) {
        prefetch_map(maps.x);
        prefetch_map(maps.y);
    }
    __syncthreads();
    if (cut.blocks() > 1)
        meet_cluster_relaxed();
#endif
}

template <class Tile>
static __device__ __forceinline__ void multiply_elected(const ElectedMaps &maps, const Result &to,
                                                        const ElectedCut &cut, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const int steps = (k + DEPTH - 1) / DEPTH;
    const ElectedPlace<Tile> place(shared, cut);

    if (cut.flags & GEMM_ELECTED_EARLY)
        let_next_launch_begin();
    if (threadIdx.x >= 2 * GROUP_THREADS) {
        give_registers_back<40>();
        bring_by_one_warp(place, maps, cut, steps);
    } else {
        take_registers<232>();
        multiply_tiles(place, maps, to, cut, steps);
    }
    if (cut.blocks() > 1)
        meet_cluster(); /* nobody ends while others still write to its shared memory */
#endif
}

#define ELECTED_PARAMETERS                                                                                           \
    const __grid_constant__ TensorMap map_x, const __grid_constant__ TensorMap map_y,                                \
        const __grid_constant__ TensorMap map_c, const __grid_constant__ TensorMap map_rest, void *c, int type_of_c, \
        int m, int n, int k, int64_t ldc, float alpha, float beta, int cluster_rows, int cluster_cols, int down,     \
        int across, int order, int stages, int outs, int flags, int count, int64_t stride_c
#define ELECTED_MAPS (ElectedMaps{&map_x, &map_y, &map_c, &map_rest})
#define ELECTED_CUT (ElectedCut{cluster_rows, cluster_cols, down, across, order, stages, outs, flags, count, stride_c})
#define ELECTED_RESULT (Result{c, type_of_c, m, n, ldc, alpha, beta})
