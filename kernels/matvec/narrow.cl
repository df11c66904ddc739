/* matvec/narrow: rows too short for a work-group or a warp.  A few threads have a row, so
 * that a warp's loads cover neighbouring rows.  Where rows do not begin at multiples of 16
 * bytes but follow each other without a gap, a work-group takes a run of them as one stream
 * of packs to local memory, and each thread sums one row from there. */
#define NARROW_THREADS (32 * MATVEC_WARPS)

/* The packs up to `end`: a pack of each row and of x started together, then used. */
INLINE void add_all_packs_of_group(global const T *const *row, global const T *x, bool x_aligned, int lane,
                                   int width, long end, T *sum)
{
    for (long at = lane * LANES; at < end; at += width * LANES) {
        T of_a[MATVEC_ROWS][LANES], of_x[LANES];
        UNROLL
        for (int r = 0; r < MATVEC_ROWS; ++r)
            PACK_TO(read_once(row[r] + at), of_a[r]);
        PACK_TO(read_often(x + at, x_aligned), of_x);
        UNROLL
        for (int r = 0; r < MATVEC_ROWS; ++r)
            UNROLL
            for (int q = 0; q < LANES; ++q)
                sum[r] = MULTIPLY_ADD(of_a[r][q], of_x[q], sum[r]);
    }
}

/* Elements from `at` on that are in no pack. */
INLINE void add_singles(global const T *const *row, global const T *x, int lane, int width, long at, long end,
                        T *sum)
{
    for (at += lane; at < end; at += width) {
        const T of_x = x[at];
        UNROLL
        for (int r = 0; r < MATVEC_ROWS; ++r)
            sum[r] = MULTIPLY_ADD(row[r][at], of_x, sum[r]);
    }
}

/* Each sum becomes that of `width` neighbouring threads, a power of two up to 32, in the first
 * of them.  All threads of the work-group take part. */
INLINE void join_group(T *sum, int width, local T *room)
{
#ifdef NVIDIA_PTX
    for (int distance = width / 2; distance > 0; distance /= 2)
        UNROLL
        for (int r = 0; r < MATVEC_ROWS; ++r)
            sum[r] += shuffle_down(sum[r], distance);
#else
    const int thread = (int)get_local_id(0), lane = thread % width;

    for (int r = 0; r < MATVEC_ROWS; ++r) {
        barrier(CLK_LOCAL_MEM_FENCE); /* whoever used the room before has done so */
        room[thread] = sum[r];
        for (int distance = 16; distance > 0; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < distance && lane + distance < width)
                room[thread] += room[thread + distance];
        }
        sum[r] = room[thread];
    }
#endif
}

kernel WORK_GROUP(NARROW_THREADS) void matvec_narrow(MATVEC_PARAMETERS, int width)
{
    MATVEC_OPERANDS;
    local T room[NARROW_THREADS];
    const int levels = 31 - (int)clz((uint)width), apart = NARROW_THREADS >> levels;
    const int thread = (int)get_local_id(0), lane = thread & (width - 1);
    const long first = (long)get_group_id(0) * (apart * MATVEC_ROWS) + (thread >> levels);
    const long in_packs = is_aligned(a) && lda % LANES == 0 ? terms - terms % LANES : 0;
    global const T *row[MATVEC_ROWS];
    T sum[MATVEC_ROWS];

    UNROLL
    for (int r = 0; r < MATVEC_ROWS; ++r) { /* beyond the last row the first of all stands in */
        row[r] = a + (first + r * apart < outputs ? first + r * apart : 0) * lda;
        sum[r] = 0;
    }
    if (is_aligned(x))
        add_all_packs_of_group(row, x, true, lane, width, in_packs, sum);
    else
        add_all_packs_of_group(row, x, false, lane, width, in_packs, sum);
    add_singles(row, x, lane, width, in_packs, terms, sum);
    join_group(sum, width, room);
    if (lane == 0)
        UNROLL
        for (int r = 0; r < MATVEC_ROWS; ++r)
            if (first + r * apart < outputs)
                write_output(y + first + r * apart, alpha, beta, sum[r]);
}

/* ---- one stream ------------------------------------------------------------------ */

/* `count` elements to local memory; both ends at multiples of 16 bytes. */
INLINE void copy_packs(global const T *from, local T *to, int count)
{
    const int round = MATVEC_STREAM_ROWS * LANES, in_packs = count - count % LANES;
    const int thread = (int)get_local_id(0);
    int at = thread * LANES;

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

INLINE void copy_singles(global const T *from, local T *to, int count)
{
    for (int at = (int)get_local_id(0); at < count; at += MATVEC_STREAM_ROWS)
        to[at] = from[at];
}

/* One row times x.  Where rows are an even number of elements apart, neighbouring threads
 * begin at neighbouring columns: otherwise they would meet in the same banks. */
INLINE T sum_of_row(local const T *row, local const T *x, int terms)
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
                sum[u] = MULTIPLY_ADD(row[column], x[column], sum[u]);
                column = column + 1 < terms ? column + 1 : 0;
            }
    UNROLL
    for (int distance = MATVEC_STREAM_SUMS / 2; distance > 0; distance /= 2)
        UNROLL
        for (int u = 0; u < distance; ++u)
            sum[u] += sum[u + distance];
    return sum[0];
}

kernel WORK_GROUP(MATVEC_STREAM_ROWS) void
matvec_narrow_stream(MATVEC_PARAMETERS, local PACK *memory)
{
    MATVEC_OPERANDS;
    const int columns = (int)terms, thread = (int)get_local_id(0);
    const long first = (long)get_group_id(0) * MATVEC_STREAM_ROWS;
    const int rows = (int)min((long)MATVEC_STREAM_ROWS, outputs - first);
    global const T *from = a + first * columns;
    local T *tile = (local T *)memory, *staged = tile + MATVEC_STREAM_ROWS * columns;

    copy_singles(x, staged, columns);
    if (is_aligned(from))
        copy_packs(from, tile, rows * columns);
    else
        copy_singles(from, tile, rows * columns);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread < rows)
        write_output(y + first + thread, alpha, beta, sum_of_row(tile + thread * columns, staged, columns));
}
