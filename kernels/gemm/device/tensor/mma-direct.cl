/* gemm/mma-direct: products of f16 and bf16 with small tiles of C, wherever their operands begin, by inline PTX.  CUDA:
 * mma-direct.cu, which says how; the recipe defines a program for each layout and type of C. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/tensor/mma-direct.h"
#include "gemm/device/tensor/mma.clh"
#include "gemm/device/common/tile-scheduler.clh"
#include "gemm/device/common/epilogue.clh"

#define ROWS GEMM_DIRECT_ROWS
#define COLS GEMM_DIRECT_COLS
#define THREADS GEMM_DIRECT_THREADS
#define WARP_ROWS 16
#define WARPS_ACROSS_TILE (THREADS / 32 / (ROWS / WARP_ROWS))
#define WARP_COLS (COLS / WARPS_ACROSS_TILE)
#define QUADS (WARP_COLS / 8) /* of a work-item: a product of mma.sync leaves it four sums */
#define ADDERS GEMM_DIRECT_ADDERS
#define PITCH (WARP_COLS + GEMM_DIRECT_APART)
#define TOGETHER 16
#define ROWS_AT_ONCE (8 * 64 / WARP_COLS)
#define A_BYTES (ROWS * ROW_BYTES)

/* Where a warp's part of the tile begins. */
INLINE int warp_row(int warp)
{
    return warp / WARPS_ACROSS_TILE * WARP_ROWS;
}

INLINE int warp_col(int warp)
{
    return warp % WARPS_ACROSS_TILE * WARP_COLS;
}

/* ---- bringing ------------------------------------------------------------------------ */

/* Terms that are multiplied: as many as there are, and zeros up to a multiple of 16. */
INLINE int with_zeros(int terms)
{
    return (terms + 15) & ~15;
}

/* Such that 2 to it is `count` at least. */
INLINE int log2_up(int count)
{
    return count > 1 ? 32 - (int)clz((uint)count - 1) : 0;
}

/* A work-item's pieces of a tile, `width` elements each: of every `apart` rows in memory one, at the same place in it,
 * so that neighbours bring what lies beside each other. */
typedef struct {
    int along, first, apart, rows; /* place in a row; of rows: the first, and how many are written */
    int there, left;               /* rows that there are, and elements of them from the place on */
} pieces_t;

INLINE pieces_t pieces_of(bool inner, const source_t *s, int width)
{
    const int across = ((inner ? with_zeros(s->inner) : s->outer) + width - 1) / width, log2 = log2_up(across),
              thread = (int)get_local_id(0);
    pieces_t p;
    p.along = thread & ((1 << log2) - 1);
    p.first = thread >> log2;
    p.apart = THREADS >> log2;
    p.rows = inner ? s->outer : with_zeros(s->inner);
    p.there = inner ? s->outer : s->inner;
    p.left = (inner ? s->inner : s->outer) - p.along * width;
    return p;
}

/* Of a row in memory, the chunk `along` of 16 bytes. */
INLINE uint place_in_tile(uint tile, bool inner, int row, int along)
{
    return place_of(tile, inner, inner ? row : along / CHUNKS * DEPTH + row, along % CHUNKS);
}

/* Elements of a work-item that are on their way at once.  What lies beyond the outer edge is whatever was there: it
 * meets nothing but itself.  Loads and stores have predicates, for branches around them would have an address computed
 * in each. */
typedef struct {
    global const IN *from;
    long step;
    uint tile, chunk;            /* where its place in a row of a stage is, but for the row */
    int row, apart, rows, there; /* as of its pieces; there are none of a place beyond the end of a row */
    IN element[TOGETHER];
} elements_t;

