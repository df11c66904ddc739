/* gemm/tile-1d: each thread computes a column of 16 elements of C: an element of B, once in
 * a register, serves 16 products. */
#include "gemm/device/common/half.cuh"

enum {
    SIDE = GEMM_TILE_1D_SIDE,
    DEPTH = GEMM_TILE_1D_DEPTH,
    ROWS = GEMM_TILE_1D_ROWS,
    TILE_THREADS = SIDE * SIDE / ROWS,
    A_STRIDE = DEPTH + 1,
    B_STRIDE = SIDE + 1
};
static_assert(SIDE % 32 == 0, "the threads of a warp share their rows");

template <bool TRANS_A, bool TRANS_B, class G> __device__ void tile_1d(G g)
{
    using T = typename G::T;
    __shared__ ElementOf<G> a[SIDE * A_STRIDE], b[DEPTH * B_STRIDE]; /* a[row][inner], b[inner][col] */
    const Corner corner = tile_in_order(g, SIDE, SIDE);
    const int row = threadIdx.x / SIDE * ROWS, col = threadIdx.x % SIDE;
    T sum[ROWS] = {};

    for (int64_t inner = 0; inner < g.k; inner += DEPTH) {
        stage_elements<!TRANS_A, SIDE, DEPTH, TILE_THREADS, A_STRIDE, 1>(
            a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, DEPTH));
        stage_elements<TRANS_B, SIDE, DEPTH, TILE_THREADS, 1, B_STRIDE>(
            b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, DEPTH));
        __syncthreads();
#pragma unroll
        for (int l = 0; l < DEPTH; ++l) {
            const T of_b = T(b[l * B_STRIDE + col]);
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
                sum[i] = fma(T(a[(row + i) * A_STRIDE + l]), of_b, sum[i]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
        if (corner.row + row + i < g.m && corner.col + col < g.n)
            write_element(g, g.c + (corner.row + row + i) * g.ldc + corner.col + col, sum[i]);
}

GEMM_ENTRIES(tile_1d, TILE_THREADS)
GEMM_HALF_ENTRIES(tile_1d, TILE_THREADS)
