/* cublasLt itself, called directly, on products whose result is known: small integers, whose every partial
 * sum f32 holds exactly, and whose results 8 bits do. Where parts of k are summed by different blocks,
 * cublasLt may round what each of them gives to the type of C before it adds them (its reduction schemes "in
 * place" and "output type"), so that a product of bf16 or f16 is not summed in f32. It does so unless it is
 * told not to; what it gives then is shown here. Told to add parts in the compute type, as
 * plugins/cublas/lt.c tells it, it must be exact.
 *
 * Shapes are some of `random:1:100`; with the argument "all" more of them, which takes some seconds. */
#include "backends/cuda/cuda.h"

#include <parallax/half.h>

#include <cublasLt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SKIPPED = 77,
    WORKSPACE = 32 << 20,
    ANY = CUBLASLT_REDUCTION_SCHEME_MASK,
    IN_COMPUTE_TYPE = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE
};

typedef struct shape {
    bool trans_a, trans_b;
    int64_t m, n, k, lda, ldb, ldc;
    uint32_t alignment; /* of the operands' beginnings in bytes, as the heuristic is told */
} shape;

static const shape shapes[] = {
    {false, true, 65, 18304, 2047, 2047, 2047, 18304, 16}, {false, false, 1153, 6975, 2432, 2432, 6996, 6976, 2},
    {true, true, 225, 1407, 10056, 225, 10056, 1407, 16},  {true, true, 4, 128, 8575, 136, 8576, 136, 16},
    {false, false, 9942, 40, 7424, 7432, 42, 40, 16},      {false, true, 37, 5151, 16457, 16461, 16520, 5159, 2},
    {true, true, 3471, 255, 15117, 3471, 15136, 255, 2},   {false, true, 2688, 769, 17313, 17332, 17313, 800, 16},
};

enum { FEW = 2, ALL = sizeof shapes / sizeof shapes[0] };

static plx_session *session;
static plx_plugin_queue *queue;
static cublasLtHandle_t library;
static plx_error error;

static void must(bool well, const char *what)
{
    if (well)
        return;
    (void)fprintf(stderr, "%s failed %s\n", what, error.text);
    exit(1);
}

static void called(cublasStatus_t result, const char *what)
{
    (void)snprintf(error.text, sizeof error.text, "with status %d", (int)result);
    must(result == CUBLAS_STATUS_SUCCESS, what);
}

/* ---- operands and results ------------------------------------------------------------------ */

static int64_t in_a(int64_t row)
{
    return row % 3 + 1;
}

static int64_t weight(int64_t term, int64_t col)
{
    return 1 + ((((uint64_t)term * 2654435761u + (uint64_t)col * 40503u) >> 13) & 1);
}

/* A column of B climbs to about 3k/4 in its first half, in steps of 1 and 2, and comes down in the other. */
static int64_t in_b(const shape *s, int64_t term, int64_t col)
{
    const int64_t half = s->k / 2, more = term == 0 ? col % 64 + 1 : 0;
    return term < half ? weight(term, col) + more : term < 2 * half ? -weight(2 * half - 1 - term, col) : 1;
}

static int64_t in_c(const shape *s, int64_t row, int64_t col)
{
    return in_a(row) * (col % 64 + 1 + s->k % 2);
}

static plx_half_format format_of(plx_dtype dtype)
{
    return dtype == PLX_F16 ? plx_f16_format() : plx_bf16_format();
}

static plx_memory *on_device(uint64_t elements, uint64_t size)
{
    plx_memory *memory;
    must(plx_cuda_alloc(session, elements * size, &memory, &error) == PLX_OK, "allocation");
    return memory;
}

