/* gemm/few-rows: products of which one side is short, out(i, j) = sum over k of x(i, k) p(k, j), i < FEW,
 * where p is long and read once (CUDA: few.cuh).  A work-group has a panel of j and a part of k; it keeps
 * the x of a chunk of k in local memory.  What parts leave is added by a launch after them, in their
 * order.  The recipe defines FEW; ALONG, 1 where p's rows run along k; SHUFFLE_PTX, where lanes exchange by
 * inline PTX. */
#include "device.clh"

#define WARPS (GEMM_FEW_THREADS / 32)
#define COLUMNS GEMM_FEW_COLUMNS
#define CHUNK GEMM_FEW_CHUNK
#define TOGETHER (FEW >= 16 ? 4 : 8) /* loads of p that are under way, for each column */
#if ALONG
#define WIDTH GEMM_FEW_ALONG
#define SUMS (COLUMNS * GEMM_FEW_THREADS) /* that meet in local memory */
#else
#define WIDTH GEMM_FEW_ACROSS
#define SUMS (WARPS / 2 * FEW * WIDTH)
#endif

/* x of terms [first, first + count): ALONG as [i][k], else [k][i]; zeros beyond `few`. */
INLINE void stage_few(local T *to, global const T *x, long x_few, long x_k, int few, long first, int count)
{
    const bool k_first = x_k == 1;

    barrier(CLK_LOCAL_MEM_FENCE); /* the last chunk has been read */
    for (int e = (int)get_local_id(0); e < FEW * CHUNK; e += GEMM_FEW_THREADS) {
        const int i = k_first ? e / CHUNK : e % FEW, k = k_first ? e % CHUNK : e / FEW;
        to[ALONG ? i * CHUNK + k : k * FEW + i] = i < few && k < count ? x[i * x_few + (first + k) * x_k] : (T)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Memory runs across: a work-item has columns 32 apart, and every eighth term.  Along k: a warp has four
 * rows of p, and a lane every 32nd term. */
INLINE void add_chunk(T (*sum)[COLUMNS], local const T *x, global const T *p, long ldp, long many, long panel,
                      long first, int count)
{
    const int thread = (int)get_local_id(0), warp = thread / 32, lane = thread % 32;
    const int begin = ALONG ? lane : warp, step = ALONG ? 32 : WARPS;
    const long column = panel + (ALONG ? warp * COLUMNS : lane);

    for (int k = begin; k < count; k += TOGETHER * step) {
        T of_p[TOGETHER][COLUMNS];
        UNROLL
        for (int u = 0; u < TOGETHER; ++u)
            UNROLL
            for (int j = 0; j < COLUMNS; ++j) {
                const long at = column + (ALONG ? j : 32 * j), term = first + k + u * step;
                const bool inside = k + u * step < count && at < many;
                of_p[u][j] = inside ? p[ALONG ? at * ldp + term : term * ldp + at] : (T)0;
            }
        UNROLL
        for (int u = 0; u < TOGETHER; ++u) {
            const int term = (k + u * step) % CHUNK;
            if (k + u * step < count)
                UNROLL
                for (int i = 0; i < FEW; ++i) {
                    const T of_x = x[ALONG ? i * CHUNK + term : term * FEW + i];
                    UNROLL
                    for (int j = 0; j < COLUMNS; ++j)
                        sum[i][j] = MULTIPLY_ADD(of_x, of_p[u][j], sum[i][j]);
                }
        }
    }
}

#if ALONG && defined(SHUFFLE_PTX)
INLINE void join(T (*sum)[COLUMNS], local T *room)
{
    UNROLL
    for (int i = 0; i < FEW; ++i)
        UNROLL
        for (int j = 0; j < COLUMNS; ++j)
            UNROLL
            for (int apart = 16; apart > 0; apart /= 2) {
                T other;
                asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                             : "=f"(other)
                             : "f"(sum[i][j]), "r"(apart));
                sum[i][j] += other;
            }
}
#elif ALONG
/* Lanes that share rows of p: a tree of them, in local memory.  One row of x at a time. */
INLINE void join(T (*sum)[COLUMNS], local T *room)
{
    const int thread = (int)get_local_id(0), lane = thread % 32;

    UNROLL
    for (int i = 0; i < FEW; ++i)
        for (int apart = 16; apart > 0; apart /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL
            for (int j = 0; j < COLUMNS; ++j)
                room[j * GEMM_FEW_THREADS + thread] = sum[i][j];
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL
            for (int j = 0; j < COLUMNS; ++j)
                sum[i][j] += room[j * GEMM_FEW_THREADS + thread - lane + (lane ^ apart)];
        }
}
#else
/* Pairs of warps, then pairs of those: warp 0 has the sums. */
INLINE void join(T (*sum)[COLUMNS], local T *room)
{
    const int thread = (int)get_local_id(0), warp = thread / 32, lane = thread % 32;

    for (int half_of = WARPS / 2; half_of > 0; half_of /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int i = 0; i < FEW; ++i)
            UNROLL
            for (int j = 0; j < COLUMNS; ++j)
                if (warp >= half_of && warp < 2 * half_of)
                    room[((warp - half_of) * FEW + i) * WIDTH + 32 * j + lane] = sum[i][j];
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL
        for (int i = 0; i < FEW; ++i)
            UNROLL
            for (int j = 0; j < COLUMNS; ++j)
                if (warp < half_of)
                    sum[i][j] += room[(warp * FEW + i) * WIDTH + 32 * j + lane];
    }
}
#endif

