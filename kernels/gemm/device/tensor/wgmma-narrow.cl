/* gemm/wgmma-narrow: products whose C has few columns, or few rows, which are then columns of the product B^T A^T whose
 * result is turned on its way out.  Tiles have 64 rows and 16, 32 or 64 columns, so that nearly all of a
 * multiprocessor's local memory holds what is on its way of the larger operand.  CUDA: wgmma-narrow.cu; here every
 * work-group makes its tensor maps, and stays for all its tiles.
 *
 * The recipe defines ENTRY and COLS, and TRANS_A and TRANS_B of the product that is multiplied: a program for each
 * tile, layout and type of C. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/tensor/wgmma-narrow.h"
#include "gemm/device/tensor/wgmma-narrow-cl.h"

#define ROWS GEMM_NARROW_CL_ROWS
#define THREADS GEMM_NARROW_CL_THREADS
#define GROUP_THREADS 128
#define A_BYTES (ROWS * 128)
#define STAGE_BYTES (A_BYTES + COLS * 128)
#define STAGES (GEMM_NARROW_CL_STAGES / STAGE_BYTES)
#define DEPTH 64
#define PITCH GEMM_NARROW_CL_PITCH
#define ADDERS GEMM_NARROW_ADDERS
#include "gemm/device/common/pipeline-state.clh"
#include "gemm/device/ptx/tensor-map.clh"
#include "gemm/device/ptx/wgmma.clh"
#include "gemm/device/common/tile-scheduler.clh"
#include "gemm/device/common/epilogue.clh"
#include "gemm/device/common/pack-operands.clh"

/* Of B in a stage: bytes of a line, and how units of 16 bytes change places in it. */
#define B_LINE (B_INNER ? ROW_BYTES : 2 * COLS)
#define B_SWIZZLE (B_LINE == 128 ? SWIZZLE_128 : B_LINE == 64 ? SWIZZLE_64 : SWIZZLE_32)

#ifdef IN_F16
#define IN_ELEMENTS ELEMENTS_F16
#else
#define IN_ELEMENTS ELEMENTS_BF16
#endif

/* Where a product's sums go: C, or C turned. */
typedef struct {
    result_t c;
    bool turned;
} target_t;

INLINE item_t item_of(const target_t *to, const cut_t *cut, int number, int steps)
{
    const int m = (int)to->c.m, n = (int)to->c.n;
    return item_at(cut, number, to->turned ? n : m, to->turned ? m : n, ROWS, COLS, steps);
}

/* ---- bringing -------------------------------------------------------------------------- */

/* By one work-item: one box of each operand.  Of a product with fewer columns than the tile the boxes of B are no
 * larger than it. */
INLINE void bring_items(ring_t ring, global uchar *map_a, global uchar *map_b, const target_t *to, const cut_t *cut,
                        int steps)
{
    const int cols = (int)(to->turned ? to->c.m : to->c.n);
    const uint bytes = A_BYTES + (uint)(B_INNER ? min(cols, COLS) * ROW_BYTES : DEPTH * B_LINE);
    for (int number = (int)get_group_id(0); number < cut->items; number += (int)get_num_groups(0)) {
        const item_t item = item_of(to, cut, number, steps);
        for (int step = item.first; step < item.first + item.steps; ++step) {
            const uint full = full_of(&ring), stage = ring.first + (uint)ring.place * STAGE_BYTES;
            const int inner = step * DEPTH;
            await(empty_of(&ring), ring.parity ^ 1);
            arrive_and_expect(full, bytes);
            start_box(stage, map_a, A_INNER ? inner : item.row, A_INNER ? item.row : inner, full);
            start_box(stage + A_BYTES, map_b, B_INNER ? inner : item.col, B_INNER ? item.col : inner, full);
            advance(&ring);
        }
    }
}

/* ---- multiplying ----------------------------------------------------------------------- */

