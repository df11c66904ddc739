/* The kernels with wgmma whose producer brings while two warpgroups multiply: blocks take items of work in
 * turn, and the stages of the next item come while C of the last one leaves. */
#pragma once

#include "gemm/device/tensor/a-from-registers.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* The warpgroup that brings gives most of its registers to those that multiply. */
enum { OF_A_PRODUCER = 40, OF_A_CONSUMER = 232 };

/* The work of a product in tiles that the blocks of a cluster have one above the other; each has partial tiles
 * of its own, all parts of one behind each other. */
template <class Tile>
static __device__ __forceinline__ Item item_of(const Result &to, const Cut &cut, int number, int steps)
{
    const int m = (int)(Tile::turned ? to.n : to.m), n = (int)(Tile::turned ? to.m : to.n); /* of the product */
    Item item = item_at(cut, number, m, n, Tile::rows * Tile::cluster, Tile::cols, steps);
    if constexpr (Tile::cluster > 1) {
        const int rank = (int)rank_in_cluster();
        item.row += rank * Tile::rows;
        if (item.partial >= 0)
            item.partial += (item.partial / cut.parts * (Tile::cluster - 1) + rank) * cut.parts;
    }
    return item;
}

/* By one thread. */
template <class Tile>
static __device__ void bring_items(Ring<Tile> ring, const TensorMap &map_a, const TensorMap &map_b, const Result &to,
                                   const Cut &cut, int steps)
{
    for (int number = blockIdx.x / Tile::cluster; number < cut.items; number += gridDim.x / Tile::cluster) {
        const Item item = item_of<Tile>(to, cut, number, steps);
        for (int step = item.first; step < item.first + item.steps; ++step) {
            barrier_wait(ring.free(), ring.phase);
            bring_stage(ring, map_a, map_b, item.row, item.col, step);
            ring.next();
        }
    }
}

/* By a warpgroup. */
template <class Tile>
static __device__ __forceinline__ void multiply_items(Ring<Tile> ring, const Destination &c, const Cut &cut, int steps,
                                                      float4 *partials)
{
    Group<Tile> group;
    group.number = threadIdx.x / GROUP_THREADS;
    Outbox<Tile> outbox(ring, group.number);

    for (int number = blockIdx.x / Tile::cluster; number < cut.items; number += gridDim.x / Tile::cluster) {
        const Item item = item_of<Tile>(c.to, cut, number, steps);
        group.clear();
        if constexpr (Tile::a_in_registers)
            consume_fragments(group, ring, item.steps);
        else
            group.consume(ring, item.steps);
        if (item.partial >= 0)
            write_partial(group, partials, item.partial);
        else if constexpr (Tile::turned)
            write_turned(group, c, outbox, item.row, item.col);
        else
            write(group, c, outbox, item.row, item.col);
    }
    if (c.bulk && threadIdx.x % GROUP_THREADS == 0)
        await_stores_read<0>();
}

#endif

/* The ring's barriers, for all blocks of a cluster. */
template <class Tile> static __device__ __forceinline__ void open_pipeline()
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    if (threadIdx.x == 0) {
        Ring<Tile>(shared, 0).init(1, Tile::consumers / 32 * Tile::cluster);
        publish_barriers();
    }
    __syncthreads();
    if constexpr (Tile::cluster > 1)
        meet_cluster();
#endif
}

template <class Tile>
static __device__ __forceinline__ void run_pipeline(const TensorMap &map_a, const TensorMap &map_b,
                                                    const Destination &c, int k, float4 *partials, const Cut &cut)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const int steps = (k + Tile::depth - 1) / Tile::depth;

    if (threadIdx.x >= Tile::consumers) {
        give_registers_back<OF_A_PRODUCER>();
        if (threadIdx.x == Tile::consumers)
            bring_items(Ring<Tile>(shared, 1), map_a, map_b, c.to, cut, steps);
    } else {
        take_registers<OF_A_CONSUMER>();
        multiply_items(Ring<Tile>(shared, 0), c, cut, steps, partials);
    }
    if constexpr (Tile::cluster > 1)
        meet_cluster(); /* nobody ends while others still write to its shared memory */
#endif
}

#define WGMMA_PARAMETERS                                                                                             \
    const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,                                \
        const __grid_constant__ TensorMap map_c, int bulk, void *c, int type_of_c, int m, int n, int k, int64_t ldc, \
        float alpha, float beta, float4 *partials, int whole, int parts, int items
#define WGMMA_DESTINATION (Destination{Result{c, type_of_c, m, n, ldc, alpha, beta}, &map_c, bulk != 0})