INLINE void begin_elements(elements_t *e, bool inner, uint tile, const source_t *s)
{
    const pieces_t p = pieces_of(inner, s, 1);
    e->from = s->from + p.first * s->ld + p.along;
    e->step = p.apart * s->ld;
    e->tile = place_in_tile(tile, inner, 0, p.along / CHUNK / CHUNKS * CHUNKS) + (uint)(p.along % CHUNK * 2);
    e->chunk = (uint)(p.along / CHUNK % CHUNKS) << 4;
    e->row = p.first;
    e->apart = p.apart;
    e->rows = p.rows;
    e->there = p.left > 0 ? p.there : 0;
}

INLINE bool any_element(const elements_t *e)
{
    return e->row < e->rows;
}

INLINE void load_elements(elements_t *e)
{
    int row = e->row;
    UNROLL
    for (int i = 0; i < TOGETHER; ++i) {
        asm volatile("{\n .reg .pred p;\n setp.lt.s32 p, %2, %3;\n mov.u16 %0, 0;\n @p ld.global.u16 %0, [%1];\n}"
                     : "=&h"(e->element[i])
                     : "l"(e->from), "r"(row), "r"(e->there));
        row += e->apart;
        e->from += e->step;
    }
}

/* As place_of() has it. */
INLINE void store_elements(elements_t *e)
{
    UNROLL
    for (int i = 0; i < TOGETHER; ++i) {
        const uint at = e->tile + (uint)(e->row * ROW_BYTES) + (((uint)e->row << 4 & 0x70) ^ e->chunk);
        asm volatile("{\n .reg .pred p;\n setp.lt.s32 p, %2, %3;\n @p st.shared.u16 [%0], %1;\n}" ::"r"(at),
                     "h"(e->element[i]), "r"(e->row), "r"(e->rows)
                     : "memory");
        e->row += e->apart;
    }
}

/* The same where rows begin at multiples of 16 bytes; `valid` is an address that may be named where nothing is read. */
INLINE void bring_chunks(bool inner, uint tile, const source_t *s, global const IN *valid)
{
    const pieces_t p = pieces_of(inner, s, CHUNK);
    global const IN *from = s->from + p.first * s->ld + p.along * CHUNK;
    for (int row = p.first; row < p.rows; row += p.apart, from += p.apart * s->ld) {
        const int left = row < p.there ? p.left : 0, count = left < 0 ? 0 : left < CHUNK ? left : CHUNK;
        copy_chunk(place_in_tile(tile, inner, row, p.along), count > 0 ? from : valid, count * ELEMENT_BYTES);
    }
}

/* An operand whose rows begin anywhere is loaded while the other is. */
INLINE void bring(uint stage, const source_t *of_a, const source_t *of_b, global const IN *valid_a,
                  global const IN *valid_b, bool a_aligned, bool b_aligned)
{
    elements_t a, b;
    begin_elements(&a, A_INNER, stage, of_a);
    begin_elements(&b, B_INNER, stage + A_BYTES, of_b);
    if (a_aligned)
        bring_chunks(A_INNER, stage, of_a, valid_a);
    if (b_aligned)
        bring_chunks(B_INNER, stage + A_BYTES, of_b, valid_b);
    asm volatile("cp.async.commit_group;" ::: "memory");
    while ((!a_aligned && any_element(&a)) || (!b_aligned && any_element(&b))) {
        if (!a_aligned)
            load_elements(&a);
        if (!b_aligned)
            load_elements(&b);
        if (!a_aligned)
            store_elements(&a);
        if (!b_aligned)
            store_elements(&b);
    }
}

/* ---- multiplying --------------------------------------------------------------------- */

/* `terms` terms of a warp's rows, and of its columns `cols` and what fills up 16.  Lane l has rows l / 4 and l / 4 + 8
 * and of every eight columns 2 (l % 4) and the next. */
