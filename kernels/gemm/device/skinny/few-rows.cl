/* gemm/few-rows: products of which one side is short (common/skinny.clh).  A work-group has a panel of the long side
 * and a part of k; what parts leave is added by a launch after them, in their order.  The recipe defines FEW; ALONG, 1
 * where the long operand's rows run along k; SHUFFLE_PTX, where lanes exchange by inline PTX. */
#include "gemm/device/common/problem.clh"
#include "gemm/device/common/skinny.clh"

/* A panel for each column of the grid, a part of k, `length` terms, for each row. */
kernel __attribute__((reqd_work_group_size(GEMM_FEW_THREADS, 1, 1))) void
gemm_few_rows(global const T *x_base, long x_offset, long x_few, long x_k, global const T *p_base, long p_offset,
              long ldp, global T *out_base, long out_offset, long out_few, long out_many, int few, long many, long k,
              T alpha, T beta, long length, global T *partial_base, long partial_offset)
{
    const few_t f = {x_base + x_offset, x_few, x_k, p_base + p_offset, ldp, few, many};
    local T room[FEW_ROOM(ALONG)];
    const long panel = (long)get_group_id(0) * FEW_WIDTH(ALONG), part = (long)get_group_id(1);
    const bool whole = get_num_groups(1) == 1;
    global T *out = whole ? out_base + out_offset : partial_base + partial_offset + part * few * many;
    T sum[FEW][FEW_COLUMNS];
    long at;

    sum_panel(sum, room, &f, ALONG, panel, part * length, min((part + 1) * length, k));
    UNROLL
    for (int i = 0; i < FEW; ++i)
        UNROLL
    for (int j = 0; j < FEW_COLUMNS; ++j)
        if (has_sum(&f, ALONG, panel, i, j, &at)) {
            if (whole)
                write_element(out + i * out_few + at * out_many, sum[i][j], alpha, beta);
            else
                out[i * many + at] = sum[i][j];
        }
}

/* A work-item adds up the parts of one element: [part][few][many]. */
kernel __attribute__((reqd_work_group_size(GEMM_FEW_THREADS, 1, 1))) void
gemm_few_rows_sum(global T *out_base, long out_offset, long out_few, long out_many, int few, long many, T alpha, T beta,
                  global const T *partial_base, long partial_offset, int parts)
{
    const long element = (long)get_global_id(0), i = element / many, j = element % many;
    T sum = 0;

    if (i >= few)
        return;
    UNROLL_8
    for (int part = 0; part < parts; ++part)
        sum += partial_base[partial_offset + part * few * many + element];
    write_element(out_base + out_offset + i * out_few + j * out_many, sum, alpha, beta);
}
