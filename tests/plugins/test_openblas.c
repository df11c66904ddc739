/* The openblas plugin's limits: what its library can't count is refused before memory
 * is touched. */
#include <parallax/host_memory.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "plugins/openblas/plan.h"

#include <cblas.h>

static plx_status plan(const plx_problem *problem, plx_error *error)
{
    plx_plugin_plan *made;
    plx_status status = plx_openblas_plan(NULL, problem, 0, &made, error);
    if (status == PLX_OK)
        free(made);
    return status;
}

/* The length fits, and one more does not, unless this OpenBLAS counts in 64 bits. */
static void expect_limit(plx_problem *problem, int64_t *length)
{
    plx_error error;
    *length = INT32_MAX;
    assert_int_equal(plan(problem, &error), PLX_OK);
    *length = INT64_C(1) << 31;
    if (sizeof(blasint) > 4) {
        assert_int_equal(plan(problem, &error), PLX_OK);
        return;
    }
    assert_int_equal(plan(problem, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "2147483648 is more than"));
    *length = 1;
}

static void test_reduce(void **state)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32};
    (void)state;
    expect_limit(&problem, &problem.of.reduce.n);
}

static void test_no_minimum(void **state)
{
    plx_error error;
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce = {.n = 1, .reduction = PLX_MIN}};
    (void)state;
    assert_int_equal(plan(&problem, &error), PLX_UNSUPPORTED);
}

static void test_transpose(void **state)
{
    plx_problem problem = {
        .op = PLX_TRANSPOSE, .dtype = PLX_F32, .of.transpose = {.rows = 1, .cols = 1, .ld_in = 1, .ld_out = 1}};
    (void)state;
    expect_limit(&problem, &problem.of.transpose.rows);
    expect_limit(&problem, &problem.of.transpose.cols);
    expect_limit(&problem, &problem.of.transpose.ld_in);
    expect_limit(&problem, &problem.of.transpose.ld_out);
}

static void test_matvec(void **state)
{
    plx_problem problem = {.op = PLX_MATVEC, .dtype = PLX_F64, .of.matvec = {.rows = 1, .cols = 1, .lda = 1}};
    (void)state;
    expect_limit(&problem, &problem.of.matvec.rows);
    expect_limit(&problem, &problem.of.matvec.cols);
    expect_limit(&problem, &problem.of.matvec.lda);
}

