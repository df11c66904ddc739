/* gemm/bulk-pipeline: four warps bring tiles by copies that run by themselves, four multiply (pipeline.clh). */
#include "pipeline.clh"

kernel PIPELINE_GROUP void gemm_bulk_pipeline(GEMM_PARAMETERS)
{
    GEMM_OPERANDS;
    PIPELINE_ROOM;
    const product_t product = {a_matrix, b_matrix, m, n, k, lda, ldb};
    const output_t out = {c_matrix, ldc, alpha, beta};
    const work_t work = work_of(m, n, 0, (int)((k + DEPTH - 1) / DEPTH));

    run_pipeline(stages, barriers, &product, &out, &work);
}
