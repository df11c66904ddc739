/* cublasLt's product, by an algorithm of its heuristic, which sums in the compute type.  The
 * library is looked for at run time: where it is missing, cuBLAS's own products are still there. */
#include "plugins/cublas/lt.h"
#include "kernels/operation.h"
#include "plugins/cublas/functions.h"
#include "plugins/cublas/library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library ---------------------------------------------------------------------- */

/* A test has a library of its own. */
#ifdef PLX_LT_OPEN
void *PLX_LT_OPEN(const char *file, int flags);
void *PLX_LT_SYMBOL(void *library, const char *name);
#else
#define PLX_LT_OPEN dlopen
#define PLX_LT_SYMBOL dlsym
#endif

#define LT_FUNCTIONS(X)                                                                                                \
    X(MatmulDescCreate, (cublasLtMatmulDesc_t *, cublasComputeType_t, cudaDataType_t))                                 \
    X(MatmulDescDestroy, (cublasLtMatmulDesc_t))                                                                       \
    X(MatmulDescSetAttribute, (cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void *, size_t))            \
    X(MatrixLayoutCreate, (cublasLtMatrixLayout_t *, cudaDataType, uint64_t, uint64_t, int64_t))                       \
    X(MatrixLayoutSetAttribute, (cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, const void *, size_t))       \
    X(MatrixLayoutDestroy, (cublasLtMatrixLayout_t))                                                                   \
    X(MatmulPreferenceCreate, (cublasLtMatmulPreference_t *))                                                          \
    X(MatmulPreferenceDestroy, (cublasLtMatmulPreference_t))                                                           \
    X(MatmulPreferenceSetAttribute,                                                                                    \
      (cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void *, size_t))                        \
    X(MatmulAlgoGetHeuristic,                                                                                          \
      (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, \
       cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t *, int *))             \
    X(Matmul, (cublasLtHandle_t, cublasLtMatmulDesc_t, const void *, const void *, cublasLtMatrixLayout_t,             \
               const void *, cublasLtMatrixLayout_t, const void *, const void *, cublasLtMatrixLayout_t, void *,       \
               cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *, void *, size_t, cudaStream_t))

typedef struct lt_library {
#define LT_MEMBER(name, parameters) cublasStatus_t(*name) parameters;
    LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
} lt_library;

static lt_library lt;
static char lt_missing[96]; /* "" after a load that found everything */
static pthread_once_t lt_once = PTHREAD_ONCE_INIT;

