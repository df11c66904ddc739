/* Our row-major problems as cuBLAS's column-major calls, without a copy: a
 * row-major matrix is its own transpose in column-major order. */
#include "plugins/cublas/plan.h"
#include "kernels/no_terms.h"
#include "kernels/vendor.h"
#include "plugins/cublas/library.h"
#include "plugins/cublas/lt.h"
#include "plugins/cublas/reduce.h"

#include <stdio.h>
#include <stdlib.h>

struct plx_plugin_plan {
    plx_problem problem;
    uint64_t storage_bytes; /* of a reduction */
    uint64_t workspace;     /* bytes for cuBLAS itself; 0: its own default */
    plx_lt_product *lt;     /* NULL: cuBLAS itself */
};

/* What NVIDIA recommends for Hopper. */
enum { WORKSPACE = 32 << 20 };

/* Operand addresses of one call. */
typedef struct operands {
    const void *first, *second;
    void *out;
} operands;

static cublasOperation_t transposed_if(bool transposed)
{
    return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* The same of a batch, in one call. */
static plx_status gemm_batched(cublasHandle_t handle, const plx_problem *problem, const operands *at, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const plx_batch *batch = &problem->batch;
    const double wide_alpha = plx_vendor_has_no_terms(problem) ? plx_alpha_without_terms(p->beta) : p->alpha;
    const float alpha = (float)wide_alpha, beta = (float)p->beta;
    const cublasOperation_t how_b = transposed_if(p->trans_b), how_a = transposed_if(p->trans_a);
    if (problem->dtype == PLX_F32)
        return plx_cublas_check(error,
                                cublasSgemmStridedBatched_64(handle, how_b, how_a, p->n, p->m, p->k, &alpha, at->second,
                                                             p->ldb, batch->stride[1], at->first, p->lda,
                                                             batch->stride[0], &beta, at->out, p->ldc, batch->stride[2],
                                                             batch->count),
                                "cublasSgemmStridedBatched");
    return plx_cublas_check(error,
                            cublasDgemmStridedBatched_64(handle, how_b, how_a, p->n, p->m, p->k, &wide_alpha,
                                                         at->second, p->ldb, batch->stride[1], at->first, p->lda,
                                                         batch->stride[0], &p->beta, at->out, p->ldc, batch->stride[2],
                                                         batch->count),
                            "cublasDgemmStridedBatched");
}

/* C^T = op(B)^T op(A)^T: the operands change places. */
static plx_status gemm(cublasHandle_t handle, const plx_problem *problem, const operands *at, plx_error *error)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const double wide_alpha = plx_vendor_has_no_terms(problem) ? plx_alpha_without_terms(p->beta) : p->alpha;
    const float alpha = (float)wide_alpha, beta = (float)p->beta;
    if (problem->dtype == PLX_F32)
        return plx_cublas_check(error,
                                cublasSgemm_64(handle, transposed_if(p->trans_b), transposed_if(p->trans_a), p->n, p->m,
                                               p->k, &alpha, at->second, p->ldb, at->first, p->lda, &beta, at->out,
                                               p->ldc),
                                "cublasSgemm");
    return plx_cublas_check(error,
                            cublasDgemm_64(handle, transposed_if(p->trans_b), transposed_if(p->trans_a), p->n, p->m,
                                           p->k, &wide_alpha, at->second, p->ldb, at->first, p->lda, &p->beta, at->out,
                                           p->ldc),
                            "cublasDgemm");
}

static bool has_no_terms(const plx_matvec_problem *p)
{
    return (p->trans ? p->rows : p->cols) == 0;
}

/* y = beta * y: without a term to add, cuBLAS leaves y alone. */
static plx_status scale(cublasHandle_t handle, const plx_problem *problem, const operands *at, plx_error *error)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    const int64_t n = p->trans ? p->cols : p->rows;
    const float beta = (float)p->beta;
    if (problem->dtype == PLX_F32)
        return plx_cublas_check(error, cublasSscal_64(handle, n, &beta, at->out, 1), "cublasSscal");
    return plx_cublas_check(error, cublasDscal_64(handle, n, &p->beta, at->out, 1), "cublasDscal");
}

