/* What the dispatcher checks, caches and reports, by the dummy plugin. */
#define _POSIX_C_SOURCE 200809L

#include "base/coverage.h"
#include "dummy_support.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define assert_contains(text, part)                                     \
    do {                                                                \
        if (strstr((text), (part)) == NULL)                             \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part)); \
    } while (0)

#ifndef DUMMY_TELLS
#define DUMMY_TELLS true /* what it supports */
#endif

/* What every test starts from. */
typedef struct fixture {
    char *directory;
    plx_context *context;
    plx_backend *backend;
    dummy_state *dummy;
} fixture;

static plx_backend *open_device(plx_context *context, const char *where)
{
    plx_backend *backend = NULL;
    assert_int_equal(plx_open(context, where, &backend), PLX_OK);
    return backend;
}

static int set_up(void **state)
{
    fixture *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->directory = directory_make();
    directory_add(made->directory, DUMMY_GOOD, "good");
    made->context = context_of(made->directory);
    made->backend = open_device(made->context, "dummy-good:0");
    made->dummy = controls_of(DUMMY_GOOD);
    *state = made;
    return 0;
}

/* Whatever a test did, nothing may be left alive in the plugin. */
static int tear_down(void **state)
{
    fixture *made = *state;
    plx_close(made->backend);
    plx_context_destroy(made->context);
    directory_remove(made->directory);
    assert_int_equal(atomic_load(&made->dummy->fail), 0);
    assert_int_equal(atomic_load(&made->dummy->sessions), 0);
    assert_int_equal(atomic_load(&made->dummy->memories), 0);
    assert_int_equal(atomic_load(&made->dummy->queues), 0);
    assert_int_equal(atomic_load(&made->dummy->events), 0);
    assert_int_equal(atomic_load(&made->dummy->plans), 0);
    free(made);
    return 0;
}

static plx_buffer *new_buffer(plx_backend *backend, uint64_t bytes)
{
    plx_buffer *buffer = NULL;
    assert_int_equal(plx_buffer_create(backend, bytes, &buffer), PLX_OK);
    assert_int_equal(plx_buffer_bytes(buffer), bytes);
    return buffer;
}

static void expect(const fixture *bench, plx_status status, plx_status expected, const char *part)
{
    if (status != expected)
        fail_msg("%s instead of %s: %s", plx_strerror(status), plx_strerror(expected), plx_message(bench->context));
    assert_contains(plx_message(bench->context), part);
}

/* ---- transfers --------------------------------------------------------- */

static void data_goes_there_and_back(void **state)
{
    fixture *bench = *state;
    plx_buffer *a = new_buffer(bench->backend, 64), *b = new_buffer(bench->backend, 64);
    unsigned char sent[64], received[64];
    for (unsigned i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i + 1);
    assert_int_equal(plx_fill(NULL, b, 0, 0xa1b2c3d4, 64), PLX_OK);
    assert_int_equal(plx_upload(NULL, a, 0, sent, 64), PLX_OK);
    assert_int_equal(plx_copy(NULL, b, 4, a, 8, 16), PLX_OK);
    assert_int_equal(plx_download(NULL, received, b, 0, 64), PLX_OK);
    assert_int_equal(plx_synchronize(bench->backend, NULL), PLX_OK);
    assert_memory_equal(received + 4, sent + 8, 16);
    assert_memory_equal(received, "\xd4\xc3\xb2\xa1", 4);
    assert_memory_equal(received + 20, "\xd4\xc3\xb2\xa1", 4);
    assert_int_equal(plx_copy(NULL, a, 0, a, 32, 32), PLX_OK); /* side by side */
    assert_int_equal(plx_download(NULL, received, a, 0, 64), PLX_OK);
    assert_memory_equal(received, sent + 32, 32);
    plx_buffer_destroy(a);
    plx_buffer_destroy(b);
}

