/* matvec/split: long sums are cut in chunks, one per work-group, so that a few rows occupy
 * the whole device; the work-group that finishes last combines the partial sums in a fixed
 * order. */
#include "coaligned.clh"
#include "panel.clh"
#include "combine.clh"

#if !TRANS
kernel __attribute__((reqd_work_group_size(COALIGNED_THREADS, 1, 1))) void matvec_split(MATVEC_PARAMETERS,
                                                                                        CHUNKS_PARAMETERS, long period)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local T scratch[COALIGNED_SCRATCH];
    local int last;
    const int thread = (int)get_local_id(0);
    /* Groups that run at one time read neighbouring chunks of the same rows; of few rows, which are
     * long, all read one chunk of x. */
    const uint group = (uint)get_group_id(0), items = (uint)get_num_groups(0) / (uint)chunks;
    const bool few = items <= MATVEC_FEW_ITEMS;
    const long chunk = few ? group / items : group % (uint)chunks;
    const long item = few ? group % items : group / (uint)chunks;
    const long first = first_coaligned(item, period);
    const int count = count_coaligned(first, period, outputs);
    T sum[COALIGNED_ROWS];

    UNROLL
    for (int r = 0; r < COALIGNED_ROWS; ++r)
        sum[r] = 0;
    if (count > 0)
        add_chunk(a, lda, x, terms, first, period, count, chunk, chunk_length, sum);
    const T total = sum_of_rows(sum, scratch);
    if (thread < count)
        publish(partial + chunk * outputs + first + thread * period, total);
    combine(partial, tickets, y, item / period, outputs, chunks, units, blocks_of_unit, outputs_of_unit, slices,
            COALIGNED_THREADS, alpha, beta, scratch, &last);
}

#else
kernel WORK_GROUP(PANEL_THREADS) void matvec_split(MATVEC_PARAMETERS, CHUNKS_PARAMETERS, PANEL_PARAMETERS)
{
    MATVEC_OPERANDS;
    CHUNKS_OPERANDS;
    local SUMS scratch[PANEL_SCRATCH];
    local int last;
    const int number = (int)get_group_id(0) / (int)chunks, chunk = (int)get_group_id(0) - number * (int)chunks;
    const long column = (long)number * columns_of_panel, first = chunk * chunk_length;
    const panel_t panel = panel_of(a, lda, outputs, terms, column, min((long)columns_of_panel, outputs - column), first,
                                   min(first + chunk_length, terms), PANEL_ARGUMENTS);
    volatile global T *mine = partial + chunk * outputs + column;

    sum_panel(&panel, x, scratch);
    for (int c = (int)get_local_id(0); c < panel.columns; c += PANEL_THREADS)
        publish(mine + c, sum_of_column(&panel, (local const T *)scratch, c));
    combine(partial, tickets, y, number, outputs, chunks, units, blocks_of_unit, outputs_of_unit, slices, PANEL_THREADS,
            alpha, beta, (local T *)scratch, &last);
}
#endif