INLINE void multiply(float (*sum)[4], uint stage, int terms, int cols)
{
    const int warp = (int)get_local_id(0) / 32, row = warp_row(warp), col = warp_col(warp);
    _Pragma("unroll 1") for (int inner = 0; inner < terms; inner += 16)
    {
        uint a[4];
        read_fragment(a, stage, A_INNER, false, row, inner);
        UNROLL
        for (int j = 0; j < QUADS / 2; ++j)
            if (16 * j < cols) {
                uint b[4];
                read_fragment(b, stage + A_BYTES, B_INNER, true, col + 16 * j, inner);
                multiply_add(sum[2 * j], a, b);
                multiply_add(sum[2 * j + 1], a, b + 2);
            }
    }
}

/* ---- C ------------------------------------------------------------------------------- */

/* Where elements of C begin in pairs: 0 or 1 of (row, col). */
INLINE int oddness(const result_t *to, long row, long col)
{
    return (int)((long)((size_t)to->c / OUT_BYTES) + row * to->ldc + col) & 1;
}

/* Of a warp's sums `rows` x `cols` to C at (row, col): pairs that begin where two elements may, ROWS_AT_ONCE rows read
 * before the first is written; then what is left at the ends of rows. */
INLINE void write_rows(const result_t *to, long row, long col, local const float *own, int rows, int cols)
{
    const int lane = (int)get_local_id(0) % 32, odd = oddness(to, row, col), change = (int)(to->ldc & 1);
    for (int first = 0; first < rows; first += ROWS_AT_ONCE) {
        float sums[ROWS_AT_ONCE][WARP_COLS / 64][2];
        UNROLL
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
            UNROLL
        for (int j = 0; j < WARP_COLS / 64; ++j) {
            local const float *from = own + (first + i) * PITCH + (odd ^ (i & change)) + 2 * lane + 64 * j;
            sums[i][j][0] = from[0];
            sums[i][j][1] = from[1];
        }
        UNROLL
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
            UNROLL
        for (int j = 0; j < WARP_COLS / 64; ++j) {
            const int at = (odd ^ (i & change)) + 2 * lane + 64 * j;
            if (first + i < rows && at + 1 < cols)
                write_aligned_pair(to, row + first + i, col + at, sums[i][j][0], sums[i][j][1]);
        }
    }
    const int i = lane % WARP_ROWS, begins = odd ^ (i & change), at = lane < WARP_ROWS ? 0 : cols - 1;
    if (i < rows && (lane < WARP_ROWS ? begins : (cols - begins) & 1))
        write_one(to, row + i, col + at, own[i * PITCH + at]);
}

INLINE void write_sums(const result_t *to, long row, long col, const float (*sum)[4], local float *own, int rows,
                       int cols)
{
    const int lane = (int)get_local_id(0) % 32;
    UNROLL
    for (int j = 0; j < QUADS; ++j)
        UNROLL
    for (int half_of = 0; half_of < 2; ++half_of)
        *(local float2 *)&own[(lane / 4 + 8 * half_of) * PITCH + 8 * j + lane % 4 * 2] =
            (float2)(sum[j][2 * half_of], sum[j][2 * half_of + 1]);
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    write_rows(to, row, col, own, rows, cols);
}

