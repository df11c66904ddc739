/* gemm/vectorized: 16 bytes per access to global and to local memory.  A is transposed on
 * its way to local memory, so that a thread finds its rows side by side. */
#include "gemm/device/common/problem.clh"

#define DEPTH GEMM_VECTORIZED_DEPTH
#define ACROSS GEMM_TILE_2D_THREADS_SIDE
#define TILE_THREADS (ACROSS * ACROSS)
#define ROW_PACKS (GEMM_SIDE_PACKS / ACROSS)
#define COL_PACKS ROW_PACKS
#define ROW_STEP (ACROSS * PACK_WIDTH)
#define COL_STEP ROW_STEP

kernel __attribute__((reqd_work_group_size(TILE_THREADS, 1, 1))) void gemm_vectorized(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[DEPTH * PADDED_SIDE] ALIGNED_16, b[DEPTH * PADDED_SIDE] ALIGNED_16;
    const corner_t corner = tile_in_order(n, SIDE_ELEMENTS, SIDE_ELEMENTS);
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    const bool c_packed = is_packed(c_matrix, ldc);
    const int row = (int)get_local_id(0) / ACROSS * PACK_WIDTH, col = (int)get_local_id(0) % ACROSS * PACK_WIDTH;
    T sum[ROW_PACKS * PACK_WIDTH][COL_PACKS * PACK_WIDTH];

    CLEAR_SHARE;
    for (long inner = 0; inner < k; inner += DEPTH) {
        stage_packs(a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, DEPTH, TILE_THREADS, a_packed);
        stage_packs(b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, DEPTH, TILE_THREADS, b_packed);
        barrier(CLK_LOCAL_MEM_FENCE);
        MULTIPLY_SHARE(UNROLL, a, b, DEPTH)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    WRITE_SHARE
}
