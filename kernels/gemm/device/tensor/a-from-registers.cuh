/* Products of f32 as TF32 whose A lies across k in memory: the units read TF32 from shared memory along k
 * alone, so A goes through registers.  Where it is B that lies across, the kernel multiplies B^T by A^T, and
 * C is turned on its way out. */
#pragma once

#include "gemm/device/tensor/mainloop.cuh"

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* ---- A in registers ------------------------------------------------------------------ */

/* What a thread has of a stage's A. */
struct Fragments {
    unsigned of[ROW_BYTES / 32][4];

    /* From [outer / 32][32 inner][32 outer].  Lanes of odd inner indices read the further one first: else two
     * lanes would meet in a bank. */
    __device__ __forceinline__ void read(unsigned a, int group)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
        const int outer = warp % 2 * 16 + lane / 4, inner = lane % 4, odd = inner % 2;
        const unsigned block = a + (2 * group + warp / 2) * 32 * ROW_BYTES + outer % 4 * 4;
#pragma unroll
        for (int k = 0; k < ROW_BYTES / 32; ++k)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                unsigned value[2];
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    const int row = inner + 4 * (i ^ odd); /* of eight */
                    const unsigned at = block + (8 * k + row) * ROW_BYTES + ((outer / 4 + 2 * half ^ row) << 4);
                    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value[i]) : "r"(at) : "memory");
                }
                of[k][half] = odd ? value[1] : value[0];
                of[k][2 + half] = odd ? value[0] : value[1];
            }
    }
};

template <class Tile>
static __device__ __forceinline__ void multiply_fragments(Group<Tile> &group, const Fragments &a, unsigned stage)
{
    const uint64_t b = operand_at<true>(stage + Tile::a_bytes);
    begin_products();
#pragma unroll
    for (int k = 0; k < ROW_BYTES / 32; ++k)
        multiply_add(group.sum, a.of[k], b + k * NEXT_INNER<true>);
    end_products();
}

/* As Group::consume().  The fragments of two stages are there: the units still read those of the one while
 * the other's come. */
template <class Tile>
static __device__ __forceinline__ void consume_fragments(Group<Tile> &group, Ring<Tile> &ring, int steps)
{
    Fragments a[2];
    unsigned before = 0;
    const auto consume_one = [&](Fragments &now, bool any_before) {
        barrier_wait(ring.full(), ring.phase);
        now.read(ring.data(), group.number);
        multiply_fragments(group, now, ring.data());
        if (any_before) {
            await_products<1>();
            release<Tile>(before);
        }
        before = ring.free();
        ring.next();
    };
#pragma unroll 1
    for (int step = 0; step < steps; step += 2) {
        consume_one(a[0], step > 0);
        if (step + 1 < steps)
            consume_one(a[1], true);
    }
    await_products<0>();
    settle(group.sum);
    release<Tile>(before);
}

/* ---- C, turned ----------------------------------------------------------------------- */

/* alpha and beta, as finish(); the thread's sums are those of (row, col) of the product and on. */
template <class Tile>
static __device__ __forceinline__ void finish_turned(Group<Tile> &group, const Result &to, int row, int col)
{
    row += threadIdx.x % GROUP_THREADS / 32 * 16 + threadIdx.x % 32 / 4;
    col += threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < Group<Tile>::COUNT; ++i)
        group.sum[i] = finished(to, col + i / 4 * 8 + i % 2, row + i / 2 % 2 * 8, group.sum[i]);
}

/* Columns `FIRST` and 31 more of the product, rows of C, of which warps 0 and 1 have the first half of a
 * block and the others the second. */
template <class Tile, int FIRST>
static __device__ __forceinline__ void stage_turned(const Group<Tile> &group, unsigned block)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x % GROUP_THREADS / 32;
    block += warp / 2 * TURNED_BYTES;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
        const int row = i / 4 * 8 + lane % 4 * 2 + i % 2, col = warp % 2 * 16 + lane / 4 + i / 2 % 2 * 8;
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(place_in_block(block, row, col / 4) + col % 4 * 4),
                     "f"(group.sum[FIRST / 2 + i])
                     : "memory");
    }
}

template <class Tile, int FIRST, class Map>
static __device__ __forceinline__ void send_turned_from(const Group<Tile> &group, const DestinationBy<Map> &c,
                                                        Outbox<Tile> &outbox, int row, int col)
{
    if constexpr (FIRST < Tile::cols) {
        const auto stage = [&](unsigned block) { stage_turned<Tile, FIRST>(group, block); };
        outbox.send(c, group.number, row + FIRST, col, TURNED_ROWS, stage);
        send_turned_from<Tile, FIRST + TURNED_ROWS>(group, c, outbox, row, col);
    }
}

/* The product's tile at (row, col), which are a column and a row of C. */
template <class Tile, class Map>
static __device__ __forceinline__ void write_turned(Group<Tile> &group, const DestinationBy<Map> &c,
                                                    Outbox<Tile> &outbox, int row, int col)
{
    row += group.number * GROUP_ROWS;
    finish_turned(group, c.to, row, col);
    send_turned_from<Tile, 0>(group, c, outbox, col, row);
}

#endif