static plx_memory *matrix(plx_dtype dtype, const shape *s, bool second)
{
    const int64_t rows = second ? s->k : s->m, cols = second ? s->n : s->k, ld = second ? s->ldb : s->lda;
    const plx_half_format format = format_of(dtype);
    const bool turned = second ? s->trans_b : s->trans_a;
    const uint64_t elements = (uint64_t)(ld * (turned ? cols : rows));
    uint16_t *values = calloc(elements, sizeof *values);
    must(values != NULL, "calloc");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            values[turned ? j * ld + i : i * ld + j] = plx_half_of(format, (double)(second ? in_b(s, i, j) : in_a(i)));
    plx_memory *memory = on_device(elements, sizeof *values);
    must(plx_cuda_upload(queue, memory, 0, values, elements * sizeof *values, &error) == PLX_OK &&
             plx_cuda_synchronize(queue, &error) == PLX_OK,
         "upload");
    free(values);
    return memory;
}

/* How many elements are not what they are; the first of them is told. */
static int64_t count_wrong(plx_dtype dtype, const shape *s, plx_memory *c, char *first, size_t room)
{
    const plx_half_format format = format_of(dtype);
    const uint64_t elements = (uint64_t)(s->m * s->ldc);
    uint16_t *values = malloc(elements * sizeof *values);
    int64_t wrong = 0;
    must(values != NULL, "malloc");
    must(plx_cuda_download(queue, values, c, 0, elements * sizeof *values, &error) == PLX_OK &&
             plx_cuda_synchronize(queue, &error) == PLX_OK,
         "download");
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->n; j++) {
            const uint16_t got = values[i * s->ldc + j];
            if (got == plx_half_of(format, (double)in_c(s, i, j)))
                continue;
            if (wrong++ == 0)
                (void)snprintf(first, room, ": C[%lld][%lld] is %g, not %lld", (long long)i, (long long)j,
                               plx_half_value(format, got), (long long)in_c(s, i, j));
        }
    free(values);
    return wrong;
}

/* ---- cublasLt, which sees each matrix as its own transpose --------------------------------- */

typedef struct product {
    cublasLtMatmulDesc_t operation;
    cublasLtMatrixLayout_t a, b, c;
} product;

static cublasLtMatrixLayout_t layout(cudaDataType type, int64_t rows, int64_t cols, int64_t ld)
{
    cublasLtMatrixLayout_t made;
    called(cublasLtMatrixLayoutCreate(&made, type, (uint64_t)cols, (uint64_t)rows, ld), "cublasLtMatrixLayoutCreate");
    return made;
}

static product describe(plx_dtype dtype, const shape *s)
{
    const cudaDataType type = dtype == PLX_F16 ? CUDA_R_16F : CUDA_R_16BF;
    const cublasOperation_t first = s->trans_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                            second = s->trans_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    product made;
    called(cublasLtMatmulDescCreate(&made.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F), "cublasLtMatmulDescCreate");
    called(cublasLtMatmulDescSetAttribute(made.operation, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first), "TRANSA");
    called(cublasLtMatmulDescSetAttribute(made.operation, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second),
           "TRANSB");
    made.a = layout(type, s->trans_a ? s->k : s->m, s->trans_a ? s->m : s->k, s->lda);
    made.b = layout(type, s->trans_b ? s->n : s->k, s->trans_b ? s->k : s->n, s->ldb);
    made.c = layout(type, s->m, s->n, s->ldc);
    return made;
}

static void forget(const product *made)
{
    (void)cublasLtMatrixLayoutDestroy(made->a);
    (void)cublasLtMatrixLayoutDestroy(made->b);
    (void)cublasLtMatrixLayoutDestroy(made->c);
    (void)cublasLtMatmulDescDestroy(made->operation);
}

static void prefer(cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t what, const void *value,
                   size_t bytes)
{
    called(cublasLtMatmulPreferenceSetAttribute(preference, what, value, bytes),
           "cublasLtMatmulPreferenceSetAttribute");
}

static cublasLtMatmulAlgo_t first_algorithm(const product *p, uint32_t alignment, uint32_t schemes)
{
    const uint64_t workspace = WORKSPACE;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    called(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace, sizeof workspace);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment, sizeof alignment);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &alignment, sizeof alignment);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &alignment, sizeof alignment);
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &alignment, sizeof alignment);
    prefer(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes);
    called(cublasLtMatmulAlgoGetHeuristic(library, p->operation, p->b, p->a, p->c, p->c, preference, 1, &found, &count),
           "cublasLtMatmulAlgoGetHeuristic");
    must(count == 1, "the search for an algorithm");
    (void)cublasLtMatmulPreferenceDestroy(preference);
    return found.algo;
}

