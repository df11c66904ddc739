/* gemm/vectorized: 16 bytes per access to global and to shared memory.  A is transposed on
 * its way to shared memory, so that a thread finds its rows side by side. */
#include "gemm/device/common/problem.cuh"

enum { DEPTH = GEMM_VECTORIZED_DEPTH, ACROSS = GEMM_TILE_2D_THREADS_SIDE, TILE_THREADS = ACROSS * ACROSS };

template <bool TRANS_A, bool TRANS_B, class T> __device__ void vectorized(Gemm<T> g)
{
    constexpr int L = Pack<T>::width, SIDE = GEMM_SIDE_PACKS * L, STRIDE = stride_of<T, SIDE>;
    constexpr int PACKS = GEMM_SIDE_PACKS / ACROSS, STEP = ACROSS * L;
    __shared__ alignas(16) T a[DEPTH * STRIDE], b[DEPTH * STRIDE]; /* a[inner][row], b[inner][col] */
    const Corner corner = tile_in_order(g, SIDE, SIDE);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    Share<T, PACKS, PACKS, STEP, STEP> share(threadIdx.x / ACROSS * L, threadIdx.x % ACROSS * L);

    for (int64_t inner = 0; inner < g.k; inner += DEPTH) {
        stage_packs<!TRANS_A, SIDE, DEPTH, TILE_THREADS>(a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, DEPTH),
                                                         a_aligned);
        stage_packs<TRANS_B, SIDE, DEPTH, TILE_THREADS>(b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, DEPTH),
                                                        b_aligned);
        __syncthreads();
        share.template multiply<DEPTH, STRIDE, STRIDE>(a, b);
        __syncthreads();
    }
    share.write(g, corner);
}

GEMM_ENTRIES(vectorized, TILE_THREADS)