/* A panel for each column of the grid, a part of k, `length` terms, for each row. */
kernel __attribute__((reqd_work_group_size(GEMM_FEW_THREADS, 1, 1)))
void gemm_few_rows(global const T *x_base, long x_offset, long x_few, long x_k, global const T *p_base,
                   long p_offset, long ldp, global T *out_base, long out_offset, long out_few, long out_many,
                   int few, long many, long k, T alpha, T beta, long length, global T *partial_base,
                   long partial_offset)
{
    global const T *x = x_base + x_offset, *p = p_base + p_offset;
    local T room[SUMS > FEW * CHUNK ? SUMS : FEW * CHUNK];
    const int thread = (int)get_local_id(0), warp = thread / 32, lane = thread % 32;
    const long panel = (long)get_group_id(0) * WIDTH, part = (long)get_group_id(1);
    const long begin = part * length, end = min(begin + length, k);
    const bool whole = get_num_groups(1) == 1;
    global T *out = whole ? out_base + out_offset : partial_base + partial_offset + part * few * many;
    T sum[FEW][COLUMNS];

    UNROLL
    for (int i = 0; i < FEW; ++i)
        UNROLL
        for (int j = 0; j < COLUMNS; ++j)
            sum[i][j] = 0;
    for (long first = begin; first < end; first += CHUNK) {
        const int count = end - first < CHUNK ? (int)(end - first) : CHUNK;
        stage_few(room, x, x_few, x_k, few, first, count);
        add_chunk(sum, room, p, ldp, many, panel, first, count);
    }
    join(sum, room);
    UNROLL
    for (int i = 0; i < FEW; ++i)
        UNROLL
        for (int j = 0; j < COLUMNS; ++j) {
            const long at = panel + (ALONG ? warp * COLUMNS + j : 32 * j + lane);
            if ((ALONG ? lane : warp) == 0 && i < few && at < many) {
                if (whole)
                    write_element(out + i * out_few + at * out_many, sum[i][j], alpha, beta);
                else
                    out[i * many + at] = sum[i][j];
            }
        }
}

/* A work-item adds up the parts of one element: [part][few][many]. */
kernel __attribute__((reqd_work_group_size(GEMM_FEW_THREADS, 1, 1)))
void gemm_few_rows_sum(global T *out_base, long out_offset, long out_few, long out_many, int few, long many,
                       T alpha, T beta, global const T *partial_base, long partial_offset, int parts)
{
    const long element = (long)get_global_id(0), i = element / many, j = element % many;
    T sum = 0;

    if (i >= few)
        return;
    UNROLL_8
    for (int part = 0; part < parts; ++part)
        sum += partial_base[partial_offset + part * few * many + element];
    write_element(out_base + out_offset + i * out_few + j * out_many, sum, alpha, beta);
}
