/* Batches in the core: the loop over a kernel that takes one problem, older plugins, a kernel that takes them all,
 * strides of every kind, and what can't be. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 3, M = 2, N = 3, K = 4, ROOM = 512 };

static char *directory;
static plx_context *context;

static int set_up(void **state)
{
    (void)state;
    (void)setenv("PLX_PROBE", "inline", 1);
    directory = directory_make();
    directory_add(directory, DUMMY_GOOD, "dummy-good"); /* or as an older plugin */
    directory_add_built(directory, ".libs/plx-host.so");
    context = context_of(directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plx_context_destroy(context);
    directory_remove(directory);
    return 0;
}

static plx_backend *opened(const char *name)
{
    plx_backend *backend = NULL;
    if (plx_open(context, name, &backend) != PLX_OK)
        fail_msg("%s", plx_message(context));
    return backend;
}

static void expect(plx_status status, plx_status expected, const char *part)
{
    if (status != expected || strstr(plx_message(context), part) == NULL)
        fail_msg("status %d, \"%s\" instead of \"%s\"", (int)status, plx_message(context), part);
}

static void fine(plx_status status)
{
    if (status != PLX_OK)
        fail_msg("%s", plx_message(context));
}

/* ---- products ------------------------------------------------------------------------ */

/* Three operands, each with a number of its own in every element, and NaN where nothing may be written. */
typedef struct products {
    plx_backend *backend;
    plx_problem problem;
    plx_view operands[3];
    float a[ROOM], b[ROOM], c[ROOM];
} products;

static plx_problem batch(int64_t count)
{
    const plx_problem one = plx_gemm_of(PLX_F32, false, false, M, N, K);
    return plx_batch_of(&one, count);
}

static void begin(products *p, const char *name, plx_problem problem)
{
    memset(p, 0, sizeof *p);
    p->backend = opened(name);
    p->problem = problem;
    for (int i = 0; i < ROOM; i++) {
        p->a[i] = (float)(i % 29 + 1);
        p->b[i] = (float)(i % 23 - 11);
    }
    memset(p->c, 0xff, sizeof p->c);
    float *const from[] = {p->a, p->b, p->c};
    for (int i = 0; i < 3; i++) {
        fine(plx_buffer_create(p->backend, sizeof p->a, &p->operands[i].buffer));
        fine(plx_upload(NULL, p->operands[i].buffer, 0, from[i], sizeof p->a));
    }
}

static void end(products *p)
{
    for (int i = 0; i < 3; i++)
        plx_buffer_destroy(p->operands[i].buffer);
    plx_close(p->backend);
}

static int64_t stride_of(const products *p, int operand, int64_t dense)
{
    const int64_t stride = p->problem.batch.stride[operand];
    return stride == PLX_STRIDE_DENSE ? dense : stride;
}

static float expected(const products *p, int64_t which, int64_t i, int64_t j)
{
    const plx_gemm_problem *g = &p->problem.of.gemm;
    const int64_t a = which * stride_of(p, 0, M * g->lda), b = which * stride_of(p, 1, K * g->ldb);
    float sum = 0;
    for (int64_t k = 0; k < K; k++)
        sum += p->a[a + i * g->lda + k] * p->b[b + k * g->ldb + j];
    return sum;
}

/* All results, and nothing but them. */
static void check_products(products *p)
{
    const int64_t ldc = p->problem.of.gemm.ldc, apart = stride_of(p, 2, M * ldc);
    float c[ROOM];
    fine(plx_download(NULL, c, p->operands[2].buffer, 0, sizeof c));
    fine(plx_synchronize(p->backend, NULL));
    for (int64_t which = 0; which < p->problem.batch.count; which++)
        for (int64_t i = 0; i < M; i++)
            for (int64_t j = 0; j < N; j++) {
                float *at = &c[which * apart + i * ldc + j];
                assert_true(*at == expected(p, which, i, j));
                memset(at, 0xff, sizeof *at);
            }
    assert_memory_equal(c, p->c, sizeof c);
}

static void run_products(const char *name, plx_problem problem)
{
    products p;
    begin(&p, name, problem);
    fine(plx_run(p.backend, NULL, &problem, p.operands, 3));
    check_products(&p);
    end(&p);
}

