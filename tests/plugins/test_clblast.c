/* How far CLBlast's 32-bit integers reach: what lies beyond is refused, by lengths, by
 * leading dimensions and by offsets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plugins/clblast/calls.h"

/* Grids step a little beyond the end. */
static const int64_t close = (INT64_C(1) << 31) - (INT64_C(1) << 22), beyond = INT64_C(1) << 31;

static void expect_status(const plx_problem *problem, const size_t *offsets, plx_status expected)
{
    plx_error error;
    plx_clblast_place at[3];
    for (size_t i = 0; i < 3; i++)
        at[i] = (plx_clblast_place){NULL, offsets[i]};
    assert_int_equal(plx_clblast_check_reach(problem, at, &error), expected);
    if (expected != PLX_OK)
        assert_non_null(strstr(error.text, "CLBlast counts elements in 32 bits"));
}

/* Each length alone, with all others as they are. */
static void expect_limits(plx_problem *problem, int64_t *const *lengths, size_t count)
{
    const size_t start[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        const int64_t before = *lengths[i];
        *lengths[i] = close;
        expect_status(problem, start, PLX_OK);
        *lengths[i] = beyond;
        expect_status(problem, start, PLX_UNSUPPORTED);
        *lengths[i] = before;
    }
}

static void expect_offset_limits(const plx_problem *problem, size_t operands)
{
    for (size_t i = 0; i < operands; i++) {
        size_t offsets[3] = {0, 0, 0};
        offsets[i] = (size_t)close - 16;
        expect_status(problem, offsets, PLX_OK);
        offsets[i] = (size_t)beyond - 16;
        expect_status(problem, offsets, PLX_UNSUPPORTED);
    }
}

static void test_reduce(void **state)
{
    plx_problem problem = {.op = PLX_REDUCE, .dtype = PLX_F32, .of.reduce.n = 1};
    (void)state;
    expect_limits(&problem, (int64_t *[]){&problem.of.reduce.n}, 1);
    expect_offset_limits(&problem, 2);
}

static void test_transpose(void **state)
{
    plx_problem problem = {
        .op = PLX_TRANSPOSE, .dtype = PLX_F32, .of.transpose = {.rows = 1, .cols = 1, .ld_in = 1, .ld_out = 1}};
    plx_transpose_problem *p = &problem.of.transpose;
    (void)state;
    expect_limits(&problem, (int64_t *[]){&p->rows, &p->cols}, 2);
    p->rows = p->cols = 2; /* a second row begins a leading dimension later */
    expect_limits(&problem, (int64_t *[]){&p->ld_in, &p->ld_out}, 2);
    expect_offset_limits(&problem, 2);
}

static void test_matvec(void **state)
{
    plx_problem problem = {.op = PLX_MATVEC, .dtype = PLX_F32, .of.matvec = {.rows = 2, .cols = 1, .lda = 1}};
    plx_matvec_problem *p = &problem.of.matvec;
    (void)state;
    expect_limits(&problem, (int64_t *[]){&p->rows, &p->cols, &p->lda}, 3);
    expect_offset_limits(&problem, 3);
}

/* Operands of a product are padded, one behind the other, in one piece of memory. */
static void test_gemm(void **state)
{
    plx_problem problem = {.op = PLX_GEMM, .dtype = PLX_F32};
    plx_gemm_problem *p = &problem.of.gemm;
    const size_t start[3] = {0, 0, 0};
    (void)state;
    *p = (plx_gemm_problem){.m = 2, .n = 2, .k = 2, .lda = 2, .ldb = 2, .ldc = 2};
    expect_limits(&problem, (int64_t *[]){&p->lda, &p->ldb, &p->ldc}, 3);
    expect_offset_limits(&problem, 3);
    p->m = p->n = p->k = p->lda = p->ldb = p->ldc = 16384;
    expect_status(&problem, start, PLX_OK);
    p->m = p->n = p->k = p->lda = p->ldb = p->ldc = 32768;
    expect_status(&problem, start, PLX_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_matvec),
        cmocka_unit_test(test_gemm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
