/* A problem in one call: a cached plan, in a queue; and the four operations, in the backend's own. */
#include "core/core.h"

plx_status plx_run(plx_backend *backend, plx_queue *queue, const plx_problem *problem, const plx_view *operands,
                   size_t count)
{
    plx_plan *plan = NULL;
    plx_status status = queue != NULL ? plx_queue_check(backend, queue) : plx_backend_usable(backend);
    if (status == PLX_OK)
        status = plx_plan_obtain(backend, queue, problem, &plan);
    if (status != PLX_OK)
        return status;
    plx_plan_runs_in(plan, queue);
    status = plx_execute(plan, queue, operands, count);
    plx_plan_release(plan);
    return status;
}

plx_status plx_reduce(plx_backend *backend, plx_dtype dtype, plx_reduction reduction, int64_t n, plx_view x,
                      plx_view result)
{
    const plx_problem problem = plx_reduce_of(dtype, reduction, n);
    const plx_view operands[] = {x, result};
    return plx_run(backend, NULL, &problem, operands, 2);
}

plx_status plx_transpose(plx_backend *backend, plx_dtype dtype, int64_t rows, int64_t cols, plx_view in, int64_t ld_in,
                         plx_view out, int64_t ld_out)
{
    plx_problem problem = plx_transpose_of(dtype, rows, cols);
    const plx_view operands[] = {in, out};
    problem.of.transpose.ld_in = ld_in;
    problem.of.transpose.ld_out = ld_out;
    return plx_run(backend, NULL, &problem, operands, 2);
}

plx_status plx_matvec(plx_backend *backend, plx_dtype dtype, bool trans, int64_t rows, int64_t cols, double alpha,
                      plx_view a, int64_t lda, plx_view x, double beta, plx_view y)
{
    plx_problem problem = plx_matvec_of(dtype, trans, rows, cols);
    const plx_view operands[] = {a, x, y};
    problem.of.matvec.lda = lda;
    problem.of.matvec.alpha = alpha;
    problem.of.matvec.beta = beta;
    return plx_run(backend, NULL, &problem, operands, 3);
}

plx_status plx_gemm(plx_backend *backend, plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                    double alpha, plx_view a, int64_t lda, plx_view b, int64_t ldb, double beta, plx_view c,
                    int64_t ldc)
{
    plx_problem problem = plx_gemm_of(dtype, trans_a, trans_b, m, n, k);
    const plx_view operands[] = {a, b, c};
    problem.of.gemm.lda = lda;
    problem.of.gemm.ldb = ldb;
    problem.of.gemm.ldc = ldc;
    problem.of.gemm.alpha = alpha;
    problem.of.gemm.beta = beta;
    return plx_run(backend, NULL, &problem, operands, 3);
}

plx_status plx_gemm_batched(plx_backend *backend, plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n,
                            int64_t k, double alpha, plx_view a, int64_t lda, int64_t stride_a, plx_view b, int64_t ldb,
                            int64_t stride_b, double beta, plx_view c, int64_t ldc, int64_t stride_c, int64_t count)
{
    const plx_problem one = plx_gemm_of(dtype, trans_a, trans_b, m, n, k);
    const plx_view operands[] = {a, b, c};
    plx_problem problem = plx_batch_of(&one, count);
    problem.of.gemm.lda = lda;
    problem.of.gemm.ldb = ldb;
    problem.of.gemm.ldc = ldc;
    problem.of.gemm.alpha = alpha;
    problem.of.gemm.beta = beta;
    problem.batch.stride[0] = stride_a;
    problem.batch.stride[1] = stride_b;
    problem.batch.stride[2] = stride_c;
    return plx_run(backend, NULL, &problem, operands, 3);
}

plx_status plx_reduce_along(plx_backend *backend, plx_dtype dtype, plx_reduction reduction, int64_t outer, int64_t n,
                            int64_t inner, plx_view x, plx_view result)
{
    const plx_problem problem = plx_reduce_along_of(dtype, reduction, outer, n, inner);
    const plx_view operands[] = {x, result};
    return plx_run(backend, NULL, &problem, operands, 2);
}
