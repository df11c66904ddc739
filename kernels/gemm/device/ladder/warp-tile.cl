/* gemm/warp-tile: a level of tiling between work-group and thread.  The lanes of a warp
 * compute a square of C together: what they read of A and B at a time lies close together,
 * is shared by several lanes, and serves 8 x 16 products per thread instead of 8 x 8. */
#include "gemm/device/common/problem.clh"

#define DEPTH GEMM_WARP_TILE_DEPTH
#define ROW_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_ROWS)
#define COL_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_COLS)
#define ROW_STEP (GEMM_WARP_LANE_ROWS * PACK_WIDTH)
#define COL_STEP (GEMM_WARP_LANE_COLS * PACK_WIDTH)

kernel __attribute__((reqd_work_group_size(WARP_THREADS, 1, 1))) void gemm_warp_tile(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[DEPTH * PADDED_SIDE] ALIGNED_16, b[DEPTH * PADDED_SIDE] ALIGNED_16;
    const corner_t corner = tile_in_group(m, n, SIDE_ELEMENTS, SIDE_ELEMENTS);
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    const bool c_packed = is_packed(c_matrix, ldc);
    const int row = lane_row(), col = lane_col();
    T sum[ROW_PACKS * PACK_WIDTH][COL_PACKS * PACK_WIDTH];

    CLEAR_SHARE;
    for (long inner = 0; inner < k; inner += DEPTH) {
        stage_packs(a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, DEPTH, WARP_THREADS, a_packed);
        stage_packs(b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, DEPTH, WARP_THREADS, b_packed);
        barrier(CLK_LOCAL_MEM_FENCE);
        MULTIPLY_SHARE(UNROLL_8, a, b, DEPTH)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    WRITE_SHARE
}
