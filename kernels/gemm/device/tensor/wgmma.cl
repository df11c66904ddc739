/* gemm/wgmma: products of f16 and bf16 on the matrix units of sm_90a, by inline PTX: a warpgroup multiplies 64 rows of
 * A with 128 columns of B straight from local memory.  CUDA: wgmma.cu, where the copy engine brings the tiles; here the
 * work-items do, by asynchronous copies, and so operands may begin anywhere. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/tensor/wgmma-cl.h"

#define THREADS GEMM_WGMMA_CL_THREADS
#define ROWS GEMM_WGMMA_CL_ROWS
#define COLS GEMM_WGMMA_CL_COLS
#define STAGES GEMM_WGMMA_CL_STAGES
#include "gemm/device/tensor/load-elements.clh"
#include "gemm/device/ptx/wgmma.clh"

#define A_BYTES (ROWS * ROW_BYTES)
#define STAGE_BYTES (A_BYTES + COLS * ROW_BYTES)
#define SWIZZLE_BYTES GEMM_WGMMA_CL_SWIZZLE

/* ---- C ------------------------------------------------------------------------------- */

INLINE void write_sum(global OUT *c, float sum, float alpha, float beta)
{
    const float product = alpha * sum;
    *c = TO_OUT(beta == 0.0f ? product : fma(beta, FROM_OUT(*c), product));
}

/* `c` is where the tile begins, of which `rows` and `cols` are there. */
INLINE void write_tile(const float *sum, global OUT *c, long rows, long cols, long ldc, float alpha, float beta)
{
    const int thread = (int)get_local_id(0), row = thread / 32 * 16 + thread % 32 / 4, col = thread % 4 * 2;
    const int there = cols < COLS ? (int)cols : COLS;
    c += row * ldc + col;
    UNROLL
    for (int half_of = 0; half_of < 2; ++half_of) {
        if (row + 8 * half_of < rows) {
            UNROLL
            for (int j = 0; j < COLS / 8; ++j)
                UNROLL
            for (int e = 0; e < 2; ++e)
                if (col + 8 * j + e < there)
                    write_sum(c + 8 * j + e, sum[4 * j + 2 * half_of + e], alpha, beta);
        }
        c += 8 * ldc;
    }
}

/* ---- the kernel ---------------------------------------------------------------------- */

#define BRING_STAGE(step)                                                                         \
    do {                                                                                          \
        const uint stage = first + (uint)((step) % STAGES) * STAGE_BYTES;                         \
        const long inner = (step)*DEPTH;                                                          \
        if ((step) < steps) {                                                                     \
            bring(stage, A_INNER, ROWS, SOURCE_OF_A(ROWS, DEPTH), a_matrix, a_aligned);           \
            bring(stage + A_BYTES, B_INNER, COLS, SOURCE_OF_B(COLS, DEPTH), b_matrix, b_aligned); \
        }                                                                                         \
        asm volatile("cp.async.commit_group;" ::: "memory");                                      \
    } while (0)

/* Two stages are on their way while one is multiplied and the one before may still be read. */
#define AHEAD (STAGES - 2)

kernel WORK_GROUP(THREADS) void gemm_wgmma(global const IN *a_base, long a_offset, global const IN *b_base,
                                           long b_offset, global OUT *c_base, long c_offset, long m, long n, long k,
                                           long lda, long ldb, long ldc, float alpha, float beta)
{
    GEMM_OPERANDS;
    local uchar stages[STAGES * STAGE_BYTES + SWIZZLE_BYTES];
    const uint first = ((uint)(size_t)stages + SWIZZLE_BYTES - 1) & ~(uint)(SWIZZLE_BYTES - 1);
    const bool a_aligned = (size_t)a_matrix % 16 == 0 && lda % CHUNK == 0,
               b_aligned = (size_t)b_matrix % 16 == 0 && ldb % CHUNK == 0;
    const corner_t corner = tile_in_group(m, n, ROWS, COLS);
    const long steps = (k + DEPTH - 1) / DEPTH;
    float sum[SUMS];

    UNROLL
    for (int i = 0; i < SUMS; ++i)
        sum[i] = 0.0f;
    for (long step = 0; step < AHEAD; ++step)
        BRING_STAGE(step);
    for (long step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(AHEAD - 1) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); /* the units see what was copied */
        AWAIT_PRODUCTS(1);
        barrier(CLK_LOCAL_MEM_FENCE); /* the stage is there, and that of two steps before has been multiplied */
        BRING_STAGE(step + AHEAD);
        const uint stage = first + (uint)(step % STAGES) * STAGE_BYTES;
        multiply(sum, stage, stage + A_BYTES);
    }
    AWAIT_PRODUCTS(0);
    settle(sum);
    asm volatile("cp.async.wait_all;" ::: "memory"); /* no work-group ends with copies on their way */
    write_tile(sum, c_matrix + corner.row * ldc + corner.col, m - corner.row, n - corner.col, ldc, alpha, beta);
}
