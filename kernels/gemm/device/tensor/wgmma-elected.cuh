/* wgmma-elected: what its warps do.  For sm_90a alone.
 *
 * The product is X Y': of A and B, or transposed of B and A, whose product is C'.  Either operand's rows in memory run
 * along k (inner), or across it, along rows of X or Y.  A warpgroup multiplies BLOCKS times 64 rows of X with COLS rows
 * of Y, any multiple of 8: the few rows of A can be those columns, and of many tiles one fills the multiprocessors
 * best.  All else comes with the launch: whether the two warpgroups have halves of a tile or tiles of their own
 * (ping-pong), so that one writes C while the other multiplies; clusters of blocks that share X side by side and Y one
 * below the other, or that have parts of k of the same tile; the order of tiles.
 *
 * The producer is a whole warp, and one elected lane of it issues the bulk copies: the compiler then
 * knows that addresses are the same in all lanes, where a thread that is chosen by its number makes each copy
 * a loop.
 *
 * What no other block needs is loaded without multicast: requests of neighbours for the same lines are
 * joined on their way to L2, which those of multicasts are not. */
#pragma once

#include "gemm/device/tensor/wgmma-elected-multiply.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

static __device__ __forceinline__ Result result_of(const Result &first, const ElectedSchedule &schedule, int problem)
{
    Result of = first;
    of.c = static_cast<char *>(first.c) + problem * schedule.stride_c * bytes_of_element(first.type);
    return of;
}

template <class Tile>
static __device__ __forceinline__ void multiply_tiles(const ElectedPlace<Tile> &place, const ElectedMaps &maps,
                                                      const Result &first_result, const ElectedSchedule &schedule,
                                                      const ElectedSteps &all)
{
    const int items = schedule.items(), stride = schedule.stride(), first = schedule.first_item();
    const StageRelease free(place, schedule);
    ElectedGroup<Tile> group;
    group.number = __shfl_sync(~0u, threadIdx.x / GROUP_THREADS, 0); /* known to be the same in all lanes */
    group.stage = 0;
    group.phase = 0;
    ElectedOutbox<Tile> outbox(place, schedule, group.number);
    const ElectedParts<Tile> parts(place, schedule, group.number);
    const bool second = schedule.ping_pong() && group.number == 1;
    int nth = 0;

    if (second)
        group.skip(all.count(), schedule.stages);
    wait_to_begin(schedule.blocks() > 1);
    if (schedule.flags & GEMM_ELECTED_EARLY)
        let_next_launch_begin();
    for (int item = first + (second ? stride : 0); item < items;
         item += schedule.ping_pong() ? 2 * stride : stride, ++nth) {
        int row, col;
        const int problem = place.find(schedule, item, &row, &col);
        const int steps = all.of_range(schedule, problem).count();
        if (!schedule.ping_pong())
            row += group.number * Tile::blocks * GROUP_ROWS;
        /* Ping-pong: the other has seen all its stages full, so that the parities of this one's are no earlier
         * ones. */
        if (schedule.ping_pong() && (second || nth > 0))
            await(place.order + BARRIER_BYTES * group.number, (second ? nth : nth - 1) & 1);
        group.consume(place, schedule, free, steps);
        if (schedule.ping_pong())
            group.skip(steps, schedule.stages);
        const Result to = result_of(first_result, schedule, problem);
        if constexpr (ElectedParts<Tile>::can_be) {
            if (schedule.parts > 1)
                parts.show(group.sum);
            if (schedule.parts == 2)
                parts.add_other(group.sum);
            if (schedule.parts > 2)
                parts.write(to, schedule.transposed(), row, col);
        }
        if (schedule.ranges > 1)
            leave_sums(group.sum, place, schedule, group.number, row, col, problem);
        else if (!ElectedParts<Tile>::can_be || schedule.parts <= 2)
            write_tile(group, outbox, maps, to, schedule, parts, row, col, problem);
    }
    if (threadIdx.x % GROUP_THREADS == 0)
        await_stores_read<0>(); /* what is written by then or later is complete when the launch is */
}

#endif

/* The barriers, those of other blocks until wait_to_begin(); the maps are fetched meanwhile. */
template <class Tile>
static __device__ __forceinline__ void open_elected(const ElectedMaps &maps, const ElectedSchedule &schedule)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];

    if (threadIdx.x < 32)
        ElectedPlace<Tile>(shared, schedule).open(schedule);
    if (threadIdx.x == GROUP_THREADS) {
        prefetch_map(maps.c);
        prefetch_map(maps.rest);
    }
    if (threadIdx.x == 2 * GROUP_THREADS) {
        prefetch_map(maps.x);
        prefetch_map(maps.y);
        prefetch_map(maps.edge_x);
        prefetch_map(maps.edge_y);
    }
    __syncthreads();
    if (schedule.blocks() > 1)
        arrive_in_cluster();
#endif
}

template <class Tile>
static __device__ __forceinline__ void multiply_elected(const ElectedMaps &maps, const Result &to,
                                                        const ElectedSchedule &schedule, int k)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const ElectedPlace<Tile> place(shared, schedule);
    const ElectedSteps steps(place, schedule, (k + DEPTH - 1) / DEPTH);

    if (threadIdx.x >= 2 * GROUP_THREADS) {
        give_registers_back<40>();
        load_by_one_warp(place, maps, to, schedule, steps);
        if (schedule.parts > 1)
            meet_cluster(); /* where the others show their sums: such a cluster has one tile */
    } else {
        take_registers<232>();
        multiply_tiles(place, maps, to, schedule, steps);
    }
    if (schedule.blocks() > 1)
        meet_cluster(); /* nobody ends while others still use its shared memory */
#endif
}

#define ELECTED_PARAMETERS                                                                                           \
    const __grid_constant__ TensorMap map_x, const __grid_constant__ TensorMap edge_x,                               \
        const __grid_constant__ TensorMap map_y, const __grid_constant__ TensorMap edge_y,                           \
        const __grid_constant__ TensorMap map_c, const __grid_constant__ TensorMap map_rest, void *c, int type_of_c, \
        int m, int n, int k, int64_t ldc, float alpha, float beta, int cluster_rows, int cluster_cols, int parts,    \
        int down, int across, int order, int stages, int outs, int flags, int count, int64_t stride_c,               \
        float4 *partials, int ranges
#define ELECTED_MAPS (ElectedMaps{&map_x, &map_y, &edge_x, &edge_y, &map_c, &map_rest})
#define ELECTED_SCHEDULE                                                                                           \
    (ElectedSchedule{cluster_rows, cluster_cols, parts, down, across, order, stages, outs, flags, count, stride_c, \
                     partials, ranges})
#define ELECTED_RESULT (Result{c, type_of_c, m, n, ldc, alpha, beta})
