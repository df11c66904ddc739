/* Problems, plans, operands, and the cache of plans. */
#define _POSIX_C_SOURCE 200809L

#include "dispatch_bench.h"

/* ---- problems, plans and operands -------------------------------------- */

void the_four_elements_are_summed(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    const int32_t x[4] = {1, 20, 300, 4000};
    int32_t result = 0;
    assert_int_equal(plx_upload(NULL, buffer, 8, x, sizeof x), PLX_OK);
    assert_int_equal(plx_reduce(bench->backend, PLX_I32, PLX_SUM, 4, (plx_view){buffer, 8}, (plx_view){buffer, 24}),
                     PLX_OK);
    assert_int_equal(plx_reduce(bench->backend, PLX_I32, PLX_SUM, 4, (plx_view){buffer, 8}, (plx_view){buffer, 4}),
                     PLX_OK);
    assert_int_equal(plx_download(NULL, &result, buffer, 24, 4), PLX_OK);
    assert_int_equal(result, 4321);
    assert_int_equal(plx_download(NULL, &result, buffer, 4, 4), PLX_OK);
    assert_int_equal(result, 4321);
    assert_int_equal(plx_reduce(bench->backend, PLX_I32, PLX_SUM, 0, (plx_view){NULL, 0}, (plx_view){buffer, 24}),
                     PLX_OK);
    assert_int_equal(plx_download(NULL, &result, buffer, 24, 4), PLX_OK);
    assert_int_equal(result, 0);
    plx_buffer_destroy(buffer);
}

void operands_are_checked(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *x = new_buffer(bench->backend, 40), *r = new_buffer(bench->backend, 8), *far = new_buffer(other, 64);
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    plx_plan *plan = NULL;
    assert_int_equal(plx_plan_create(bench->backend, &problem, "one-by-one", &plan), PLX_OK);
    const struct {
        plx_view operands[2];
        size_t count;
        const char *why;
    } wrong[] = {
        {{{x, 0}, {r, 0}}, 1, "reduce takes 2 operands, and 1 were given"},
        {{{x, 0}, {r, 0}}, 3, "reduce takes 2 operands, and 3 were given"},
        {{{NULL, 0}, {r, 0}}, 2, "x has no buffer"},
        {{{x, 0}, {NULL, 0}}, 2, "result has no buffer"},
        {{{far, 0}, {r, 0}}, 2, "x lies on dummy-good:1"},
        {{{x, 4}, {r, 0}}, 2, "x needs 40 bytes from byte 4 on, and its buffer has 40"},
        {{{x, 0}, {r, 2}}, 2, "result starts at byte 2"},
        {{{x, 0}, {r, 8}}, 2, "result needs 4 bytes"},
        {{{x, UINT64_MAX - 3}, {r, 0}}, 2, "x needs 40 bytes"},
        {{{x, UINT64_MAX - 39}, {r, 0}}, 2, "x needs 40 bytes"},
        {{{x, 0}, {x, 0}}, 2, "the output result overlaps the input x"},
        {{{x, 0}, {x, 36}}, 2, "the output result overlaps the input x"},
    };
    const long before = atomic_load(&bench->dummy->executions);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect(bench, plx_execute(plan, NULL, wrong[i].operands, wrong[i].count), PLX_INVALID, wrong[i].why);
    assert_int_equal(atomic_load(&bench->dummy->executions), before);
    assert_int_equal(plx_execute(plan, NULL, (const plx_view[]){{x, 0}, {r, 4}}, 2), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->executions), before + 1);
    plx_plan_destroy(plan);
    plx_buffer_destroy(x);
    plx_buffer_destroy(r);
    plx_buffer_destroy(far);
    plx_close(other);
}

void a_matrix_needs_no_more_than_its_last_element(void **state)
{
    fixture *bench = *state;
    /* 3 x 2 with rows 5 apart: (3-1)*5 + 2 = 12 elements. */
    plx_buffer *a = new_buffer(bench->backend, 48), *b = new_buffer(bench->backend, 8),
               *c = new_buffer(bench->backend, 12);
    const float av[12] = {1, 2, -1, -1, -1, 3, 4, -1, -1, -1, 5, 6}, bv[2] = {10, 1};
    float cv[3] = {0};
    assert_int_equal(plx_upload(NULL, a, 0, av, 48), PLX_OK);
    assert_int_equal(plx_upload(NULL, b, 0, bv, 8), PLX_OK);
    assert_int_equal(plx_gemm(bench->backend, PLX_F32, false, false, 3, 1, 2, 1.0, (plx_view){a, 0}, 5,
                              (plx_view){b, 0}, 1, 0.0, (plx_view){c, 0}, 1),
                     PLX_OK);
    assert_int_equal(plx_download(NULL, cv, c, 0, 12), PLX_OK);
    assert_true(cv[0] == 12.0F && cv[1] == 34.0F && cv[2] == 56.0F);
    expect(bench,
           plx_gemm(bench->backend, PLX_F32, false, false, 3, 1, 2, 1.0, (plx_view){a, 0}, 6, (plx_view){b, 0}, 1, 0.0,
                    (plx_view){c, 0}, 1),
           PLX_INVALID, "A needs 56 bytes");
    plx_buffer_destroy(a);
    plx_buffer_destroy(b);
    plx_buffer_destroy(c);
}

