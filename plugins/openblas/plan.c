/* Our row-major problems as calls of CBLAS, which knows that order. */
#define _GNU_SOURCE /* dladdr */
#include <parallax/host_memory.h>

#include "kernels/vendor.h"
#include "plugins/openblas/plan.h"
#include "plugins/openblas/scale.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

/* A test has one of its own. */
#ifdef PLX_OPENBLAS_SYMBOL
void *PLX_OPENBLAS_SYMBOL(void *library, const char *name);
#else
#define PLX_OPENBLAS_SYMBOL dlsym
#endif

struct plx_plugin_plan {
    plx_problem problem;
};

/* ---- what not every version has --------------------------------------------- */

/* Inputs in bf16, sums and result in f32.  Few builds of the library have it, and their headers differ. */
typedef void bf16_product(CBLAS_LAYOUT order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, blasint m, blasint n,
                          blasint k, float alpha, const uint16_t *a, blasint lda, const uint16_t *b, blasint ldb,
                          float beta, float *c, blasint ldc);

/* Products of a batch, which versions from 0.3.30 on have. */
#define BATCH_OF(type)                                                                                                 \
    CBLAS_LAYOUT order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, blasint m, blasint n, blasint k, type alpha, \
        const type *a, blasint lda, blasint stride_a, const type *b, blasint ldb, blasint stride_b, type beta,         \
        type *c, blasint ldc, blasint stride_c, blasint count
typedef void f32_batch(BATCH_OF(float));
typedef void f64_batch(BATCH_OF(double));

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static bf16_product *bf16; /* NULL, here and below: this OpenBLAS has none */
static f32_batch *batch_of_f32;
static f64_batch *batch_of_f64;

/* From the library that has the other products: what else the process shows to all is somebody else's. */
static void look(void)
{
    void (*const product)(void) = (void (*)(void))cblas_sgemm;
    void *address;
    Dl_info about;
    memcpy(&address, &product, sizeof address); /* C has no cast from a function to an object */
    if (dladdr(address, &about) == 0)
        return;
    void *library = dlopen(about.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL)
        return;
    void *const found[] = {PLX_OPENBLAS_SYMBOL(library, "cblas_sbgemm"),
                           PLX_OPENBLAS_SYMBOL(library, "cblas_sgemm_batch_strided"),
                           PLX_OPENBLAS_SYMBOL(library, "cblas_dgemm_batch_strided")};
    memcpy(&bf16, &found[0], sizeof bf16);
    memcpy(&batch_of_f32, &found[1], sizeof batch_of_f32);
    memcpy(&batch_of_f64, &found[2], sizeof batch_of_f64);
}

static bf16_product *find_bf16(void)
{
    (void)pthread_once(&looked, look);
    return bf16;
}

bool plx_openblas_has_batches(void)
{
    (void)pthread_once(&looked, look);
    return batch_of_f32 != NULL && batch_of_f64 != NULL;
}

static plx_status check_type(const plx_problem *problem, plx_error *error)
{
    if (problem->dtype != PLX_BF16)
        return PLX_OK;
    if (find_bf16() == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "this OpenBLAS has no cblas_sbgemm");
    if (problem->output != PLX_OUTPUT(PLX_F32))
        return plx_fail(error, PLX_UNSUPPORTED, "cblas_sbgemm writes f32 alone (--out-dtype f32)");
    return PLX_OK;
}

/* ---- what fits ----------------------------------------------------------- */

static const blasint most = (blasint)((UINT64_C(1) << (8 * sizeof(blasint) - 1)) - 1);

static plx_status check_fit(const int64_t *sizes, size_t count, plx_error *error)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] > most)
            return plx_fail(error, PLX_UNSUPPORTED,
                            "%lld is more than the integers of this OpenBLAS hold: at most %lld", (long long)sizes[i],
                            (long long)most);
    return PLX_OK;
}

plx_status plx_openblas_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    (void)session;
    (void)kernel;
    const plx_gemm_problem *g = &problem->of.gemm;
    const plx_matvec_problem *v = &problem->of.matvec;
    const plx_transpose_problem *t = &problem->of.transpose;
    const plx_status status = check_type(problem, error);
    if (status != PLX_OK)
        return status;
    switch (problem->op) {
    case PLX_GEMM:
        return check_fit((int64_t[]){g->m, g->n, g->k, g->lda, g->ldb, g->ldc, problem->batch.count,
                                     problem->batch.stride[0], problem->batch.stride[1], problem->batch.stride[2]},
                         10, error);
    case PLX_MATVEC:
        return check_fit((int64_t[]){v->rows, v->cols, v->lda}, 3, error);
    case PLX_TRANSPOSE:
        return check_fit((int64_t[]){t->rows, t->cols, t->ld_in, t->ld_out}, 4, error);
    case PLX_REDUCE:
        if (problem->of.reduce.reduction != PLX_SUM)
            return plx_fail(error, PLX_UNSUPPORTED, "OpenBLAS has sums, but no minimum or maximum that keeps NaN");
        return check_fit(&problem->of.reduce.n, 1, error);
    default:
        return plx_fail(error, PLX_UNSUPPORTED, "OpenBLAS has no such operation");
    }
}

/* ---- calls --------------------------------------------------------------- */

static CBLAS_TRANSPOSE transposed_if(bool transposed)
{
    return transposed ? CblasTrans : CblasNoTrans;
}

