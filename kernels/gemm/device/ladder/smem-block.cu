/* gemm/smem-block: a block of threads brings square blocks of A and B to shared memory, and
 * each element read from memory serves 32 threads. */
#include "gemm/device/common/half.cuh"

enum { SIDE = GEMM_BLOCK_SIDE, STRIDE = SIDE + 1, BLOCK_THREADS = SIDE * SIDE };

template <bool TRANS_A, bool TRANS_B, class G> __device__ void smem_block(G g)
{
    using T = typename G::T;
    __shared__ ElementOf<G> a[SIDE * STRIDE], b[SIDE * STRIDE]; /* a[row][inner], b[inner][col] */
    const Corner corner = tile_in_order(g, SIDE, SIDE);
    const int row = threadIdx.x / SIDE, col = threadIdx.x % SIDE;
    T sum = 0;

    for (int64_t inner = 0; inner < g.k; inner += SIDE) {
        stage_elements<!TRANS_A, SIDE, SIDE, BLOCK_THREADS, STRIDE, 1>(
            a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, SIDE));
        stage_elements<TRANS_B, SIDE, SIDE, BLOCK_THREADS, 1, STRIDE>(
            b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, SIDE));
        __syncthreads();
#pragma unroll
        for (int l = 0; l < SIDE; ++l)
            sum = fma(T(a[row * STRIDE + l]), T(b[l * STRIDE + col]), sum);
        __syncthreads();
    }
    if (corner.row + row < g.m && corner.col + col < g.n)
        write_element(g, g.c + (corner.row + row) * g.ldc + corner.col + col, sum);
}

GEMM_ENTRIES(smem_block, BLOCK_THREADS)
GEMM_HALF_ENTRIES(smem_block, BLOCK_THREADS)