static void ranges_are_checked(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    char host[64] = "";
    static const struct {
        uint64_t offset, bytes;
    } outside[] = {{0, 65},
                   {64, 1},
                   {65, 0},
                   {1, 64},
                   {UINT64_MAX, 1},
                   {1, UINT64_MAX},
                   {UINT64_MAX, 0},
                   {UINT64_MAX - 3, 8},
                   {32, UINT64_MAX - 16}};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        const uint64_t offset = outside[i].offset, bytes = outside[i].bytes;
        expect(bench, plx_upload(NULL, buffer, offset, host, bytes), PLX_INVALID, "upload");
        expect(bench, plx_download(NULL, host, buffer, offset, bytes), PLX_INVALID, "download");
        expect(bench, plx_fill(NULL, buffer, offset, 0, bytes), PLX_INVALID, "fill");
        expect(bench, plx_copy(NULL, buffer, offset, buffer, 0, bytes), PLX_INVALID, "copy");
        expect(bench, plx_copy(NULL, buffer, 0, buffer, offset, bytes), PLX_INVALID, "copy");
        assert_contains(plx_message(bench->context), "of 64 bytes");
    }
    assert_int_equal(plx_upload(NULL, buffer, 64, NULL, 0), PLX_OK);
    assert_int_equal(plx_download(NULL, NULL, buffer, 64, 0), PLX_OK);
    expect(bench, plx_upload(NULL, buffer, 0, NULL, 1), PLX_INVALID, "host memory");
    expect(bench, plx_download(NULL, NULL, buffer, 0, 1), PLX_INVALID, "host memory");
    plx_buffer_destroy(buffer);
}

static void fills_are_made_of_words(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    expect(bench, plx_fill(NULL, buffer, 2, 0, 4), PLX_INVALID, "multiples of 4");
    expect(bench, plx_fill(NULL, buffer, 4, 0, 6), PLX_INVALID, "multiples of 4");
    assert_int_equal(plx_fill(NULL, buffer, 60, 0, 4), PLX_OK);
    plx_buffer_destroy(buffer);
}

static void copies_may_not_overlap_or_change_device(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *here = new_buffer(bench->backend, 64), *there = new_buffer(other, 64);
    expect(bench, plx_copy(NULL, here, 0, here, 16, 17), PLX_INVALID, "overlap");
    expect(bench, plx_copy(NULL, here, 16, here, 0, 17), PLX_INVALID, "overlap");
    expect(bench, plx_copy(NULL, here, 0, there, 0, 16), PLX_INVALID, "dummy-good:1");
    plx_buffer_destroy(here);
    plx_buffer_destroy(there);
    plx_close(other);
}

static void buffers_may_be_empty_or_too_large(void **state)
{
    fixture *bench = *state;
    plx_buffer *empty = new_buffer(bench->backend, 0), *huge = NULL;
    assert_int_equal(plx_upload(NULL, empty, 0, "", 0), PLX_OK);
    expect(bench, plx_upload(NULL, empty, 0, "", 1), PLX_INVALID, "of 0 bytes");
    expect(bench, plx_buffer_create(bench->backend, UINT64_MAX, &huge), PLX_NO_MEMORY,
           "dummy-good:0: allocation of 18446744073709551615 bytes failed: this device has 4 GiB");
    assert_null(huge);
    plx_buffer_destroy(empty);
    plx_buffer_destroy(NULL);
}

/* ---- queues and events ------------------------------------------------- */

static void queues_belong_to_their_backend(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    plx_queue *queue = NULL;
    plx_event *event = NULL;
    assert_int_equal(plx_queue_create(other, &queue), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &event), PLX_OK);
    expect(bench, plx_upload(queue, buffer, 0, "", 1), PLX_INVALID, "queue of dummy-good:1");
    expect(bench, plx_synchronize(bench->backend, queue), PLX_INVALID, "queue of dummy-good:1");
    expect(bench, plx_event_record(queue, event), PLX_INVALID, "queue of dummy-good:1");
    assert_int_equal(plx_synchronize(other, queue), PLX_OK);
    plx_event_destroy(event);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
    plx_close(other);
    plx_event_destroy(NULL);
    plx_queue_destroy(NULL);
    plx_plan_destroy(NULL);
    plx_close(NULL);
    plx_context_destroy(NULL);
}

