/* gemm/split-k: the pipeline on smaller tiles, and with parts of k in work-groups of their own.  What
 * they leave is added by a launch after them, in the order of the parts. */
#include "pipeline.clh"

kernel PIPELINE_GROUP void gemm_split_k(GEMM_PARAMETERS, int steps, int longer, global T *partial_base,
                                        long partial_offset, long pitch)
{
    GEMM_OPERANDS;
    PIPELINE_ROOM;
    const int part = (int)get_group_id(1);
    const bool whole = get_num_groups(1) == 1;
    const product_t product = {a_matrix, b_matrix, m, n, k, lda, ldb};
    const output_t to_c = {c_matrix, ldc, alpha, beta};
    const output_t to_part = {partial_base + partial_offset + part * m * pitch, pitch, 1, 0};
    /* The first parts are a step longer. */
    const work_t work = work_of(m, n, part * steps + min(part, longer), steps + (part < longer ? 1 : 0));
    const output_t out = whole ? to_c : to_part;

    run_pipeline(stages, barriers, &product, &out, &work);
}

/* A work-item adds up a quad of C. */
kernel __attribute__((reqd_work_group_size(SUM_THREADS, 1, 1)))
void gemm_split_k_sum(global T *c_base, long c_offset, long m, long n, long ldc, T alpha, T beta,
                      global const T *partial_base, long partial_offset, long pitch, int parts)
{
    global T *c = c_base + c_offset;
    const long across = pitch / 4, unit = (long)get_global_id(0), row = unit / across, col = unit % across * 4;
    global const float4 *from = (global const float4 *)(partial_base + partial_offset + row * pitch + col);
    float4 sum = (float4)(0);
    T lanes[4];

    if (row >= m)
        return;
    UNROLL_8
    for (int part = 0; part < parts; ++part)
        sum += from[part * m * across];
    PACK_TO(sum, lanes);
    write_pack(c + row * ldc + col, lanes, n - col, is_packed(c, ldc), alpha, beta);
}