static void test_gemm(void **state)
{
    plx_problem problem = {.op = PLX_GEMM, .dtype = PLX_F64};
    plx_gemm_problem *p = &problem.of.gemm;
    int64_t *const lengths[] = {&p->m, &p->n, &p->k, &p->lda, &p->ldb, &p->ldc};
    (void)state;
    *p = (plx_gemm_problem){.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        expect_limit(&problem, lengths[i]);
}

static struct {
    CBLAS_TRANSPOSE trans_a, trans_b;
    blasint m, n, k, lda, ldb, ldc;
    float alpha, beta;
    const void *a, *b;
    void *c;
    size_t calls;
} asked;

/* Takes the place of a library's, as the plugin finds it. */
static void own_sbgemm(CBLAS_LAYOUT order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, blasint m, blasint n,
                       blasint k, float alpha, const uint16_t *a, blasint lda, const uint16_t *b, blasint ldb,
                       float beta, float *c, blasint ldc)
{
    assert_int_equal(order, CblasRowMajor);
    asked.trans_a = trans_a, asked.trans_b = trans_b;
    asked.m = m, asked.n = n, asked.k = k, asked.lda = lda, asked.ldb = ldb, asked.ldc = ldc;
    asked.alpha = alpha, asked.beta = beta;
    asked.a = a, asked.b = b, asked.c = c;
    asked.calls++;
}

static struct {
    blasint m, n, k, lda, ldb, ldc, apart[3], count;
    float alpha, beta;
    size_t calls;
} batch_asked;

static void own_batch(CBLAS_LAYOUT order, CBLAS_TRANSPOSE trans_a, CBLAS_TRANSPOSE trans_b, blasint m, blasint n,
                      blasint k, float alpha, const float *a, blasint lda, blasint stride_a, const float *b,
                      blasint ldb, blasint stride_b, float beta, float *c, blasint ldc, blasint stride_c, blasint count)
{
    assert_true(order == CblasRowMajor && trans_a == CblasNoTrans && trans_b == CblasTrans);
    (void)a, (void)b, (void)c;
    batch_asked.m = m, batch_asked.n = n, batch_asked.k = k;
    batch_asked.lda = lda, batch_asked.ldb = ldb, batch_asked.ldc = ldc;
    batch_asked.apart[0] = stride_a, batch_asked.apart[1] = stride_b, batch_asked.apart[2] = stride_c;
    batch_asked.count = count, batch_asked.alpha = alpha, batch_asked.beta = beta;
    batch_asked.calls++;
}

void *find_symbol(void *library, const char *name);

void *find_symbol(void *library, const char *name)
{
    void (*const product)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                          const uint16_t *, blasint, const uint16_t *, blasint, float, float *, blasint) = own_sbgemm;
    void *address;
    assert_non_null(dlsym(library, "cblas_sgemm"));
    if (strcmp(name, "cblas_sgemm_batch_strided") == 0 || strcmp(name, "cblas_dgemm_batch_strided") == 0) {
        void (*const batch)(CBLAS_LAYOUT, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                            const float *, blasint, blasint, const float *, blasint, blasint, float, float *, blasint,
                            blasint, blasint) = own_batch;
        memcpy(&address, &batch, sizeof address);
        return address;
    }
    assert_string_equal(name, "cblas_sbgemm");
    memcpy(&address, &product, sizeof address);
    return address;
}

static const plx_problem bf16 = {
    .op = PLX_GEMM,
    .dtype = PLX_BF16,
    .output = PLX_OUTPUT(PLX_F32),
    .of.gemm = {.trans_b = true, .m = 2, .n = 3, .k = 4, .lda = 5, .ldb = 6, .ldc = 7, .alpha = 1.5, .beta = 0.5}};

/* It counts in f32, and has no other result. */
static void test_bf16_has_results_in_f32(void **state)
{
    plx_problem narrow = bf16;
    plx_error error;
    (void)state;
    assert_int_equal(plan(&narrow, &error), PLX_OK);
    narrow.output = 0;
    assert_int_equal(plan(&narrow, &error), PLX_UNSUPPORTED);
    assert_non_null(strstr(error.text, "f32 alone"));
}

static void test_bf16_is_called_as_asked(void **state)
{
    static uint16_t a[64], b[64];
    static float c[64];
    plx_memory memory[] = {{.data = (void *)a}, {.data = (void *)b}, {.data = (void *)c}};
    const plx_operand operands[] = {{&memory[0], 0}, {&memory[1], 4}, {&memory[2], 8}};
    plx_plugin_plan *made;
    plx_error error;
    (void)state;
    assert_int_equal(plx_openblas_plan(NULL, &bf16, 0, &made, &error), PLX_OK);
    assert_int_equal(plx_openblas_execute(made, NULL, operands, 3, &error), PLX_OK);
    free(made);
    assert_int_equal(asked.calls, 1);
    assert_true(asked.trans_a == CblasNoTrans && asked.trans_b == CblasTrans);
    assert_true(asked.m == 2 && asked.n == 3 && asked.k == 4 && asked.lda == 5 && asked.ldb == 6 && asked.ldc == 7);
    assert_true(asked.alpha == 1.5F && asked.beta == 0.5F);
    assert_true(asked.a == a && asked.b == b + 2 && asked.c == c + 2);
}

