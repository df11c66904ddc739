/* wgmma-elected: a block's place in its cluster, its stages in shared memory, and the producer: one elected lane of a
 * warp issues the bulk copies. */
#pragma once

#include "gemm/device/ptx/copies-of-batches.cuh"
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

/* Of a power of two. */
static __device__ __forceinline__ int log2_of(int power)
{
    return 31 - __clz(power);
}

/* How a launch divides the product. */
struct ElectedSchedule {
    int cluster_rows, cluster_cols; /* blocks of a cluster: those one below the other, and side by side */
    int parts;                      /* of k: so many blocks of a cluster have one tile */
    int down, across;               /* clusters that cover the product */
    int order;                      /* rows of clusters before the next column */
    int stages, outs;               /* of the ring; blocks of C on their way, for each warpgroup */
    int flags;                      /* GEMM_ELECTED_ */
    int count;                      /* problems, or ranges of k */
    int64_t stride_c;               /* elements from a C to the next */
    float4 *partials;               /* what clusters have of their tiles' sums, where k is in ranges */
    int ranges;                     /* of k, each of which other clusters have: 1, or count */

    /* Of all problems, or ranges. */
    __device__ __forceinline__ int items() const
    {
        return down * across * count;
    }

    __device__ __forceinline__ bool ping_pong() const
    {
        return flags & GEMM_ELECTED_PING_PONG;
    }

    __device__ __forceinline__ bool transposed() const
    {
        return flags & GEMM_ELECTED_TRANSPOSED;
    }

    __device__ __forceinline__ int blocks() const
    {
        return cluster_rows * cluster_cols * parts;
    }

    /* Of this block's cluster: its first tile, and how many further the next is. */
    __device__ __forceinline__ int first_item() const
    {
        return (int)blockIdx.x >> log2_of(blocks());
    }

    __device__ __forceinline__ int stride() const
    {
        return (int)gridDim.x >> log2_of(blocks());
    }

    /* Of a block in the cluster. */
    __device__ __forceinline__ int rank(int row, int col, int part) const
    {
        return part + parts * (row + cluster_rows * col);
    }
};

