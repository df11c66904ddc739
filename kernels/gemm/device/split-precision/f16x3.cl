/* gemm/f16x3: f32 on the matrix units, as two planes of f16; splitting, that product, and the plain one.  CUDA:
 * f16x3.cu, which says what is taken when; bf16x6.cl has the product that is taken between the two.
 *
 * The recipe defines ENTRY, ROWS and STAGES where there are matrix units, else the same products are made without. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/split-precision/split.clh"

/* ---- splitting ------------------------------------------------------------------------- */

/* The ranges become 0, and the flags what they are before anything is found. */
kernel WORK_GROUP(GEMM_SPLIT_THREADS) void gemm_planes_clear(global uint *ranges, long ranges_at, long count,
                                                             GEMM_FLAGS, int known_lost)
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
    split_piece(&s, HALF_PLANES, share, OWN_PIECE, HALF_LOST);
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
    if (get_group_id(0) == 0 && get_group_id(1) == 0 && get_local_id(0) == 0)
        *IN_THIRDS = *HALF_LOST;
    if (*HALF_LOST != 0)
        split_piece(&s, THIRD_PLANES, 0.0f, OWN_PIECE, THIRD_LOST);
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
#define SPLITS_TO_THIRDS
#define COLS GEMM_PLANES_SIDE
#include "gemm/device/split-precision/planes.clh"
#else
#include "gemm/device/split-precision/planes-plain.clh"
#endif

/* ---- without planes -------------------------------------------------------------------- */

#ifndef ROWS
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
#include "gemm/device/split-precision/without-planes.clh"

/* The last launch: nobody asks for half_lost any more. */
kernel WORK_GROUP(GEMM_F16X3_PLAIN_THREADS) void gemm_planes_without(GEMM_PARAMETERS, GEMM_FLAGS)
{
    GEMM_OPERANDS;
    local float of_a[DEPTH_WITHOUT * PADDED_SIDE] ALIGNED_16, of_b[DEPTH_WITHOUT * PADDED_SIDE] ALIGNED_16;

    if (get_group_id(0) == 0 && get_local_id(0) == 0)
        *HALF_LOST = 0;
    if (*THIRD_LOST != 0)
        multiply_without_planes(a_matrix, b_matrix, c_matrix, m, n, k, lda, ldb, ldc, alpha, beta,
                                tile_in_group(m, n, SIDE_ELEMENTS, SIDE_ELEMENTS), of_a, of_b);
}
#endif
