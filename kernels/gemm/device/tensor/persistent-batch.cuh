/* Batches by the persistent blocks of persistent.cuh: they take the tiles of all problems in turn, those of one after
 * those of the one before.  No tile is divided along k. */
#pragma once

#include "gemm/device/ptx/copies-of-batches.cuh"
#include "gemm/device/tensor/persistent.cuh"
#include "gemm/device/tensor/wgmma-batch.h"

struct Batch {
    int tiles, items; /* of a problem, of all */
    int flags;        /* GEMM_WGMMA_ */
    int64_t stride_c; /* elements from a C to the next */
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* A problem's matrix. */
struct MatrixOfBatch {
    const TensorMap *map;
    int problem;
};

static __device__ __forceinline__ void start_box(uint32_t to, const MatrixOfBatch *of, int32_t x, int32_t y,
                                                 uint32_t barrier)
{
    start_box_of(to, of->map, x, y, of->problem, barrier);
}

static __device__ __forceinline__ void start_store(const MatrixOfBatch *of, int32_t x, int32_t y, uint32_t from)
{
    start_store_of(of->map, x, y, of->problem, from);
}

struct ItemOfBatch {
    int problem, row, col; /* of the tile's first element in the product */
};

template <class Tile>
static __device__ __forceinline__ ItemOfBatch item_of_batch(const Result &to, const Batch &batch, int number)
{
    ItemOfBatch item;
    item.problem = number / batch.tiles;
    place_tile(number - item.problem * batch.tiles, (int)(Tile::turned ? to.n : to.m),
               (int)(Tile::turned ? to.m : to.n), Tile::rows, Tile::cols, &item.row, &item.col);
    return item;
}

/* By one thread. */
template <class Tile>
static __device__ void bring_batch(Ring<Tile> ring, const TensorMap &map_a, const TensorMap &map_b, const Result &to,
                                   const Batch &batch, int steps)
{
    for (int number = blockIdx.x; number < batch.items; number += gridDim.x) {
        const ItemOfBatch item = item_of_batch<Tile>(to, batch, number);
        const MatrixOfBatch a = {&map_a, batch.flags & GEMM_WGMMA_ONE_A ? 0 : item.problem},
                            b = {&map_b, batch.flags & GEMM_WGMMA_ONE_B ? 0 : item.problem};
        for (int step = 0; step < steps; ++step) {
            barrier_wait(ring.free(), ring.phase);
            bring_stage(ring, a, b, item.row, item.col, step);
            ring.next();
        }
    }
}

/* C of a problem, in f32. */
static __device__ __forceinline__ Result result_of(const Result &first, const Batch &batch, int problem)
{
    Result to = first;
    to.c = static_cast<float *>(first.c) + problem * batch.stride_c;
    return to;
}

/* By a warpgroup. */
template <class Tile>
static __device__ __forceinline__ void multiply_batch(Ring<Tile> ring, const TensorMap &map_c, const Result &first,
                                                      const Batch &batch, int steps)
{
    Group<Tile> group;
    group.number = threadIdx.x / GROUP_THREADS;
    Outbox<Tile> outbox(ring, group.number);
    const bool bulk = batch.flags & GEMM_WGMMA_BULK;

    for (int number = blockIdx.x; number < batch.items; number += gridDim.x) {
        group.clear();
        if constexpr (Tile::a_in_registers)
            consume_fragments(group, ring, steps);
        else
            group.consume(ring, steps);
        const ItemOfBatch item = item_of_batch<Tile>(first, batch, number);
        const MatrixOfBatch matrix = {&map_c, item.problem};
        const DestinationBy<MatrixOfBatch> c = {result_of(first, batch, item.problem), &matrix, bulk};
        if constexpr (Tile::turned)
            write_turned(group, c, outbox, item.row, item.col);
        else
            write(group, c, outbox, item.row, item.col);
    }
    if (bulk && threadIdx.x % GROUP_THREADS == 0)
        await_stores_read<0>();
}

#endif

template <class Tile>
static __device__ __forceinline__ void run_batch(const TensorMap &map_a, const TensorMap &map_b, const TensorMap &map_c,
                                                 const Result &first, int k, const Batch &batch)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char shared[];
    const int steps = (k + Tile::depth - 1) / Tile::depth;

    static_assert(Tile::cluster == 1, "blocks have a tile each");
    if (threadIdx.x >= Tile::consumers) {
        give_registers_back<OF_A_PRODUCER>();
        if (threadIdx.x == Tile::consumers)
            bring_batch(Ring<Tile>(shared, 1), map_a, map_b, first, batch, steps);
    } else {
        take_registers<OF_A_CONSUMER>();
        multiply_batch(Ring<Tile>(shared, 0), map_c, first, batch, steps);
    }
#endif
}

#define WGMMA_BATCH_PARAMETERS                                                                             \
    const __grid_constant__ TensorMap map_a, const __grid_constant__ TensorMap map_b,                      \
        const __grid_constant__ TensorMap map_c, void *c, int type_of_c, int m, int n, int k, int64_t ldc, \
        float alpha, float beta, int tiles, int items, int flags, int64_t stride_c