/* cuBLAS sees A^T, cols x rows: our plain product is its transposed one. */
static plx_status matvec(cublasHandle_t handle, const plx_problem *problem, const operands *at, plx_error *error)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    const double wide_alpha = p->alpha != 0 ? p->alpha : plx_alpha_without_terms(p->beta);
    const float alpha = (float)wide_alpha, beta = (float)p->beta;
    if (has_no_terms(p))
        return scale(handle, problem, at, error);
    if (problem->dtype == PLX_F32)
        return plx_cublas_check(error,
                                cublasSgemv_64(handle, transposed_if(!p->trans), p->cols, p->rows, &alpha, at->first,
                                               p->lda, at->second, 1, &beta, at->out, 1),
                                "cublasSgemv");
    return plx_cublas_check(error,
                            cublasDgemv_64(handle, transposed_if(!p->trans), p->cols, p->rows, &wide_alpha, at->first,
                                           p->lda, at->second, 1, &p->beta, at->out, 1),
                            "cublasDgemv");
}

static plx_status transpose(cublasHandle_t handle, const plx_problem *problem, const operands *at, plx_error *error)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const float one_f32 = 1.0f, zero_f32 = 0.0f;
    const double one = 1.0, zero = 0.0;
    if (problem->dtype == PLX_F32)
        return plx_cublas_check(error,
                                cublasSgeam_64(handle, CUBLAS_OP_T, CUBLAS_OP_N, p->rows, p->cols, &one_f32, at->first,
                                               p->ld_in, &zero_f32, at->out, p->ld_out, at->out, p->ld_out),
                                "cublasSgeam");
    return plx_cublas_check(error,
                            cublasDgeam_64(handle, CUBLAS_OP_T, CUBLAS_OP_N, p->rows, p->cols, &one, at->first,
                                           p->ld_in, &zero, at->out, p->ld_out, at->out, p->ld_out),
                            "cublasDgeam");
}

static bool takes_fastest(plx_op op, size_t kernel)
{
    return op == PLX_GEMM && kernel >= PLX_CUBLAS_GEMM_LT && kernel < PLX_CUBLAS_GEMM_LT_FIRST;
}

plx_status plx_cublas_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                              size_t capacity, size_t *count, plx_error *error)
{
    plx_lt_product *product = NULL;
    *count = 0;
    if (!takes_fastest(problem->op, kernel))
        return PLX_OK;
    const plx_status status = plx_lt_plan(session, problem, true, &product, error);
    if (status != PLX_OK) /* what can't be planned has none */
        return status == PLX_UNSUPPORTED ? PLX_OK : status;
    const plx_lt_algorithms *of = &product->ways[PLX_LT_ALIGNED];
    *count = of->count;
    for (size_t i = 0; i < of->count && i < capacity; i++) {
        const size_t algorithm = i == 0 ? of->taken : i <= of->taken ? i - 1 : i;
        configs[i] = (plx_config){.number = (uint32_t)algorithm + 1};
        (void)snprintf(configs[i].name, sizeof configs[i].name, "%zu/%zu", algorithm + 1, of->count);
    }
    plx_lt_destroy(product);
    return PLX_OK;
}

plx_status plx_cublas_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                           plx_error *error)
{
    plx_plugin_plan *made = malloc(sizeof *made);
    plx_status status = PLX_OK;
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    *made = (plx_plugin_plan){.problem = *problem};
    if (problem->op == PLX_REDUCE)
        status = plx_cub_plan(session, problem, kernel == PLX_CUBLAS_REDUCE_SEGMENTED, &made->storage_bytes, error);
    else if (problem->op == PLX_GEMM && kernel >= PLX_CUBLAS_GEMM_LT)
        status = plx_lt_plan(session, problem, takes_fastest(problem->op, kernel), &made->lt, error);
    else if (problem->op == PLX_GEMM && kernel == PLX_CUBLAS_GEMM_WORKSPACE)
        made->workspace = WORKSPACE;
    if (status == PLX_OK)
        *plan = made;
    else
        free(made);
    return status;
}