/* Without a product to add, CBLAS leaves it open what beta does. */
static void gemm(const plx_problem *problem, const void *a, const void *b, void *c)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const blasint m = (blasint)p->m, n = (blasint)p->n, k = (blasint)p->k;
    const blasint lda = (blasint)p->lda, ldb = (blasint)p->ldb, ldc = (blasint)p->ldc;
    if (plx_vendor_has_no_terms(problem))
        plx_scale(problem->dtype == PLX_BF16 ? PLX_F32 : problem->dtype, c, m, n, ldc, p->beta);
    else if (problem->dtype == PLX_BF16)
        find_bf16()(CblasRowMajor, transposed_if(p->trans_a), transposed_if(p->trans_b), m, n, k, (float)p->alpha, a,
                    lda, b, ldb, (float)p->beta, c, ldc);
    else if (problem->dtype == PLX_F32)
        cblas_sgemm(CblasRowMajor, transposed_if(p->trans_a), transposed_if(p->trans_b), m, n, k, (float)p->alpha, a,
                    lda, b, ldb, (float)p->beta, c, ldc);
    else
        cblas_dgemm(CblasRowMajor, transposed_if(p->trans_a), transposed_if(p->trans_b), m, n, k, p->alpha, a, lda, b,
                    ldb, p->beta, c, ldc);
}

/* In one call where the library has that, else one after the other. */
static void gemm_batch(const plx_problem *problem, const char *a, const char *b, char *c)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    const CBLAS_TRANSPOSE trans_a = transposed_if(p->trans_a), trans_b = transposed_if(p->trans_b);
    const blasint m = (blasint)p->m, n = (blasint)p->n, k = (blasint)p->k, count = (blasint)problem->batch.count;
    const blasint lda = (blasint)p->lda, ldb = (blasint)p->ldb, ldc = (blasint)p->ldc;
    const int64_t *apart = problem->batch.stride;
    const blasint stride_a = (blasint)apart[0], stride_b = (blasint)apart[1], stride_c = (blasint)apart[2];
    const bool terms = !plx_vendor_has_no_terms(problem);
    if (terms && problem->dtype == PLX_F32) {
        batch_of_f32(CblasRowMajor, trans_a, trans_b, m, n, k, (float)p->alpha, (const float *)(const void *)a, lda,
                     stride_a, (const float *)(const void *)b, ldb, stride_b, (float)p->beta, (float *)(void *)c, ldc,
                     stride_c, count);
    } else if (terms && problem->dtype == PLX_F64) {
        batch_of_f64(CblasRowMajor, trans_a, trans_b, m, n, k, p->alpha, (const double *)(const void *)a, lda, stride_a,
                     (const double *)(const void *)b, ldb, stride_b, p->beta, (double *)(void *)c, ldc, stride_c,
                     count);
    } else {
        const int64_t size = problem->dtype == PLX_BF16 ? 2 : problem->dtype == PLX_F32 ? 4 : 8;
        const int64_t wide = size == 2 ? 4 : size;
        for (int64_t i = 0; i < problem->batch.count; i++)
            gemm(problem, a + i * apart[0] * size, b + i * apart[1] * size, c + i * apart[2] * wide);
    }
}

static void matvec(const plx_problem *problem, const void *a, const void *x, void *y)
{
    const plx_matvec_problem *p = &problem->of.matvec;
    const blasint rows = (blasint)p->rows, cols = (blasint)p->cols, lda = (blasint)p->lda;
    if (plx_vendor_has_no_terms(problem))
        plx_scale(problem->dtype, y, 1, p->trans ? cols : rows, 0, p->beta);
    else if (problem->dtype == PLX_F32)
        cblas_sgemv(CblasRowMajor, transposed_if(p->trans), rows, cols, (float)p->alpha, a, lda, x, 1, (float)p->beta,
                    y, 1);
    else
        cblas_dgemv(CblasRowMajor, transposed_if(p->trans), rows, cols, p->alpha, a, lda, x, 1, p->beta, y, 1);
}

static void transpose(const plx_problem *problem, const void *in, void *out)
{
    const plx_transpose_problem *p = &problem->of.transpose;
    const blasint rows = (blasint)p->rows, cols = (blasint)p->cols;
    const blasint ld_in = (blasint)p->ld_in, ld_out = (blasint)p->ld_out;
    if (plx_vendor_is_empty(problem))
        return;
    if (problem->dtype == PLX_F32)
        cblas_somatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0F, in, ld_in, out, ld_out);
    else
        cblas_domatcopy(CblasRowMajor, CblasTrans, rows, cols, 1.0, in, ld_in, out, ld_out);
}

static void sum(const plx_problem *problem, const void *x, void *result)
{
    const blasint n = (blasint)problem->of.reduce.n;
    if (problem->dtype == PLX_F32)
        *(float *)result = n == 0 ? 0 : cblas_ssum(n, x, 1);
    else
        *(double *)result = n == 0 ? 0 : cblas_dsum(n, x, 1);
}

/* ---- slots --------------------------------------------------------------- */

plx_status plx_openblas_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                             plx_error *error)
{
    const plx_status status = plx_openblas_supports(session, problem, kernel, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    made->problem = *problem;
    *plan = made;
    return PLX_OK;
}

plx_status plx_openblas_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *given, size_t count,
                                plx_error *error)
{
    const plx_problem *problem = &plan->problem;
    const void *first = plx_host_address(&given[0]);
    void *out = plx_host_address(&given[count - 1]);
    (void)queue;
    (void)error;
    if (problem->op == PLX_GEMM && problem->batch.batched)
        gemm_batch(problem, first, plx_host_address(&given[1]), out);
    else if (problem->op == PLX_GEMM)
        gemm(problem, first, plx_host_address(&given[1]), out);
    else if (problem->op == PLX_MATVEC)
        matvec(problem, first, plx_host_address(&given[1]), out);
    else if (problem->op == PLX_TRANSPOSE)
        transpose(problem, first, out);
    else
        sum(problem, first, out);
    return PLX_OK;
}
