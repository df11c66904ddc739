/* Products of the matrix units by warps, from compute capability 8.0 on: where a stage's elements lie, copies
 * to them, and fragments of them, by ldmatrix, that mma.sync multiplies.
 *
 * An operand lies in a stage in rows of 128 bytes, DEPTH elements, whose 16-byte chunks change places by the
 * row's number, so that no bank is met twice: inner index along its rows in memory: [outer][inner]; outer
 * index along them: [outer / DEPTH][inner][outer % DEPTH]. */
#pragma once

#include "gemm/device/common/tensor-tiles.h"

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

#if __CUDA_ARCH__ >= 800 /* code for other devices has the entry points alone */

enum { ROW_BYTES = 128, CHUNKS = ROW_BYTES / 16 };

/* Elements as memory holds them are uint16_t or uint32_t: of a row of a stage, and of 16 bytes. */
template <class M> constexpr int DEPTH = ROW_BYTES / (int)sizeof(M);
template <class M> constexpr int CHUNK = 16 / (int)sizeof(M);

static_assert(DEPTH<uint16_t> == GEMM_UNITS_DEPTH, "the recipe's");

/* ---- bringing ------------------------------------------------------------------------ */

/* ldmatrix reads 8 rows of a chunk; where elements of 4 bytes lie along the outer index, a warp reads two
 * chunks of 4 rows, one by one. */
template <class M, bool INNER> static __device__ inline unsigned place_of(unsigned tile, int row, int chunk)
{
    const int turn = sizeof(M) == 4 && !INNER ? 2 * row : row;
    return tile + row * ROW_BYTES + ((chunk ^ (turn & 7)) << 4);
}

/* The first `bytes` of 16, zeros behind them. */
static __device__ inline void copy_chunk(unsigned to, const void *from, int bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

static __device__ inline void end_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Stands until this thread's copies are complete, but for the last PENDING groups. */
template <int PENDING> static __device__ inline void await_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* ---- multiplying --------------------------------------------------------------------- */

/* Four 8 x 8 matrices of 16-bit elements, whose rows lie where the lanes say; TRANSPOSED: their columns. */
template <bool TRANSPOSED> static __device__ inline void read_matrices(unsigned (&to)[4], unsigned from)
{
    if (TRANSPOSED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from)
                     : "memory");
}

/* 16 outer x 32 bytes of inner of a tile: matrix number 2 i + o holds inner chunk i, outer 8 o and on; or,
 * with INNER_FIRST, matrix 2 o + i. */
template <class M, bool INNER, bool INNER_FIRST>
static __device__ inline void read_by_matrices(unsigned (&to)[4], unsigned tile, int outer, int inner)
{
    const int lane = threadIdx.x % 32, low = lane / 8 % 2, high = lane / 16;
    const int at_outer = outer + 8 * (INNER_FIRST ? high : low),
              at_inner = inner + CHUNK<M> * (INNER_FIRST ? low : high);

    if (INNER)
        read_matrices<false>(to, place_of<M, true>(tile, at_outer + lane % 8, at_inner / CHUNK<M>));
    else
        read_matrices<true>(
            to, place_of<M, false>(tile, at_outer / 64 * 64 + at_inner + lane % 8, at_outer % 64 / CHUNK<M>));
}

/* The same where ldmatrix can't transpose, elements of 4 bytes: lane l has outer l / 4 and inner l % 4. */
template <bool INNER_FIRST>
static __device__ inline void read_by_elements(unsigned (&to)[4], unsigned tile, int outer, int inner)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int o = 0; o < 2; ++o)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            const int at = outer + 8 * o + lane / 4, row = at / 32 * 32 + inner + 4 * i + lane % 4;
            const unsigned from = place_of<uint32_t, false>(tile, row, at % 32 / 4) + at % 4 * 4;
            asm volatile("ld.shared.u32 %0, [%1];"
                         : "=r"(to[INNER_FIRST ? 2 * o + i : 2 * i + o])
                         : "r"(from)
                         : "memory");
        }
}

template <class M, bool INNER, bool INNER_FIRST>
static __device__ inline void read_fragment(unsigned (&to)[4], unsigned tile, int outer, int inner)
{
    if constexpr (INNER || sizeof(M) == 2)
        read_by_matrices<M, INNER, INNER_FIRST>(to, tile, outer, inner);
    else
        read_by_elements<INNER_FIRST>(to, tile, outer, inner);
}

/* sum += a b for 16 x 32 bytes of A and as many x 8 of B. */
#define MMA(shape, type)                                                                                    \
    asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type ".f32 {%0, %1, %2, %3}, {%4, %5, " \
                 "%6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                                     \
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <class T>
static __device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], const unsigned *b)
{
    if (std::is_same<T, float>::value)
        MMA("m16n8k8", "tf32");
    else if (std::is_same<T, __half>::value)
        MMA("m16n8k16", "f16");
    else
        MMA("m16n8k16", "bf16");
}

#undef MMA

#endif
