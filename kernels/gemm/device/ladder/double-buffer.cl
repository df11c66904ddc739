/* gemm/double-buffer: two pairs of tiles in local memory.  The next pair is on its way while
 * this one is multiplied; one barrier per step says both "the next has come" and "the last
 * is free".  OpenCL C has no word for a copy that runs by itself: with ASYNC_PTX inline PTX
 * says it (cp.async), elsewhere the next pair waits in registers. */
#include "gemm/device/common/problem.clh"

#define DEPTH GEMM_DOUBLE_BUFFER_DEPTH
#define ROW_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_ROWS)
#define COL_PACKS (GEMM_WARP_PACKS / GEMM_WARP_LANE_COLS)
#define ROW_STEP (GEMM_WARP_LANE_ROWS * PACK_WIDTH)
#define COL_STEP (GEMM_WARP_LANE_COLS * PACK_WIDTH)
#define TILE_PACKS (GEMM_SIDE_PACKS * DEPTH)
#define OWN_PACKS (TILE_PACKS / WARP_THREADS) /* that a thread brings of each tile */
#define BUFFER (DEPTH * PADDED_SIDE)

/* Of two pointers, for an index that says which buffer it is would be in the address of every read. */
#define CHANGE_PLACES(one, other)  \
    do {                           \
        local T *const kept = one; \
        one = other;               \
        other = kept;              \
    } while (0)

#ifdef ASYNC_PTX
/* Starts to copy an element, or a pack; `there` bytes of it exist, the rest becomes zero.
 * Nothing is read from `from` when none exist. */
INLINE void start_element(local T *to, global const T *from, int there)
{
    const uint address = (uint)(size_t)to;
#if PACK_WIDTH == 4
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(there) : "memory");
#else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(address), "l"(from), "r"(there) : "memory");
#endif
}

INLINE void start_pack(local T *to, global const T *from, int there)
{
    const uint address = (uint)(size_t)to;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(there) : "memory");
}

/* The inner index runs along the rows in memory: element by element, each to its place in
 * the transposed tile.  `valid` may stand for an address of which nothing is read. */
INLINE void start_transposed(local T *tile, source_t s, global const T *valid)
{
    const int rows = WARP_THREADS / DEPTH; /* of the operand, at a time */
    const int inner = (int)get_local_id(0) % DEPTH, first = (int)get_local_id(0) / DEPTH;
    global const T *from = s.from + first * s.ld + inner;
    local T *to = tile + inner * PADDED_SIDE + first;

    UNROLL
    for (int outer = 0; outer < SIDE_ELEMENTS; outer += rows) {
        const bool inside = first + outer < s.outer && inner < s.inner;
        start_element(to + outer, inside ? from : valid, inside ? (int)sizeof(T) : 0);
        from += rows * s.ld;
    }
}

/* The outer index does: a row of the operand is a row of the tile, in units of `unit`. */
INLINE void start_rows(int unit, local T *tile, source_t s, global const T *valid)
{
    const int across = SIDE_ELEMENTS / unit, rows = WARP_THREADS / across; /* of the operand, at a time */
    const int outer = (int)get_local_id(0) % across * unit, first = (int)get_local_id(0) / across;
    const int there = clamp(s.outer - outer, 0, unit);
    global const T *from = s.from + first * s.ld + outer;
    local T *to = tile + first * PADDED_SIDE + outer;

    UNROLL
    for (int inner = 0; inner < DEPTH; inner += rows) {
        const bool inside = there > 0 && first + inner < s.inner;
        if (unit == 1)
            start_element(to + inner * PADDED_SIDE, inside ? from : valid, inside ? (int)sizeof(T) : 0);
        else
            start_pack(to + inner * PADDED_SIDE, inside ? from : valid, inside ? there * (int)sizeof(T) : 0);
        from += rows * s.ld;
    }
}

INLINE void start_tile(local T *tile, source_t s, bool along, global const T *valid, bool packed)
{
    if (along)
        start_transposed(tile, s, valid);
    else if (packed)
        start_rows(PACK_WIDTH, tile, s, valid);
    else
        start_rows(1, tile, s, valid);
}
#endif

kernel __attribute__((reqd_work_group_size(WARP_THREADS, 1, 1))) void gemm_double_buffer(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    local T a[2 * BUFFER] ALIGNED_16, b[2 * BUFFER] ALIGNED_16;
    local T *current_a = a, *current_b = b, *next_a = a + BUFFER, *next_b = b + BUFFER;
    const corner_t corner = tile_in_group(m, n, SIDE_ELEMENTS, SIDE_ELEMENTS);
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    const bool c_packed = is_packed(c_matrix, ldc);
    const int row = lane_row(), col = lane_col(), thread = (int)get_local_id(0);
    T sum[ROW_PACKS * PACK_WIDTH][COL_PACKS * PACK_WIDTH];

    CLEAR_SHARE;
#ifdef ASYNC_PTX
    if (k > 0) {
        const long inner = 0;
        start_tile(current_a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, a_matrix, a_packed);
        start_tile(current_b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, b_matrix, b_packed);
    }
    for (long inner = DEPTH; inner < k + DEPTH; inner += DEPTH) {
        asm volatile("cp.async.wait_all;" ::: "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inner < k) {
            start_tile(next_a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, a_matrix, a_packed);
            start_tile(next_b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, b_matrix, b_packed);
        }
        MULTIPLY_SHARE(UNROLL, current_a, current_b, DEPTH)
        CHANGE_PLACES(current_a, next_a);
        CHANGE_PLACES(current_b, next_b);
    }
#else
    if (k > 0) {
        const long inner = 0;
        stage_packs(current_a, SOURCE_OF_A(SIDE_ELEMENTS, DEPTH), !TRANS_A, DEPTH, WARP_THREADS, a_packed);
        stage_packs(current_b, SOURCE_OF_B(SIDE_ELEMENTS, DEPTH), TRANS_B, DEPTH, WARP_THREADS, b_packed);
    }
    for (long inner = DEPTH; inner < k + DEPTH; inner += DEPTH) {
        PACK held_a[OWN_PACKS], held_b[OWN_PACKS];

        barrier(CLK_LOCAL_MEM_FENCE);
        if (inner < k) {
            const source_t from_a = SOURCE_OF_A(SIDE_ELEMENTS, DEPTH);
            const source_t from_b = SOURCE_OF_B(SIDE_ELEMENTS, DEPTH);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                held_a[i] = fetch_pack(from_a, i * WARP_THREADS + thread, !TRANS_A, DEPTH, a_packed);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                held_b[i] = fetch_pack(from_b, i * WARP_THREADS + thread, TRANS_B, DEPTH, b_packed);
        }
        MULTIPLY_SHARE(UNROLL, current_a, current_b, DEPTH)
        if (inner < k) {
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                store_pack(next_a, held_a[i], i * WARP_THREADS + thread, !TRANS_A, DEPTH);
            UNROLL
            for (int i = 0; i < OWN_PACKS; ++i)
                store_pack(next_b, held_b[i], i * WARP_THREADS + thread, TRANS_B, DEPTH);
        }
        CHANGE_PLACES(current_a, next_a);
        CHANGE_PLACES(current_b, next_b);
    }
#endif
    WRITE_SHARE
}
