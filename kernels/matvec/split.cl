/* matvec/split: long sums are cut in chunks, one per work-group, so that a few rows occupy
 * the whole device; the work-group that finishes last joins the partial sums in a fixed
 * order. */
#if !TRANS
kernel __attribute__((reqd_work_group_size(ALIKE_THREADS, 1, 1))) void
matvec_split(MATVEC_PARAMETERS, CHUNKS_PARAMETERS, long period)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local T room[ALIKE_ROOM];
    local int last;
    const int thread = (int)get_local_id(0);
    const long chunk = (long)get_group_id(0) % chunks, item = (long)get_group_id(0) / chunks;
    const long first = first_alike(item, period);
    const int count = count_alike(first, period, outputs);
    T sum[ALIKE_ROWS];

    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        sum[r] = 0;
    if (count > 0)
        add_chunk(a, lda, x, terms, first, period, count, chunk, chunk_length, sum);
    const T total = sum_of_rows(sum, room);
    if (thread < count)
        publish(partial + chunk * outputs + first + thread * period, total);
    combine(partial, tickets, y, item / period, outputs, chunks, units, blocks_of_unit, outputs_of_unit, slices,
            ALIKE_THREADS, alpha, beta, room, &last);
}

#else
kernel WORK_GROUP(STRIP_THREADS) void
matvec_split(MATVEC_PARAMETERS, CHUNKS_PARAMETERS, int width, int span)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local T room[STRIP_ROOM];
    local int last;
    const long chunk = (long)get_group_id(0) % chunks, item = (long)get_group_id(0) / chunks;
    const long strip = item * width * SPAN, first = chunk * chunk_length;

    sum_strip(a, lda, x, outputs, strip, first, min(first + chunk_length, terms), width, room);
    for (int i = (int)get_local_id(0); i < width * SPAN; i += STRIP_THREADS)
        if (strip + i < outputs)
            publish(partial + chunk * outputs + strip + i, room[i]);
    combine(partial, tickets, y, item, outputs, chunks, units, blocks_of_unit, outputs_of_unit, slices,
            STRIP_THREADS, alpha, beta, room, &last);
}
#endif
