/* gemm/mma-sync: products of f16 and bf16, and in mma-sync-tf32 of f32 as TF32, on the matrix units, by inline PTX.
 * CUDA: mma-sync.cu, which says how operands lie in a stage.  The recipe defines IN_TF32 for the latter. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/common/tensor-tiles.h"

#define SIDE GEMM_MMA_SYNC_SIDE
#define STAGES GEMM_MMA_SYNC_STAGES
#define THREADS GEMM_MMA_SYNC_THREADS
#include "gemm/device/tensor/load-elements.clh"

#define OPERAND_BYTES (SIDE * ROW_BYTES)
#define STAGE_BYTES (2 * OPERAND_BYTES)
#define WARPS_DOWN 2
#define WARP_ROWS (SIDE / WARPS_DOWN)
#define WARP_COLS (SIDE / (THREADS / 32 / WARPS_DOWN))
#define DOWN (WARP_ROWS / 16) /* products of an instruction in a warp's tile */
#define ACROSS (WARP_COLS / 8)
#include "gemm/device/tensor/mma.clh"

/* ---- multiplying --------------------------------------------------------------------- */

INLINE void multiply(float (*sum)[ACROSS][4], uint stage, int row, int col)
{
    asm volatile("" : "+r"(row), "+r"(col)); /* addresses are computed here each time: kept, they would not fit */
    UNROLL
    for (int inner = 0; inner < DEPTH; inner += 2 * CHUNK) {
        uint a[DOWN][4], b[ACROSS / 2][4];
        UNROLL
        for (int i = 0; i < DOWN; ++i)
            read_fragment(a[i], stage, A_INNER, false, row + 16 * i, inner);
        UNROLL
        for (int j = 0; j < ACROSS / 2; ++j)
            read_fragment(b[j], stage + OPERAND_BYTES, B_INNER, true, col + 16 * j, inner);
        UNROLL
        for (int i = 0; i < DOWN; ++i)
            UNROLL
        for (int j = 0; j < ACROSS; ++j)
            multiply_add(sum[i][j], a[i], b[j / 2] + j % 2 * 2);
    }
}

/* ---- C ------------------------------------------------------------------------------- */

INLINE void write_sum(global OUT *c, float sum, float alpha, float beta)
{
    const float product = alpha * sum;
    *c = TO_OUT(beta == 0.0f ? product : fma(beta, FROM_OUT(*c), product));
}

/* Lane l has of each product rows l / 4 and l / 4 + 8, columns 2 (l % 4) and the next.  `c` is where the warp's part
 * begins, of which `rows` and `cols` are there. */
INLINE void write_tile(const float (*sum)[ACROSS][4], global OUT *c, long rows, long cols, long ldc, float alpha,
                       float beta)
{
    const int lane = (int)get_local_id(0) % 32, row = lane / 4, col = lane % 4 * 2;
    const int there = cols < WARP_COLS ? (int)cols : WARP_COLS;
    c += row * ldc + col;
    UNROLL
    for (int i = 0; i < DOWN; ++i)
        UNROLL
    for (int half_of = 0; half_of < 2; ++half_of) {
        if (row + 16 * i + 8 * half_of < rows) {
            UNROLL
            for (int j = 0; j < ACROSS; ++j)
                UNROLL
            for (int e = 0; e < 2; ++e)
                if (col + 8 * j + e < there)
                    write_sum(c + 8 * j + e, sum[i][j][2 * half_of + e], alpha, beta);
        }
        c += 8 * ldc;
    }
}

/* ---- the kernel ---------------------------------------------------------------------- */

#define BRING_STAGE(step)                                                                               \
    do {                                                                                                \
        const uint stage = first + (uint)((step) % STAGES) * STAGE_BYTES;                               \
        const long inner = (step)*DEPTH;                                                                \
        if ((step) < steps) {                                                                           \
            bring(stage, A_INNER, SIDE, SOURCE_OF_A(SIDE, DEPTH), a_matrix, a_aligned);                 \
            bring(stage + OPERAND_BYTES, B_INNER, SIDE, SOURCE_OF_B(SIDE, DEPTH), b_matrix, b_aligned); \
        }                                                                                               \
        asm volatile("cp.async.commit_group;" ::: "memory");                                            \
    } while (0)

/* type_of_c: what CUDA's form is told of C; here OUT is its type. */
kernel WORK_GROUP(THREADS) void gemm_mma_sync(global const IN *a_base, long a_offset, global const IN *b_base,
                                              long b_offset, global OUT *c_base, long c_offset, int type_of_c, long m,
                                              long n, long k, long lda, long ldb, long ldc, float alpha, float beta)
{
    GEMM_OPERANDS;
    local uchar stages[STAGES * STAGE_BYTES] __attribute__((aligned(128)));
    const uint first = (uint)(size_t)stages;
    const bool a_aligned = (size_t)a_matrix % 16 == 0 && lda % CHUNK == 0,
               b_aligned = (size_t)b_matrix % 16 == 0 && ldb % CHUNK == 0;
    const corner_t corner = tile_in_group(m, n, SIDE, SIDE);
    const long steps = (k + DEPTH - 1) / DEPTH;
    const int warp = (int)get_local_id(0) / 32, row = warp % WARPS_DOWN * WARP_ROWS,
              col = warp / WARPS_DOWN * WARP_COLS;
    float sum[DOWN][ACROSS][4];

    UNROLL
    for (int i = 0; i < DOWN; ++i)
        UNROLL
    for (int j = 0; j < ACROSS; ++j)
        UNROLL
    for (int e = 0; e < 4; ++e)
        sum[i][j][e] = 0.0f;
    for (long step = 0; step < STAGES - 1; ++step)
        BRING_STAGE(step);
    for (long step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        barrier(CLK_LOCAL_MEM_FENCE); /* the stage is there, and the one before has been multiplied */
        BRING_STAGE(step + STAGES - 1);
        multiply(sum, first + (uint)(step % STAGES) * STAGE_BYTES, row, col);
    }
    asm volatile("cp.async.wait_all;" ::: "memory"); /* no work-group ends with copies on their way */
    write_tile((const float(*)[ACROSS][4])sum, c_matrix + (corner.row + row) * ldc + corner.col + col,
               m - corner.row - row, n - corner.col - col, ldc, alpha, beta);
}
