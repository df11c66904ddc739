/* gemm/wgmma-pipelined: one work-item asks the copy engine for tiles of the operands, two warpgroups multiply them, and
 * none waits for more than what it needs next; work-groups stay for all their tiles.  CUDA: wgmma-pipelined.cu, whose
 * tensor maps the driver encodes; here every work-group makes its own.
 *
 * The recipe defines ENTRY, ROWS, COLS, STAGES: a program for each tile, layout and type of C.  An operand lies in a
 * stage in rows of 128 bytes, as wgmma.cuh says. */
#include "device.clh"
#include "units.h"
#include "ring.clh"
#include "tensor-map.clh"
#include "wgmma-ptx.clh"
#include "repack.clh"

#define DEPTH GEMM_UNITS_DEPTH
#define A_BYTES (ROWS * ROW_BYTES)
#define STAGE_BYTES (A_BYTES + COLS * ROW_BYTES)
#define SWIZZLE_BYTES 1024
#define GROUP_THREADS 128
#define GROUP_ROWS 64
#define BLOCK_BYTES (GROUP_ROWS * ROW_BYTES) /* 64 rows of a stage, or of C on its way */
#define GROUPS (ROWS / GROUP_ROWS)
#define CONSUMERS (GROUPS * GROUP_THREADS)
#define LOCAL_BYTES (SWIZZLE_BYTES + STAGES * STAGE_BYTES + GROUPS * 2 * BLOCK_BYTES)

#ifdef IN_F16
#define IN_ELEMENTS ELEMENTS_F16
#else
#define IN_ELEMENTS ELEMENTS_BF16
#endif

#if defined(OUT_F16)
#define OUT_ELEMENTS ELEMENTS_F16
#define NARROW "f16x2"
#elif defined(OUT_BF16)
#define OUT_ELEMENTS ELEMENTS_BF16
#define NARROW "bf16x2"
#else
#define OUT_ELEMENTS ELEMENTS_F32
#endif

#ifdef NARROW
#define OUT_BYTES 2
#else
#define OUT_BYTES 4
#endif

/* ---- the list of work ------------------------------------------------------------------ */

/* The first `whole` tiles of C are one item each, each later tile is `parts` items along k. */
typedef struct {
    int whole, parts, items;
} cut_t;

typedef struct {
    int row, col;     /* of the tile's first element in C */
    int first, steps; /* of DEPTH along k */
    int partial;      /* which partial tile it makes, or -1: it makes C */
} item_t;

/* GEMM_GROUP rows of tiles together, column by column. */
INLINE void place_tile(int tile, int m, int n, int rows, int cols, int *row, int *col)
{
    const int down = (m - 1) / rows + 1, across = (n - 1) / cols + 1;
    const int group = tile / (GEMM_GROUP * across), within = tile - group * GEMM_GROUP * across;
    const int left = down - group * GEMM_GROUP, height = left < GEMM_GROUP ? left : GEMM_GROUP;
    *row = (group * GEMM_GROUP + within % height) * rows;
    *col = within / height * cols;
}

INLINE item_t item_at(const cut_t *cut, int number, int m, int n, int steps)
{
    const int late = number - cut->whole;
    int tile = number;
    item_t item;
    item.first = 0;
    item.steps = steps;
    item.partial = -1;
    if (late >= 0) {
        const int part = late % cut->parts, share = steps / cut->parts, more = steps % cut->parts;
        tile = cut->whole + late / cut->parts;
        item.first = part * share + (part < more ? part : more);
        item.steps = share + (part < more);
        item.partial = late;
    }
    place_tile(tile, m, n, ROWS, COLS, &item.row, &item.col);
    return item;
}

/* ---- bringing -------------------------------------------------------------------------- */

/* One box where the inner index runs along the rows in memory, one for every line of outer indices where those do. */
INLINE void bring(uint to, global uchar *map, bool along, int side, int outer, int inner, uint barrier)
{
    const int box = along ? side : DEPTH;
    UNROLL
    for (int at = 0; at < side; at += box)
        start_box(to + (uint)at * ROW_BYTES, map, along ? inner : outer + at, along ? outer + at : inner, barrier);
}

/* By one work-item. */
INLINE void bring_items(ring_t ring, global uchar *map_a, global uchar *map_b, const cut_t *cut, int m, int n, int steps)
{
    for (int number = (int)get_group_id(0); number < cut->items; number += (int)get_num_groups(0)) {
        const item_t item = item_at(cut, number, m, n, steps);
        for (int step = item.first; step < item.first + item.steps; ++step) {
            const uint full = full_of(&ring), stage = ring.first + (uint)ring.place * STAGE_BYTES;
            await(empty_of(&ring), ring.parity ^ 1);
            arrive_and_expect(full, STAGE_BYTES);
            bring(stage, map_a, A_INNER, ROWS, item.row, step * DEPTH, full);
            bring(stage + A_BYTES, map_b, B_INNER, COLS, item.col, step * DEPTH, full);
            advance(&ring);
        }
    }
}