static void run_everywhere(plx_problem problem)
{
    run_products("host", problem);
    run_products("dummy-good", problem);
}

/* Broken once: without the strides in core/batch.c's loop all are the first. */
static void test_dense(void **state)
{
    (void)state;
    run_everywhere(batch(COUNT));
    run_everywhere(batch(1));
}

static void test_strides(void **state)
{
    (void)state;
    plx_problem problem = batch(COUNT);
    problem.of.gemm.lda = K + 1;
    problem.of.gemm.ldc = N + 2;
    problem.batch.stride[0] = 2 * K + 5;
    problem.batch.stride[1] = 1; /* inputs may overlap */
    problem.batch.stride[2] = 17;
    run_everywhere(problem);
    problem.batch.stride[0] = 0;
    run_everywhere(problem);
    problem.batch.stride[1] = 0;
    run_everywhere(problem);
}

/* First rows of all, then second rows. */
static void test_in_turn(void **state)
{
    (void)state;
    plx_problem problem = batch(COUNT);
    problem.of.gemm.ldc = COUNT * N + 1;
    problem.batch.stride[2] = N;
    run_everywhere(problem);
}

static void test_convenience(void **state)
{
    (void)state;
    products p;
    begin(&p, "host", batch(COUNT));
    fine(plx_gemm_batched(p.backend, PLX_F32, false, false, M, N, K, 1, p.operands[0], K, M * K, p.operands[1], N,
                          K * N, 0, p.operands[2], N, M * N, COUNT));
    check_products(&p);
    end(&p);
}

/* One plan, one execution of the plugin for each problem; the plan of a batch is kept like any other. */
static void test_launches(void **state)
{
    (void)state;
    dummy_state *control = controls_of(DUMMY_GOOD);
    const long plans = atomic_load(&control->plans_made), executions = atomic_load(&control->executions);
    const long alive = atomic_load(&control->plans);
    products p;
    begin(&p, "dummy-good", batch(COUNT));
    for (int i = 0; i < 2; i++)
        fine(plx_run(p.backend, NULL, &p.problem, p.operands, 3));
    assert_int_equal(atomic_load(&control->plans_made) - plans, 1);
    assert_int_equal(atomic_load(&control->executions) - executions, 2 * COUNT);
    check_products(&p);
    end(&p);
    assert_int_equal(atomic_load(&control->plans), alive);
}

/* What goes wrong half-way is said, and ends the loop. */
static void expect_executions(plx_problem problem, long wanted)
{
    products p;
    plx_plan *plan = NULL;
    begin(&p, "dummy-good", problem);
    dummy_state *control = controls_of(DUMMY_GOOD);
    fine(plx_plan_create(p.backend, &problem, "batched", &plan));
    const long before = atomic_load(&control->executions);
    fine(plx_execute(plan, NULL, p.operands, 3));
    assert_int_equal(atomic_load(&control->executions) - before, wanted);
    check_products(&p);
    plx_plan_destroy(plan);
    end(&p);
}

/* A kernel that takes batches need not take each of them; without supports() nobody can tell. */
static void test_refused(void **state)
{
    (void)state;
    plx_problem problem = batch(COUNT);
    expect_executions(problem, 1);
    problem.batch.stride[1] = 0;
    expect_executions(problem, strcmp(DUMMY_GOOD, "short") == 0 ? 1 : COUNT);
}

static void test_failure(void **state)
{
    (void)state;
    dummy_state *control = controls_of(DUMMY_GOOD);
    products p;
    plx_plan *plan;
    begin(&p, "dummy-good", batch(COUNT));
    fine(plx_plan_create(p.backend, &p.problem, NULL, &plan));
    const long executions = atomic_load(&control->executions);
    atomic_store(&control->fail, PLX_FAILED);
    assert_int_equal(plx_execute(plan, NULL, p.operands, 3), PLX_FAILED);
    assert_int_equal(atomic_load(&control->executions) - executions, 0);
    fine(plx_execute(plan, NULL, p.operands, 3));
    plx_plan_destroy(plan);
    end(&p);
}

/* ---- reductions along an axis --------------------------------------------------------- */

