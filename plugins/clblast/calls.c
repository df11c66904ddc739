/* CLBlast knows row-major order, so nothing is transposed or copied here. */
#include "plugins/clblast/calls.h"

static CLBlastTranspose transposed_if(bool transposed)
{
    return transposed ? CLBlastTransposeYes : CLBlastTransposeNo;
}

static plx_status gemm(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                       plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const CLBlastTranspose a = transposed_if(p->trans_a), b = transposed_if(p->trans_b);
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    const size_t lda = (size_t)p->lda, ldb = (size_t)p->ldb, ldc = (size_t)p->ldc;
    if (problem->dtype == PLX_F32)
        return plx_clblast_check(CLBlastSgemm(CLBlastLayoutRowMajor, a, b, m, n, k, (float)p->alpha, at[0].buffer,
                                              at[0].offset, lda, at[1].buffer, at[1].offset, ldb, (float)p->beta,
                                              at[2].buffer, at[2].offset, ldc, &queue, NULL),
                                 "CLBlastSgemm", error);
    return plx_clblast_check(CLBlastDgemm(CLBlastLayoutRowMajor, a, b, m, n, k, p->alpha, at[0].buffer, at[0].offset,
                                          lda, at[1].buffer, at[1].offset, ldb, p->beta, at[2].buffer, at[2].offset,
                                          ldc, &queue, NULL),
                             "CLBlastDgemm", error);
}

/* A batch in one call. */
static plx_status gemm_batched(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                               plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const CLBlastTranspose a = transposed_if(p->trans_a), b = transposed_if(p->trans_b);
    const size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k, count = (size_t)problem->batch.count;
    const size_t lda = (size_t)p->lda, ldb = (size_t)p->ldb, ldc = (size_t)p->ldc;
    const size_t apart[] = {(size_t)problem->batch.stride[0], (size_t)problem->batch.stride[1],
                            (size_t)problem->batch.stride[2]};
    if (problem->dtype == PLX_F32)
        return plx_clblast_check(CLBlastSgemmStridedBatched(CLBlastLayoutRowMajor, a, b, m, n, k, (float)p->alpha,
                                                            at[0].buffer, at[0].offset, lda, apart[0], at[1].buffer,
                                                            at[1].offset, ldb, apart[1], (float)p->beta, at[2].buffer,
                                                            at[2].offset, ldc, apart[2], count, &queue, NULL),
                                 "CLBlastSgemmStridedBatched", error);
    return plx_clblast_check(CLBlastDgemmStridedBatched(CLBlastLayoutRowMajor, a, b, m, n, k, p->alpha, at[0].buffer,
                                                        at[0].offset, lda, apart[0], at[1].buffer, at[1].offset, ldb,
                                                        apart[1], p->beta, at[2].buffer, at[2].offset, ldc, apart[2],
                                                        count, &queue, NULL),
                             "CLBlastDgemmStridedBatched", error);
}

static plx_status gemv(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                       plx_error *error)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    const CLBlastTranspose a = transposed_if(p->trans);
    const size_t rows = (size_t)p->rows, cols = (size_t)p->cols, lda = (size_t)p->lda;
    if (problem->dtype == PLX_F32)
        return plx_clblast_check(CLBlastSgemv(CLBlastLayoutRowMajor, a, rows, cols, (float)p->alpha, at[0].buffer,
                                              at[0].offset, lda, at[1].buffer, at[1].offset, 1, (float)p->beta,
                                              at[2].buffer, at[2].offset, 1, &queue, NULL),
                                 "CLBlastSgemv", error);
    return plx_clblast_check(CLBlastDgemv(CLBlastLayoutRowMajor, a, rows, cols, p->alpha, at[0].buffer, at[0].offset,
                                          lda, at[1].buffer, at[1].offset, 1, p->beta, at[2].buffer, at[2].offset, 1,
                                          &queue, NULL),
                             "CLBlastDgemv", error);
}