/* ---- multiplying ----------------------------------------------------------------------- */

INLINE void release(uint empty)
{
    if (get_local_id(0) % 32 == 0)
        arrive(empty);
}

/* `steps` stages of the ring, one at least.  A stage is let go of when the next one's products have begun. */
INLINE void consume(float *sum, ring_t *ring, int group, int steps)
{
    uint before = 0;
    _Pragma("unroll 1")
    for (int step = 0; step < steps; ++step) {
        const uint stage = ring->first + (uint)ring->place * STAGE_BYTES;
        await(full_of(ring), ring->parity);
        multiply(sum, stage + (uint)group * BLOCK_BYTES, stage + A_BYTES);
        if (step > 0) {
            AWAIT_PRODUCTS(1);
            release(before);
        }
        before = empty_of(ring);
        advance(ring);
    }
    AWAIT_PRODUCTS(0);
    settle(sum);
    release(before);
}

/* ---- C --------------------------------------------------------------------------------- */

/* Where C goes: `map` where `bulk`, else row by row. */
typedef struct {
    global OUT *c;
    int m, n;
    long ldc;
    float alpha, beta;
    global uchar *map;
    bool bulk;
} destination_t;

/* A warpgroup's block on its way: 64 rows of 128 bytes, swizzled as the map says. */
INLINE uint place_in_block(uint block, int row, int chunk)
{
    return block + (uint)(row * ROW_BYTES + ((chunk ^ (row & 7)) << 4));
}

#define BLOCK_COLS (ROW_BYTES / OUT_BYTES)

#ifdef NARROW
INLINE uint narrowed(float first, float second)
{
    uint both;
    asm("cvt.rn." NARROW ".f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

/* The first BLOCK_COLS columns of these sums. */
INLINE void stage_sums(const float *sum, uint block)
{
    const int lane = (int)get_local_id(0) % 32, row = (int)get_local_id(0) % GROUP_THREADS / 32 * 16 + lane % 16;
    UNROLL
    for (int j = 0; j < 8; j += 2) {
        const float *s = sum + 4 * j;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         place_in_block(block, row, j + lane / 16)),
                     "r"(narrowed(s[0], s[1])), "r"(narrowed(s[2], s[3])), "r"(narrowed(s[4], s[5])),
                     "r"(narrowed(s[6], s[7]))
                     : "memory");
    }
}

/* By assembler, so that the compiler leaves it where it is: it would read them all first, and have no registers. */
INLINE float element_before(global const OUT *from)
{
    ushort element;
    asm volatile("ld.global.u16 %0, [%1];" : "=h"(element) : "l"(from) : "memory");
    return FROM_OUT(element);
}

INLINE OUT element_at(uint from)
{
    ushort element;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(element) : "r"(from));
    return element;
}
#else
INLINE void stage_sums(const float *sum, uint block)
{
    const int lane = (int)get_local_id(0) % 32, row = (int)get_local_id(0) % GROUP_THREADS / 32 * 16 + lane / 4;
    UNROLL
    for (int j = 0; j < 4; ++j)
        UNROLL
        for (int half_of = 0; half_of < 2; ++half_of) {
            const float *s = sum + 4 * j + 2 * half_of;
            const uint at = place_in_block(block, row + 8 * half_of, 2 * j + lane % 4 / 2) + (uint)(lane % 2 * 8);
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(at), "f"(s[0]), "f"(s[1]) : "memory");
        }
}

INLINE float element_before(global const OUT *from)
{
    float element;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(element) : "l"(from) : "memory");
    return element;
}

INLINE OUT element_at(uint from)
{
    float element;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(element) : "r"(from));
    return element;
}
#endif

#define ROWS_AT_ONCE 8
#define PER_ROW (BLOCK_COLS / 32) /* of a lane */

