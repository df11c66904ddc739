/* matvec/warp-per-row: 32 threads read a row side by side and add up their sums, by NVIDIA's
 * shuffles where there are any, else in local memory.  Transposed, a work-group has 32
 * columns and its warps take the rows in turn. */
#define WARP_THREADS (32 * MATVEC_WARPS)

kernel __attribute__((reqd_work_group_size(WARP_THREADS, 1, 1))) void matvec_warp_per_row(MATVEC_PARAMETERS)
{
    MATVEC_OPERANDS;
    local T room[WARP_THREADS];
    const int lane = (int)get_local_id(0) % 32, warp = (int)get_local_id(0) / 32;
#if TRANS
    const long column = (long)get_group_id(0) * 32;
    const T sum = sum_columns(a, lda, x, column, outputs, terms, room);
    if (warp == 0 && column + lane < outputs)
        write_output(y + column + lane, alpha, beta, sum);
#else
    const long row = (long)get_group_id(0) * MATVEC_WARPS + warp;
    T sum = 0;
    if (row < outputs)
        sum = sum_strided(a + row * lda, 1, x, lane, 32, terms);
    sum = sum_of_warp(sum, room);
    if (lane == 0 && row < outputs)
        write_output(y + row, alpha, beta, sum);
#endif
}
