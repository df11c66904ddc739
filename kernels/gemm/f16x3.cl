/* gemm/f16x3: f32 on the matrix units, as two planes of f16; splitting, that product, and the plain one.  CUDA: f16x3.cu,
 * which says what is taken when; bf16x6.cl has the product that is taken between the two.
 *
 * The recipe defines ENTRY, ROWS and STAGES where there are matrix units, else the same products are made without. */
#include "device.clh"
#include "split.clh"

/* ---- splitting ------------------------------------------------------------------------- */

/* The ranges become 0, and the flags what they are before anything is found. */
kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_clear(global uint *ranges, long ranges_at, long count, GEMM_FLAGS,
                                                             int known_lost)
{
    const long i = (long)get_group_id(0) * GEMM_SPLIT_THREADS + (long)get_local_id(0);
    if (i < count)
        ranges[ranges_at + i] = 0;
    if (i == 0) {
        *HALF_LOST = (uint)known_lost;
        *THIRD_LOST = 0;
    }
}

kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_range(GEMM_UNSPLIT)
{
    UNSPLIT_OPERAND(0, 0, 0, 0, 0, 0)
    if (s.inner)
        range_of_row(&s);
    else
        range_of_column(&s);
}

kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_half(GEMM_UNSPLIT, GEMM_PLANES, GEMM_FLAGS, float share)
{
    SPLIT_OPERAND
    split_piece(&s, HALF_PLANES, share, HALF_LOST);
}

/* clear, range and half in one, but for half_lost, which is 0. */
kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_panel(GEMM_UNSPLIT, GEMM_PLANES, GEMM_FLAGS, float share)
{
    local uint most_of[GEMM_PANEL_SIDE];
    bool held;
    SPLIT_OPERAND
    if (get_group_id(0) == 0 && get_group_id(1) == 0 && get_local_id(0) == 0)
        *THIRD_LOST = 0;
    if (get_local_id(0) < GEMM_PANEL_SIDE)
        most_of[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (s.inner)
        held = split_rows(&s, share, most_of);
    else
        held = split_columns(&s, share, most_of);
    if (!held)
        *HALF_LOST = 1;
}

kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_third(GEMM_UNSPLIT, GEMM_PLANES, GEMM_FLAGS)
{
    SPLIT_OPERAND
    if (*HALF_LOST != 0)
        split_piece(&s, THIRD_PLANES, 0.0f, THIRD_LOST);
}

/* ---- two planes ------------------------------------------------------------------------ */

/* hi hi + 2^-12 (hi lo + lo hi). */
#define PLANES 2
#define PLANES_F16
#define SMALL 2
#define OF_A 0x10
#define OF_B 0x01
#define SMALL_SCALE (1.0f / (1 << SPLIT_LOW))
#define SCALED 1
#define IS_TAKEN (*HALF_LOST == 0)
#define PLANES_ENTRY ENTRY
#ifdef ROWS
#define COLS GEMM_PLANES_SIDE
#include "planes.clh"
#else
#include "planes-plain.clh"
#endif

/* ---- without planes -------------------------------------------------------------------- */

#define ROW_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_ROWS)
#define COL_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_COLS)
#define ROW_STEP (GEMM_WARP_LANE_ROWS * PACK_WIDTH)
#define COL_STEP (GEMM_WARP_LANE_COLS * PACK_WIDTH)
#define PLAIN_DEPTH GEMM_WARP_TILE_DEPTH

/* As warp-tile, where no planes hold the operands.  The last launch: nobody asks for half_lost any more. */
kernel WORK_GROUP(GEMM_F16X3_PLAIN_THREADS) void gemm_planes_without(GEMM_PARAMETERS, GEMM_FLAGS)
{
    GEMM_OPERANDS;
    local T a[PLAIN_DEPTH * PADDED_SIDE] ALIGNED_16, b[PLAIN_DEPTH * PADDED_SIDE] ALIGNED_16;
    const corner_t corner = tile_in_group(m, n, SIDE_ELEMENTS, SIDE_ELEMENTS);
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    const bool c_packed = is_packed(c_matrix, ldc);
    const int row = lane_row(), col = lane_col();
    T sum[ROW_PACKS * PACK_WIDTH][COL_PACKS * PACK_WIDTH];

    if (get_group_id(0) == 0 && get_local_id(0) == 0)
        *HALF_LOST = 0;
    if (*THIRD_LOST == 0)
        return;
    CLEAR_SHARE;
    for (long inner = 0; inner < k; inner += PLAIN_DEPTH) {
        stage_packs(a, SOURCE_OF_A(SIDE_ELEMENTS, PLAIN_DEPTH), !TRANS_A, PLAIN_DEPTH, WARP_THREADS, a_packed);
        stage_packs(b, SOURCE_OF_B(SIDE_ELEMENTS, PLAIN_DEPTH), TRANS_B, PLAIN_DEPTH, WARP_THREADS, b_packed);
        barrier(CLK_LOCAL_MEM_FENCE);
        MULTIPLY_SHARE(UNROLL_8, a, b, PLAIN_DEPTH)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    WRITE_SHARE
}
