/* matvec/tall-skinny: for tall-skinny A, rows too short for a work-group or a warp.  A few threads have a row, so
 * that a warp's loads cover neighbouring rows.  They read the packs that lie at multiples of 16
 * bytes, wherever the row begins, and elements at its ends.  Where there are many rows without a
 * gap between them, a work-group takes a run of them as one stream of packs to local memory, and
 * each thread sums one row from there. */
#include "batch.clh"

/* A processor has not the registers for unrolled loops (gemm/device.clh has none either); and PoCL 6.0 ends the
 * program when LLVM's combining of instructions has to go over what it made of these once more. */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#undef UNROLL
#define UNROLL
#endif

#define TALL_SKINNY_THREADS (32 * MATVEC_WARPS)

#ifdef FEW
#define TALL_SKINNY_ROWS 1
#define TALL_SKINNY_STEPS MATVEC_TALL_SKINNY_FEW_STEPS
#else
#define TALL_SKINNY_ROWS MATVEC_ROWS
#define TALL_SKINNY_STEPS 1
#endif

/* A pack of each of `count` rows, `distance` elements from each other, and of x. */
INLINE void read_round(global const IN *row, long distance, int count, global const IN *x, bool x_aligned, PACK *of_a,
                       PACK *of_x)
{
    UNROLL
    for (int r = 0; r < TALL_SKINNY_ROWS; ++r)
        if (r < count)
            of_a[r] = read_once(row + r * distance);
    *of_x = read_often(x, x_aligned);
}

INLINE void add_round(const PACK *of_a, PACK of_x, int count, T *sum)
{
    UNROLL
    for (int r = 0; r < TALL_SKINNY_ROWS; ++r)
        if (r < count)
            sum[r] = add_pack(of_a[r], of_x, sum[r]);
}

/* The packs from `at` on, `step` apart: TALL_SKINNY_STEPS started together, then used.  What is left
 * of them are started together, too. */
INLINE void add_row_packs(global const IN *row, long distance, int count, global const IN *x, bool x_aligned, long at,
                          int step, long end, T *sum)
{
    PACK of_a[TALL_SKINNY_STEPS][TALL_SKINNY_ROWS], of_x[TALL_SKINNY_STEPS];

    for (; at + (TALL_SKINNY_STEPS - 1) * step < end; at += TALL_SKINNY_STEPS * step) {
        UNROLL
        for (int s = 0; s < TALL_SKINNY_STEPS; ++s)
            read_round(row + at + s * step, distance, count, x + at + s * step, x_aligned, of_a[s], &of_x[s]);
        UNROLL
        for (int s = 0; s < TALL_SKINNY_STEPS; ++s)
            add_round(of_a[s], of_x[s], count, sum);
    }
    UNROLL
    for (int s = 0; s < TALL_SKINNY_STEPS - 1; ++s)
        if (at + s * step < end)
            read_round(row + at + s * step, distance, count, x + at + s * step, x_aligned, of_a[s], &of_x[s]);
    UNROLL
    for (int s = 0; s < TALL_SKINNY_STEPS - 1; ++s)
        if (at + s * step < end)
            add_round(of_a[s], of_x[s], count, sum);
}

/* Elements in no pack: `head` before the `packs` elements that are, and those behind. */
INLINE void add_singles(global const IN *row, long distance, int count, global const IN *x, int lane, int width,
                        int head, long packs, long terms, T *sum)
{
    for (int single = lane; single < terms - packs; single += width) {
        const long at = single < head ? single : single + packs;
        const T of_x = FROM_IN(x[at]);
        UNROLL
        for (int r = 0; r < TALL_SKINNY_ROWS; ++r)
            if (r < count)
                sum[r] = MULTIPLY_ADD(FROM_IN(row[r * distance + at]), of_x, sum[r]);
    }
}

/* Each sum becomes that of `width` neighbouring threads, a power of two up to 32, in the first
 * of them.  All threads of the work-group take part. */
INLINE void combine_group(T *sum, int width, local T *scratch)
{
#ifdef NVIDIA_PTX
    for (int distance = width / 2; distance > 0; distance /= 2)
        UNROLL
    for (int r = 0; r < TALL_SKINNY_ROWS; ++r)
        sum[r] += shuffle_down(sum[r], distance);
#else
    const int thread = (int)get_local_id(0), lane = thread % width;

    for (int r = 0; r < TALL_SKINNY_ROWS; ++r) {
        barrier(CLK_LOCAL_MEM_FENCE); /* whoever used the scratch before has done so */
        scratch[thread] = sum[r];
        for (int distance = 16; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < distance && lane + distance < width)
                scratch[thread] += scratch[thread + distance];
        }
        sum[r] = scratch[thread];
    }
#endif
}