/* Begins to multiply a stage. */
INLINE void multiply_stage(float *sum, uint stage)
{
    const ulong a = operand_at(stage, A_INNER);
    const ulong b = B_INNER ? operand_at(stage + A_BYTES, true) : operand_across(stage + A_BYTES, B_LINE);
    BEGIN_PRODUCTS;
    UNROLL
    for (int i = 0; i < DEPTH / 16; ++i)
        multiply_add(sum, a + i * NEXT(A_INNER), b + i * (B_INNER ? NEXT(true) : 16 * B_LINE >> 4));
    END_PRODUCTS;
}

/* `steps` stages of the ring, one at least.  A stage is let go of when the next one's products have begun. */
INLINE void consume(float *sum, ring_t *ring, int steps)
{
    uint before = 0;
    _Pragma("unroll 1") for (int step = 0; step < steps; ++step)
    {
        await(full_of(ring), ring->parity);
        multiply_stage(sum, ring->first + (uint)ring->place * STAGE_BYTES);
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

/* A work-item has pairs of neighbours in a row. */
INLINE void write_straight(const float *sum, const result_t *c, int row, int col)
{
    row += (int)get_local_id(0) / 32 * 16 + (int)get_local_id(0) % 32 / 4;
    col += (int)get_local_id(0) % 4 * 2;
    UNROLL
    for (int j = 0; j < COLS / 8; ++j) {
        write_pair(c, row, col + 8 * j, sum[4 * j], sum[4 * j + 1]);
        write_pair(c, row + 8, col + 8 * j, sum[4 * j + 2], sum[4 * j + 3]);
    }
}

/* Of those that multiply. */
INLINE void meet_group(void)
{
    asm volatile("bar.sync 1, 128;" ::: "memory");
}

/* Columns of the product, in local memory at `sums` one after the other, become rows of C, a warp's each. */
INLINE void write_turned(const float *sum, const result_t *c, int row, int col, uint sums)
{
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
    const uint mine = sums + (uint)(4 * (lane % 4 * 2 * PITCH + warp * 16 + lane / 4));
    meet_group();
    UNROLL
    for (int i = 0; i < SUMS; ++i)
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(mine + (uint)(4 * ((i / 4 * 8 + i % 2) * PITCH + i / 2 % 2 * 8))),
                     "f"(sum[i])
                     : "memory");
    meet_group();
    _Pragma("unroll 4") for (int i = warp; i < COLS; i += GROUP_THREADS / 32)
    {
        float first, second;
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
                     : "=f"(first), "=f"(second)
                     : "r"(sums + (uint)(4 * (i * PITCH + 2 * lane)))
                     : "memory");
        write_pair(c, col + i, row + 2 * lane, first, second);
    }
}

/* The sums of a partial tile, as the work-items have them: quad j of one at [j][work-item]. */
INLINE void write_partial(const float *sum, global float4 *partials, int number)
{
    global float4 *to = partials + (long)number * (COLS / 8 * GROUP_THREADS) + get_local_id(0);
    UNROLL
    for (int j = 0; j < COLS / 8; ++j)
        to[j * GROUP_THREADS] = (float4)(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]);
}

INLINE void multiply_items(ring_t ring, const target_t *to, const cut_t *cut, int steps, global float4 *partials,
                           uint sums)
{
    for (int number = (int)get_group_id(0); number < cut->items; number += (int)get_num_groups(0)) {
        const item_t item = item_of(to, cut, number, steps);
        float sum[SUMS];
        UNROLL
        for (int i = 0; i < SUMS; ++i)
            sum[i] = 0.0f;
        consume(sum, &ring, item.steps);
        if (item.partial >= 0)
            write_partial(sum, partials, item.partial);
        else if (to->turned)
            write_turned(sum, &to->c, item.row, item.col, sums);
        else
            write_straight(sum, &to->c, item.row, item.col);
    }
}

/* ---- the product ----------------------------------------------------------------------- */