void nothing_is_executed_for_an_empty_output(void **state)
{
    fixture *bench = *state;
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 0, 7, 7);
    plx_buffer *b = new_buffer(bench->backend, 49 * 4);
    const long before = atomic_load(&bench->dummy->executions);
    assert_int_equal(plx_run(bench->backend, NULL, &problem, (const plx_view[]){{NULL, 0}, {b, 0}, {NULL, 0}}, 3),
                     PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->executions), before);
    plx_buffer_destroy(b);
}

void bad_problems_are_refused(void **state)
{
    fixture *bench = *state;
    plx_plan *plan = NULL;
    plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, -1);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_INVALID, "-1");
    problem = plx_reduce_of(PLX_DTYPE_COUNT, PLX_SUM, 1);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_INVALID, "reduce");
    expect(bench, plx_run(bench->backend, NULL, &problem, NULL, 0), PLX_INVALID, "reduce");
    problem = plx_reduce_of(PLX_I32, PLX_SUM, 1);
    problem.config = 1;
    expect(bench, plx_run(bench->backend, NULL, &problem, NULL, 0), PLX_INVALID, "config is not 0");
    problem = plx_reduce_of(PLX_I32, PLX_SUM, 1);
    problem.op = PLX_OP_COUNT;
    expect(bench, plx_run(bench->backend, NULL, &problem, NULL, 0), PLX_INVALID, "no operation");
    problem = plx_reduce_of(PLX_I64, PLX_SUM, INT64_MAX / 4);
    expect(bench, plx_run(bench->backend, NULL, &problem, NULL, 0), PLX_INVALID, "reduce");
    problem = plx_gemm_of(PLX_F32, false, false, 4, 4, 4);
    problem.of.gemm.lda = 3;
    expect(bench, plx_run(bench->backend, NULL, &problem, NULL, 0), PLX_INVALID, "leading dimension of A");
    assert_null(plan);
}

void kernels_are_found_by_name(void **state)
{
    fixture *bench = *state;
    const plx_problem gemm = plx_gemm_of(PLX_F32, false, false, 2, 2, 2),
                      wide = plx_gemm_of(PLX_F64, false, false, 2, 2, 2), matvec = plx_matvec_of(PLX_F32, false, 2, 2);
    plx_plan *plan = NULL;
    expect(bench, plx_plan_create(bench->backend, &gemm, "navie", &plan), PLX_NOT_FOUND,
           "dummy-good has no gemm kernel \"navie\"; did you mean \"naive\"? There are: naive, wide, rounded");
    expect(bench, plx_plan_create(bench->backend, &gemm, "quantum", &plan), PLX_NOT_FOUND,
           "there are: naive, wide, rounded");
    expect(bench, plx_plan_create(bench->backend, &gemm, "wide", &plan), PLX_UNSUPPORTED,
           "gemm/wide does not take f32");
    expect(bench, plx_plan_create(bench->backend, &gemm, "rounded", &plan), PLX_UNSUPPORTED,
           "the compute type of gemm/rounded is tf32, and the problem's is plain");
    expect(bench, plx_plan_create(bench->backend, &matvec, "naive", &plan), PLX_NOT_FOUND, "no matvec kernels");
    expect(bench, plx_plan_create(bench->backend, &matvec, "best", &plan), PLX_UNSUPPORTED,
           "dummy-good:0: matvec of f32 is not supported: there is no kernel for it");
    assert_null(plan);
    assert_int_equal(plx_plan_create(bench->backend, &wide, "best", &plan), PLX_OK);
    assert_string_equal(plx_plan_kernel(plan)->name, "wide");
    plx_plan_destroy(plan);
}