kernel WORK_GROUP(TALL_SKINNY_THREADS) void matvec_tall_skinny(MATVEC_BATCH_PARAMETERS, int width)
{
    MATVEC_OPERANDS_OF_PROBLEM;
    local T scratch[TALL_SKINNY_THREADS];
    const int levels = 31 - (int)clz((uint)width), apart = TALL_SKINNY_THREADS >> levels;
    const int thread = (int)get_local_id(0), lane = thread & (width - 1);
    const long first = GROUP_OF_PROBLEM * (apart * TALL_SKINNY_ROWS) + (thread >> levels);
    global const IN *row = a + first * lda;
    const int head = (int)min(to_boundary(row), terms);
    const long packs = (terms - head) / PACK_WIDTH * PACK_WIDTH, at = head + lane * PACK_WIDTH;
    T sum[TALL_SKINNY_ROWS];
    int count = 0;

    UNROLL
    for (int r = 0; r < TALL_SKINNY_ROWS; ++r) {
        count += first + r * apart < outputs;
        sum[r] = 0;
    }
    add_singles(row, apart * lda, count, x, lane, width, head, packs, terms, sum);
    if (lda % PACK_WIDTH == 0 && is_aligned(x + head)) /* the same for all groups of lanes */
        add_row_packs(row, apart * lda, count, x, true, at, width * PACK_WIDTH, head + packs, sum);
    else
        add_row_packs(row, apart * lda, count, x, false, at, width * PACK_WIDTH, head + packs, sum);
    combine_group(sum, width, scratch);
    if (lane == 0)
        UNROLL
    for (int r = 0; r < TALL_SKINNY_ROWS; ++r)
        if (r < count)
            write_output(y + first + r * apart, alpha, beta, sum[r]);
}

/* ---- one stream ------------------------------------------------------------------ */

/* `count` elements to local memory; both ends at multiples of 16 bytes. */
INLINE void copy_packs(global const IN *from, local IN *to, int count)
{
    const int round = MATVEC_STREAM_ROWS * PACK_WIDTH, in_packs = count - count % PACK_WIDTH;
    const int thread = (int)get_local_id(0);
    int at = thread * PACK_WIDTH;

    for (; at + (MATVEC_STREAM_STEPS - 1) * round < in_packs; at += MATVEC_STREAM_STEPS * round) {
        PACK loaded[MATVEC_STREAM_STEPS];
        UNROLL
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            loaded[s] = read_once(from + at + s * round);
        UNROLL
        for (int s = 0; s < MATVEC_STREAM_STEPS; ++s)
            *(local PACK *)(to + at + s * round) = loaded[s];
    }
    for (; at < in_packs; at += round)
        *(local PACK *)(to + at) = read_once(from + at);
    if (in_packs + thread < count)
        to[in_packs + thread] = from[in_packs + thread];
}

INLINE void copy_singles(global const IN *from, local IN *to, int count)
{
    for (int at = (int)get_local_id(0); at < count; at += MATVEC_STREAM_ROWS)
        to[at] = from[at];
}

/* One row times x.  Where rows are an even number of elements apart, neighbouring threads
 * begin at neighbouring columns: otherwise they would meet in the same banks. */
INLINE T sum_of_row(local const IN *row, local const IN *x, int terms)
{
    T sum[MATVEC_STREAM_SUMS];
    int column = terms % 2 == 0 ? (int)get_local_id(0) % terms : 0;

    UNROLL
    for (int u = 0; u < MATVEC_STREAM_SUMS; ++u)
        sum[u] = 0;
    for (int l = 0; l < terms; l += MATVEC_STREAM_SUMS)
        UNROLL
    for (int u = 0; u < MATVEC_STREAM_SUMS; ++u)
        if (l + u < terms) {
            sum[u] = MULTIPLY_ADD(FROM_IN(row[column]), FROM_IN(x[column]), sum[u]);
            column = column + 1 < terms ? column + 1 : 0;
        }
    UNROLL
    for (int distance = MATVEC_STREAM_SUMS / 2; distance > 0; distance /= 2)
        UNROLL
    for (int u = 0; u < distance; ++u)
        sum[u] += sum[u + distance];
    return sum[0];
}

kernel WORK_GROUP(MATVEC_STREAM_ROWS) void matvec_tall_skinny_stream(MATVEC_BATCH_PARAMETERS, local PACK *memory)
{
    MATVEC_OPERANDS_OF_PROBLEM;
    const int columns = (int)terms, thread = (int)get_local_id(0);
    const long first = GROUP_OF_PROBLEM * MATVEC_STREAM_ROWS;
    const int rows = (int)min((long)MATVEC_STREAM_ROWS, outputs - first);
    global const IN *from = a + first * columns;
    local IN *tile = (local IN *)memory, *staged = tile + MATVEC_STREAM_ROWS * columns;

    copy_singles(x, staged, columns);
    if (is_aligned(from))
        copy_packs(from, tile, rows * columns);
    else
        copy_singles(from, tile, rows * columns);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < rows)
        write_output(y + first + thread, alpha, beta, sum_of_row(tile + thread * columns, staged, columns));
}