/* A warp writes its 16 rows of a block to C; those of eight rows are read before the first is written. */
INLINE void write_rows(const destination_t *to, uint block, int first_row, int first_col)
{
    const int lane = (int)get_local_id(0) % 32, rows = (int)get_local_id(0) % GROUP_THREADS / 32 * 16;
    global OUT *c = to->c + (long)(first_row + rows) * to->ldc + first_col + lane;
    _Pragma("unroll 1")
    for (int first = rows; first < rows + 16; first += ROWS_AT_ONCE) {
        OUT element[ROWS_AT_ONCE][PER_ROW];
        UNROLL
        for (int i = 0; i < ROWS_AT_ONCE; ++i)
            UNROLL
            for (int j = 0; j < PER_ROW; ++j) {
                const int along = lane + 32 * j;
                element[i][j] = element_at(place_in_block(block, first + i, along * OUT_BYTES / 16) +
                                           (uint)(along * OUT_BYTES % 16));
            }
        UNROLL
        for (int i = 0; i < ROWS_AT_ONCE; ++i) {
            UNROLL
            for (int j = 0; j < PER_ROW; ++j)
                if (first_row + first + i < to->m && first_col + lane + 32 * j < to->n)
                    c[32 * j] = element[i][j];
            c += to->ldc;
        }
    }
}

/* Of one warpgroup. */
INLINE void meet_group(int group)
{
    asm volatile("bar.sync %0, 128;" ::"r"(1 + group) : "memory");
}

/* A block of C at (row, col) leaves through a block of local memory. */
INLINE void send(const destination_t *to, const float *sum, int group, uint block, int row, int col)
{
    const bool first = get_local_id(0) % GROUP_THREADS == 0;
    if (!to->bulk) { /* a warp writes what it staged */
        meet_warp();
        stage_sums(sum, block);
        meet_warp();
        write_rows(to, block, row, col);
        return;
    }
    if (first)
        await_stores_read();
    meet_group(group);
    stage_sums(sum, block);
    show_copy_engine();
    meet_group(group);
    if (first)
        start_store(to->map, col, row, block);
}

/* alpha and beta are applied to the work-item's sums where they are. */
INLINE void finish(float *sum, const destination_t *to, int row, int col)
{
    row += (int)get_local_id(0) % GROUP_THREADS / 32 * 16 + (int)get_local_id(0) % 32 / 4;
    col += (int)get_local_id(0) % 4 * 2;
    UNROLL
    for (int i = 0; i < SUMS; ++i)
        sum[i] *= to->alpha;
    if (to->beta == 0.0f)
        return;
    UNROLL
    for (int i = 0; i < SUMS; ++i) {
        const int at_row = row + i / 2 % 2 * 8, at_col = col + i / 4 * 8 + i % 2;
        if (at_row < to->m && at_col < to->n)
            sum[i] = fma(to->beta, element_before(to->c + at_row * to->ldc + at_col), sum[i]);
    }
}

/* A warpgroup's rows of the tile at (row, col); two blocks of local memory take turns. */
INLINE void write_tile(float *sum, const destination_t *to, int group, uint blocks, uint *turn, int row, int col)
{
    row += group * GROUP_ROWS;
    finish(sum, to, row, col);
    UNROLL
    for (int first = 0; first < COLS; first += BLOCK_COLS) {
        send(to, sum + first / 2, group, blocks + *turn * BLOCK_BYTES, row, col + first);
        *turn ^= 1;
    }
}

/* The sums of a partial tile, as the work-items have them: quad j of one at [j][work-item]. */
INLINE void write_partial(const float *sum, global float4 *partials, int number)
{
    global float4 *to = partials + (long)number * (COLS / 8 * CONSUMERS) + get_local_id(0);
    UNROLL
    for (int j = 0; j < COLS / 8; ++j)
        to[j * CONSUMERS] = (float4)(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]);
}

/* By a warpgroup. */
INLINE void multiply_items(ring_t ring, const destination_t *to, const cut_t *cut, int steps, global float4 *partials)
{
    const int group = (int)get_local_id(0) / GROUP_THREADS;
    const uint blocks = ring.first + STAGES * STAGE_BYTES + (uint)group * 2 * BLOCK_BYTES;
    uint turn = 0;
    for (int number = (int)get_group_id(0); number < cut->items; number += (int)get_num_groups(0)) {
        const item_t item = item_at(cut, number, to->m, to->n, steps);
        float sum[SUMS];
        UNROLL
        for (int i = 0; i < SUMS; ++i)
            sum[i] = 0.0f;
        consume(sum, &ring, group, item.steps);
        if (item.partial >= 0)
            write_partial(sum, partials, item.partial);
        else
            write_tile(sum, to, group, blocks, &turn, item.row, item.col);
    }
    if (to->bulk && get_local_id(0) % GROUP_THREADS == 0)
        await_stores();
}

/* ---- the kernels ----------------------------------------------------------------------- */

