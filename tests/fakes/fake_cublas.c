/* A fake cuBLAS, cublasLt and CUB, by the plainest loops in column-major order. */
#include "plugins/cublas/functions.h"
#include "fake_cublas.h"

#include "plugins/cublas/cub.h"

#include <stdlib.h>
#include <string.h>

/* In place of plugins/cublas/functions.c: it is linked. */
plx_status plx_cublas_load(plx_error *error)
{
    (void)error;
    return PLX_OK;
}
int plx_cublas_major(void)
{
    return CUBLAS_VER_MAJOR;
}

fake_cublas_state fake_cublas = {.lt_found = 1};

static cublasStatus_t enter(const char *function)
{
    if (fake_cublas.failing == NULL || strcmp(fake_cublas.failing, function) != 0)
        return CUBLAS_STATUS_SUCCESS;
    fake_cublas.failing = NULL;
    return fake_cublas.result;
}

#define ENTER(function)                                 \
    do {                                                \
        const cublasStatus_t entered = enter(function); \
        if (entered != CUBLAS_STATUS_SUCCESS)           \
            return entered;                             \
    } while (0)

/* ---- numbers ---------------------------------------------------------------------- */

static double read_at(const void *from, int64_t index, bool is_f32)
{
    return is_f32 ? ((const float *)from)[index] : ((const double *)from)[index];
}

static void write_at(void *to, int64_t index, double value, bool is_f32)
{
    if (is_f32)
        ((float *)to)[index] = (float)value;
    else
        ((double *)to)[index] = value;
}

/* op(A) of a matrix in columns. */
static double element(const void *a, int64_t ld, bool transposed, int64_t row, int64_t col, bool is_f32)
{
    return read_at(a, transposed ? col + row * ld : row + col * ld, is_f32);
}

typedef struct product {
    bool is_f32, trans_a, trans_b;
    int64_t m, n, k, lda, ldb, ldc;
    const void *a, *b, *c;
    void *d;
    double alpha, beta;
} product;

static void multiply(const product *p)
{
    for (int64_t col = 0; col < p->n; col++)
        for (int64_t row = 0; row < p->m; row++) {
            double sum = 0;
            for (int64_t i = 0; i < p->k; i++)
                sum += element(p->a, p->lda, p->trans_a, row, i, p->is_f32) *
                       element(p->b, p->ldb, p->trans_b, i, col, p->is_f32);
            const int64_t at = row + col * p->ldc;
            const double old = p->beta != 0 ? p->beta * read_at(p->c, at, p->is_f32) : 0;
            write_at(p->d, at, p->alpha * sum + old, p->is_f32);
        }
}

/* ---- cuBLAS --------------------------------------------------------------------------- */

const char *cublasGetStatusName(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_ALLOC_FAILED ? "CUBLAS_STATUS_ALLOC_FAILED" : "CUBLAS_STATUS_OF_THE_TEST";
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    static int the_handle;
    ENTER("cublasCreate");
    *handle = (cublasHandle_t)&the_handle;
    fake_cublas.handles++;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    (void)handle;
    fake_cublas.handles--;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode)
{
    (void)handle;
    fake_cublas.mode = mode;
    return CUBLAS_STATUS_SUCCESS;
}

/* As the real one, it forgets the workspace. */
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
    (void)handle;
    ENTER("cublasSetStream");
    fake_cublas.stream = stream;
    fake_cublas.workspace = 0;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)handle;
    ENTER("cublasSetWorkspace");
    fake_cublas.workspace = workspace != NULL ? bytes : 0;
    return CUBLAS_STATUS_SUCCESS;
}