static void time_passes_between_two_events_of_one_queue(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    plx_queue *queue = NULL;
    plx_event *from = NULL, *to = NULL;
    double elapsed = -1.0;
    assert_int_equal(plx_queue_create(bench->backend, &queue), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &from), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &to), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "never recorded");
    assert_int_equal(plx_event_record(queue, from), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "never recorded");
    assert_int_equal(plx_event_record(NULL, to), PLX_OK);
    expect(bench, plx_event_elapsed(from, to, &elapsed), PLX_INVALID, "different queues");
    assert_int_equal(plx_fill(queue, buffer, 0, 0, 4), PLX_OK);
    assert_int_equal(plx_event_record(queue, to), PLX_OK);
    assert_true(elapsed < 0.0);
    assert_int_equal(plx_event_elapsed(from, to, &elapsed), PLX_OK);
    assert_true(elapsed == 2.0);
    plx_event_destroy(from);
    plx_event_destroy(to);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
}

/* ---- problems, plans and operands -------------------------------------- */

static void the_four_elements_are_summed(void **state)
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

static void operands_are_checked(void **state)
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

static void a_matrix_needs_no_more_than_its_last_element(void **state)
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

static void nothing_is_executed_for_an_empty_output(void **state)
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

static void bad_problems_are_refused(void **state)
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

static void kernels_are_found_by_name(void **state)
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

static void configurations_are_found_by_name(void **state)
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
static void types_that_a_plugin_does_not_take_are_not_offered(void **state)
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

static void problems_that_mean_the_same_share_a_plan(void **state)
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
static void what_is_tuned_ends_plans_that_were_chosen(void **state)
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
static void a_plan_that_makes_room_is_not_at_work(void **state)
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
static void a_run_takes_its_queue(void **state)
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

static plx_status sum_of(fixture *bench, plx_buffer *buffer, int64_t n)
{
    return plx_reduce(bench->backend, PLX_I32, PLX_SUM, n, (plx_view){buffer, 4}, (plx_view){buffer, 0});
}

static void the_cache_is_bounded_and_keeps_the_recent(void **state)
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

/* ---- failures ---------------------------------------------------------- */

static void failures_are_told_with_what_was_tried(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 4096), *second = NULL;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    plx_plan *plan = NULL, *made = NULL;
    plx_event *event = NULL;
    plx_queue *queue = NULL;
    char host[4096];
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &made), PLX_OK);
    atomic_int *fail = &bench->dummy->fail;
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_upload(NULL, buffer, 0, memset(host, 0, sizeof host), 4096), PLX_FAILED,
           "dummy-good:0: upload of 4096 bytes failed: it was told to fail");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_download(NULL, host, buffer, 0, 16), PLX_FAILED, "download of 16 bytes failed");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_fill(NULL, buffer, 0, 0, 16), PLX_FAILED, "fill of 16 bytes failed");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_copy(NULL, buffer, 0, buffer, 16, 16), PLX_FAILED, "copy of 16 bytes failed");
    atomic_store(fail, PLX_NO_MEMORY);
    expect(bench, plx_buffer_create(bench->backend, 16, &second), PLX_NO_MEMORY, "allocation of 16 bytes");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_event_create(bench->backend, &event), PLX_FAILED, "event");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_queue_create(bench->backend, &queue), PLX_FAILED, "queue");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_FAILED, "work in a queue failed");
    atomic_store(fail, PLX_BUILD_FAILED);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_BUILD_FAILED,
           "dummy-good:0: reduce/one-by-one failed: it was told to fail");
    atomic_store(fail, PLX_FAILED);
    expect(bench, plx_execute(made, NULL, (const plx_view[]){{buffer, 4}, {buffer, 0}}, 2), PLX_FAILED,
           "reduce/one-by-one failed");
    atomic_store(fail, 12345);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_FAILED, "told to fail");
    assert_true(second == NULL && event == NULL && queue == NULL && plan == NULL);
    assert_int_equal(plx_execute(made, NULL, (const plx_view[]){{buffer, 4}, {buffer, 0}}, 2), PLX_OK);
    plx_plan_destroy(made);
    plx_buffer_destroy(buffer);
}

