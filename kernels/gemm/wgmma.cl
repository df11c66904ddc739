/* gemm/wgmma: products of f16 and bf16 on the matrix units of sm_90a, by inline PTX: a warpgroup multiplies 64 rows of
 * A with 128 columns of B straight from local memory.  CUDA: wgmma.cu, where the copy engine brings the tiles; here the
 * work-items do, by asynchronous copies, and so operands may begin anywhere.
 *
 * Lines that begin with "sm_90a" are comments to the compiler, which knows no wgmma; the program is built once more with
 * them in effect, and refused where that fails (backends/opencl/own_target.h). */
#include "device.clh"
#include "wgmma-cl.h"

#define THREADS GEMM_WGMMA_CL_THREADS
#define ROWS GEMM_WGMMA_CL_ROWS
#define COLS GEMM_WGMMA_CL_COLS
#define STAGES GEMM_WGMMA_CL_STAGES
#include "units-bring.clh"

#define A_BYTES (ROWS * ROW_BYTES)
#define STAGE_BYTES (A_BYTES + COLS * ROW_BYTES)
#define SWIZZLE_BYTES GEMM_WGMMA_CL_SWIZZLE
#define SUMS (COLS / 2)    /* of a work-item */
#define A_INNER (!TRANS_A)
#define B_INNER TRANS_B

#ifdef IN_F16
#define TYPES "f16.f16"
#else
#define TYPES "bf16.bf16"
#endif

/* ---- multiplying --------------------------------------------------------------------- */

/* An operand as wgmma is told of it: rows of 128 bytes with the 128-byte swizzle, 1024 bytes from eight rows to the
 * next; where the outer index runs along them, 64 x 64 elements from one block of 64 to the next. */
INLINE ulong operand_at(uint address, bool inner)
{
    const ulong block = inner ? 16 : 64 * ROW_BYTES, eight_rows = 1024, swizzle_128 = 1;
    return (ulong)((address & 0x3ffff) >> 4) | block >> 4 << 16 | eight_rows >> 4 << 32 | swizzle_128 << 62;
}

/* From what an instruction multiplies to what the next one does, in units of 16 bytes: 32 bytes of a row, or 16 rows. */
#define NEXT(inner) ((inner) ? 32 >> 4 : 16 * ROW_BYTES >> 4)

#define SUMS_8(i)                                                                                          \
    "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), \
        "+f"(sum[i + 6]), "+f"(sum[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define PLACES_64                                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

/* sum += a b for 64 x 16 of A and 16 x 128 of B.  Work-item t has rows t / 32 * 16 + t % 32 / 4 and 8 further, of every
 * eight columns 2 (t % 4) and the next: sum[4 j + 2 h + e] is row + 8 h, column 8 j + 2 (t % 4) + e. */
INLINE void multiply_add(float *sum, ulong a, ulong b)
{
    asm volatile("//sm_90a: wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPES " {" PLACES_64
                 "}, %64, %65, 1, 1, 1, %66, %67;"
                 : SUMS_32(0), SUMS_32(32)
                 : "l"(a), "l"(b), "n"(A_INNER ? 0 : 1), "n"(B_INNER ? 0 : 1)
                 : "memory");
}

/* Begins to multiply a stage: the products are a group, which await_products() can wait for. */
INLINE void multiply(float *sum, uint stage)
{
    const ulong a = operand_at(stage, A_INNER), b = operand_at(stage + A_BYTES, B_INNER);
    asm volatile("//sm_90a: wgmma.fence.sync.aligned;" ::: "memory");
    UNROLL
    for (int i = 0; i < ROW_BYTES / 32; ++i)
        multiply_add(sum, a + i * NEXT(A_INNER), b + i * NEXT(B_INNER));
    asm volatile("//sm_90a: wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Stands until at most `pending` groups are not complete; a constant. */
#define AWAIT_PRODUCTS(pending) \
    asm volatile("//sm_90a: wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory")

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

#define BRING_STAGE(step)                                                                               \
    do {                                                                                                \
        const uint stage = first + (uint)((step) % STAGES) * STAGE_BYTES;                               \
        const long inner = (step) * DEPTH;                                                              \
        if ((step) < steps) {                                                                           \
            bring(stage, A_INNER, ROWS, SOURCE_OF_A(ROWS, DEPTH), a_matrix, a_aligned);                 \
            bring(stage + A_BYTES, B_INNER, COLS, SOURCE_OF_B(COLS, DEPTH), b_matrix, b_aligned);       \
        }                                                                                               \
        asm volatile("cp.async.commit_group;" ::: "memory");                                            \
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
        multiply(sum, first + (uint)(step % STAGES) * STAGE_BYTES);
    }
    AWAIT_PRODUCTS(0);
    UNROLL
    for (int i = 0; i < SUMS; ++i)
        asm volatile("" : "+f"(sum[i])::"memory"); /* not read before */
    asm volatile("cp.async.wait_all;" ::: "memory"); /* no work-group ends with copies on their way */
    write_tile(sum, c_matrix + corner.row * ldc + corner.col, m - corner.row, n - corner.col, ldc, alpha, beta);
}