static plx_status omatcopy(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                           plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const size_t rows = (size_t)p->rows, cols = (size_t)p->cols;
    const size_t ld_in = (size_t)p->ld_in, ld_out = (size_t)p->ld_out;
    if (problem->dtype == PLX_F32)
        return plx_clblast_check(CLBlastSomatcopy(CLBlastLayoutRowMajor, CLBlastTransposeYes, rows, cols, 1.0F,
                                                  at[0].buffer, at[0].offset, ld_in, at[1].buffer, at[1].offset, ld_out,
                                                  &queue, NULL),
                                 "CLBlastSomatcopy", error);
    return plx_clblast_check(CLBlastDomatcopy(CLBlastLayoutRowMajor, CLBlastTransposeYes, rows, cols, 1.0, at[0].buffer,
                                              at[0].offset, ld_in, at[1].buffer, at[1].offset, ld_out, &queue, NULL),
                             "CLBlastDomatcopy", error);
}

static plx_status sum(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue, plx_error *error)
{
    const size_t n = (size_t)problem->of.reduce.n;
    if (problem->dtype == PLX_F32)
        return plx_clblast_check(
            CLBlastSsum(n, at[1].buffer, at[1].offset, at[0].buffer, at[0].offset, 1, &queue, NULL), "CLBlastSsum",
            error);
    return plx_clblast_check(CLBlastDsum(n, at[1].buffer, at[1].offset, at[0].buffer, at[0].offset, 1, &queue, NULL),
                             "CLBlastDsum", error);
}

plx_status plx_clblast_call(const plx_problem *problem, const plx_clblast_place *at, cl_command_queue queue,
                            plx_error *error)
{
    switch (problem->op) {
    case PLX_GEMM:
        return (problem->batch.batched ? gemm_batched : gemm)(problem, at, queue, error);
    case PLX_MATVEC:
        return gemv(problem, at, queue, error);
    case PLX_TRANSPOSE:
        return omatcopy(problem, at, queue, error);
    default:
        return sum(problem, at, queue, error);
    }
}

/* ---- reach --------------------------------------------------------------- */

/* Below 2^31 by what a grid may step beyond the end. */
static const double most = 2147483648.0 - 2097152.0;

/* The largest tile that a tuner tries: CLBlast pads the operands of a product to a
 * multiple of it, one behind the other. */
static double padded(int64_t length)
{
    const int64_t tile = 256;
    return (double)length + (double)tile - 1.0;
}

static double extent(int64_t rows, int64_t cols, int64_t ld, size_t offset)
{
    return rows == 0 ? 0 : ((double)rows - 1) * (double)ld + (double)cols + (double)offset;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double reach_of_gemm(const plx_gemm_problem *p, const plx_clblast_place *at)
{
    const double m = padded(p->m), n = padded(p->n), k = padded(p->k);
    double reach = m * k + k * n + m * n;
    reach = larger(reach, extent(p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, p->lda, at[0].offset));
    reach = larger(reach, extent(p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, p->ldb, at[1].offset));
    return larger(reach, extent(p->m, p->n, p->ldc, at[2].offset));
}

/* Copies of all problems lie behind each other, and their operands as far apart as they are. */
static double reach_of_batch(const plx_problem *problem, const plx_clblast_place *at)
{
    const plx_batch *batch = &problem->batch;
    const double one = reach_of_gemm(&problem->of.gemm, at), count = batch->batched ? (double)batch->count : 1;
    double apart = 0;
    for (size_t i = 0; i < 3; i++)
        apart = larger(apart, (double)batch->stride[i]);
    return larger(one * count, one + apart * (count - 1));
}

static double reach_of(const plx_problem *problem, const plx_clblast_place *at)
{
    const plx_matvec_problem *v = &problem->of.matvec;
    const plx_transpose_problem *t = &problem->of.transpose;
    switch (problem->op) {
    case PLX_GEMM:
        return reach_of_batch(problem, at);
    case PLX_MATVEC:
        return larger(extent(v->rows, v->cols, v->lda, at[0].offset),
                      (double)(v->rows > v->cols ? v->rows : v->cols) +
                          (double)(at[1].offset > at[2].offset ? at[1].offset : at[2].offset));
    case PLX_TRANSPOSE:
        return larger(extent(t->rows, t->cols, t->ld_in, at[0].offset),
                      extent(t->cols, t->rows, t->ld_out, at[1].offset));
    default:
        return larger((double)problem->of.reduce.n + (double)at[0].offset, (double)at[1].offset);
    }
}

plx_status plx_clblast_check_reach(const plx_problem *problem, const plx_clblast_place *at, plx_error *error)
{
    if (reach_of(problem, at) <= most)
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED, "CLBlast counts elements in 32 bits, and this needs more of them");
}
