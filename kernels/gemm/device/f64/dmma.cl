/* gemm/dmma: f64 on the matrix units, by inline PTX.  Some warps copy pairs of elements (cp.async), or
 * single ones where rows don't begin at 16 bytes, while the others multiply; neither stops at a barrier of
 * the work-group.  CUDA: dmma.cu. */
#include "gemm/device/f64/dmma.clh"

#define PRODUCERS GEMM_DMMA_PRODUCERS
#define ROWS_AT_ONCE (PRODUCERS / DEPTH)
#define PAIRS (DEPTH / 2) /* of a row of a stage */
#define PAIRED_ROWS_AT_ONCE (PRODUCERS / PAIRS)

INLINE void copy_element(uint to, global const T *from, bool exists)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(exists ? 8 : 0) : "memory");
}

/* A tile of SIDE x DEPTH whose inner index runs along the rows in memory: half a warp to a row. */
INLINE void copy_inner(uint to, int side, source_t s, global const T *valid)
{
    const int thread = (int)get_local_id(0), along = thread % DEPTH, first = thread % PRODUCERS / DEPTH;
    global const T *from = s.from + first * s.ld + along;

    to += (uint)(first * ROW_BYTES + (((along / 2) ^ first) << 4) + (along & 1) * 8);
    UNROLL
    for (int row = 0; row < side; row += ROWS_AT_ONCE) {
        const bool exists = along < s.inner && first + row < s.outer;
        copy_element(to + (uint)(row * ROW_BYTES), exists ? from : valid, exists);
        from += ROWS_AT_ONCE * s.ld;
    }
}

/* The outer index does: half a warp to 16 of them. */
INLINE void copy_outer(uint to, int side, source_t s, global const T *valid)
{
    const int thread = (int)get_local_id(0), along = thread % 16, first = thread % PRODUCERS / 16;

    to += (uint)(first * ROW_BYTES + (((along / 2) ^ first) << 4) + (along & 1) * 8);
    UNROLL
    for (int row = 0; row < DEPTH; row += ROWS_AT_ONCE) {
        global const T *from = s.from + (first + row) * s.ld + along;
        UNROLL
        for (int block = 0; block < side / 16; ++block) {
            const bool exists = first + row < s.inner && along + 16 * block < s.outer;
            copy_element(to + (uint)((block * DEPTH + row) * ROW_BYTES), exists ? from + 16 * block : valid, exists);
        }
    }
}

/* What `there` elements leave of a pair becomes zero, and of none nothing is read. */
INLINE void copy_pair(uint to, global const T *from, int there, global const T *valid)
{
    const int bytes = there < 2 ? 8 * there : 16;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(there > 0 ? from : valid),
                 "r"(there > 0 ? bytes : 0)
                 : "memory");
}

/* copy_inner, by pairs: a quarter of a warp to a row. */
INLINE void copy_inner_pairs(uint to, int side, source_t s, global const T *valid)
{
    const int thread = (int)get_local_id(0), pair = thread % PAIRS, first = thread % PRODUCERS / PAIRS;
    global const T *from = s.from + first * s.ld + 2 * pair;

    to += (uint)(first * ROW_BYTES + ((pair ^ (first & 7)) << 4));
    UNROLL
    for (int row = 0; row < side; row += PAIRED_ROWS_AT_ONCE) {
        copy_pair(to + (uint)(row * ROW_BYTES), from, first + row < s.outer ? s.inner - 2 * pair : 0, valid);
        from += PAIRED_ROWS_AT_ONCE * s.ld;
    }
}

/* copy_outer, by pairs. */
INLINE void copy_outer_pairs(uint to, int side, source_t s, global const T *valid)
{
    const int thread = (int)get_local_id(0), pair = thread % PAIRS, first = thread % PRODUCERS / PAIRS;

    to += (uint)(first * ROW_BYTES + ((pair ^ (first & 7)) << 4));
    UNROLL
    for (int row = 0; row < DEPTH; row += PAIRED_ROWS_AT_ONCE) {
        global const T *from = s.from + (first + row) * s.ld + 2 * pair;
        UNROLL
        for (int block = 0; block < side / 16; ++block)
            copy_pair(to + (uint)((block * DEPTH + row) * ROW_BYTES), from + 16 * block,
                      first + row < s.inner ? s.outer - 2 * pair - 16 * block : 0, valid);
    }
}

INLINE void copy_tile(uint to, bool inner, bool packed, int side, source_t s, global const T *valid)
{
    if (inner && packed)
        copy_inner_pairs(to, side, s, valid);
    else if (inner)
        copy_inner(to, side, s, valid);
    else if (packed)
        copy_outer_pairs(to, side, s, valid);
    else
        copy_outer(to, side, s, valid);
}

/* By the warps that copy. */
INLINE void copy_items(ring_t ring, global const T *a_matrix, global const T *b_matrix, long m, long n, long k,
                       long lda, long ldb, int whole, int parts, int items)
{
    const bool a_packed = is_packed(a_matrix, lda), b_packed = is_packed(b_matrix, ldb);
    for (int number = (int)get_group_id(0); number < items; number += (int)get_num_groups(0)) {
        const item_t item = item_of(m, n, k, whole, parts, number);
        corner_t corner = {item.row, item.col};
        for (int step = 0; step < item.steps; ++step) {
            const long inner = (long)(item.first + step) * DEPTH;
            const uint stage = STAGE_PLACE;
            const source_t from_a = SOURCE_OF_A(TILE_ROWS, DEPTH), from_b = SOURCE_OF_B(TILE_COLS, DEPTH);
            await(empty_of(&ring), ring.parity ^ 1);
            copy_tile(stage, A_INNER, a_packed, TILE_ROWS, from_a, a_matrix);
            copy_tile(stage + A_BYTES, B_INNER, b_packed, TILE_COLS, from_b, b_matrix);
            arrive_with_copies(full_of(&ring));
            advance(&ring);
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory"); /* no group ends with copies on their way */
}

#ifdef REGISTERS
#define DMMA_GROUP
#else
#define DMMA_GROUP __attribute__((reqd_work_group_size(CONSUMERS + PRODUCERS, 1, 1)))
#endif

kernel DMMA_GROUP void ENTRY(GEMM_PARAMETERS, global T *scratch, long partials_offset, int whole, int parts, int items)
{
    GEMM_OPERANDS;
    local uchar stages[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
    local ulong barriers[2 * STAGES];
    ring_t ring = ring_of(stages, barriers);

    if (get_local_id(0) == 0)
        open_ring(&ring, PRODUCERS, CONSUMERS / 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) >= CONSUMERS)
        copy_items(ring, a_matrix, b_matrix, m, n, k, lda, ldb, whole, parts, items);
    else
        multiply_items(ring, c_matrix, m, n, k, ldc, alpha, beta, scratch + partials_offset, whole, parts, items);
}

kernel __attribute__((reqd_work_group_size(GEMM_DMMA_SUM_THREADS, 1, 1))) void
gemm_dmma_sum(global T *c_base, long c_offset, int m, int n, long ldc, T alpha, T beta, global const T *scratch,
              long partials_offset, int whole, int parts, int slices, int rows, int cols)
{
    local PACK sums[GEMM_DMMA_SUM_THREADS];
    add_parts(c_base + c_offset, m, n, ldc, alpha, beta, scratch + partials_offset, whole, parts, slices, rows, cols,
              sums);
}
