/* gemm/dmma-bulk: f64 on the matrix units, the operands brought by bulk tensor copies: one work-item asks for whole
 * tiles, which come in the swizzled order without passing through registers.  CUDA: dmma-bulk.cu, whose tensor maps the
 * driver encodes; here every work-group makes its own.
 *
 * The recipe defines besides what dmma.clh names THREADS of a work-group and MOST_REGISTERS of a work-item; where the
 * warpgroup that copies gives registers away, MANY_REGISTERS of those that multiply.  A program for each tile and
 * layout. */
#include "gemm/device/f64/dmma.clh"
#include "gemm/device/f64/tiles.h"
#include "gemm/device/ptx/tensor-map.clh"

#define SWIZZLE_BYTES 1024
#define LOCAL_BYTES (SWIZZLE_BYTES + STAGES * STAGE_BYTES + 2 * MAP_BYTES)

/* ---- bulk copies ------------------------------------------------------------------------ */

/* One box where the inner index runs along the rows in memory, one for every 16 outer indices where those do. */
INLINE void bring(uint to, global uchar *map, bool along, int side, int outer, int inner, uint full)
{
    const int box = along ? side : 16;
    UNROLL
    for (int at = 0; at < side; at += box)
        start_box(to + (uint)at * ROW_BYTES, map, along ? inner : outer + at, along ? outer + at : inner, full);
}

/* By one work-item. */
INLINE void bring_items(ring_t ring, global uchar *map_a, global uchar *map_b, long m, long n, long k, int whole,
                        int parts, int items)
{
    for (int number = (int)get_group_id(0); number < items; number += (int)get_num_groups(0)) {
        const item_t item = item_of(m, n, k, whole, parts, number);
        for (int step = item.first; step < item.first + item.steps; ++step) {
            const uint full = full_of(&ring), stage = STAGE_PLACE;
            await(empty_of(&ring), ring.parity ^ 1);
            arrive_and_expect(full, STAGE_BYTES);
            bring(stage, map_a, A_INNER, TILE_ROWS, item.row, step * DEPTH, full);
            bring(stage + A_BYTES, map_b, B_INNER, TILE_COLS, item.col, step * DEPTH, full);
            advance(&ring);
        }
    }
}

/* ---- the kernel ------------------------------------------------------------------------- */

INLINE void give_registers_back(void)
{
#ifdef MANY_REGISTERS
    asm volatile("//sm_90a: setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(GEMM_DMMA_BULK_COPYING_REGISTERS));
#endif
}

INLINE void take_registers(void)
{
#ifdef MANY_REGISTERS
    asm volatile("//sm_90a: setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(MANY_REGISTERS));
#endif
}

kernel WORK_GROUP(THREADS) void ENTRY(global uchar *a_base, long a_offset, matrix_t a_matrix, global uchar *b_base,
                                      long b_offset, matrix_t b_matrix, global uchar *maps_base, long maps_offset,
                                      global T *c_base, long c_offset, int m, int n, int k, long ldc, T alpha, T beta,
                                      global T *scratch, long partials_offset, int whole, int parts, int items)
{
    local uchar memory[LOCAL_BYTES];
    local ulong barriers[2 * STAGES];
    ring_t ring = ring_of(memory, barriers);
    global uchar *maps = maps_base + maps_offset + (long)get_group_id(0) * 2 * MAP_BYTES;
    const int thread = (int)get_local_id(0);

    asm volatile("//sm_90a entry: .maxnreg %0" ::"n"(MOST_REGISTERS));
    ring.first = (ring.first + SWIZZLE_BYTES - 1) & ~(uint)(SWIZZLE_BYTES - 1);
    if (thread == 0) {
        open_ring(&ring, 1, CONSUMERS / 32);
        publish_ring();
    }
    /* A warp for each map; their places in local memory are used for nothing else. */
    const uint behind = ring.first + STAGES * STAGE_BYTES;
    if (thread / 32 == 1)
        MAKE_MAP(behind, maps, a_base + a_offset, a_matrix, ELEMENTS_F64, SWIZZLE_128);
    else if (thread / 32 == 2)
        MAKE_MAP(behind + MAP_BYTES, maps + MAP_BYTES, b_base + b_offset, b_matrix, ELEMENTS_F64, SWIZZLE_128);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (thread >= CONSUMERS) {
        give_registers_back();
        if (thread == CONSUMERS) {
            acquire_map(maps);
            acquire_map(maps + MAP_BYTES);
            bring_items(ring, maps, maps + MAP_BYTES, m, n, k, whole, parts, items);
        }
    } else {
        take_registers();
        multiply_items(ring, c_base + c_offset, m, n, k, ldc, alpha, beta, scratch + partials_offset, whole, parts,
                       items);
    }
}

kernel WORK_GROUP(GEMM_DMMA_SUM_THREADS) void gemm_dmma_bulk_sum(global T *c_base, long c_offset, int m, int n,
                                                                 long ldc, T alpha, T beta, global const T *scratch,
                                                                 long partials_offset, int whole, int parts, int slices,
                                                                 int rows, int cols)
{
    local PACK sums[GEMM_DMMA_SUM_THREADS];
    add_parts(c_base + c_offset, m, n, ldc, alpha, beta, scratch + partials_offset, whole, parts, slices, rows, cols,
              sums);
}

/* ---- operands that bulk copies can't read ----------------------------------------------- */

/* An operand and where it is packed; no rows: it isn't. */
typedef struct {
    global const T *from;
    global T *to;
    long rows, width, ld, pitch;
} packing_t;

#define PACKED_AT_ONCE (GEMM_DMMA_PACK_PIECE / 32)

/* A warp copies a piece of one row; all its loads are on their way before it stores. */
INLINE void pack_rows(packing_t p)
{
    const long warp = (long)get_group_id(0) * (GEMM_DMMA_PACK_THREADS / 32) + (int)get_local_id(0) / 32;
    const long pieces = (p.width + GEMM_DMMA_PACK_PIECE - 1) / GEMM_DMMA_PACK_PIECE;
    const long row = warp / pieces, first = warp % pieces * GEMM_DMMA_PACK_PIECE + (int)get_local_id(0) % 32;
    T element[PACKED_AT_ONCE];

    if (row >= p.rows)
        return;
    global const T *from = p.from + row * p.ld + first;
    global T *to = p.to + row * p.pitch + first;
    UNROLL
    for (int i = 0; i < PACKED_AT_ONCE; ++i)
        if (first + 32 * i < p.width)
            element[i] = from[32 * i];
    UNROLL
    for (int i = 0; i < PACKED_AT_ONCE; ++i)
        if (first + 32 * i < p.width)
            to[32 * i] = element[i];
}

/* Work-groups (x, 1) pack B. */
kernel WORK_GROUP(GEMM_DMMA_PACK_THREADS) void gemm_dmma_bulk_pack(global const T *a_base, long a_offset,
                                                                   global T *to_a, long to_a_offset, long rows_a,
                                                                   long width_a, long lda, long pitch_a,
                                                                   global const T *b_base, long b_offset,
                                                                   global T *to_b, long to_b_offset, long rows_b,
                                                                   long width_b, long ldb, long pitch_b)
{
    const packing_t a = {a_base + a_offset, to_a + to_a_offset, rows_a, width_a, lda, pitch_a},
                    b = {b_base + b_offset, to_b + to_b_offset, rows_b, width_b, ldb, pitch_b};
    pack_rows(get_group_id(1) ? b : a);
}