/* The warpgroup that brings gives most of its registers to those that multiply. */
kernel WORK_GROUP(GEMM_WGMMA_THREADS) void ENTRY(
    global uchar *a_base, long a_offset, matrix_t a_matrix, global uchar *b_base, long b_offset, matrix_t b_matrix,
    global uchar *c_base, long c_offset, matrix_t c_matrix, global uchar *maps_base, long maps_offset, int bulk,
    global OUT *c_elements, long c_first, int type_of_c, int m, int n, int k, long ldc, float alpha, float beta,
    global float4 *partials, long partials_first, int whole, int parts, int items)
{
    local uchar memory[LOCAL_BYTES];
    local ulong barriers[2 * STAGES];
    ring_t ring = ring_of(memory, barriers);
    global uchar *maps = maps_base + maps_offset + (long)get_group_id(0) * 3 * MAP_BYTES;
    const int thread = (int)get_local_id(0), steps = (k + DEPTH - 1) / DEPTH;
    const cut_t cut = {whole, parts, items};

    asm volatile("//sm_90a entry: .maxnreg 168");
    ring.first = (ring.first + SWIZZLE_BYTES - 1) & ~(uint)(SWIZZLE_BYTES - 1);
    if (thread == 0) {
        open_ring(&ring, 1, CONSUMERS / 32);
        publish_ring();
    }
    /* Three warps make maps, where later C is on its way. */
    const uint leaving = ring.first + STAGES * STAGE_BYTES;
    if (thread / 32 == CONSUMERS / 32)
        MAKE_MAP(leaving, maps, a_base + a_offset, a_matrix, IN_ELEMENTS);
    else if (thread / 32 == CONSUMERS / 32 + 1)
        MAKE_MAP(leaving + MAP_BYTES, maps + MAP_BYTES, b_base + b_offset, b_matrix, IN_ELEMENTS);
    else if (thread / 32 == CONSUMERS / 32 + 2 && bulk)
        MAKE_MAP(leaving + 2 * MAP_BYTES, maps + 2 * MAP_BYTES, c_base + c_offset, c_matrix, OUT_ELEMENTS);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (thread >= CONSUMERS) {
        asm volatile("//sm_90a: setmaxnreg.dec.sync.aligned.u32 40;");
        if (thread == CONSUMERS) {
            acquire_map(maps);
            acquire_map(maps + MAP_BYTES);
            bring_items(ring, maps, maps + MAP_BYTES, &cut, m, n, steps);
        }
    } else {
        const destination_t to = {c_elements + c_first, m, n, ldc, alpha, beta, maps + 2 * MAP_BYTES, bulk != 0};
        asm volatile("//sm_90a: setmaxnreg.inc.sync.aligned.u32 232;");
        if (bulk && thread % GROUP_THREADS == 0)
            acquire_map(to.map);
        multiply_items(ring, &to, &cut, steps, partials + partials_first);
    }
}

INLINE void write_sum(const destination_t *to, int row, int col, float sum)
{
    if (row < to->m && col < to->n) {
        global OUT *c = to->c + row * to->ldc + col;
        const float product = to->alpha * sum;
        *c = TO_OUT(to->beta == 0.0f ? product : fma(to->beta, FROM_OUT(*c), product));
    }
}

/* Work-group (tile, y): each work-item adds up a quad of the partial tiles of a tile, the parts in their order. */
kernel WORK_GROUP(GEMM_WGMMA_SUM_THREADS) void gemm_wgmma_pipelined_sum(
    global OUT *c_elements, long c_first, int type_of_c, int m, int n, long ldc, float alpha, float beta,
    global const float4 *partials, long partials_first, int whole, int parts, int rows, int cols)
{
    const destination_t to = {c_elements + c_first, m, n, ldc, alpha, beta, 0, false};
    const int quad = (int)(get_group_id(1) * GEMM_WGMMA_SUM_THREADS + get_local_id(0)), quads = COLS / 8 * CONSUMERS;
    global const float4 *from = partials + partials_first + (long)get_group_id(0) * parts * quads + quad;
    float4 sum = (float4)(0.0f);
    int row, col;
    if (quad >= quads)
        return;
    _Pragma("unroll 4")
    for (int part = 0; part < parts; ++part)
        sum += from[(long)part * quads];
    place_tile(whole + (int)get_group_id(0), m, n, ROWS, COLS, &row, &col);
    row += quad % CONSUMERS / 32 * 16 + quad % 32 / 4;
    col += quad / CONSUMERS * 8 + quad % 4 * 2;
    write_sum(&to, row, col, sum.x);
    write_sum(&to, row, col + 1, sum.y);
    write_sum(&to, row + 8, col, sum.z);
    write_sum(&to, row + 8, col + 1, sum.w);
}