/* Without a plan where the plugin tells, and else by one that is given back. */
static void what_is_supported_is_told(void **state)
{
    fixture *bench = *state;
    const plx_problem lucky = plx_reduce_of(PLX_I32, PLX_SUM, 12), unlucky = plx_reduce_of(PLX_I32, PLX_SUM, 131313);
    const plx_problem gemm = plx_gemm_of(PLX_F32, false, false, 1, 1, 1);
    const plx_problem negative = plx_reduce_of(PLX_I32, PLX_SUM, -1);
    const long before = atomic_load(&bench->dummy->plans_made);
    assert_int_equal(plx_supports(bench->backend, &lucky, "one-by-one"), PLX_OK);
    assert_int_equal(atomic_load(&bench->dummy->plans_made) - before, DUMMY_TELLS ? 0 : 1);
    expect(bench, plx_supports(bench->backend, &unlucky, "one-by-one"), PLX_UNSUPPORTED,
           "dummy-good:0: reduce/one-by-one is not supported: it brings bad luck");
    expect(bench, plx_supports(bench->backend, &lucky, "one-by-on"), PLX_NOT_FOUND, "did you mean");
    expect(bench, plx_supports(bench->backend, &gemm, "wide"), PLX_UNSUPPORTED, "does not take f32");
    expect(bench, plx_supports(bench->backend, &negative, "one-by-one"), PLX_INVALID, "-1");
}

static void counters_come_with_an_execution(void **state)
{
    fixture *bench = *state;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    plx_buffer *buffer = new_buffer(bench->backend, 64);
    const plx_view operands[2] = {{buffer, 16}, {buffer, 0}};
    const int32_t x[4] = {1, 20, 300, 4000};
    int32_t result = 0;
    plx_plan *plan = NULL;
    plx_counters counters = {.global_load_sectors = -1};
    plx_error error = {.text = ""};
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffer, 16, x, sizeof x), PLX_OK);
    expect(bench, plx_count(plan, NULL, operands, 1, &counters, &error), PLX_INVALID, "takes 2 operands");
    expect(bench, plx_count(plan, NULL, (const plx_view[]){{buffer, 52}, {buffer, 0}}, 2, &counters, &error),
           PLX_INVALID, "x needs 16 bytes from byte 52");
    atomic_store(&bench->dummy->fail, PLX_UNSUPPORTED);
    expect(bench, plx_count(plan, NULL, operands, 2, &counters, &error), PLX_UNSUPPORTED,
           "dummy-good:0: counting reduce/one-by-one is not supported: it was told to fail");
    assert_string_equal(error.text, "it was told to fail");
    assert_true(counters.global_load_sectors < 0);
    assert_int_equal(plx_count(plan, NULL, operands, 2, &counters, &error), PLX_OK);
    assert_true(counters.global_load_sectors > 63 && counters.global_load_sectors < 65);
    assert_int_equal(plx_download(NULL, &result, buffer, 0, 4), PLX_OK);
    assert_int_equal(result, 4321);
    plx_plan_destroy(plan);
    plx_buffer_destroy(buffer);
}

