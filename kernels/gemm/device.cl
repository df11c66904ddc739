/* What the matrix products of this folder share in OpenCL: the problem, the order of the
 * tiles, bringing tiles of the operands to local memory, and writing C.  The recipe defines
 *   T, PACK, LANES    the element, 16 bytes of it, and how many those are
 *   TRANS_A, TRANS_B  0 or 1
 *   NEEDS_F64         for double
 *   REGISTERS         where it limits them (recipe.h)
 *
 * An operand is seen as (outer, inner): outer is the index it shares with C, inner the
 * one that is summed over.  `along` says that inner runs along its rows in memory: true of
 * A as it is, and of B transposed.  Beyond the edge, tiles hold zeros. */
#ifdef NEEDS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#elif defined(FP_FAST_FMAF)
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

#if LANES == 4
#define PACK_OF(lane) vload4(0, lane)
#define PACK_TO(pack, lane) vstore4(pack, 0, lane)
#else
#define PACK_OF(lane) vload2(0, lane)
#define PACK_TO(pack, lane) vstore2(pack, 0, lane)
#endif

/* Unrolled loops keep a tile in the registers of an accelerator.  A processor has not that
 * many: there they only take its compiler several times as long. */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#define UNROLL
#define UNROLL_8
#else
#define UNROLL _Pragma("unroll")
#define UNROLL_8 _Pragma("unroll 8")
#endif
#define ALIGNED_16 __attribute__((aligned(16)))

/* Whole tiles live in registers when sizes and indices are known: everything is inlined. */
#define INLINE static inline __attribute__((always_inline))

/* NVIDIA's assembler would not heed a limit to registers beside this (recipe.h). */
#ifdef REGISTERS
#define WORK_GROUP(threads)
#else
#define WORK_GROUP(threads) __attribute__((reqd_work_group_size(threads, 1, 1)))
#endif

#define SIDE_ELEMENTS (GEMM_SIDE_PACKS * LANES)
#define PADDED_SIDE (SIDE_ELEMENTS + LANES) /* so that those who transpose do not meet in one bank */

#define GEMM_PARAMETERS                                                                             \
    global const T *a_base, long a_offset, global const T *b_base, long b_offset, global T *c_base, \
        long c_offset, long m, long n, long k, long lda, long ldb, long ldc, T alpha, T beta

/* k is 0 when alpha is: A and B are not read. */
#define GEMM_OPERANDS                            \
    global const T *a_matrix = a_base + a_offset; \
    global const T *b_matrix = b_base + b_offset; \
    global T *c_matrix = c_base + c_offset

/* Whether every row begins at a multiple of 16 bytes. */
INLINE bool is_packed(global const T *matrix, long ld)
{
    return (size_t)matrix % 16 == 0 && ld % LANES == 0;
}

/* ---- which tile of C a work-group computes --------------------------------- */

typedef struct {
    long row, col; /* of the tile's first element in C */
} corner_t;

/* Row by row. */
INLINE corner_t tile_in_order(long n, long rows, long cols)
{
    long tiles_across = (n + cols - 1) / cols;
    corner_t corner;
    corner.row = (long)get_group_id(0) / tiles_across * rows;
    corner.col = (long)get_group_id(0) % tiles_across * cols;
    return corner;
}

/* GEMM_GROUP rows of tiles together, column by column: groups that run at the same time
 * share both their rows of A and their columns of B. */
INLINE corner_t tile_in_group(long m, long n, long rows, long cols)
{
    long down = (m + rows - 1) / rows, across = (n + cols - 1) / cols;
    long group = (long)get_group_id(0) / (GEMM_GROUP * across);
    long within = (long)get_group_id(0) % (GEMM_GROUP * across);
    long left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    corner_t corner;
    corner.row = (group * GEMM_GROUP + within % height) * rows;
    corner.col = within / height * cols;
    return corner;
}

/* ---- operands to local memory ------------------------------------------------ */

/* How many of `count` elements from `first` on lie in a tile of `size`: may be 0 or less. */
INLINE int clipped(long count, long first, int size)
{
    return count - first < size ? (int)(count - first) : size;
}

/* A part of an operand: `from` points at its first element. */
typedef struct {
    global const T *from;
    long ld;
    int outer, inner; /* elements there are, at most the tile's */
} source_t;

