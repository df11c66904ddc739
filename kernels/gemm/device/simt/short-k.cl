/* gemm/short-k: few terms, so that the time goes into writing C.  A work-group brings all terms of its rows
 * and columns to local memory at once; many of them beside each other hide how long that takes.  The recipe
 * defines COPY_PTX where asynchronous copies bring them. */
#include "gemm/device/common/problem.clh"

#define ROWS GEMM_SHORT_ROWS
#define COLS GEMM_SHORT_COLS
#define WARP_ROWS (ROWS / (GEMM_SHORT_THREADS / 32)) /* a lane has 8 rows and 4 columns */
#define A_PITCH (ROWS + 4)

#ifdef COPY_PTX
INLINE void bring_element(local float *to, global const float *from, bool there)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((uint)(size_t)to), "l"(from), "r"(there ? 4 : 0)
                 : "memory");
}

INLINE void await_elements(void)
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    barrier(CLK_LOCAL_MEM_FENCE);
}
#else
INLINE void bring_element(local float *to, global const float *from, bool there)
{
    *to = there ? *from : 0.0f;
}

INLINE void await_elements(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
}
#endif

/* An operand's elements from (first, 0) on, `side` outer ones of which `left` are there, to [k][outer], with
 * zeros for the others.  Neighbouring work-items take what is neighbouring in memory; 1 << width_log2 is k or
 * the next power of two. */
INLINE void bring(local float *to, int side, int pitch, global const float *from, long ld, bool inner, long first,
                  long left, int k, int width_log2)
{
    for (int e = (int)get_local_id(0); e < side << width_log2; e += GEMM_SHORT_THREADS) {
        const int outer = inner ? e >> width_log2 : e % side, term = inner ? e & ((1 << width_log2) - 1) : e / side;
        const int there = outer < left ? outer : 0;
        if (term < k)
            bring_element(&to[term * pitch + outer],
                          from + (inner ? (first + there) * ld + term : term * ld + first + there), outer < left);
    }
}

/* Column j of a lane: four beside each other where C's rows begin at 16 bytes, else 32 apart. */
INLINE int column(bool packed, int lane, int j)
{
    return packed ? 4 * lane + j : lane + 32 * j;
}

INLINE void multiply_and_write(bool packed, local const float *a, local const float *b, global float *c, long ldc,
                               int k, long rows, long cols, float alpha, float beta)
{
    const int row = (int)get_local_id(0) / 32 * WARP_ROWS, lane = (int)get_local_id(0) % 32;
    float sum[WARP_ROWS][4];

    UNROLL
    for (int i = 0; i < WARP_ROWS; ++i)
        UNROLL
    for (int j = 0; j < 4; ++j)
        sum[i][j] = 0;
    for (int term = 0; term < k; ++term) {
        float of_b[4];
        UNROLL
        for (int j = 0; j < 4; ++j)
            of_b[j] = b[term * COLS + column(packed, lane, j)];
        UNROLL
        for (int i = 0; i < WARP_ROWS; ++i) {
            const float of_a = a[term * A_PITCH + row + i];
            UNROLL
            for (int j = 0; j < 4; ++j)
                sum[i][j] = MULTIPLY_ADD(of_a, of_b[j], sum[i][j]);
        }
    }
    UNROLL
    for (int i = 0; i < WARP_ROWS; ++i) {
        global float *to = c + (row + i) * ldc;
        if (row + i < rows && packed)
            write_pack(to + 4 * lane, sum[i], cols - 4 * lane, true, alpha, beta);
        else if (row + i < rows)
            UNROLL
        for (int j = 0; j < 4; ++j)
            if (lane + 32 * j < cols)
                write_element(to + lane + 32 * j, sum[i][j], alpha, beta);
    }
}

kernel WORK_GROUP(GEMM_SHORT_THREADS) void gemm_short_k(global const float *a_base, long a_offset, long lda,
                                                        int a_inner, global const float *b_base, long b_offset,
                                                        long ldb, int b_inner, global float *c_base, long c_offset,
                                                        long m, long n, int k, long ldc, float alpha, float beta,
                                                        int across)
{
    local float a[GEMM_SHORT_MOST * A_PITCH] ALIGNED_16, b[GEMM_SHORT_MOST * COLS] ALIGNED_16; /* [k][outer] */
    const long row = (long)((uint)get_group_id(0) / (uint)across) * ROWS;
    const long col = (long)((uint)get_group_id(0) % (uint)across) * COLS;
    const int width_log2 = k > 1 ? 32 - (int)clz((uint)(k - 1)) : 0;
    global float *c = c_base + c_offset + row * ldc + col;

    bring(a, ROWS, A_PITCH, a_base + a_offset, lda, a_inner, row, m - row, k, width_log2);
    bring(b, COLS, COLS, b_base + b_offset, ldb, b_inner, col, n - col, k, width_log2);
    await_elements();
    if (is_packed(c, ldc))
        multiply_and_write(true, a, b, c, ldc, k, m - row, n - col, alpha, beta);
    else
        multiply_and_write(false, a, b, c, ldc, k, m - row, n - col, alpha, beta);
}
