/* matvec/split: long sums are cut in chunks, one per work-group, so that a few rows occupy
 * the whole device; the work-group that finishes last joins the partial sums in a fixed
 * order. */
#include "device.clh"

#if !TRANS
kernel __attribute__((reqd_work_group_size(ALIKE_THREADS, 1, 1))) void
matvec_split(MATVEC_PARAMETERS, CHUNKS_PARAMETERS, long period)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local T room[ALIKE_ROOM];
    local int last;
    const int thread = (int)get_local_id(0);
    /* Groups that run at one time read neighbouring chunks of the same rows; of few rows, which are
     * long, all read one chunk of x. */
    const uint group = (uint)get_group_id(0), items = (uint)get_num_groups(0) / (uint)chunks;
    const bool few = items <= MATVEC_FEW_ITEMS;
    const long chunk = few ? group / items : group % (uint)chunks;
    const long item = few ? group % items : group / (uint)chunks;
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
matvec_split(MATVEC_PARAMETERS, CHUNKS_PARAMETERS, STRIP_PARAMETERS)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local PACK room[STRIP_ROOM];
    local int last;
    const int number = (int)get_group_id(0) / (int)chunks, chunk = (int)get_group_id(0) - number * (int)chunks;
    const long column = (long)number * columns_of_strip, first = chunk * chunk_length;
    const strip_t strip = strip_of(a, lda, outputs, terms, column, min((long)columns_of_strip, outputs - column),
                                   first, min(first + chunk_length, terms), STRIP_ARGUMENTS);
    volatile global T *mine = partial + chunk * outputs + column;

    sum_strip(&strip, x, room);
    for (int c = (int)get_local_id(0); c < strip.columns; c += STRIP_THREADS)
        publish(mine + c, sum_of_column(&strip, (local const T *)room, c));
    combine(partial, tickets, y, number, outputs, chunks, units, blocks_of_unit, outputs_of_unit, slices,
            STRIP_THREADS, alpha, beta, (local T *)room, &last);
}
#endif
