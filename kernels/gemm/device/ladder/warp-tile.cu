/* gemm/warp-tile: a level of tiling between block and thread.  The lanes of a warp compute a
 * square of C together: what they read of A and B at a time lies close together, is shared
 * by several lanes, and serves 8 x 16 products per thread instead of 8 x 8. */
#include "gemm/device/common/warp-tiles.cuh"

enum { DEPTH = GEMM_WARP_TILE_DEPTH };

template <bool TRANS_A, bool TRANS_B, class T> __device__ void warp_tile(Gemm<T> g)
{
    constexpr int SIDE = GEMM_SIDE_PACKS * Pack<T>::width, STRIDE = stride_of<T, SIDE>;
    __shared__ alignas(16) T a[DEPTH * STRIDE], b[DEPTH * STRIDE]; /* a[inner][row], b[inner][col] */
    const Corner corner = tile_in_group(g, SIDE, SIDE);
    const bool a_aligned = rows_aligned(g.a, g.lda), b_aligned = rows_aligned(g.b, g.ldb);
    LaneShare<T> share = lane_share<T>();

    for (int64_t inner = 0; inner < g.k; inner += DEPTH) {
        stage_packs<!TRANS_A, SIDE, DEPTH, WARP_THREADS>(a, source_of_a<TRANS_A>(g, corner.row, inner, SIDE, DEPTH),
                                                         a_aligned);
        stage_packs<TRANS_B, SIDE, DEPTH, WARP_THREADS>(b, source_of_b<TRANS_B>(g, corner.col, inner, SIDE, DEPTH),
                                                        b_aligned);
        __syncthreads();
        share.template multiply<DEPTH, STRIDE, STRIDE>(a, b);
        __syncthreads();
    }
    share.write(g, corner);
}

GEMM_ENTRIES(warp_tile, WARP_THREADS)