void plx_cublas_plan_destroy(plx_plugin_plan *plan)
{
    plx_lt_destroy(plan->lt);
    free(plan);
}

static void *address(const plx_operand *operand)
{
    return (void *)(uintptr_t)plx_cuda_address(operand);
}

/* The queue's scratch memory as the handle's workspace, until it gets its next stream. */
static plx_status lend_workspace(cublasHandle_t handle, plx_plugin_queue *queue, uint64_t bytes, plx_error *error)
{
    plx_status status = plx_cuda_scratch_grow(queue, bytes, 0, error);
    if (status != PLX_OK)
        return status;
    return plx_cublas_check(error, cublasSetWorkspace(handle, (void *)(uintptr_t)queue->scratch, (size_t)bytes),
                            "cublasSetWorkspace");
}

static plx_status call_operation(cublasHandle_t handle, const plx_problem *problem, const operands *at,
                                 plx_error *error)
{
    if (problem->op == PLX_GEMM)
        return (problem->batch.batched ? gemm_batched : gemm)(handle, problem, at, error);
    if (problem->op == PLX_MATVEC)
        return matvec(handle, problem, at, error);
    return transpose(handle, problem, at, error);
}

/* The operations of cuBLAS itself. */
static plx_status call(plx_plugin_queue *queue, const plx_plugin_plan *plan, const operands *at, plx_error *error)
{
    const plx_problem *problem = &plan->problem;
    cublasHandle_t handle;
    plx_status status = plx_cublas_acquire(queue, &handle, error);
    if (status != PLX_OK)
        return status;
    if (plan->workspace > 0)
        status = lend_workspace(handle, queue, plan->workspace, error);
    if (status == PLX_OK)
        status = call_operation(handle, problem, at, error);
    plx_cublas_release(queue);
    return status;
}

/* What is not to be read must not be scaled either. */
static bool only_clears(const plx_problem *problem)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    return problem->op == PLX_MATVEC && has_no_terms(p) && p->beta == 0;
}

static plx_status clear(plx_plugin_queue *queue, const plx_problem *problem, const plx_operand *y, plx_error *error)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    const uint64_t elements = (uint64_t)(p->trans ? p->cols : p->rows);
    return plx_cuda_fill(queue, y->memory, y->offset, 0, elements * (problem->dtype == PLX_F32 ? 4 : 8), error);
}

/* With the context current. */
static plx_status execute(const plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                          plx_error *error)
{
    const plx_problem *problem = &plan->problem;
    operands at = {.first = address(&given[0]), .out = address(&given[count - 1])};
    if (count > 2)
        at.second = address(&given[1]);
    if (problem->op == PLX_REDUCE)
        return plx_cub_execute(queue, problem, plan->storage_bytes, at.first, at.out, error);
    if (plan->lt != NULL)
        return plx_lt_execute(plan->lt, queue, at.first, at.second, at.out, error);
    return call(queue, plan, &at, error);
}

plx_status plx_cublas_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                              plx_error *error)
{
    const plx_problem *problem = &plan->problem;
    plx_cuda_thread thread;
    if (plx_vendor_is_empty(problem))
        return PLX_OK;
    if (only_clears(problem))
        return clear(queue, problem, &given[count - 1], error);
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = execute(plan, queue, given, count, error);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cublas_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error)
{
    const uint64_t most =
        plan->lt != NULL ? plx_lt_workspace(plan->lt) : plan->storage_bytes + plan->workspace; /* one of them is 0 */
    const plx_status status = queue != NULL ? plx_cuda_scratch_grow(queue, most, 0, error) : PLX_OK;
    if (status == PLX_OK)
        *bytes = most;
    return status;
}