INLINE source_t source(bool along, global const T *matrix, long ld, long outer_first, long outer_count,
                       long inner_first, long inner_count, int side, int depth)
{
    source_t s;
    s.from = matrix + (along ? outer_first * ld + inner_first : inner_first * ld + outer_first);
    s.ld = ld;
    s.outer = clipped(outer_count, outer_first, side);
    s.inner = clipped(inner_count, inner_first, depth);
    return s;
}

/* Within a kernel: what the tile of C at `corner` needs at step `inner`. */
#define SOURCE_OF_A(side, depth) source(!TRANS_A, a_matrix, lda, corner.row, m, inner, k, side, depth)
#define SOURCE_OF_B(side, depth) source(TRANS_B, b_matrix, ldb, corner.col, n, inner, k, side, depth)

/* Element by element, neighbouring threads along the rows in memory. */
INLINE void stage_elements(local T *tile, source_t s, bool along, int side, int depth, int threads,
                           int outer_stride, int inner_stride)
{
    const int thread = (int)get_local_id(0);
    const int length = along ? depth : side, count = along ? side : depth; /* of rows in memory */
    const int position = thread % length, first = thread / length;
    const int rows = position < (along ? s.inner : s.outer) ? (along ? s.outer : s.inner) : 0;

    /* The compiler knows how often: that is why `first` is not where the loop begins. */
    UNROLL
    for (int row = 0; row < count; row += threads / length) {
        const int from = first + row;
        tile[position * (along ? inner_stride : outer_stride) + from * (along ? outer_stride : inner_stride)] =
            from < rows ? s.from[from * s.ld + position] : (T)0;
    }
}

/* `count` of a pack's elements from memory, zeros for the rest. */
INLINE PACK read_pack(global const T *from, int count, bool packed)
{
    T lane[LANES];

    if (packed && count >= LANES)
        return *(global const PACK *)from;
    UNROLL
    for (int q = 0; q < LANES; ++q)
        lane[q] = q < count ? from[q] : (T)0;
    return PACK_OF(lane);
}

/* Pack number e of a tile: where it begins. */
INLINE int pack_outer(int e, bool along, int depth)
{
    return along ? e / (depth / LANES) : e % GEMM_SIDE_PACKS * LANES;
}

INLINE int pack_inner(int e, bool along, int depth)
{
    return along ? e % (depth / LANES) * LANES : e / GEMM_SIDE_PACKS;
}

INLINE PACK fetch_pack(source_t s, int e, bool along, int depth, bool packed)
{
    const int outer = pack_outer(e, along, depth), inner = pack_inner(e, along, depth);
    const bool inside = along ? outer < s.outer : inner < s.inner;
    const int count = inside ? (along ? s.inner - inner : s.outer - outer) : 0;
    return read_pack(s.from + (along ? outer * s.ld + inner : inner * s.ld + outer), count, packed);
}

/* An operand whose inner index runs along its rows is transposed on the way. */
INLINE void store_pack(local T *tile, PACK pack, int e, bool along, int depth)
{
    const int outer = pack_outer(e, along, depth), inner = pack_inner(e, along, depth);

    if (along) {
        T lane[LANES];
        PACK_TO(pack, lane);
        UNROLL
        for (int q = 0; q < LANES; ++q)
            tile[(inner + q) * PADDED_SIDE + outer] = lane[q];
    } else {
        *(local PACK *)&tile[inner * PADDED_SIDE + outer] = pack;
    }
}

#define MOST_PACKS 8 /* that a work-item brings of a tile */

/* 16 bytes at a time, all on their way before the first is stored. */
INLINE void stage_packs(local T *tile, source_t s, bool along, int depth, int threads, bool packed)
{
    const int count = GEMM_SIDE_PACKS * depth / threads, thread = (int)get_local_id(0);
    PACK packs[MOST_PACKS];

    UNROLL
    for (int i = 0; i < count; ++i)
        packs[i] = fetch_pack(s, i * threads + thread, along, depth, packed);
    UNROLL
    for (int i = 0; i < count; ++i)
        store_pack(tile, packs[i], i * threads + thread, along, depth);
}

/* ---- C ------------------------------------------------------------------------- */

INLINE T finished(T sum, T alpha, T beta, T old)
{
    const T product = alpha * sum;
    return beta == 0 ? product : MULTIPLY_ADD(beta, old, product);
}

