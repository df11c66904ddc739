/* matvec/vector: 16 bytes per load.  A warp has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a thread
 * has a pack of columns; the rows are cut in chunks, one per work-group, whose sums a second
 * launch joins. */
#if !TRANS
#define VECTOR_THREADS (32 * MATVEC_VECTOR_WARPS)
#define ROUND (32 * LANES * MATVEC_VECTOR_STEPS)

/* `steps` packs, 32 apart, of each row and of x: started together, then used. */
INLINE void add_packs(int steps, global const T *const *row, global const T *x, long at, bool a_packed,
                      bool x_packed, T *sum)
{
    T of_x[MATVEC_VECTOR_STEPS][LANES], of_a[MATVEC_VECTOR_ROWS][MATVEC_VECTOR_STEPS][LANES];

    UNROLL
    for (int s = 0; s < steps; ++s) {
        PACK_TO(read_pack(x + at + s * 32 * LANES, LANES, x_packed), of_x[s]);
        UNROLL
        for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r)
            PACK_TO(read_pack(row[r] + at + s * 32 * LANES, LANES, a_packed), of_a[r][s]);
    }
    UNROLL
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r)
        UNROLL
        for (int s = 0; s < steps; ++s)
            UNROLL
            for (int q = 0; q < LANES; ++q)
                sum[r] = MULTIPLY_ADD(of_a[r][s][q], of_x[s][q], sum[r]);
}

kernel __attribute__((reqd_work_group_size(VECTOR_THREADS, 1, 1))) void matvec_vector(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T room[VECTOR_THREADS];
    const int lane = (int)get_local_id(0) % 32;
    const long warp = (long)get_group_id(0) * MATVEC_VECTOR_WARPS + get_local_id(0) / 32;
    const long first = warp * MATVEC_VECTOR_ROWS;
    const long packed_terms = terms - terms % LANES;
    const bool a_packed = is_packed(a, lda), x_packed = is_packed(x, 0);
    global const T *row[MATVEC_VECTOR_ROWS];
    T sum[MATVEC_VECTOR_ROWS];
    long at = lane * LANES;

    UNROLL
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r) { /* beyond the last row, the last row again */
        row[r] = a + (first + r < outputs ? first + r : outputs - 1) * lda;
        sum[r] = 0;
    }
    for (; at + ROUND - 32 * LANES < packed_terms; at += ROUND)
        add_packs(MATVEC_VECTOR_STEPS, row, x, at, a_packed, x_packed, sum);
    for (; at < packed_terms; at += 32 * LANES)
        add_packs(1, row, x, at, a_packed, x_packed, sum);
    UNROLL
    for (int r = 0; r < MATVEC_VECTOR_ROWS; ++r) {
        if (packed_terms + lane < terms)
            sum[r] = MULTIPLY_ADD(row[r][packed_terms + lane], x[packed_terms + lane], sum[r]);
        sum[r] = sum_of_warp(sum[r], room);
        if (lane == 0 && first + r < outputs)
            write_output(y + first + r, alpha, beta, sum[r]);
    }
}

#else
#define VECTOR_THREADS (32 * MATVEC_WARPS)
#define STEPS MATVEC_VECTOR_TRANS_STEPS

/* `steps` rows, MATVEC_WARPS apart, of one pack of columns, `there` of which exist. */
INLINE void add_rows(int steps, global const T *a, long lda, global const T *x, long there, bool packed,
                     T *sum)
{
    T of_a[STEPS][LANES], of_x[STEPS];

    UNROLL
    for (int s = 0; s < steps; ++s) {
        of_x[s] = x[s * MATVEC_WARPS];
        PACK_TO(read_pack(a + s * MATVEC_WARPS * lda, there, packed), of_a[s]);
    }
    UNROLL
    for (int s = 0; s < steps; ++s)
        UNROLL
        for (int q = 0; q < LANES; ++q)
            sum[q] = MULTIPLY_ADD(of_a[s][q], of_x[s], sum[q]);
}

kernel __attribute__((reqd_work_group_size(VECTOR_THREADS, 1, 1))) void matvec_vector(CHUNK_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T room[MATVEC_WARPS][32 * LANES];
    const int thread = (int)get_local_id(0), lane = thread % 32, warp = thread / 32;
    const long chunk = (long)get_group_id(0) % chunks, strip = (long)get_group_id(0) / chunks * 32 * LANES;
    const long column = strip + lane * LANES, first = chunk * chunk_terms;
    const long end = terms - first < chunk_terms ? terms : first + chunk_terms;
    const bool packed = is_packed(a, lda);
    T sum[LANES];

    UNROLL
    for (int q = 0; q < LANES; ++q)
        sum[q] = 0;
    if (column < outputs) {
        long row = first + warp;
        for (; row + (STEPS - 1) * MATVEC_WARPS < end; row += STEPS * MATVEC_WARPS)
            add_rows(STEPS, a + row * lda + column, lda, x + row, outputs - column, packed, sum);
        for (; row < end; row += MATVEC_WARPS)
            add_rows(1, a + row * lda + column, lda, x + row, outputs - column, packed, sum);
    }
    UNROLL
    for (int q = 0; q < LANES; ++q)
        room[warp][lane * LANES + q] = sum[q];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp < LANES && strip + thread < outputs) { /* from here on a thread has one column */
        T total = room[0][thread];
        for (int w = 1; w < MATVEC_WARPS; ++w)
            total += room[w][thread];
        partial_base[partial_offset + chunk * outputs + strip + thread] = total;
    }
}

kernel __attribute__((reqd_work_group_size(COMBINE_THREADS, 1, 1))) void
matvec_vector_combine(COMBINE_PARAMETERS)
{
    local T room[COMBINE_THREADS];
    combine(partial_base + partial_offset, y_base + y_offset, outputs, chunks, alpha, beta, room);
}
#endif
