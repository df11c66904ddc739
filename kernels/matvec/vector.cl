/* matvec/vector: 16 bytes per load.  A work-group has four rows at a time, so that a pack of x
 * serves four packs of A, and all of them are on their way together.  Transposed, a
 * work-group has a strip of columns, just so narrow that the device is full of strips. */
#include "device.clh"

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
kernel WORK_GROUP(STRIP_THREADS) void matvec_vector(MATVEC_PARAMETERS, STRIP_PARAMETERS)
{
    MATVEC_OPERANDS;
    local PACK room[STRIP_ROOM];
    /* Where all rows begin alike, strips end where lines of memory do: the first is shorter by what
     * A begins behind one, the last takes what is left. */
    const int moved = lda % LANES == 0 ? (int)((size_t)a % 16 / sizeof(T)) : 0;
    const long number = (long)get_group_id(0), column = number == 0 ? 0 : number * columns_of_strip - moved;
    const long next = (number + 1) * columns_of_strip - moved;
    const long columns = (number + 1 == (long)get_num_groups(0) ? outputs : next) - column;
    const strip_t strip = strip_of(a, lda, outputs, terms, column, columns, 0, terms, STRIP_ARGUMENTS);

    y += column;
    sum_strip(&strip, x, room);
    for (int c = (int)get_local_id(0); c < strip.columns; c += STRIP_THREADS)
        write_output(y + c, alpha, beta, sum_of_column(&strip, (local const T *)room, c));
}
#endif