/* A function pointer from an object pointer, as POSIX allows and ISO C does not. */
static bool find(void *library, const char *symbol, void *function)
{
    void *address = PLX_LT_SYMBOL(library, symbol);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* That of the cuBLAS that was loaded, which uses it itself; never unloaded. */
static void load(void)
{
    char name[40];
    (void)snprintf(name, sizeof name, "libcublasLt.so.%d", plx_cublas_major());
    void *library = PLX_LT_OPEN(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        (void)snprintf(lt_missing, sizeof lt_missing, "%s was not found", name);
        return;
    }
#define LT_FIND(function, parameters)                       \
    if (!find(library, "cublasLt" #function, &lt.function)) \
        (void)snprintf(lt_missing, sizeof lt_missing, "%s has no %s", name, "cublasLt" #function);
    LT_FUNCTIONS(LT_FIND)
#undef LT_FIND
}

/* ---- plan ------------------------------------------------------------------------------- */

enum { LT_WORKSPACE = 32 << 20 /* bytes: what NVIDIA recommends for Hopper */ };

static cudaDataType type_of(plx_dtype dtype)
{
    return dtype == PLX_F16 ? CUDA_R_16F : dtype == PLX_BF16 ? CUDA_R_16BF : dtype == PLX_F32 ? CUDA_R_32F : CUDA_R_64F;
}

/* The plain arithmetic of the type, unless TF32 is asked for. */
static cublasComputeType_t compute_of(const plx_problem *problem)
{
    if (problem->compute == PLX_COMPUTE_TF32)
        return CUBLAS_COMPUTE_32F_FAST_TF32;
    return problem->dtype == PLX_F64 ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
}

static plx_status describe_product(plx_lt_product *made, plx_error *error)
{
    const plx_gemm_problem *p = &made->problem.of.gemm;
    const cudaDataType scalars = made->problem.dtype == PLX_F64 ? CUDA_R_64F : CUDA_R_32F;
    cublasOperation_t first = p->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N, second = p->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    cublasStatus_t result = lt.MatmulDescCreate(&made->product, compute_of(&made->problem), scalars);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = lt.MatmulDescSetAttribute(made->product, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = lt.MatmulDescSetAttribute(made->product, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second);
    return plx_cublas_check(error, result, "cublasLtMatmulDescCreate");
}

static plx_status describe_matrix(plx_dtype dtype, cublasLtMatrixLayout_t *layout, int64_t rows, int64_t cols,
                                  int64_t ld, plx_error *error)
{
    return plx_cublas_check(error, lt.MatrixLayoutCreate(layout, type_of(dtype), (uint64_t)cols, (uint64_t)rows, ld),
                            "cublasLtMatrixLayoutCreate");
}

/* Of a batch: how many, and the elements from one to the next. */
static plx_status describe_batch(const plx_lt_product *made, cublasLtMatrixLayout_t layout, size_t operand,
                                 plx_error *error)
{
    const plx_batch *batch = &made->problem.batch;
    const int32_t count = (int32_t)batch->count;
    if (!batch->batched)
        return PLX_OK;
    cublasStatus_t result =
        lt.MatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = lt.MatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                             &batch->stride[operand], sizeof batch->stride[operand]);
    return plx_cublas_check(error, result, "cublasLtMatrixLayoutSetAttribute");
}

static plx_status describe(plx_lt_product *made, plx_error *error)
{
    const plx_gemm_problem *p = &made->problem.of.gemm;
    const plx_dtype in = made->problem.dtype, out = plx_output_dtype(&made->problem);
    plx_status status = describe_product(made, error);
    if (status == PLX_OK)
        status = describe_matrix(in, &made->a, p->trans_a ? p->k : p->m, p->trans_a ? p->m : p->k, p->lda, error);
    if (status == PLX_OK)
        status = describe_matrix(in, &made->b, p->trans_b ? p->n : p->k, p->trans_b ? p->k : p->n, p->ldb, error);
    if (status == PLX_OK)
        status = describe_matrix(out, &made->c, p->m, p->n, p->ldc, error);
    if (status == PLX_OK)
        status = describe_batch(made, made->a, 0, error);
    if (status == PLX_OK)
        status = describe_batch(made, made->b, 1, error);
    return status == PLX_OK ? describe_batch(made, made->c, 2, error) : status;
}

/* Left alone, cublasLt adds parts of k in the type of C, where that is cheaper: each part of a result of 16 bits is
 * then rounded to 16 before it is added, and the product is none that is summed in f32, as it was asked for
 * (tests/plugins/test_cublaslt_sums.c). */
static uint32_t ways_to_add_parts(const plx_lt_product *made)
{
    const bool narrow = plx_element_size(plx_output_dtype(&made->problem)) < sizeof(float);
    return narrow ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE : CUBLASLT_REDUCTION_SCHEME_MASK;
}

static plx_status prefer(const plx_lt_product *made, cublasLtMatmulPreference_t preference, uint32_t alignment,
                         plx_error *error)
{
    static const cublasLtMatmulPreferenceAttributes_t alignments[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    const uint64_t workspace = LT_WORKSPACE;
    const uint32_t adding = ways_to_add_parts(made);
    cublasStatus_t result = lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                            &workspace, sizeof workspace);
    if (result == CUBLAS_STATUS_SUCCESS)
        result = lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &adding,
                                                 sizeof adding);
    for (size_t i = 0; i < 4 && result == CUBLAS_STATUS_SUCCESS; i++)
        result = lt.MatmulPreferenceSetAttribute(preference, alignments[i], &alignment, sizeof alignment);
    return plx_cublas_check(error, result, "cublasLtMatmulPreferenceSetAttribute");
}

/* What the heuristic names for operands that begin at multiples of `alignment`. */
static plx_status ask_heuristic(plx_session *session, plx_lt_product *made, cublasLtMatmulPreference_t preference,
                                cublasLtMatmulHeuristicResult_t found[PLX_LT_ALGORITHMS], int *count, plx_error *error)
{
    *count = 0; /* cuBLAS's handle is one of cublasLt's, too */
    return plx_cublas_check(error,
                            lt.MatmulAlgoGetHeuristic((cublasLtHandle_t)plx_cublas_handle(session), made->product,
                                                      made->b, made->a, made->c, made->c, preference, PLX_LT_ALGORITHMS,
                                                      found, count),
                            "cublasLtMatmulAlgoGetHeuristic");
}

static plx_status find_algorithms(plx_session *session, plx_lt_product *made, uint32_t alignment,
                                  plx_lt_algorithms *algorithms, plx_error *error)
{
    cublasLtMatmulHeuristicResult_t found[PLX_LT_ALGORITHMS];
    cublasLtMatmulPreference_t preference;
    int count = 0;
    plx_status status =
        plx_cublas_check(error, lt.MatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    if (status != PLX_OK)
        return status;
    status = prefer(made, preference, alignment, error);
    if (status == PLX_OK)
        status = ask_heuristic(session, made, preference, found, &count, error);
    (void)lt.MatmulPreferenceDestroy(preference);
    for (int i = 0; i < count && status == PLX_OK; i++) {
        if (found[i].state != CUBLAS_STATUS_SUCCESS)
            continue;
        algorithms->all[algorithms->count++] = found[i].algo;
        if (found[i].workspaceSize > made->workspace)
            made->workspace = found[i].workspaceSize;
    }
    if (status == PLX_OK && algorithms->count == 0)
        status = plx_fail(error, PLX_UNSUPPORTED, "cublasLt names no algorithm for this product");
    return status;
}

static void take_numbered(plx_lt_product *made)
{
    plx_lt_algorithms *of = &made->ways[PLX_LT_ALIGNED];
    const size_t wanted = made->problem.config - 1;
    of->taken = wanted < of->count ? wanted : of->count - 1;
}

static plx_status complete(plx_session *session, plx_lt_product *made, bool fastest, plx_error *error)
{
    uint32_t element = (uint32_t)plx_element_size(made->problem.dtype);
    plx_status status = describe(made, error);
    if (status == PLX_OK)
        status = find_algorithms(session, made, PLX_LT_ALIGNMENT, &made->ways[PLX_LT_ALIGNED], error);
    if (status == PLX_OK)
        status = find_algorithms(session, made, element, &made->ways[PLX_LT_ANYWHERE], error);
    if (status == PLX_OK && made->problem.config != 0)
        take_numbered(made);
    else if (status == PLX_OK && fastest)
        status = plx_lt_take_fastest(session, made, error);
    return status;
}

static bool has_terms(const plx_problem *problem)
{
    const plx_gemm_problem *p = &problem->of.gemm;
    return p->m > 0 && p->n > 0 && p->k > 0 && plx_factor_rounded(problem->dtype, p->alpha) != 0.0;
}

plx_status plx_lt_plan(plx_session *session, const plx_problem *problem, bool fastest, plx_lt_product **product,
                       plx_error *error)
{
    plx_lt_product *made;
    plx_cuda_thread thread;
    plx_status status;
    (void)pthread_once(&lt_once, load);
    if (lt_missing[0] != '\0')
        return plx_fail(error, PLX_UNSUPPORTED, "%s", lt_missing);
    if (!has_terms(problem))
        return plx_fail(error, PLX_UNSUPPORTED, "cublasLt takes no empty matrices, and with alpha 0 it reads A and B");
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a plan");
    made->problem = *problem;
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = complete(session, made, fastest, error);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        *product = made;
    else
        plx_lt_destroy(made);
    return status;
}

uint64_t plx_lt_workspace(const plx_lt_product *product)
{
    return product->workspace;
}

void plx_lt_destroy(plx_lt_product *product)
{
    if (product == NULL)
        return;
    if (product->c != NULL)
        (void)lt.MatrixLayoutDestroy(product->c);
    if (product->b != NULL)
        (void)lt.MatrixLayoutDestroy(product->b);
    if (product->a != NULL)
        (void)lt.MatrixLayoutDestroy(product->a);
    if (product->product != NULL)
        (void)lt.MatmulDescDestroy(product->product);
    free(product);
}

/* ---- execute ------------------------------------------------------------------------------ */

plx_status plx_lt_launch(const plx_lt_product *product, plx_plugin_queue *queue, const cublasLtMatmulAlgo_t *algorithm,
                         double beta, const void *a, const void *b, void *c, plx_error *error)
{
    const plx_gemm_problem *p = &product->problem.of.gemm;
    const float narrow[2] = {(float)p->alpha, (float)beta};
    const bool f32 = product->problem.dtype != PLX_F64;
    plx_status status = plx_cuda_scratch_grow(queue, product->workspace, 0, error);
    if (status != PLX_OK)
        return status;
    return plx_cublas_check(error,
                            lt.Matmul((cublasLtHandle_t)plx_cublas_handle(queue->session), product->product,
                                      f32 ? (const void *)&narrow[0] : &p->alpha, b, product->b, a, product->a,
                                      f32 ? (const void *)&narrow[1] : &beta, c, product->c, c, product->c, algorithm,
                                      (void *)(uintptr_t)queue->scratch, product->workspace,
                                      (cudaStream_t)queue->stream),
                            "cublasLtMatmul");
}

plx_status plx_lt_execute(const plx_lt_product *product, plx_plugin_queue *queue, const void *a, const void *b, void *c,
                          plx_error *error)
{
    const bool aligned = (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) & (PLX_LT_ALIGNMENT - 1)) == 0;
    const plx_lt_algorithms *of = &product->ways[aligned ? PLX_LT_ALIGNED : PLX_LT_ANYWHERE];
    return plx_lt_launch(product, queue, &of->all[of->taken], product->problem.of.gemm.beta, a, b, c, error);
}
