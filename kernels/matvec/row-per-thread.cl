/* matvec/row-per-thread: one thread per element of y.  Neighbouring threads read A a whole
 * row apart; transposed, side by side. */
#include "device.clh"

kernel __attribute__((reqd_work_group_size(MATVEC_BLOCK, 1, 1))) void matvec_row_per_thread(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    const long i = (long)get_group_id(0) * MATVEC_BLOCK + get_local_id(0);
    T sum = 0;

    if (i >= outputs)
        return;
    for (long l = 0; l < terms; ++l)
        sum = MULTIPLY_ADD(FROM_IN(a[PLACE_IN_A(i, l)]), FROM_IN(x[l]), sum);
    write_output(y + i, alpha, beta, sum);
}