#define GEMM(name, type, plain)                                                                                        \
    cublasStatus_t name##_v2_64(cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b,           \
                                int64_t m, int64_t n, int64_t k, const type *alpha, const type *a, int64_t lda,        \
                                const type *b, int64_t ldb, const type *beta, type *c, int64_t ldc)                    \
    {                                                                                                                  \
        (void)handle;                                                                                                  \
        ENTER(#name);                                                                                                  \
        multiply(&(product){plain, trans_a != CUBLAS_OP_N, trans_b != CUBLAS_OP_N, m, n, k, lda, ldb, ldc, a, b, c, c, \
                            *alpha, *beta});                                                                           \
        return CUBLAS_STATUS_SUCCESS;                                                                                  \
    }
GEMM(cublasSgemm, float, true)
GEMM(cublasDgemm, double, false)

/* y is a matrix of one column. */
/* As many of them. */
#define GEMM_BATCHED(name, type, plain)                                                                              \
    cublasStatus_t name##_64(cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b, int64_t m, \
                             int64_t n, int64_t k, const type *alpha, const type *a, int64_t lda,                    \
                             long long int stride_a, const type *b, int64_t ldb, long long int stride_b,             \
                             const type *beta, type *c, int64_t ldc, long long int stride_c, int64_t count)          \
    {                                                                                                                \
        (void)handle;                                                                                                \
        ENTER(#name);                                                                                                \
        fake_cublas.batches++;                                                                                       \
        for (int64_t i = 0; i < count; i++)                                                                          \
            multiply(&(product){plain, trans_a != CUBLAS_OP_N, trans_b != CUBLAS_OP_N, m, n, k, lda, ldb, ldc,       \
                                a + i * stride_a, b + i * stride_b, c + i * stride_c, c + i * stride_c, *alpha,      \
                                *beta});                                                                             \
        return CUBLAS_STATUS_SUCCESS;                                                                                \
    }
GEMM_BATCHED(cublasSgemmStridedBatched, float, true)
GEMM_BATCHED(cublasDgemmStridedBatched, double, false)

#define GEMV(name, type, plain)                                                                                \
    cublasStatus_t name##_v2_64(cublasHandle_t handle, cublasOperation_t trans, int64_t rows, int64_t cols,    \
                                const type *alpha, const type *a, int64_t lda, const type *x, int64_t step_x,  \
                                const type *beta, type *y, int64_t step_y)                                     \
    {                                                                                                          \
        const bool turned = trans != CUBLAS_OP_N;                                                              \
        const int64_t m = turned ? cols : rows, k = turned ? rows : cols;                                      \
        (void)handle;                                                                                          \
        ENTER(#name);                                                                                          \
        if (step_x != 1 || step_y != 1)                                                                        \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                \
        multiply(&(product){plain, turned, false, m, 1, k, lda, k > 0 ? k : 1, m, a, x, y, y, *alpha, *beta}); \
        return CUBLAS_STATUS_SUCCESS;                                                                          \
    }
GEMV(cublasSgemv, float, true)
GEMV(cublasDgemv, double, false)

#define SCAL(name, type)                                                                                    \
    cublasStatus_t name##_v2_64(cublasHandle_t handle, int64_t n, const type *alpha, type *x, int64_t step) \
    {                                                                                                       \
        (void)handle;                                                                                       \
        ENTER(#name);                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                                     \
            x[i * step] *= *alpha;                                                                          \
        return CUBLAS_STATUS_SUCCESS;                                                                       \
    }
SCAL(cublasSscal, float)
SCAL(cublasDscal, double)

#define GEAM(name, type, plain)                                                                                      \
    cublasStatus_t name##_64(cublasHandle_t handle, cublasOperation_t trans_a, cublasOperation_t trans_b, int64_t m, \
                             int64_t n, const type *alpha, const type *a, int64_t lda, const type *beta,             \
                             const type *b, int64_t ldb, type *c, int64_t ldc)                                       \
    {                                                                                                                \
        (void)handle;                                                                                                \
        (void)b;                                                                                                     \
        (void)ldb;                                                                                                   \
        ENTER(#name);                                                                                                \
        if (*beta != 0 || trans_b != CUBLAS_OP_N)                                                                    \
            return CUBLAS_STATUS_INVALID_VALUE;                                                                      \
        for (int64_t col = 0; col < n; col++)                                                                        \
            for (int64_t row = 0; row < m; row++)                                                                    \
                write_at(c, row + col * ldc, *alpha * element(a, lda, trans_a != CUBLAS_OP_N, row, col, plain),      \
                         plain);                                                                                     \
        return CUBLAS_STATUS_SUCCESS;                                                                                \
    }
GEAM(cublasSgeam, float, true)
GEAM(cublasDgeam, double, false)

/* ---- cublasLt ----------------------------------------------------------------------------- */

typedef struct lt_product {
    cublasOperation_t trans_a, trans_b;
    cublasComputeType_t compute;
} lt_product;

typedef struct lt_layout {
    cudaDataType type;
    int64_t rows, cols, ld;
    int32_t count;
    int64_t stride;
} lt_layout;

static void *make(size_t bytes)
{
    fake_cublas.objects++;
    return calloc(1, bytes);
}

static cublasStatus_t unmake(void *object)
{
    fake_cublas.objects--;
    free(object);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t desc_create(cublasLtMatmulDesc_t *made, cublasComputeType_t compute, cudaDataType_t scalars)
{
    (void)scalars;
    ENTER("cublasLtMatmulDescCreate");
    lt_product *described = make(sizeof *described);
    described->compute = fake_cublas.lt_compute = compute;
    *made = (cublasLtMatmulDesc_t)described;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t desc_destroy(cublasLtMatmulDesc_t desc)
{
    return unmake(desc);
}

static cublasStatus_t desc_set(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t what, const void *value,
                               size_t bytes)
{
    lt_product *described = (lt_product *)desc;
    ENTER("cublasLtMatmulDescSetAttribute");
    memcpy(what == CUBLASLT_MATMUL_DESC_TRANSA ? &described->trans_a : &described->trans_b, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t layout_create(cublasLtMatrixLayout_t *made, cudaDataType type, uint64_t rows, uint64_t cols,
                                    int64_t ld)
{
    ENTER("cublasLtMatrixLayoutCreate");
    lt_layout *layout = make(sizeof *layout);
    *layout = (lt_layout){type, (int64_t)rows, (int64_t)cols, ld, 1, 0};
    *made = (cublasLtMatrixLayout_t)layout;
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t layout_set(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t what, const void *value,
                                 size_t bytes)
{
    lt_layout *of = (lt_layout *)layout;
    ENTER("cublasLtMatrixLayoutSetAttribute");
    if (what == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
        memcpy(&of->count, value, bytes);
    else
        memcpy(&of->stride, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t layout_destroy(cublasLtMatrixLayout_t layout)
{
    return unmake(layout);
}

static cublasStatus_t preference_create(cublasLtMatmulPreference_t *made)
{
    ENTER("cublasLtMatmulPreferenceCreate");
    *made = make(1);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t preference_destroy(cublasLtMatmulPreference_t preference)
{
    return unmake(preference);
}

static cublasStatus_t preference_set(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t what,
                                     const void *value, size_t bytes)
{
    (void)preference;
    ENTER("cublasLtMatmulPreferenceSetAttribute");
    if (what == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES)
        memcpy(&fake_cublas.lt_asked, value, bytes);
    if (what == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
        memcpy(&fake_cublas.lt_adding, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

/* An algorithm remembers the alignment that it is for, and its number. */
static cublasStatus_t heuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
                                cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                cublasLtMatmulPreference_t preference, int wanted,
                                cublasLtMatmulHeuristicResult_t *found, int *count)
{
    (void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference;
    ENTER("cublasLtMatmulAlgoGetHeuristic");
    *count = fake_cublas.lt_found < wanted ? fake_cublas.lt_found : wanted;
    for (int i = 0; i < *count; i++) {
        memset(&found[i], 0, sizeof found[i]);
        found[i].algo.data[0] = fake_cublas.lt_asked;
        found[i].algo.data[1] = (uint64_t)i;
        found[i].workspaceSize = fake_cublas.lt_workspace;
    }
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t matmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                             cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout,
                             const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                             cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algorithm, void *workspace,
                             size_t bytes, cudaStream_t stream)
{
    const lt_product *product_of = (const lt_product *)desc;
    const lt_layout *of_a = (const lt_layout *)a_layout, *of_b = (const lt_layout *)b_layout,
                    *of_c = (const lt_layout *)c_layout;
    const bool is_f32 = of_a->type != CUDA_R_64F, turned = product_of->trans_a != CUBLAS_OP_N;
    (void)handle, (void)d_layout;
    ENTER("cublasLtMatmul");
    if (bytes > 0 && workspace == NULL)
        return CUBLAS_STATUS_INVALID_VALUE;
    fake_cublas.lt_alignment = (uint32_t)algorithm->data[0];
    fake_cublas.lt_used = (int)algorithm->data[1];
    if (fake_cublas.lt_uses != NULL)
        fake_cublas.lt_uses(fake_cublas.lt_used);
    fake_cublas.lt_input = of_a->type;
    fake_cublas.lt_output = of_c->type;
    fake_cublas.stream = stream;
    if (of_a->type != CUDA_R_32F && of_a->type != CUDA_R_64F)
        return CUBLAS_STATUS_SUCCESS; /* only written down */
    const int64_t size = is_f32 ? 4 : 8;
    fake_cublas.batches += of_c->count > 1;
    for (int64_t i = 0; i < of_c->count; i++)
        multiply(&(product){is_f32, turned, product_of->trans_b != CUBLAS_OP_N, of_c->rows, of_c->cols,
                            turned ? of_a->rows : of_a->cols, of_a->ld, of_b->ld, of_c->ld,
                            (const char *)a + i * of_a->stride * size, (const char *)b + i * of_b->stride * size,
                            (const char *)c + i * of_c->stride * size, (char *)d + i * of_c->stride * size,
                            read_at(alpha, 0, is_f32), read_at(beta, 0, is_f32)});
    if (fake_cublas.lt_wrong >> fake_cublas.lt_used & 1)
        memset((char *)d + ((of_c->count - 1) * of_c->stride + (int64_t)(of_c->cols - 1) * of_c->ld) * size, 0,
               (size_t)(of_c->rows * size)); /* of a batch the last product */
    return CUBLAS_STATUS_SUCCESS;
}

void *fake_lt_open(const char *file, int flags)
{
    static int library;
    (void)flags;
    return strncmp(file, "libcublasLt.so.", 15) != 0 ||
                   (fake_cublas.lt_missing != NULL && fake_cublas.lt_missing[0] == '\0')
               ? NULL
               : &library;
}

void *fake_lt_symbol(void *library, const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } known[] = {
        {"cublasLtMatmulDescCreate", (void (*)(void))desc_create},
        {"cublasLtMatmulDescDestroy", (void (*)(void))desc_destroy},
        {"cublasLtMatmulDescSetAttribute", (void (*)(void))desc_set},
        {"cublasLtMatrixLayoutCreate", (void (*)(void))layout_create},
        {"cublasLtMatrixLayoutSetAttribute", (void (*)(void))layout_set},
        {"cublasLtMatrixLayoutDestroy", (void (*)(void))layout_destroy},
        {"cublasLtMatmulPreferenceCreate", (void (*)(void))preference_create},
        {"cublasLtMatmulPreferenceDestroy", (void (*)(void))preference_destroy},
        {"cublasLtMatmulPreferenceSetAttribute", (void (*)(void))preference_set},
        {"cublasLtMatmulAlgoGetHeuristic", (void (*)(void))heuristic},
        {"cublasLtMatmul", (void (*)(void))matmul},
    };
    void *address = NULL;
    (void)library;
    if (fake_cublas.lt_missing != NULL && strcmp(fake_cublas.lt_missing, name) == 0)
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, name) == 0)
            memcpy(&address, &known[i].function, sizeof address);
    return address;
}

/* ---- CUB -------------------------------------------------------------------------------------- */

const char *plx_cub_missing(void)
{
    return fake_cublas.cub_missing;
}

static float sum_of(const plx_cub_call *call, int64_t begin, int64_t end, bool of_columns)
{
    const float *x = call->x;
    float sum = 0;
    for (int64_t i = begin; i < end; i++)
        sum += x[of_columns ? plx_segment_element(&call->segments, i) : i];
    return sum;
}

/* Sums of f32 alone. */
const char *plx_cub_reduce(const plx_cub_call *call, void *storage, size_t *bytes)
{
    const plx_segments *segments = &call->segments;
    const bool of_columns = segments->inner > 1;
    float *result = call->result;
    if (fake_cublas.cub_failure != NULL)
        return fake_cublas.cub_failure;
    if (storage == NULL) {
        *bytes = fake_cublas.cub_bytes;
        return NULL;
    }
    if (*bytes < fake_cublas.cub_bytes)
        return "too little storage";
    fake_cublas.segments = segments->count;
    if (segments->count == 0)
        result[0] = sum_of(call, 0, call->n, false);
    for (int64_t i = 0; i < segments->count; i++) {
        const int64_t begin = (of_columns ? plx_segment_of_columns : plx_segment_of_rows)(segments, i);
        result[plx_segment_result(segments, i)] = sum_of(call, begin, begin + call->n, of_columns);
    }
    return NULL;
}