void configurations_are_found_by_name(void **state)
{
    fixture *bench = *state;
    const plx_problem gemm = plx_gemm_of(PLX_F32, false, false, 2, 2, 2),
                      wide = plx_gemm_of(PLX_F64, false, false, 2, 2, 2);
    plx_config configs[3], planned;
    plx_plan *plan = NULL;
    size_t count;
    assert_int_equal(plx_kernel_configs(bench->backend, &gemm, "naive", configs, 1, &count), PLX_OK);
    if (!DUMMY_TELLS) { /* older than configurations: its kernels have none */
        assert_int_equal(count, 0);
        expect(bench, plx_plan_create(bench->backend, &gemm, "naive:twice", &plan), PLX_UNSUPPORTED,
               "gemm/naive has no configurations for 2x2x2, and so no \"twice\"");
        assert_null(plan);
        return;
    }
    assert_int_equal(count, 2);
    assert_string_equal(configs[0].name, "once");
    assert_int_equal(plx_kernel_configs(bench->backend, &wide, "wide", configs, 3, &count), PLX_OK);
    assert_int_equal(count, 0);
    assert_int_equal(plx_plan_create(bench->backend, &gemm, "naive:twice", &plan), PLX_OK);
    assert_string_equal(plx_plan_kernel(plan)->name, "naive");
    assert_int_equal(plx_plan_depth(plan), 9);
    assert_int_equal(plx_plan_config(plan, &planned), PLX_OK);
    assert_string_equal(planned.name, "twice");
    assert_int_equal(atomic_load(&bench->dummy->config), 9);
    assert_string_equal(plx_remark(bench->context), "");
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    assert_int_equal(plx_execute(plan, NULL, (const plx_view[]){{buffer, 0}, {buffer, 16}, {buffer, 32}}, 3), PLX_OK);
    assert_string_equal(plx_remark(bench->context), "dummy-good:0: gemm/naive: it ran but once");
    plx_buffer_destroy(buffer);
    plx_plan_destroy(plan);
    assert_int_equal(plx_plan_create(bench->backend, &gemm, "naive", &plan), PLX_OK); /* by itself */
    assert_int_equal(atomic_load(&bench->dummy->config), 0);
    assert_int_equal(plx_plan_config(plan, &planned), PLX_OK);
    assert_string_equal(planned.name, "once");
    plx_plan_destroy(plan);
    plan = NULL;
    expect(bench, plx_plan_create(bench->backend, &gemm, "naive:thrice", &plan), PLX_UNSUPPORTED,
           "gemm/naive has no configuration \"thrice\" for 2x2x2; it would take \"once\", the first of 2");
    expect(bench, plx_plan_create(bench->backend, &wide, "wide:twice", &plan), PLX_UNSUPPORTED,
           "gemm/wide has no configurations for 2x2x2, and so no \"twice\"");
    expect(bench, plx_plan_create(bench->backend, &gemm, "navie:twice", &plan), PLX_NOT_FOUND, "no gemm kernel");
    expect(bench, plx_plan_create(bench->backend, &gemm, "naive:", &plan), PLX_UNSUPPORTED, "no configuration \"\"");
    assert_null(plan);
    assert_int_equal(plx_supports(bench->backend, &gemm, "naive:twice"), PLX_OK);
    expect(bench, plx_supports(bench->backend, &gemm, "naive:thrice"), PLX_UNSUPPORTED, "thrice");
}

/* The dummy aborts when it is asked for a type that its header does not have. */
void types_that_a_plugin_does_not_take_are_not_offered(void **state)
{
    fixture *bench = *state;
    const plx_problem of_f16 = plx_gemm_of(PLX_F16, false, false, 2, 2, 2);
    const plx_kernel *kernel;
    plx_problem of_f16x3 = plx_gemm_of(PLX_F32, false, false, 2, 2, 2), tf32 = of_f16x3;
    plx_plan *plan = NULL;
    of_f16x3.compute = PLX_COMPUTE_F16X3;
    tf32.compute = PLX_COMPUTE_TF32;
    expect(bench, plx_choose(bench->backend, &of_f16, &kernel), PLX_UNSUPPORTED, "no kernel of gemm takes f16");
    expect(bench, plx_plan_create(bench->backend, &of_f16, "best", &plan), PLX_UNSUPPORTED, "f16");
    expect(bench, plx_plan_create(bench->backend, &of_f16, "naive", &plan), PLX_UNSUPPORTED, "f16");
    expect(bench, plx_supports(bench->backend, &of_f16, "naive"), PLX_UNSUPPORTED, "f16");
    expect(bench, plx_plan_create(bench->backend, &of_f16x3, "best", &plan), PLX_UNSUPPORTED, "f16x3");
    assert_int_equal(plx_plan_create(bench->backend, &tf32, "rounded", &plan), PLX_OK);
    plx_plan_destroy(plan);
    assert_int_equal(plx_plan_create(bench->backend, &tf32, "naive", &plan), PLX_OK); /* it says that it may */
    plx_plan_destroy(plan);
    expect(bench, plx_plan_create(bench->backend, &of_f16x3, "naive", &plan), PLX_UNSUPPORTED, "f16x3");
}

/* ---- the cache of plans ------------------------------------------------ */

