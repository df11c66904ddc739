/* The openblas plugin's limits: what its library can't count is refused before memory
 * is touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
    plx_problem problem = {.op = PLX_TRANSPOSE,
                           .dtype = PLX_F32,
                           .of.transpose = {.rows = 1, .cols = 1, .ld_in = 1, .ld_out = 1}};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce), cmocka_unit_test(test_no_minimum), cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_matvec), cmocka_unit_test(test_gemm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
