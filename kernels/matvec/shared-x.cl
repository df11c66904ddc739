/* matvec/shared-x: x comes to local memory once per work-group, and every thread reads it
 * there. */
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
            for (int l = 0; l < count; ++l)
                sum = MULTIPLY_ADD(a[PLACE_IN_A(i, first + l)], staged[l], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < outputs)
        write_output(y + i, alpha, beta, sum);
}