static void test_along(void **state)
{
    (void)state;
    enum { OUTER = 2, LENGTH = 3, INNER = 4 };
    float x[OUTER * LENGTH * INNER], sums[OUTER * INNER], rows[OUTER * LENGTH];
    plx_backend *host = opened("host");
    plx_view in = {NULL, 0}, out = {NULL, 0};
    for (int i = 0; i < OUTER * LENGTH * INNER; i++)
        x[i] = (float)(i * i % 17);
    fine(plx_buffer_create(host, sizeof x, &in.buffer));
    fine(plx_buffer_create(host, sizeof x, &out.buffer));
    fine(plx_upload(NULL, in.buffer, 0, x, sizeof x));
    fine(plx_reduce_along(host, PLX_F32, PLX_SUM, OUTER, LENGTH, INNER, in, out));
    fine(plx_download(NULL, sums, out.buffer, 0, sizeof sums));
    fine(plx_reduce_along(host, PLX_F32, PLX_MAX, OUTER * LENGTH, INNER, 1, in, out));
    fine(plx_download(NULL, rows, out.buffer, 0, sizeof rows));
    fine(plx_synchronize(host, NULL));
    for (int o = 0; o < OUTER; o++)
        for (int j = 0; j < INNER; j++) {
            float sum = 0;
            for (int i = 0; i < LENGTH; i++)
                sum += x[(o * LENGTH + i) * INNER + j];
            assert_true(sums[o * INNER + j] == sum);
        }
    for (int r = 0; r < OUTER * LENGTH; r++) {
        float most = x[r * INNER];
        for (int j = 1; j < INNER; j++)
            most = x[r * INNER + j] > most ? x[r * INNER + j] : most;
        assert_true(rows[r] == most);
    }
    plx_buffer_destroy(in.buffer);
    plx_buffer_destroy(out.buffer);
    plx_close(host);
}

/* A plugin that neither takes columns nor transposes. */
static void test_not_along(void **state)
{
    (void)state;
    dummy_state *control = controls_of(DUMMY_GOOD);
    const long alive = atomic_load(&control->plans);
    plx_backend *dummy = opened("dummy-good");
    const plx_problem rows = plx_reduce_along_of(PLX_I32, PLX_SUM, 2, 3, 1);
    const plx_problem columns = plx_reduce_along_of(PLX_I32, PLX_SUM, 2, 3, 4);
    plx_plan *plan;
    fine(plx_plan_create(dummy, &rows, NULL, &plan));
    plx_plan_destroy(plan);
    expect(plx_plan_create(dummy, &columns, NULL, &plan), PLX_UNSUPPORTED, "can't be transposed");
    assert_int_equal(atomic_load(&control->plans), alive);
    plx_close(dummy);
}

/* ---- what can't be --------------------------------------------------------------------- */

static void refused(plx_problem problem, const char *part)
{
    plx_error error;
    if (plx_problem_check(&problem, &error) != PLX_INVALID || strstr(error.text, part) == NULL)
        fail_msg("\"%s\" instead of \"%s\"", error.text, part);
    plx_backend *host = opened("host");
    plx_plan *plan = NULL;
    const plx_view none[3] = {{NULL, 0}};
    expect(plx_plan_create(host, &problem, NULL, &plan), PLX_INVALID, part);
    expect(plx_run(host, NULL, &problem, none, problem.op == PLX_REDUCE ? 2 : 3), PLX_INVALID, part);
    plx_close(host);
}

