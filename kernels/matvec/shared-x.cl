/* matvec/shared-x: x comes to local memory once per work-group, and every thread reads it
 * there. */
#include "device.clh"

#define BATCH 4 /* loads on their way together */

/* sum + the products of `count` elements of A, `distance` apart, and the staged part of x.
 * In whole batches, because the compiler unrolls only loops whose length it knows. */
INLINE T add_staged(global const T *a, long distance, local const T *staged, int count, T sum)
{
    int l = 0;

    for (; l + BATCH <= count; l += BATCH) {
        T of_a[BATCH];
        UNROLL
        for (int u = 0; u < BATCH; ++u)
            of_a[u] = a[(l + u) * distance];
        UNROLL
        for (int u = 0; u < BATCH; ++u)
            sum = MULTIPLY_ADD(of_a[u], staged[l + u], sum);
    }
    for (; l < count; ++l)
        sum = MULTIPLY_ADD(a[l * distance], staged[l], sum);
    return sum;
}

kernel __attribute__((reqd_work_group_size(MATVEC_BLOCK, 1, 1))) void matvec_shared_x(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T staged[MATVEC_BLOCK];
    const int thread = (int)get_local_id(0);
    const long i = (long)get_group_id(0) * MATVEC_BLOCK + thread;
    T sum = 0;

    for (long first = 0; first < terms; first += MATVEC_BLOCK) {
        const long left = terms - first;
        const int count = left < MATVEC_BLOCK ? (int)left : MATVEC_BLOCK;
        if (thread < count)
            staged[thread] = x[first + thread];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < outputs)
            sum = add_staged(a + PLACE_IN_A(i, first), TRANS ? lda : 1, staged, count, sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < outputs)
        write_output(y + i, alpha, beta, sum);
}
