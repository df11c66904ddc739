/* gemm/dmma: f64 on the matrix units, by inline PTX.  Some warps copy pairs of elements (cp.async), or
 * single ones where rows don't begin at 16 bytes, while the others multiply; neither stops at a barrier of
 * the work-group.  CUDA: dmma.cuh, which says how operands lie in a stage, and
 * what the cut of a product into items of work is.  The recipe defines ENTRY, the name of the kernel,
 * and of its tile TILE_ROWS, TILE_COLS, STAGES and the warps that multiply, CONSUMERS_DOWN, CONSUMERS_ACROSS. */
#include "device.clh"
#include "ring.clh"

#define DEPTH GEMM_DMMA_DEPTH
#define ROW_BYTES 128
#define PRODUCERS GEMM_DMMA_PRODUCERS
#define ROWS_AT_ONCE (PRODUCERS / DEPTH)
#define PAIRS (DEPTH / 2) /* of a row of a stage */
#define PAIRED_ROWS_AT_ONCE (PRODUCERS / PAIRS)
#define CONSUMERS (32 * CONSUMERS_DOWN * CONSUMERS_ACROSS)
#define WARP_ROWS (TILE_ROWS / CONSUMERS_DOWN)
#define WARP_COLS (TILE_COLS / CONSUMERS_ACROSS)
#define A_BYTES (TILE_ROWS * ROW_BYTES)
#define STAGE_BYTES (A_BYTES + TILE_COLS * ROW_BYTES)
#define DOWN (WARP_ROWS / 16)  /* products of the matrix units in a warp's tile */
#define ACROSS (WARP_COLS / 8)
#define A_INNER (!TRANS_A)
#define B_INNER TRANS_B
#define STAGE_PLACE (ring.first + (uint)(ring.place * STAGE_BYTES))

typedef struct {
    int row, col, first, steps, partial;
} item_t;

INLINE void place_tile(int tile, int m, int n, int rows, int cols, int *row, int *col)
{
    const int down = (m - 1) / rows + 1, across = (n - 1) / cols + 1;
    const int group = tile / (GEMM_GROUP * across), within = tile - group * GEMM_GROUP * across;
    const int left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    *row = (group * GEMM_GROUP + within % height) * rows;
    *col = within / height * cols;
}

INLINE item_t item_of(long m, long n, long k, int whole, int parts, int number)
{
    const int steps = (int)((k + DEPTH - 1) / DEPTH), late = number - whole;
    int tile = number;
    item_t item = {0, 0, 0, steps, -1};

    if (late >= 0) {
        const int part = late % parts, share = steps / parts, more = steps % parts;
        tile = whole + late / parts;
        item.first = part * share + (part < more ? part : more);
        item.steps = share + (part < more);
        item.partial = late;
    }
    place_tile(tile, (int)m, (int)n, TILE_ROWS, TILE_COLS, &item.row, &item.col);
    return item;
}

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

INLINE double read_local(uint address)
{
    double value;
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(address));
    return value;
}

INLINE void multiply_add(double *sum, double a0, double a1, double b)
{
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(sum[0]), "+d"(sum[1]), "+d"(sum[2]), "+d"(sum[3])
                 : "d"(a0), "d"(a1), "d"(b));
}

/* The outer index, of 16, that a lane group of 8 takes from rows along the outer index. */
INLINE int outer_of_group(int group)
{
    return (group & 1) + (group >> 1 & 1) * 8 + (group >> 2) * 2;
}

/* Bytes from an operand's first to this lane's element at k 0. */
INLINE uint fragment_of(bool inner, int outer)
{
    const int group = (int)get_local_id(0) % 32 / 4, q = (int)get_local_id(0) % 4;
    const int along = inner ? 2 * group * ROW_BYTES + (2 * (group & 3) + (q >> 1)) * 16 + (q & 1) * 8
                            : q * ROW_BYTES + ((outer_of_group(group) >> 1) ^ q) * 16 + (group & 1) * 8;
    return (uint)(outer * ROW_BYTES + along);
}