/* Each was seen to be accepted without its check in kernels/batch.c. */
static void test_refusals(void **state)
{
    (void)state;
    plx_problem problem = batch(COUNT);
    refused(batch(0), "a batch of 0 has nothing to compute; leave the call out");
    refused(batch(-2), "a batch of -2; it is 1 to 2147483647");
    refused(batch(INT64_C(1) << 31), "a batch of 2147483648; it is 1 to 2147483647");
    problem.batch.stride[2] = M * N - 1;
    refused(problem, "results would overlap: the stride of C is 5 elements, and one takes 6");
    problem.batch.stride[2] = 0;
    refused(problem, "only inputs can be shared");
    problem.of.gemm.ldc = COUNT * N - 1; /* in turn, but for one element */
    problem.batch.stride[2] = N;
    refused(problem, "results would overlap");
    problem = batch(COUNT);
    problem.batch.stride[1] = -2;
    refused(problem, "the stride of B is -2 elements; it is 0 or more, or -1 for dense");
    problem.batch.stride[1] = INT64_MAX / 4;
    refused(problem, "gemm: 3 times B, 2305843009213693951 elements apart, does not fit in 63 bits of bytes");
    problem = batch(COUNT);
    problem.batch.batched = false;
    refused(problem, "set batch.batched, or zero it");
    refused(plx_reduce_along_of(PLX_F32, PLX_SUM, 2, 3, 0), "have at least one element, or there is no result");
    refused(plx_reduce_along_of(PLX_F32, PLX_SUM, 0, 3, 2), "a batch of 0");
}

/* The dense strides of what is too large are not counted round. */
static void test_overflow(void **state)
{
    (void)state;
    plx_problem one = plx_transpose_of(PLX_I8, INT64_C(1) << 31, INT64_C(1) << 31);
    plx_problem problem = plx_batch_of(&one, 3);
    refused(problem, "does not fit in 63 bits of bytes");
}

static void test_operands(void **state)
{
    (void)state;
    products p;
    begin(&p, "host", batch(COUNT));
    plx_view last = p.operands[2];
    last.offset = sizeof p.c - (COUNT * M * N - 1) * sizeof(float); /* one element too few */
    const plx_view beyond[] = {p.operands[0], p.operands[1], last};
    expect(plx_run(p.backend, NULL, &p.problem, beyond, 3), PLX_INVALID, "C needs 72 bytes");
    const plx_view onto[] = {p.operands[0], p.operands[1], {p.operands[0].buffer, (COUNT * M * K - 1) * sizeof(float)}};
    expect(plx_run(p.backend, NULL, &p.problem, onto, 3), PLX_INVALID, "the output C overlaps the input A");
    const plx_view behind[] = {p.operands[0], p.operands[1], {p.operands[0].buffer, COUNT * M * K * sizeof(float)}};
    fine(plx_run(p.backend, NULL, &p.problem, behind, 3));
    end(&p);
}

/* ---- words ------------------------------------------------------------------------------ */

static void test_words(void **state)
{
    (void)state;
    plx_problem problem = plx_problem_of(PLX_MATVEC, PLX_F32);
    plx_error error;
    char text[200];
    assert_int_equal(plx_problem_set(&problem, "batch", "8", &error), PLX_OK);
    assert_int_equal(plx_problem_set(&problem, "stride-a", "0", &error), PLX_OK);
    assert_int_equal(plx_problem_reshape(&problem, (const int64_t[]){30, 20}, 2, &error), PLX_OK);
    plx_problem_text(&problem, 0, text, sizeof text);
    assert_string_equal(text, "matvec f32 30x20 n, batch 8, stride of A 0");
    assert_int_equal(plx_problem_set(&problem, "batch", "0", &error), PLX_INVALID);
    assert_int_equal(plx_problem_set(&problem, "batch", "x", &error), PLX_INVALID);
    assert_int_equal(plx_problem_set(&problem, "stride-y", "-1", &error), PLX_INVALID);
    assert_int_equal(plx_problem_set(&problem, "stride-b", "1", &error), PLX_NOT_FOUND);
}

/* One is no batch: its plan is that of the problem, and a kernel is given what it always was. */
static void test_one(void **state)
{
    (void)state;
    plx_problem normal, one = plx_gemm_of(PLX_F32, false, false, M, N, K);
    const plx_problem problem = batch(1);
    plx_problem_normalise(&problem, &normal);
    assert_memory_equal(&normal, &one, sizeof one);
    const plx_problem many = batch(COUNT);
    plx_problem_normalise(&many, &normal);
    assert_int_equal(normal.batch.stride[2], M * N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),       cmocka_unit_test(test_strides),  cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_convenience), cmocka_unit_test(test_launches), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failure),     cmocka_unit_test(test_along),    cmocka_unit_test(test_not_along),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_overflow), cmocka_unit_test(test_operands),
        cmocka_unit_test(test_words),       cmocka_unit_test(test_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