void problems_that_mean_the_same_share_a_plan(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 256);
    const plx_view operands[] = {{buffer, 0}, {buffer, 16}, {buffer, 32}};
    plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2), dirty;
    const long before = atomic_load(&bench->dummy->plans_made);
    problem.of.gemm.alpha = 0.1;
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    problem.of.gemm.alpha = (double)0.1F;
    problem.of.gemm.beta = -0.0;
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    memset(&dirty, 0xa5, sizeof dirty); /* a hand-made problem has anything between its fields */
    dirty.op = problem.op;
    dirty.dtype = problem.dtype;
    dirty.compute = problem.compute;
    dirty.config = dirty.output = 0;
    dirty.of.gemm.m = dirty.of.gemm.n = dirty.of.gemm.k = 2;
    dirty.of.gemm.lda = dirty.of.gemm.ldb = dirty.of.gemm.ldc = 2;
    dirty.of.gemm.trans_a = dirty.of.gemm.trans_b = false;
    dirty.of.gemm.alpha = 0.1;
    dirty.of.gemm.beta = 0.0;
    memset(&dirty.batch, 0, sizeof dirty.batch);
    assert_int_equal(plx_run(bench->backend, NULL, &dirty, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made), before + 1);
    problem.of.gemm.alpha = 0.2;
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    problem.of.gemm.trans_a = true;
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made), before + 3);
    plx_buffer_destroy(buffer);
}

/* What was tuned since a plan was made may be faster, so it is made anew: also where the file can't be
 * written, for then nobody knows what holds. */
void what_is_tuned_ends_plans_that_were_chosen(void **state)
{
    fixture *bench = *state;
    plx_error error = {.text = ""};
    plx_buffer *buffer = new_buffer(bench->backend, 256);
    const plx_view operands[] = {{buffer, 0}, {buffer, 16}, {buffer, 32}};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    const long before = atomic_load(&bench->dummy->plans_made), alive = atomic_load(&bench->dummy->plans);
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made), before + 1);
    (void)plx_tuned_change(plx_backend_context(bench->backend), NULL, 0, &error);
    assert_int_equal(plx_run(bench->backend, NULL, &problem, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made), before + 2);
    assert_int_equal(atomic_load(&bench->dummy->plans), alive + 1); /* the old one is gone */
    plx_buffer_destroy(buffer);
}

/* A plan that ran in the caller's queue is destroyed when that was waited for, which only that queue's user can do:
 * else it is kept until the backend is closed.  (Mutation: release() that destroys at once; the dummy says that it was
 * at work.) */
void a_plan_that_makes_room_is_not_at_work(void **state)
{
    fixture *bench = *state;
    plx_error error = {.text = ""};
    plx_queue *queue, *other;
    plx_buffer *buffer = new_buffer(bench->backend, 256);
    const plx_view operands[] = {{buffer, 0}, {buffer, 16}, {buffer, 32}};
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    const long alive = atomic_load(&bench->dummy->plans);
    assert_int_equal(plx_queue_create(bench->backend, &queue), PLX_OK);
    assert_int_equal(plx_queue_create(bench->backend, &other), PLX_OK);
    assert_int_equal(plx_run(bench->backend, queue, &problem, operands, 3), PLX_OK);
    (void)plx_tuned_change(bench->context, NULL, 0, &error);
    const long waits = atomic_load(&bench->dummy->synchronized);
    assert_int_equal(plx_run(bench->backend, queue, &problem, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->synchronized), waits + 2); /* the backend's own, and this one */
    assert_int_equal(atomic_load(&bench->dummy->plans), alive + 1);
    (void)plx_tuned_change(bench->context, NULL, 0, &error);
    assert_int_equal(plx_run(bench->backend, other, &problem, operands, 3), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans), alive + 2); /* one is in a queue that is not this thread's */
    plx_queue_destroy(queue);
    plx_queue_destroy(other);
    plx_buffer_destroy(buffer);
    /* tear_down() sees that all are gone with the backend */
}

/* The queue of a run is of its backend. */
void a_run_takes_its_queue(void **state)
{
    fixture *bench = *state;
    plx_backend *same;
    plx_queue *queue;
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    assert_int_equal(plx_open(bench->context, "dummy-good", &same), PLX_OK);
    assert_int_equal(plx_queue_create(same, &queue), PLX_OK);
    expect(bench, plx_run(bench->backend, queue, &problem, NULL, 0), PLX_INVALID, "was given for work on dummy-good:0");
    plx_queue_destroy(queue);
    plx_close(same);
}

void the_cache_is_bounded_and_keeps_the_recent(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 1004);
    const long before = atomic_load(&bench->dummy->plans_made);
    for (int64_t n = 1; n <= 200; n++) {
        assert_int_equal(sum_of(bench, buffer, n), PLX_OK);
        assert_int_equal(sum_of(bench, buffer, 250), PLX_OK); /* always recent */
    }
    assert_int_equal(atomic_load(&bench->dummy->plans_made), before + 201);
    assert_true(atomic_load(&bench->dummy->plans) <= 64);
    plx_buffer_destroy(buffer);
}