/* What a part of k comes to, as the work-items have it: quad j of one at [j][work-item]; `cols` columns exist. */
INLINE void write_partial(global float4 *to, const float (*sum)[4], int cols)
{
    UNROLL
    for (int j = 0; j < QUADS; ++j)
        if (8 * j < cols)
            to[j * THREADS + get_local_id(0)] = (float4)(sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
}

/* ---- the product --------------------------------------------------------------------- */

/* type_of_c: what CUDA's form is told of C; here OUT is its type. */
kernel WORK_GROUP(THREADS) void gemm_mma_direct(global const IN *a_base, long a_offset, global const IN *b_base,
                                                long b_offset, global OUT *c_base, long c_offset, int type_of_c, long m,
                                                long n, long k, long lda, long ldb, long ldc, float alpha, float beta,
                                                global float4 *partials, long partials_first, int parts)
{
    GEMM_OPERANDS;
    local uchar memory[GEMM_DIRECT_SHARED] __attribute__((aligned(128))); /* a stage; then C on its way out */
    const uint stage = (uint)(size_t)memory;
    const int steps = (int)((k + DEPTH - 1) / DEPTH), items = (int)get_num_groups(0), warp = (int)get_local_id(0) / 32;
    const cut_t cut = {parts > 1 ? 0 : items, parts, items};
    const item_t item = item_at(&cut, (int)get_group_id(0), (int)m, (int)n, ROWS, COLS, steps);
    const bool a_aligned = (size_t)a_matrix % 16 == 0 && lda % CHUNK == 0,
               b_aligned = (size_t)b_matrix % 16 == 0 && ldb % CHUNK == 0;
    const int row = item.row + warp_row(warp), col = item.col + warp_col(warp);
    const int rows = clipped(m, row, WARP_ROWS), cols = clipped(n, col, WARP_COLS);
    const corner_t corner = {item.row, item.col};
    float sum[QUADS][4];

    UNROLL
    for (int j = 0; j < QUADS; ++j)
        UNROLL
    for (int e = 0; e < 4; ++e)
        sum[j][e] = 0.0f;
    for (int step = item.first; step < item.first + item.steps; ++step) {
        const long inner = (long)step * DEPTH;
        const source_t of_a = SOURCE_OF_A(ROWS, DEPTH), of_b = SOURCE_OF_B(COLS, DEPTH);
        if (step > item.first)
            barrier(CLK_LOCAL_MEM_FENCE); /* the step before has been multiplied */
        bring(stage, &of_a, &of_b, a_matrix, b_matrix, a_aligned, b_aligned);
        asm volatile("cp.async.wait_all;" ::: "memory");
        barrier(CLK_LOCAL_MEM_FENCE);
        if (rows > 0 && cols > 0)
            multiply(sum, stage, with_zeros(of_a.inner), cols);
    }
    if (item.partial >= 0) {
        write_partial(partials + partials_first + (long)item.partial * (QUADS * THREADS), (const float(*)[4])sum, cols);
        return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (cols > 0) {
        const result_t to = {c_matrix, m, n, ldc, alpha, beta};
        write_sums(&to, row, col, (const float(*)[4])sum, (local float *)memory + warp * (WARP_ROWS * PITCH), rows,
                   cols);
    }
}

/* ---- parts of k ---------------------------------------------------------------------- */

/* Work-group (tile, y) adds up 32 quads of a tile's parts: warp w parts w, w + ADDERS and on, and then the warps' sums
 * in their order. */
kernel WORK_GROUP(32 * ADDERS) void gemm_mma_direct_sum(global OUT *c_base, long c_offset, int type_of_c, int m, int n,
                                                        long ldc, float alpha, float beta,
                                                        global const float4 *partials, long partials_first, int parts)
{
    local float4 sums[ADDERS][32];
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32,
              quad = (int)get_group_id(1) * 32 + lane, thread = quad % THREADS;
    const result_t to = {c_base + c_offset, m, n, ldc, alpha, beta};
    int row, col;

    place_tile((int)get_group_id(0), m, n, ROWS, COLS, &row, &col);
    row += warp_row(thread / 32) + thread % 32 / 4;
    col += warp_col(thread / 32) + quad / THREADS * 8;
    if (col >= n) /* of all lanes: nothing was written there */
        return;
    col += thread % 4 * 2;
    global const float4 *from = partials + partials_first + (long)get_group_id(0) * parts * (QUADS * THREADS) + quad;
    float4 sum = (float4)(0.0f);
    _Pragma("unroll 8") for (int part = warp; part < parts; part += ADDERS) sum += from[(long)part * (QUADS * THREADS)];
    sums[warp][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp > 0)
        return;
    UNROLL
    for (int i = 1; i < ADDERS; ++i)
        sum += sums[i][lane];
    write_pair(&to, row, col, sum.x, sum.y);
    write_pair(&to, row + 8, col, sum.z, sum.w);
}