static void a_lost_device_runs_nothing_more(void **state)
{
    fixture *bench = *state;
    plx_backend *other = open_device(bench->context, "dummy-good:1");
    plx_buffer *buffer = new_buffer(bench->backend, 64), *second = NULL, *there = new_buffer(other, 4);
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 4);
    const plx_view operands[] = {{buffer, 4}, {buffer, 0}};
    plx_plan *plan = NULL, *next = NULL;
    plx_queue *queue = NULL;
    plx_event *event = NULL, *later = NULL;
    int32_t host = 0;
    static const char why[] = "dummy-good:0: upload of 4 bytes failed: it was told to fail";
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &event), PLX_OK);
    assert_int_equal(plx_event_record(NULL, event), PLX_OK);
    atomic_store(&bench->dummy->fail, PLX_DEVICE_LOST);
    expect(bench, plx_upload(NULL, buffer, 0, &host, 4), PLX_DEVICE_LOST, why);
    const long before = atomic_load(&bench->dummy->executions);
    expect(bench, plx_execute(plan, NULL, operands, 2), PLX_DEVICE_LOST, why);
    expect(bench, plx_run(bench->backend, NULL, &problem, operands, 2), PLX_DEVICE_LOST, why);
    expect(bench, plx_upload(NULL, buffer, 0, &host, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_download(NULL, &host, buffer, 0, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_fill(NULL, buffer, 0, 0, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_copy(NULL, buffer, 0, buffer, 8, 4), PLX_DEVICE_LOST, why);
    expect(bench, plx_buffer_create(bench->backend, 4, &second), PLX_DEVICE_LOST, why);
    expect(bench, plx_queue_create(bench->backend, &queue), PLX_DEVICE_LOST, why);
    expect(bench, plx_synchronize(bench->backend, NULL), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_create(bench->backend, &later), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_record(NULL, event), PLX_DEVICE_LOST, why);
    expect(bench, plx_event_elapsed(event, event, &(double){0}), PLX_DEVICE_LOST, why);
    expect(bench, plx_plan_create(bench->backend, &problem, NULL, &next), PLX_DEVICE_LOST, why);
    assert_int_equal(atomic_load(&bench->dummy->executions), before);
    assert_int_equal(plx_upload(NULL, there, 0, &host, 4), PLX_OK);
    plx_event_destroy(event);
    plx_plan_destroy(plan);
    plx_buffer_destroy(buffer);
    plx_buffer_destroy(there);
    plx_close(other);
}

static void a_failed_open_leaves_nothing(void **state)
{
    fixture *bench = *state;
    plx_backend *other = NULL;
    atomic_store(&bench->dummy->fail, PLX_FAILED);
    expect(bench, plx_open(bench->context, "dummy-good:2", &other), PLX_FAILED,
           "dummy-good:2: opening the device failed: it was told to fail");
    assert_null(other);
    assert_int_equal(atomic_load(&bench->dummy->sessions), 1);
}

/* ---- threads ----------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 2000 };

typedef struct load {
    fixture *bench;
    plx_plan *plan; /* shared; NULL: the backend's own queue and cache */
    int64_t first;
    long wrong;
} load;

/* What ThreadSanitizer has to find: counted without a lock when $PLANTED_RACE is set, and before any lock
 * is taken, which would put the threads in an order. */
static long unguarded;

/* Each thread sums ones of its own, n of them, and must get n. */
static void work(load *worker, plx_queue *queue, plx_buffer *buffer, int64_t n)
{
    const plx_view operands[] = {{buffer, 4}, {buffer, 0}};
    plx_status status;
    int32_t result = -1;
    if (worker->plan != NULL)
        status = plx_execute(worker->plan, queue, operands, 2);
    else
        status = sum_of(worker->bench, buffer, n);
    if (status == PLX_OK)
        status = plx_download(queue, &result, buffer, 0, 4);
    if (status == PLX_OK)
        status = plx_synchronize(worker->bench->backend, queue);
    worker->wrong += status != PLX_OK || result != n;
}

static void *run_worker(void *data)
{
    load *worker = data;
    plx_backend *backend = worker->bench->backend;
    plx_buffer *buffer = NULL;
    plx_queue *queue = NULL;
    if (getenv("PLANTED_RACE") != NULL)
        unguarded++;
    plx_status status = plx_buffer_create(backend, 404, &buffer);
    if (status == PLX_OK)
        status = plx_fill(NULL, buffer, 0, 1, 404);
    if (status == PLX_OK && worker->plan != NULL)
        status = plx_queue_create(backend, &queue);
    worker->wrong = status != PLX_OK;
    for (int64_t i = 0; i < ROUNDS && worker->wrong == 0; i++)
        work(worker, queue, buffer, worker->plan != NULL ? 50 : 1 + (worker->first + i) % 100);
    plx_queue_destroy(queue);
    plx_buffer_destroy(buffer);
    return NULL;
}

static void run_workers(fixture *bench, plx_plan *plan)
{
    pthread_t threads[THREADS];
    load workers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (load){.bench = bench, .plan = plan, .first = (int64_t)i * 17};
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].wrong, 0);
    }
}

static void threads_share_a_plan_on_their_own_queues(void **state)
{
    fixture *bench = *state;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 50);
    plx_plan *plan = NULL;
    assert_int_equal(plx_plan_create(bench->backend, &problem, NULL, &plan), PLX_OK);
    run_workers(bench, plan);
    plx_plan_destroy(plan);
}