/* At k = 4 `step`; `half` 0 or 1 of the block of 16. */
INLINE uint fragment_at(bool inner, uint first_fragment, int step, int half_of)
{
    if (inner) {
        const uint even = first_fragment ^ (uint)(step << 5);
        return half_of ? (even ^ 16) + ROW_BYTES : even;
    }
    const uint first = (first_fragment ^ (uint)((step & 1) << 6)) + (uint)(step * 4 * ROW_BYTES);
    return half_of ? first ^ 32 : first;
}

#define READ(set, stage, step)                                                                                  \
    UNROLL                                                                                                      \
    for (int i = 0; i < DOWN; ++i) {                                                                            \
        a[set][i][0] = read_local(fragment_at(A_INNER, (stage) + of_a, step, 0) + i * 16 * ROW_BYTES);          \
        a[set][i][1] = read_local(fragment_at(A_INNER, (stage) + of_a, step, 1) + i * 16 * ROW_BYTES);          \
    }                                                                                                           \
    UNROLL                                                                                                      \
    for (int j = 0; j < ACROSS; ++j)                                                                            \
        b[set][j] = read_local(fragment_at(B_INNER, (stage) + A_BYTES + of_b, step, j & 1) + j / 2 * 16 * ROW_BYTES);

/* To and fro, so that neighbouring multiplications share an operand. */
#define MULTIPLY(set)                                                           \
    UNROLL                                                                      \
    for (int i = 0; i < DOWN; ++i)                                              \
        UNROLL                                                                  \
        for (int to = 0; to < ACROSS; ++to) {                                   \
            const int j = i & 1 ? ACROSS - 1 - to : to;                         \
            multiply_add(sum[i][j], a[set][i][0], a[set][i][1], b[set][j]);     \
        }

INLINE double from_neighbour(double value)
{
    double other;
    asm volatile("{\n .reg .b32 l, h;\n mov.b64 {l, h}, %1;\n shfl.sync.bfly.b32 l, l, 1, 31, 0xffffffff;\n"
                 " shfl.sync.bfly.b32 h, h, 1, 31, 0xffffffff;\n mov.b64 %0, {l, h};\n}"
                 : "=d"(other)
                 : "d"(value));
    return other;
}

INLINE void write_pair(global T *c, const T *pair, int count, bool packed, T alpha, T beta)
{
    if (count > 0)
        write_pack(c, pair, count, packed, alpha, beta);
}

#ifdef REGISTERS
#define DMMA_GROUP
#else
#define DMMA_GROUP __attribute__((reqd_work_group_size(CONSUMERS + PRODUCERS, 1, 1)))
#endif

