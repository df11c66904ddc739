/* matvec/vector: 16 bytes per load.  A work-group has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a
 * work-group has a strip of columns, just so narrow that the device is full of strips. */
#if !TRANS
kernel __attribute__((reqd_work_group_size(ALIKE_THREADS, 1, 1))) void matvec_vector(MATVEC_PARAMETERS,
                                                                                     long period)
{
    MATVEC_OPERANDS;
    local T room[ALIKE_ROOM];
    const int thread = (int)get_local_id(0);
    const long first = first_alike((long)get_group_id(0), period);
    const int count = count_alike(first, period, outputs);
    T sum[ALIKE_ROWS];

    UNROLL
    for (int r = 0; r < ALIKE_ROWS; ++r)
        sum[r] = 0;
    if (count > 0)
        add_chunk(a, lda, x, terms, first, period, count, 0, LONG_MAX / 2, sum);
    const T total = sum_of_rows(sum, room);
    if (thread < count)
        write_output(y + first + thread * period, alpha, beta, total);
}

#else
kernel WORK_GROUP(STRIP_THREADS) void matvec_vector(MATVEC_PARAMETERS, int width, int span)
{
    MATVEC_OPERANDS;
    local T room[STRIP_ROOM];
    const long strip = (long)get_group_id(0) * width * SPAN;

    sum_strip(a, lda, x, outputs, strip, 0, terms, width, room);
    for (int i = (int)get_local_id(0); i < width * SPAN; i += STRIP_THREADS)
        if (strip + i < outputs)
            write_output(y + strip + i, alpha, beta, room[i]);
}
#endif