struct ElectedMaps {
    const TensorMap *x, *y;           /* of a block's share of a tile */
    const TensorMap *edge_x, *edge_y; /* of what there is of the last share */
    const TensorMap *c, *rest;        /* of C: its whole blocks, and what is behind them in a tile */
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

/* Issues the load of a box, by multicast to all blocks of the mask where SHARED. */
template <bool SHARED>
static __device__ __forceinline__ void start_box_for(unsigned to, const TensorMap *map, int x, int y, int problem,
                                                     unsigned barrier, unsigned mask)
{
    if constexpr (SHARED)
        start_box_of_for(to, map, x, y, problem, barrier, mask);
    else
        start_box_of(to, map, x, y, problem, barrier);
}

static __device__ __forceinline__ void prefetch_map(const TensorMap *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/* All threads of a cluster, after publish_barriers(): nothing else need be seen.  They meet in wait_to_begin(). */
static __device__ __forceinline__ void arrive_in_cluster()
{
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

/* All threads, when they are ready: until the cluster's barriers are open, and what precedes this launch has ended. */
static __device__ __forceinline__ void wait_to_begin(bool in_cluster)
{
    __syncwarp();
    if (in_cluster)
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    grid_dependency_wait();
}

static __device__ __forceinline__ void let_next_launch_begin()
{
    asm volatile("griddepcontrol.launch_dependents;");
}

/* ---- where things are ---------------------------------------------------------------- */

/* A block's place: in its cluster, and of its stages, blocks of C and barriers in shared memory. */
template <class Tile> struct ElectedPlace {
    int row, col, part;               /* in the cluster; of k */
    int rows;                         /* of the block's tile */
    unsigned x_bytes, stage_bytes;    /* of a stage */
    unsigned first, out, bars, order; /* stages, C, pairs of barriers of stages: full and free, barriers of ping-pong */

    __device__ __forceinline__ ElectedPlace(void *shared, const ElectedSchedule &schedule)
    {
        const int rank = schedule.blocks() > 1 ? (int)rank_in_cluster() : 0, tile = rank >> log2_of(schedule.parts);
        part = rank & (schedule.parts - 1);
        row = tile & (schedule.cluster_rows - 1);
        col = tile >> log2_of(schedule.cluster_rows);
        rows = GROUP_ROWS * Tile::blocks * (schedule.ping_pong() ? 1 : 2);
        x_bytes = rows * ROW_BYTES;
        stage_bytes = x_bytes + Tile::y_lines * ROW_BYTES;
        first = ((unsigned)__cvta_generic_to_shared(shared) + STAGE_ALIGNMENT - 1) & ~(unsigned)(STAGE_ALIGNMENT - 1);
        out = first + schedule.stages * stage_bytes;
        bars = out + 2 * schedule.outs * GEMM_ELECTED_BLOCK;
        order = bars + 2 * BARRIER_BYTES * schedule.stages;
    }

    __device__ __forceinline__ unsigned full(int stage) const
    {
        return bars + 2 * BARRIER_BYTES * stage;
    }

    /* By the threads of a warp, each of which opens those of a stage.  A stage is free when all have read it who got a
     * share of it. */
    __device__ __forceinline__ void open(const ElectedSchedule &schedule) const
    {
        const int readers = (schedule.cluster_rows + schedule.cluster_cols - 1) * (schedule.ping_pong() ? 1 : 2);
        const int stage = threadIdx.x % 32;
        if (stage < schedule.stages) {
            open_barrier(full(stage), 1);
            open_barrier(full(stage) + BARRIER_BYTES, readers);
        }
        if (stage < 2)
            open_barrier(order + BARRIER_BYTES * stage, 1);
        publish_barriers();
    }

    /* Of the block's tile in the cluster's tile `item` of the products; the number of its problem, or of its range. */
    __device__ __forceinline__ int find(const ElectedSchedule &schedule, int item, int *at_row, int *at_col) const
    {
        const int problem = schedule.count > 1 ? item / (schedule.down * schedule.across) : 0;
        item -= problem * schedule.down * schedule.across;
        const int of_group = schedule.order * schedule.across, group = item / of_group,
                  within = item - group * of_group;
        const int left = schedule.down - group * schedule.order, height = left < schedule.order ? left : schedule.order;
        *at_row = ((group * schedule.order + within % height) * schedule.cluster_rows + row) * rows;
        *at_col = (within / height * schedule.cluster_cols + col) * Tile::cols;
        return problem;
    }
};

/* ---- the producer -------------------------------------------------------------------- */

/* What a block loads of a stage's part of an operand: one of `shares`, some of its rows, or where those lie across k,
 * some of the terms, of 64 rows in each box.  It is computed once: two divisions for each step took the lane that loads
 * longer than small tiles take to be multiplied.
 *
 * Rows behind the operand's last are not asked for: of a box that many blocks load at once, the copy engine's requests
 * for such rows cost more than those for rows that exist (64 of 128 by 132 blocks: 14.4 us for 32 steps, 11.5 without
 * them, on an H100).  What a stage holds in their place reaches only elements that C does not have. */
template <bool INNER, bool SHARED> struct ElectedShare {
    const TensorMap *whole, *edge, *map; /* of a share, of what there is of the last, and of this tile's */
    unsigned to, mask;                   /* in the first stage; the blocks that get it */
    int first, size;                     /* rows or terms ahead of it, and in it */
    int lines, rows, limit;              /* a tile's rows, those that exist of this tile; the operand's */

    __device__ __forceinline__ ElectedShare(const TensorMap *whole, const TensorMap *edge, unsigned stage, int lines,
                                            int limit, int part, int shares, unsigned mask)
        : whole(whole), edge(edge), map(whole), mask(mask), lines(lines), rows(0), limit(limit)
    {
        size = (INNER ? lines : DEPTH) >> log2_of(shares);
        first = part * size;
        to = stage + first * ROW_BYTES;
    }

    /* A tile, from row `row` on; the bytes that each of its stages gets, of all shares. */
    __device__ __forceinline__ unsigned begin(int row)
    {
        rows = min(limit - row, lines);
        if constexpr (INNER) {
            map = rows - first < size ? edge : whole;
            return max(rows, 0) * ROW_BYTES;
        } else {
            return (max(rows, 0) + GROUP_ROWS - 1) / GROUP_ROWS * GROUP_ROWS * ROW_BYTES;
        }
    }

    /* By one lane: from row `row` and term `term` on, to the stage that is `offset` bytes behind the first. */
    __device__ __forceinline__ void start(unsigned offset, int row, int term, int problem, unsigned barrier) const
    {
        if constexpr (INNER) {
            if (first < rows)
                start_box_for<SHARED>(to + offset, map, term, row + first, problem, barrier, mask);
        } else {
#pragma unroll 1
            for (int line = 0; line < rows; line += GROUP_ROWS)
                start_box_for<SHARED>(to + offset + line * ROW_BYTES, map, row + line, term + first, problem, barrier,
                                      mask);
        }
    }
};

/* A block's steps along k. */
struct ElectedSteps {
    int first, end;

    template <class Tile>
    __device__ __forceinline__ ElectedSteps(const ElectedPlace<Tile> &place, const ElectedSchedule &schedule, int steps)
    {
        first = place.part * steps >> log2_of(schedule.parts);
        end = (place.part + 1) * steps >> log2_of(schedule.parts);
    }

    __device__ __forceinline__ ElectedSteps(int first, int end) : first(first), end(end)
    {
    }

    /* Those of a range; such blocks have no part. */
    __device__ __forceinline__ ElectedSteps of_range(const ElectedSchedule &schedule, int range) const
    {
        if (schedule.ranges == 1)
            return *this;
        return ElectedSteps(range * end / schedule.ranges, (range + 1) * end / schedule.ranges);
    }

    __device__ __forceinline__ int count() const
    {
        return end - first;
    }
};

/* By a whole warp.  A block loads its part of what several need, for all of them. */
template <class Tile, bool X_SHARED, bool Y_SHARED>
static __device__ __forceinline__ void load_tiles(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                  const Result &c, const ElectedSchedule &schedule,
                                                  const ElectedSteps &all)
{
    const bool lead = is_elected();
    unsigned of_x = 0, of_y = 0, phase = 1;
    int stage = 0;

    for (int i = 0; i < schedule.cluster_cols; ++i)
        of_x |= 1u << schedule.rank(place.row, i, place.part);
    for (int i = 0; i < schedule.cluster_rows; ++i)
        of_y |= 1u << schedule.rank(i, place.col, place.part);
    const bool turned = schedule.transposed();
    ElectedShare<Tile::x_inner, X_SHARED> x(maps.x, maps.edge_x, place.first, place.rows, turned ? c.n : c.m, place.col,
                                            schedule.cluster_cols, of_x);
    ElectedShare<Tile::y_inner, Y_SHARED> y(maps.y, maps.edge_y, place.first + place.x_bytes, Tile::y_lines,
                                            turned ? c.m : c.n, place.row, schedule.cluster_rows, of_y);
    const int items = schedule.items(), stride = schedule.stride();
    for (int item = schedule.first_item(); item < items; item += stride) {
        int row, col;
        const int problem = place.find(schedule, item, &row, &col);
        const int problem_x = schedule.flags & GEMM_ELECTED_ONE_X ? 0 : problem,
                  problem_y = schedule.flags & GEMM_ELECTED_ONE_Y ? 0 : problem;
        const ElectedSteps steps = all.of_range(schedule, problem);
        const unsigned bytes = x.begin(row) + y.begin(col);
        if (item == schedule.first_item())
            wait_to_begin(schedule.blocks() > 1);
#pragma unroll 1
        for (int step = steps.first; step < steps.end; ++step) {
            const unsigned full = place.full(stage), offset = stage * place.stage_bytes;
            await(full + BARRIER_BYTES, phase);
            if (lead) {
                arrive_and_expect(full, bytes);
                x.start(offset, row, step * DEPTH, problem_x, full);
                y.start(offset, col, step * DEPTH, problem_y, full);
            }
            if (++stage == schedule.stages) {
                stage = 0;
                phase ^= 1;
            }
        }
    }
}

/* By the warpgroup that does not multiply; its other warps have nothing to do. */
template <class Tile>
static __device__ __forceinline__ void load_by_one_warp(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                        const Result &c, const ElectedSchedule &schedule,
                                                        const ElectedSteps &steps)
{
    if (__shfl_sync(~0u, threadIdx.x / 32, 0) != 2 * GROUP_THREADS / 32) {
        wait_to_begin(schedule.blocks() > 1);
        return;
    }
    if (schedule.cluster_cols > 1 && schedule.cluster_rows > 1)
        load_tiles<Tile, true, true>(place, maps, c, schedule, steps);
    else if (schedule.cluster_cols > 1)
        load_tiles<Tile, true, false>(place, maps, c, schedule, steps);
    else if (schedule.cluster_rows > 1)
        load_tiles<Tile, false, true>(place, maps, c, schedule, steps);
    else
        load_tiles<Tile, false, false>(place, maps, c, schedule, steps);
}

#endif