/* type_of_c: what CUDA's form is told of C; here OUT is its type. */
kernel WORK_GROUP(THREADS) void ENTRY(global uchar *a_base, long a_offset, matrix_t a_matrix, global uchar *b_base,
                                      long b_offset, matrix_t b_matrix, global uchar *maps_base, long maps_offset,
                                      global OUT *c_elements, long c_first, int type_of_c, int m, int n, int k,
                                      long ldc, float alpha, float beta, int turned, global float4 *partials,
                                      long partials_first, int whole, int parts, int items)
{
    local uchar memory[GEMM_NARROW_CL_LOCAL - 512];
    local ulong barriers[2 * STAGES];
    ring_t ring = ring_of(memory, barriers);
    global uchar *maps = maps_base + maps_offset + (long)get_group_id(0) * 2 * MAP_BYTES;
    const int thread = (int)get_local_id(0), steps = (k + DEPTH - 1) / DEPTH;
    const cut_t cut = {whole, parts, items};
    const target_t to = {{c_elements + c_first, m, n, ldc, alpha, beta}, turned != 0};

    ring.first = (ring.first + 1023) & ~1023u;
    const uint leaving = ring.first + GEMM_NARROW_CL_STAGES;
    if (thread == 0) {
        open_ring(&ring, 1, GROUP_THREADS / 32);
        publish_ring();
    }
    if (thread / 32 == 1) /* two warps make maps, where later C is on its way */
        MAKE_MAP(leaving, maps, a_base + a_offset, a_matrix, IN_ELEMENTS, SWIZZLE_128);
    else if (thread / 32 == 2)
        MAKE_MAP(leaving + MAP_BYTES, maps + MAP_BYTES, b_base + b_offset, b_matrix, IN_ELEMENTS, B_SWIZZLE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (thread == GROUP_THREADS) {
        acquire_map(maps);
        acquire_map(maps + MAP_BYTES);
        bring_items(ring, maps, maps + MAP_BYTES, &to, &cut, steps);
    } else if (thread < GROUP_THREADS) {
        multiply_items(ring, &to, &cut, steps, partials + partials_first, leaving);
    }
}

/* ---- parts of k ------------------------------------------------------------------------ */

INLINE void write_if_there(const result_t *c, int row, int col, float sum)
{
    if (row < c->m && col < c->n)
        write_one(c, row, col, sum);
}

/* Work-group (tile, y) adds up 32 quads of a tile's parts: warp w parts w, w + ADDERS and on, and then the warps' sums
 * in their order. */
kernel WORK_GROUP(32 * ADDERS) void gemm_wgmma_narrow_sum(global OUT *c_elements, long c_first, int type_of_c, int m,
                                                          int n, long ldc, float alpha, float beta, int turned,
                                                          global const float4 *partials, long partials_first, int whole,
                                                          int parts, int cols)
{
    local float4 sums[ADDERS][32];
    const result_t c = {c_elements + c_first, m, n, ldc, alpha, beta};
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32,
              quad = (int)get_group_id(1) * 32 + lane;
    const long quads = COLS / 8 * GROUP_THREADS;
    global const float4 *from = partials + partials_first + (long)get_group_id(0) * parts * quads + quad;
    float4 sum = (float4)(0.0f);
    int row, col;

    place_tile(whole + (int)get_group_id(0), turned ? n : m, turned ? m : n, ROWS, COLS, &row, &col);
    row += quad % GROUP_THREADS / 32 * 16 + lane / 4;
    col += quad / GROUP_THREADS * 8 + lane % 4 * 2;
    _Pragma("unroll 4") for (int part = warp; part < parts; part += ADDERS) sum += from[part * quads];
    sums[warp][lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp > 0)
        return;
    UNROLL
    for (int i = 1; i < ADDERS; ++i)
        sum += sums[i][lane];
    if (turned) {
        write_if_there(&c, col, row, sum.x);
        write_if_there(&c, col + 1, row, sum.y);
        write_if_there(&c, col, row + 8, sum.z);
        write_if_there(&c, col + 1, row + 8, sum.w);
    } else {
        write_pair(&c, row, col, sum.x, sum.y);
        write_pair(&c, row + 8, col, sum.z, sum.w);
    }
}