static unsigned of_algorithm(const cublasLtMatmulAlgo_t *algorithm, cublasLtMatmulAlgoConfigAttributes_t what)
{
    uint32_t value = 0;
    size_t written;
    called(cublasLtMatmulAlgoConfigGetAttribute(algorithm, what, &value, sizeof value, &written),
           "cublasLtMatmulAlgoConfigGetAttribute");
    return value;
}

/* ---- the question ---------------------------------------------------------------------------- */

static int64_t ask(plx_dtype dtype, const shape *s, const product *p, plx_memory *const memory[4], uint32_t schemes)
{
    const float one = 1, zero = 0;
    const cublasLtMatmulAlgo_t algorithm = first_algorithm(p, s->alignment, schemes);
    char first[128] = "";
    must(plx_cuda_fill(queue, memory[2], 0, UINT32_MAX, (uint64_t)(s->m * s->ldc) / 2 * 4, &error) == PLX_OK, "fill");
    called(cublasLtMatmul(library, p->operation, &one, (const void *)(uintptr_t)memory[1]->address, p->b,
                          (const void *)(uintptr_t)memory[0]->address, p->a, &zero,
                          (const void *)(uintptr_t)memory[2]->address, p->c, (void *)(uintptr_t)memory[2]->address,
                          p->c, &algorithm, (void *)(uintptr_t)memory[3]->address, WORKSPACE,
                          (cudaStream_t)queue->stream),
           "cublasLtMatmul");
    const int64_t wrong = count_wrong(dtype, s, memory[2], first, sizeof first);
    printf("%s %lldx%lldx%lld %c%c, %s: algorithm %u, %u parts, scheme %u: %lld of %lld elements wrong%s\n",
           dtype == PLX_F16 ? "f16" : "bf16", (long long)s->m, (long long)s->n, (long long)s->k, s->trans_a ? 't' : 'n',
           s->trans_b ? 't' : 'n', schemes == ANY ? "any scheme" : "compute type",
           of_algorithm(&algorithm, CUBLASLT_ALGO_CONFIG_ID), of_algorithm(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
           of_algorithm(&algorithm, CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME), (long long)wrong, (long long)(s->m * s->n),
           first);
    return wrong;
}

static int64_t ask_twice(plx_dtype dtype, const shape *s)
{
    const product p = describe(dtype, s);
    plx_memory *const memory[4] = {matrix(dtype, s, false), matrix(dtype, s, true),
                                   on_device((uint64_t)(s->m * s->ldc) + 1, 2), on_device(WORKSPACE, 1)};
    (void)ask(dtype, s, &p, memory, ANY);
    const int64_t wrong = ask(dtype, s, &p, memory, IN_COMPUTE_TYPE);
    for (size_t i = 0; i < 4; i++)
        plx_cuda_free(session, memory[i]);
    forget(&p);
    return wrong;
}

int main(int argc, char **argv)
{
    const size_t count = argc > 1 && strcmp(argv[1], "all") == 0 ? ALL : FEW;
    int64_t wrong = 0;
    size_t devices;
    if (plx_cuda_probe(NULL, 0, &devices, &error) != PLX_OK || devices == 0) {
        printf("skipped: no CUDA device: %s\n", error.text);
        return SKIPPED;
    }
    must(plx_cuda_open(0, &session, &error) == PLX_OK, "opening the device");
    must(plx_cuda_queue_create(session, &queue, &error) == PLX_OK, "creating a queue");
    called(cublasLtCreate(&library), "cublasLtCreate");
    for (size_t i = 0; i < count; i++)
        wrong += ask_twice(PLX_BF16, &shapes[i]) + ask_twice(PLX_F16, &shapes[i]);
    (void)cublasLtDestroy(library);
    plx_cuda_queue_destroy(queue);
    plx_cuda_close(session);
    return wrong == 0 ? 0 : 1;
}
