/* matvec/row-scattered: row-per-thread with its rows dealt out `scatter` apart, modulo their
 * number, so that neighbouring threads share nothing that a cache could hold.  scatter and
 * outputs have no common divisor: every row is visited once. */
#include "device.clh"

kernel __attribute__((reqd_work_group_size(MATVEC_BLOCK, 1, 1))) void matvec_row_scattered(MATVEC_PARAMETERS,
                                                                                           long scatter)
{
    MATVEC_OPERANDS;
    const long thread = (long)get_group_id(0) * MATVEC_BLOCK + get_local_id(0);
    T sum = 0;

    if (thread >= outputs)
        return;
    const long i = thread * scatter % outputs;
    for (long l = 0; l < terms; ++l)
        sum = MULTIPLY_ADD(a[PLACE_IN_A(i, l)], x[l], sum);
    write_output(y + i, alpha, beta, sum);
}