/* A hundred problems do not fit in the cache: plans come and go under the threads. */
static void threads_share_the_backends_own_queue(void **state)
{
    fixture *bench = *state;
    run_workers(bench, NULL);
    assert_true(atomic_load(&bench->dummy->plans_made) > 100);
    assert_true(atomic_load(&bench->dummy->plans) <= 64);
}

/* ---- after a fork ----------------------------------------------------------- */

/* What a child meets: 0, or the line where it met something else. */
static int in_child(fixture *bench, plx_buffer *buffer)
{
    const float x = 1.0F;
    plx_backend *other = NULL;
    plx_context *context = NULL;
    plx_plugin_report report;
    (void)alarm(20); /* what would hang */
    if (plx_upload(NULL, buffer, 0, &x, sizeof x) != PLX_DEVICE_LOST ||
        strstr(plx_message(bench->context), "forked") == NULL)
        return __LINE__;
    if (plx_open(bench->context, "dummy-good", &other) != PLX_FAILED ||
        strstr(plx_message(bench->context), "forked") == NULL)
        return __LINE__;
    if (plx_plugin_at(bench->context, 0, &report) != PLX_FAILED)
        return __LINE__;
    if (plx_context_create(NULL, &context) != PLX_FAILED || strstr(plx_message(NULL), "forked") == NULL)
        return __LINE__;
    const long alive = atomic_load(&bench->dummy->memories), sessions = atomic_load(&bench->dummy->sessions);
    plx_buffer_destroy(buffer);
    plx_close(bench->backend); /* nothing of it reaches the plugin */
    return atomic_load(&bench->dummy->memories) == alive && atomic_load(&bench->dummy->sessions) == sessions ? 0
                                                                                                             : __LINE__;
}

static void a_forked_child_is_told(void **state)
{
    fixture *bench = *state;
    plx_buffer *buffer = new_buffer(bench->backend, 16);
    const float x = 1.0F;
    int ended = -1;
    const pid_t child = fork();
    if (child == 0) {
        const int wrong = in_child(bench, buffer);
        plx_coverage_write();
        _exit(wrong != 0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    assert_int_equal(plx_upload(NULL, buffer, 0, &x, sizeof x), PLX_OK); /* the parent goes on */
    plx_buffer_destroy(buffer);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BENCH(data_goes_there_and_back),
        WITH_BENCH(ranges_are_checked),
        WITH_BENCH(fills_are_made_of_words),
        WITH_BENCH(copies_may_not_overlap_or_change_device),
        WITH_BENCH(buffers_may_be_empty_or_too_large),
        WITH_BENCH(queues_belong_to_their_backend),
        WITH_BENCH(time_passes_between_two_events_of_one_queue),
        WITH_BENCH(the_four_elements_are_summed),
        WITH_BENCH(operands_are_checked),
        WITH_BENCH(a_matrix_needs_no_more_than_its_last_element),
        WITH_BENCH(nothing_is_executed_for_an_empty_output),
        WITH_BENCH(bad_problems_are_refused),
        WITH_BENCH(kernels_are_found_by_name),
        WITH_BENCH(types_that_a_plugin_does_not_take_are_not_offered),
        WITH_BENCH(configurations_are_found_by_name),
        WITH_BENCH(problems_that_mean_the_same_share_a_plan),
        WITH_BENCH(what_is_tuned_ends_plans_that_were_chosen),
        WITH_BENCH(a_plan_that_makes_room_is_not_at_work),
        WITH_BENCH(a_run_takes_its_queue),
        WITH_BENCH(the_cache_is_bounded_and_keeps_the_recent),
        WITH_BENCH(failures_are_told_with_what_was_tried),
        WITH_BENCH(what_is_supported_is_told),
        WITH_BENCH(counters_come_with_an_execution),
        WITH_BENCH(a_lost_device_runs_nothing_more),
        WITH_BENCH(a_failed_open_leaves_nothing),
        WITH_BENCH(threads_share_a_plan_on_their_own_queues),
        WITH_BENCH(threads_share_the_backends_own_queue),
        WITH_BENCH(a_forked_child_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
