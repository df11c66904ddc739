/* matvec/split: long sums are cut in chunks, one per work-group, so that a few rows occupy
 * the whole device; a second launch joins the partial sums in a fixed order. */
#define SPLIT_THREADS (32 * MATVEC_WARPS)

/* The sum of a work-group's values, in thread 0.  All threads take part. */
INLINE T sum_of_block(T value, local T *room)
{
    const int thread = (int)get_local_id(0);

    value = sum_of_warp(value, room);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread % 32 == 0)
        room[thread / 32] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            value += room[w];
    return value;
}

kernel __attribute__((reqd_work_group_size(SPLIT_THREADS, 1, 1))) void matvec_split(CHUNK_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T room[SPLIT_THREADS];
    const int thread = (int)get_local_id(0);
    const long chunk = (long)get_group_id(0) % chunks;
    const long item = (long)get_group_id(0) / chunks; /* a row, or 32 columns */
    const long first = chunk * chunk_terms;
    const long count = terms - first < chunk_terms ? terms - first : chunk_terms;
    global T *partial = partial_base + partial_offset + chunk * outputs;
#if TRANS
    const T sum = sum_columns(a + first * lda, lda, x + first, item * 32, outputs, count, room);
    if (thread < 32 && item * 32 + thread < outputs)
        partial[item * 32 + thread] = sum;
#else
    T sum = sum_strided(a + item * lda + first, 1, x + first, thread, SPLIT_THREADS, count);
    sum = sum_of_block(sum, room);
    if (thread == 0)
        partial[item] = sum;
#endif
}

kernel __attribute__((reqd_work_group_size(COMBINE_THREADS, 1, 1))) void
matvec_split_combine(COMBINE_PARAMETERS)
{
    local T room[COMBINE_THREADS];
    combine(partial_base + partial_offset, y_base + y_offset, outputs, chunks, alpha, beta, room);
}
