/* gemm/double-buffer: two pairs of tiles in local memory.  The next pair is fetched to
 * registers before this one is multiplied and stored after, so that the multiplications
 * hide the way from memory; one barrier per step says both "the next is stored" and "the
 * last is free". */
#define DEPTH GEMM_DOUBLE_BUFFER_DEPTH
#define ROW_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_ROWS)
#define COL_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_COLS)
#define ROW_STEP (GEMM_WARP_LANE_ROWS * LANES)
#define COL_STEP (GEMM_WARP_LANE_COLS * LANES)
#define TILE_PACKS (GEMM_SIDE_PACKS * DEPTH)
#define OWN_PACKS (TILE_PACKS / WARP_THREADS) /* that a thread brings of each tile */

kernel __attribute__((reqd_work_group_size(WARP_THREADS, 1, 1))) void gemm_double_buffer(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[2 * DEPTH * PADDED_SIDE] ALIGNED_16, b[2 * DEPTH * PADDED_SIDE] ALIGNED_16;
    const corner_t corner = tile_in_group(m, n, SIDE_ELEMENTS, SIDE_ELEMENTS);
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    const bool c_packed = is_packed(c_matrix, ldc);
    const int row = lane_row(), col = lane_col(), thread = (int)get_local_id(0);
    T sum[ROW_PACKS * LANES][COL_PACKS * LANES];
    int current = 0; /* where the buffer that is multiplied begins */

    CLEAR_SHARE;
    if (k > 0) {
        const long inner = 0;
        stage_packs(a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, DEPTH, WARP_THREADS, a_packed);
        stage_packs(b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, DEPTH, WARP_THREADS, b_packed);
    }
    for (long inner = DEPTH; inner < k + DEPTH; inner += DEPTH) {
        const int other = DEPTH * PADDED_SIDE - current;
        PACK next_a[OWN_PACKS], next_b[OWN_PACKS];

        barrier(CLK_LOCAL_MEM_FENCE);
        if (inner < k) {
            const source_t from_a = SOURCE_OF_A(SIDE_ELEMENTS, DEPTH);
            const source_t from_b = SOURCE_OF_B(SIDE_ELEMENTS, DEPTH);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                next_a[i] = fetch_pack(from_a, i * WARP_THREADS + thread, !TRANS_A, DEPTH, a_packed);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                next_b[i] = fetch_pack(from_b, i * WARP_THREADS + thread, TRANS_B, DEPTH, b_packed);
        }
        MULTIPLY_SHARE(a + current, b + current, DEPTH)
        if (inner < k) {
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                store_pack(a + other, next_a[i], i * WARP_THREADS + thread, !TRANS_A, DEPTH);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                store_pack(b + other, next_b[i], i * WARP_THREADS + thread, TRANS_B, DEPTH);
        }
        current = other;
    }
    WRITE_SHARE
}
