/* matvec/warp-per-row: 32 threads read a row side by side and add up their sums, by NVIDIA's
 * shuffles where there are any, else in local memory.  Transposed, a work-group has 32
 * columns and its warps take the rows in turn. */
#include "device.clh"

/* This thread's share of the sum of a[l * a_distance] * x[l] for l < count, every
 * `stride`-th from `first` on.  The loads of a round are started together. */
INLINE T sum_strided(global const IN *a, long a_distance, global const IN *x, long first, long stride, long count)
{
    T sum = 0;
    long l = first;

    for (; l + (MATVEC_IN_FLIGHT - 1) * stride < count; l += MATVEC_IN_FLIGHT * stride) {
        T of_a[MATVEC_IN_FLIGHT], of_x[MATVEC_IN_FLIGHT];
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u) {
            of_a[u] = FROM_IN(a[(l + u * stride) * a_distance]);
            of_x[u] = FROM_IN(x[l + u * stride]);
        }
        UNROLL
        for (int u = 0; u < MATVEC_IN_FLIGHT; ++u)
            sum = MULTIPLY_ADD(of_a[u], of_x[u], sum);
    }
    for (; l < count; l += stride)
        sum = MULTIPLY_ADD(FROM_IN(a[l * a_distance]), FROM_IN(x[l]), sum);
    return sum;
}

/* Transposed: the sums of `count` terms for 32 columns from `column` on; the warps of the
 * work-group take the rows in turn.  The result is in the first 32 threads, and 0 in those
 * without a column.  All threads take part; `scratch` has an element for each. */
INLINE T sum_columns(global const IN *a, long lda, global const IN *x, long column, long outputs, long count,
                     local T *scratch)
{
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
    T sum = 0;

    if (column + lane < outputs)
        sum = sum_strided(a + column + lane, lda, x, warp, MATVEC_WARPS, count);
    scratch[warp * 32 + lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (warp == 0)
        for (int w = 1; w < MATVEC_WARPS; ++w)
            sum += scratch[w * 32 + lane];
    return sum;
}

#define WARP_THREADS (32 * MATVEC_WARPS)

kernel __attribute__((reqd_work_group_size(WARP_THREADS, 1, 1))) void matvec_warp_per_row(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T scratch[WARP_THREADS];
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
#if TRANS
    const long column = (long)get_group_id(0) * 32;
    const T sum = sum_columns(a, lda, x, column, outputs, terms, scratch);
    if (warp == 0 && column + lane < outputs)
        write_output(y + column + lane, alpha, beta, sum);
#else
    const long row = (long)get_group_id(0) * MATVEC_WARPS + warp;
    T sum = 0;
    if (row < outputs)
        sum = sum_strided(a + row * lda, 1, x, lane, 32, terms);
    sum = sum_of_warp(sum, scratch);
    if (lane == 0 && row < outputs)
        write_output(y + row, alpha, beta, sum);
#endif
}
