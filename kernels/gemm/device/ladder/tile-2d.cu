/* gemm/tile-2d: each thread computes a square of C, 8 x 8 elements of f32 or 4 x 4 of f64;
 * its operands lie in registers, and each serves as many products as the square has rows. */
#include "gemm/device/common/problem.cuh"

enum { DEPTH = GEMM_TILE_2D_DEPTH, ACROSS = GEMM_TILE_2D_THREADS_SIDE, TILE_THREADS = ACROSS * ACROSS };

template <bool TRANS_A, bool TRANS_B, class T> __device__ void tile_2d(Gemm<T> g)
{
    constexpr int SIDE = GEMM_SIDE_PACKS * Pack<T>::width, OWN = SIDE / ACROSS;
    constexpr int A_STRIDE = DEPTH + 1, B_STRIDE = SIDE + 1;
    __shared__ T a[SIDE * A_STRIDE], b[DEPTH * B_STRIDE]; /* a[row][inner], b[inner][col] */
    const Corner corner = tile_in_order(g, SIDE, SIDE);
    const int row = threadIdx.x / ACROSS * OWN, col = threadIdx.x % ACROSS; /* columns ACROSS apart */
    T sum[OWN][OWN] = {};

    for (int64_t inner = 0; inner < g.k; inner += DEPTH) {
        stage_elements<!TRANS_A, SIDE, DEPTH, TILE_THREADS, A_STRIDE, 1>(
            a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, DEPTH));
        stage_elements<TRANS_B, SIDE, DEPTH, TILE_THREADS, 1, B_STRIDE>(
            b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, DEPTH));
        __syncthreads();
#pragma unroll
        for (int l = 0; l < DEPTH; ++l) {
            T of_a[OWN], of_b[OWN];
#pragma unroll
            for (int i = 0; i < OWN; ++i)
                of_a[i] = a[(row + i) * A_STRIDE + l];
#pragma unroll
            for (int j = 0; j < OWN; ++j)
                of_b[j] = b[l * B_STRIDE + col + j * ACROSS];
#pragma unroll
            for (int i = 0; i < OWN; ++i)
#pragma unroll
                for (int j = 0; j < OWN; ++j)
                    sum[i][j] = fma(of_a[i], of_b[j], sum[i][j]);
        }
        __syncthreads();
    }
    const int rows = clipped(g.m, corner.row + row, OWN), cols = clipped(g.n, corner.col + col, SIDE);
    T *to = g.c + (corner.row + row) * g.ldc + corner.col + col;
#pragma unroll
    for (int i = 0; i < OWN; ++i) {
#pragma unroll
        for (int j = 0; j < OWN; ++j)
            if (i < rows && j * ACROSS < cols)
                write_element(g, to + j * ACROSS, sum[i][j]);
        to += g.ldc;
    }
}

GEMM_ENTRIES(tile_2d, TILE_THREADS, 2)