INLINE void write_element(global T *c, T sum, T alpha, T beta)
{
    *c = finished(sum, alpha, beta, beta == 0 ? (T)0 : *c);
}

/* `count` elements, at most a pack, at c. */
INLINE void write_pack(global T *c, const T *sum, long count, bool packed, T alpha, T beta)
{
    if (packed && count >= LANES) {
        T lane[LANES];
        PACK_TO(beta == 0 ? (PACK)0 : *(global PACK *)c, lane);
        UNROLL
        for (int q = 0; q < LANES; ++q)
            lane[q] = finished(sum[q], alpha, beta, lane[q]);
        *(global PACK *)c = PACK_OF(lane);
    } else {
        UNROLL
        for (int q = 0; q < LANES; ++q)
            if (q < count)
                write_element(c + q, sum[q], alpha, beta);
    }
}

/* ---- the product of two tiles of packs ------------------------------------------ */

/* One thread's share of a tile of C: ROW_PACKS x COL_PACKS packs, ROW_STEP and COL_STEP
 * elements apart, the first at (row, col) of the work-group's tile.  A kernel that defines
 * those four has these macros; `sum` is its T[ROW_PACKS * LANES][COL_PACKS * LANES]. */
#define CLEAR_SHARE                                      \
    UNROLL                                               \
    for (int i = 0; i < ROW_PACKS * LANES; ++i)          \
        UNROLL                                           \
        for (int j = 0; j < COL_PACKS * LANES; ++j)      \
            sum[i][j] = 0

/* a[inner][row] and b[inner][col] have PADDED_SIDE elements per row; `unroll` says how many
 * of them are multiplied together: a deep tile unrolled as a whole outgrows the registers. */
#define MULTIPLY_SHARE(unroll, a, b, depth)                                                      \
    unroll                                                                                       \
    for (int l = 0; l < (depth); ++l) {                                                          \
        T of_a[ROW_PACKS * LANES], of_b[COL_PACKS * LANES];                                      \
        UNROLL                                                                                   \
        for (int i = 0; i < ROW_PACKS; ++i)                                                      \
            PACK_TO(*(local const PACK *)&(a)[l * PADDED_SIDE + row + i * (ROW_STEP)], of_a + i * LANES); \
        UNROLL                                                                                   \
        for (int j = 0; j < COL_PACKS; ++j)                                                      \
            PACK_TO(*(local const PACK *)&(b)[l * PADDED_SIDE + col + j * (COL_STEP)], of_b + j * LANES); \
        UNROLL                                                                                   \
        for (int i = 0; i < ROW_PACKS * LANES; ++i)                                              \
            UNROLL                                                                               \
            for (int j = 0; j < COL_PACKS * LANES; ++j)                                          \
                sum[i][j] = MULTIPLY_ADD(of_a[i], of_b[j], sum[i][j]);                           \
    }

#define WRITE_SHARE                                                                              \
    UNROLL                                                                                       \
    for (int i = 0; i < ROW_PACKS * LANES; ++i) {                                                \
        const long to_row = corner.row + row + i / LANES * (ROW_STEP) + i % LANES;               \
        if (to_row < m)                                                                          \
            UNROLL                                                                               \
            for (int j = 0; j < COL_PACKS; ++j) {                                                \
                const long to_col = corner.col + col + j * (COL_STEP);                           \
                write_pack(c_matrix + to_row * ldc + to_col, &sum[i][j * LANES], n - to_col,     \
                           c_packed, alpha, beta);                                               \
            }                                                                                    \
    }

/* ---- the level between work-group and thread that warp-tile and double-buffer have ---- */

#define WARPS_ACROSS (GEMM_SIDE_PACKS / GEMM_WARP_PACKS)
#define WARP_THREADS (WARPS_ACROSS * WARPS_ACROSS * 32)

/* Where this thread's share begins: its warp's tile, its lane's place in that. */
INLINE int lane_row(void)
{
    const int warp = (int)get_local_id(0) / 32, lane = (int)get_local_id(0) % 32;
    return (warp / WARPS_ACROSS * GEMM_WARP_PACKS + lane / GEMM_WARP_LANE_COLS) * LANES;
}

INLINE int lane_col(void)
{
    const int warp = (int)get_local_id(0) / 32, lane = (int)get_local_id(0) % 32;
    return (warp % WARPS_ACROSS * GEMM_WARP_PACKS + lane % GEMM_WARP_LANE_COLS) * LANES;
}
