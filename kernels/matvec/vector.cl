/* matvec/vector: 16 bytes per load.  A work-group has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a
 * work-group has a panel of columns, just so narrow that the device is full of panels. */
#include "batch.clh"
#include "coaligned.clh"
#include "panel.clh"

#if !TRANS
kernel __attribute__((reqd_work_group_size(COALIGNED_THREADS, 1, 1))) void matvec_vector(MATVEC_BATCH_PARAMETERS,
                                                                                         long period)
{
    MATVEC_OPERANDS_OF_PROBLEM;
    local T scratch[COALIGNED_SCRATCH];
    const int thread = (int)get_local_id(0);
    const long first = first_coaligned(GROUP_OF_PROBLEM, period);
    const int count = count_coaligned(first, period, outputs);
    T sum[COALIGNED_ROWS];

    UNROLL
    for (int r = 0; r < COALIGNED_ROWS; ++r)
        sum[r] = 0;
    if (count > 0)
        add_chunk(a, lda, x, terms, first, period, count, 0, LONG_MAX / 2, sum);
    const T total = sum_of_rows(sum, scratch);
    if (thread < count)
        write_output(y + first + thread * period, alpha, beta, total);
}

#else
kernel WORK_GROUP(PANEL_THREADS) void matvec_vector(MATVEC_BATCH_PARAMETERS, PANEL_PARAMETERS)
{
    MATVEC_OPERANDS_OF_PROBLEM;
    local SUMS scratch[PANEL_SCRATCH];
    /* Where all rows are co-aligned, panels end where lines of memory do: the first is shorter by what
     * A begins behind one, the last takes what is left. */
    const int moved = lda % PACK_WIDTH == 0 ? (int)((size_t)a % 16 / sizeof(IN)) : 0;
    const long number = GROUP_OF_PROBLEM, column = number == 0 ? 0 : number * columns_of_panel - moved;
    const long next = (number + 1) * columns_of_panel - moved;
    const long columns = (number + 1 == groups_of_problem ? outputs : next) - column;
    const panel_t panel = panel_of(a, lda, outputs, terms, column, columns, 0, terms, PANEL_ARGUMENTS);

    y += column;
    sum_panel(&panel, x, scratch);
    for (int c = (int)get_local_id(0); c < panel.columns; c += PANEL_THREADS)
        write_output(y + c, alpha, beta, sum_of_column(&panel, (local const T *)scratch, c));
}
#endif