/* Without terms nothing is multiplied: C, which is f32, is scaled. */
static void test_bf16_without_terms_is_scaled(void **state)
{
    static float c[] = {1, 2, 3, 4};
    plx_memory memory[] = {{.data = NULL}, {.data = NULL}, {.data = (void *)c}};
    const plx_operand operands[] = {{&memory[0], 0}, {&memory[1], 0}, {&memory[2], 0}};
    plx_problem problem = bf16;
    plx_plugin_plan *made;
    plx_error error;
    const size_t before = asked.calls;
    (void)state;
    problem.of.gemm = (plx_gemm_problem){.m = 1, .n = 3, .k = 0, .lda = 1, .ldb = 3, .ldc = 4, .alpha = 1, .beta = 2};
    assert_int_equal(plx_openblas_plan(NULL, &problem, 0, &made, &error), PLX_OK);
    assert_int_equal(plx_openblas_execute(made, NULL, operands, 3, &error), PLX_OK);
    free(made);
    assert_int_equal(asked.calls, before);
    assert_true(c[0] == 2 && c[1] == 4 && c[2] == 6 && c[3] == 4);
}

/* In one call; of bf16, for which the library has none, and without terms one after the other.
 * Broken once: stride_b in the place of stride_a, the bytes of an element of C for those of A. */
static void test_batches(void **state)
{
    static float a[64], b[64], c[64] = {1, 2, 3, 4, 5, 6, 7, 8};
    plx_memory memory[] = {{.data = (void *)a}, {.data = (void *)b}, {.data = (void *)c}};
    const plx_operand operands[] = {{&memory[0], 0}, {&memory[1], 0}, {&memory[2], 0}};
    plx_problem problem = bf16;
    plx_plugin_plan *made;
    plx_error error;
    const size_t before = asked.calls;
    (void)state;
    assert_true(plx_openblas_has_batches());
    problem.batch = (plx_batch){.batched = true, .count = 3, .stride = {20, 0, 22}};
    assert_int_equal(plx_openblas_plan(NULL, &problem, 0, &made, &error), PLX_OK);
    assert_int_equal(plx_openblas_execute(made, NULL, operands, 3, &error), PLX_OK);
    free(made);
    assert_int_equal(asked.calls, before + 3);
    assert_true(asked.a == (const char *)a + 2 * 20 * 2 && asked.b == b && asked.c == (char *)c + 2 * 22 * 4);
    problem.dtype = PLX_F32, problem.output = 0;
    assert_int_equal(plx_openblas_plan(NULL, &problem, 0, &made, &error), PLX_OK);
    assert_int_equal(plx_openblas_execute(made, NULL, operands, 3, &error), PLX_OK);
    free(made);
    assert_int_equal(batch_asked.calls, 1);
    assert_true(batch_asked.m == 2 && batch_asked.n == 3 && batch_asked.k == 4 && batch_asked.lda == 5 &&
                batch_asked.ldb == 6 && batch_asked.ldc == 7 && batch_asked.apart[0] == 20 &&
                batch_asked.apart[1] == 0 && batch_asked.apart[2] == 22 && batch_asked.count == 3 &&
                batch_asked.alpha == 1.5F && batch_asked.beta == 0.5F);
    problem.of.gemm = (plx_gemm_problem){.m = 1, .n = 2, .k = 0, .lda = 1, .ldb = 2, .ldc = 2, .alpha = 1, .beta = 2};
    problem.batch.stride[2] = 3;
    assert_int_equal(plx_openblas_plan(NULL, &problem, 0, &made, &error), PLX_OK);
    assert_int_equal(plx_openblas_execute(made, NULL, operands, 3, &error), PLX_OK);
    free(made);
    assert_int_equal(batch_asked.calls, 1);
    assert_true(c[0] == 2 && c[1] == 4 && c[2] == 3 && c[3] == 8 && c[4] == 10 && c[5] == 6 && c[6] == 14);
    problem.batch.stride[0] = INT64_C(1) << 31;
    assert_int_equal(plan(&problem, &error), sizeof(blasint) > 4 ? PLX_OK : PLX_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_no_minimum),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_matvec),
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_bf16_has_results_in_f32),
        cmocka_unit_test(test_bf16_is_called_as_asked),
        cmocka_unit_test(test_bf16_without_terms_is_scaled),
        cmocka_unit_test(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