kernel DMMA_GROUP void ENTRY(GEMM_PARAMETERS, global T *scratch, long partials_offset, int whole, int parts, int items)
{
    GEMM_OPERANDS;
    global T *partials = scratch + partials_offset;
    local uchar stages[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
    local ulong barriers[2 * STAGES];
    const int thread = (int)get_local_id(0);
    ring_t ring = ring_of(stages, barriers);

    if (thread == 0)
        open_ring(&ring, PRODUCERS, CONSUMERS / 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread >= CONSUMERS) {
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
        return;
    }

    const int row = thread / 32 % CONSUMERS_DOWN * WARP_ROWS, col = thread / 32 / CONSUMERS_DOWN * WARP_COLS;
    const uint of_a = fragment_of(A_INNER, row), of_b = fragment_of(B_INNER, col);
    double sum[DOWN][ACROSS][4], a[2][DOWN][2], b[2][ACROSS];

    for (int number = (int)get_group_id(0); number < items; number += (int)get_num_groups(0)) {
        const item_t item = item_of(m, n, k, whole, parts, number);
        UNROLL
        for (int i = 0; i < DOWN; ++i)
            UNROLL
            for (int j = 0; j < ACROSS; ++j)
                UNROLL
                for (int e = 0; e < 4; ++e)
                    sum[i][j][e] = 0.0;
        if (item.steps > 0) {
            await(full_of(&ring), ring.parity);
            READ(0, STAGE_PLACE, 0)
        }
        _Pragma("unroll 1")
        for (int left = item.steps; left > 0; --left) {
            const uint stage = STAGE_PLACE, freed = empty_of(&ring);
            advance(&ring);
            UNROLL
            for (int step = 0; step < DEPTH / 4; ++step) {
                if (step + 1 < DEPTH / 4) {
                    READ((step + 1) & 1, stage, step + 1)
                } else if (left > 1) {
                    await(full_of(&ring), ring.parity);
                    READ(0, STAGE_PLACE, 0)
                }
                MULTIPLY(step & 1)
            }
            /* Not before the multiplications: they wait for what was read, while an arrival
             * doesn't, and the next copy would overwrite what is still being read. */
            meet_warp();
            if (thread % 32 == 0)
                arrive(freed);
        }

        const bool to_c = item.partial < 0;
        global T *to = to_c ? c_matrix + item.row * ldc + item.col
                            : partials + (long)item.partial * (TILE_ROWS * TILE_COLS);
        const long pitch = to_c ? ldc : TILE_COLS;
        const int rows = to_c ? clipped(m, item.row, TILE_ROWS) : TILE_ROWS;
        const int cols = to_c ? clipped(n, item.col, TILE_COLS) : TILE_COLS;
        const T factor = to_c ? alpha : 1.0, before = to_c ? beta : 0.0;
        const bool packed = is_packed(to, pitch);
        const int group = thread % 32 / 4, q = thread % 4;
        const int pairs_from = col + (B_INNER ? (q >> 1) * 8 + (q & 1) * 2 : (q & 1) * 8 + (q >> 1) * 2);
        UNROLL
        for (int i = 0; i < DOWN; ++i)
            UNROLL
            for (int lower = 0; lower < 2; ++lower) {
                const int to_row = row + 16 * i + (A_INNER ? 2 * group + lower : outer_of_group(group) + 4 * lower);
                global T *of_row = to + to_row * pitch;
                UNROLL
                for (int j = 0; j < ACROSS; j += 2) {
                    const double *even = sum[i][j] + 2 * lower, *odd = sum[i][j + 1] + 2 * lower;
                    double pairs[2][2] = {{even[0], even[1]}, {odd[0], odd[1]}};
                    if (B_INNER) {
                        /* A lane has four columns side by side.  It exchanges a pair with its neighbour, so
                         * that the lanes' stores fill whole sectors. */
                        const bool low = thread % 2 == 0;
                        const double got_0 = from_neighbour(low ? even[1] : even[0]);
                        const double got_1 = from_neighbour(low ? odd[1] : odd[0]);
                        pairs[0][0] = low ? even[0] : got_0;
                        pairs[0][1] = low ? odd[0] : got_1;
                        pairs[1][0] = low ? got_0 : even[1];
                        pairs[1][1] = low ? got_1 : odd[1];
                    }
                    if (to_row < rows) {
                        const int at = pairs_from + j / 2 * 16;
                        write_pair(of_row + at, pairs[0], cols - at, packed, factor, before);
                        write_pair(of_row + at + 4, pairs[1], cols - at - 4, packed, factor, before);
                    }
                }
            }
    }
}

/* Work-group (tile, y): each work-item adds up two neighbours of C, the parts in their order. */
kernel __attribute__((reqd_work_group_size(GEMM_DMMA_SUM_THREADS, 1, 1)))
void gemm_dmma_sum(global T *c_base, long c_offset, int m, int n, long ldc, T alpha, T beta,
                   global const T *scratch, long partials_offset, int whole, int parts, int rows, int cols)
{
    const int pair = 2 * ((int)get_group_id(1) * GEMM_DMMA_SUM_THREADS + (int)get_local_id(0)), in_row = pair / cols, in_col = pair % cols;
    const long size = (long)rows * cols;
    global const T *from = scratch + partials_offset + (long)get_group_id(0) * parts * size + pair;
    global T *c = c_base + c_offset;
    T sum[2] = {0, 0};
    int row, col;

    place_tile(whole + (int)get_group_id(0), m, n, rows, cols, &row, &col);
    row += in_row;
    col += in_col;
    if (in_row >= rows || row >= m || col >= n)
        return;
    for (int part = 0; part < parts; ++part, from += size) {
        sum[0] += from[0];
        sum[1] += from[1];
    }
    write_pack(c + row * ldc + col, sum, n - col, is_packed(c, ldc), alpha, beta);
}
