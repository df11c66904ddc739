/* What the library answers to what can't be: numbers of no operation, type or plugin, names that nobody has,
 * calls of a plugin that fail, and slots that it leaves empty. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <parallax/code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOWHERE = 99, ROOM = 200 };

typedef struct fixture {
    char *directory, *cache;
    plx_context *context;
    plx_backend *backend;
    dummy_state *dummy;
    size_t good, refused; /* plugins of the context */
} fixture;

static size_t plugin_named(plx_context *context, const char *name)
{
    plx_plugin_report report;
    for (size_t i = 0; i < plx_plugin_count(context); i++)
        if (plx_plugin_at(context, i, &report) == PLX_OK && strcmp(report.name, name) == 0)
            return i;
    fail_msg("there is no plugin %s", name);
    return 0;
}

static int set_up(void **state)
{
    fixture *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->directory = directory_make();
    directory_add(made->directory, DUMMY_GOOD, "good");
    directory_add(made->directory, "unresolved", "refused");
    made->context = context_of(made->directory);
    assert_int_equal(plx_open(made->context, "dummy-good:0", &made->backend), PLX_OK);
    made->dummy = controls_of(DUMMY_GOOD);
    made->good = plugin_named(made->context, "dummy-good");
    made->refused = plugin_named(made->context, "plx-refused.so");
    *state = made;
    return 0;
}

static int tear_down(void **state)
{
    fixture *made = *state;
    plx_close(made->backend);
    plx_context_destroy(made->context);
    directory_remove(made->directory);
    assert_int_equal(atomic_load(&made->dummy->fail), 0);
    assert_int_equal(atomic_load(&made->dummy->events), 0);
    assert_int_equal(atomic_load(&made->dummy->plans), 0);
    free(made);
    return 0;
}

static void expect(const fixture *bench, plx_status status, plx_status expected, const char *part)
{
    assert_int_equal(status, expected);
    if (strstr(plx_message(bench->context), part) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", plx_message(bench->context), part);
}

static void expect_error(plx_status status, plx_status expected, const plx_error *error, const char *part)
{
    assert_int_equal(status, expected);
    if (strstr(error->text, part) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", error->text, part);
}

/* ---- names and problems ------------------------------------------------------------ */

static void what_there_is_not_has_no_name(void **state)
{
    (void)state;
    plx_op op;
    plx_reduction reduction;
    assert_string_equal(plx_dtype_name((plx_dtype)NOWHERE), "unknown");
    assert_string_equal(plx_compute_name((plx_compute)NOWHERE), "unknown");
    assert_string_equal(plx_op_name((plx_op)NOWHERE), "unknown");
    assert_string_equal(plx_reduction_name((plx_reduction)NOWHERE), "unknown");
    assert_int_equal(plx_dtype_size((plx_dtype)NOWHERE), 0);
    assert_false(plx_op_from_name("nothing", &op));
    assert_false(plx_reduction_from_name("nothing", &reduction));
    assert_true(plx_reduction_from_name("max", &reduction) && reduction == PLX_MAX);
}

static void every_reason_of_a_throttle_has_a_name(void **state)
{
    (void)state;
    static const uint32_t reasons[] = {PLX_THROTTLE_IDLE, PLX_THROTTLE_SETTING,  PLX_THROTTLE_POWER,
                                       PLX_THROTTLE_HEAT, PLX_THROTTLE_HARDWARE, PLX_THROTTLE_OTHER};
    enum { COUNT = sizeof reasons / sizeof reasons[0] };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j <= i; j++)
            assert_int_equal(strcmp(plx_throttle_name(reasons[i]), plx_throttle_name(reasons[j])) == 0, i == j);
    assert_string_equal(plx_throttle_name(UINT32_C(1) << 31), "unknown");
}

static void no_operation_has_no_texts_and_no_settings(void **state)
{
    (void)state;
    plx_problem nothing = plx_problem_of((plx_op)NOWHERE, PLX_F32), normal;
    plx_error error = {""};
    plx_setting setting;
    int64_t shape[PLX_MAX_SHAPE] = {7};
    char text[ROOM] = "before";
    plx_shape_text(&nothing, text, sizeof text);
    assert_string_equal(text, "");
    plx_variant_text(&nothing, text, sizeof text);
    assert_string_equal(text, "");
    plx_layout_text(&nothing, 0, text, sizeof text);
    assert_string_equal(text, "");
    plx_problem_text(&nothing, 0, text, sizeof text);
    plx_problem_shape(&nothing, shape);
    assert_int_equal(shape[0], 7);
    plx_problem_normalise(&nothing, &normal);
    assert_int_equal(normal.op, NOWHERE);
    assert_false(plx_problem_is_scaled(&nothing));
    assert_false(plx_op_setting((plx_op)NOWHERE, 0, &setting));
    expect_error(plx_problem_check(&nothing, &error), PLX_INVALID, &error, "operation");
    expect_error(plx_problem_reshape(&nothing, shape, 1, &error), PLX_INVALID, &error, "99 is no operation");
    expect_error(plx_problem_set(&nothing, "alpha", "1", &error), PLX_NOT_FOUND, &error, "means nothing to unknown");
}

static void texts_end_where_their_room_does(void **state)
{
    (void)state;
    const plx_problem problem = plx_gemm_of(PLX_F32, false, false, 11, 22, 33);
    char whole[ROOM];
    plx_shape_text(&problem, whole, sizeof whole);
    assert_string_equal(whole, "11x22x33");
    for (size_t room = 1; room < sizeof whole; room++) {
        char text[ROOM + 1];
        memset(text, '!', sizeof text);
        plx_shape_text(&problem, text, room);
        assert_true(strlen(text) < room && strncmp(whole, text, strlen(text)) == 0);
        assert_int_equal(text[room], '!');
    }
}

static void what_scales_a_result_is_known(void **state)
{
    (void)state;
    plx_problem product = plx_gemm_of(PLX_F32, false, false, 2, 2, 2);
    const plx_problem sum = plx_reduce_of(PLX_F32, PLX_SUM, 10);
    assert_false(plx_problem_is_scaled(&sum));
    assert_false(plx_problem_is_scaled(&product));
    product.of.gemm.beta = 0.5;
    assert_true(plx_problem_is_scaled(&product));
    product.of.gemm.beta = 0;
    product.of.gemm.alpha = -1;
    assert_true(plx_problem_is_scaled(&product));
}

static void words_that_are_no_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        plx_op op;
        const char *name, *word, *says;
        plx_status status;
    } cases[] = {
        {PLX_REDUCE, "reduce", "quotient", "there are: sum", PLX_INVALID},
        {PLX_REDUCE, "reduce", "maxx", "did you mean 'max'", PLX_INVALID},
        {PLX_GEMM, "alpha", "", "is no number", PLX_INVALID},
        {PLX_GEMM, "alpha", "1x", "is no number", PLX_INVALID},
        {PLX_GEMM, "compute", "tf99", "unknown type 'tf99'", PLX_INVALID},
        {PLX_GEMM, "out-dtype", "f99", "unknown type 'f99'", PLX_INVALID},
        {PLX_REDUCE, "compute", "tf32", "means nothing to reduce", PLX_NOT_FOUND},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plx_problem problem = plx_problem_of(cases[i].op, PLX_F32), before = problem;
        plx_error error = {""};
        expect_error(plx_problem_set(&problem, cases[i].name, cases[i].word, &error), cases[i].status, &error,
                     cases[i].says);
        assert_memory_equal(&problem, &before, sizeof before);
    }
}

static void problems_of_probes_are_made_whole(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < PLX_PROBE_PATTERN_COUNT; pattern++) {
        const bool floats = pattern == PLX_PROBE_FMA || pattern >= PLX_PROBE_UNITS_F16;
        const plx_dtype dtype = pattern == PLX_PROBE_UNITS_F64 ? PLX_F64 : floats ? PLX_F32 : PLX_I32;
        const plx_problem problem = plx_probe_of(dtype, (plx_probe_pattern)pattern, 1000);
        plx_error error = {""};
        assert_int_equal(plx_problem_check(&problem, &error), PLX_OK);
        assert_int_equal(problem.of.probe.span, pattern == PLX_PROBE_GATHER ? 1024 : 0);
    }
    plx_problem wrong = plx_gemm_of(PLX_F32, false, false, 1, 1, 1);
    plx_error error = {""};
    wrong.compute = (plx_compute)NOWHERE;
    expect_error(plx_problem_check(&wrong, &error), PLX_INVALID, &error, "is no compute type");
}

/* ---- plugins --------------------------------------------------------------------------- */

static void plugins_have_numbers(void **state)
{
    fixture *bench = *state;
    plx_plugin_report report;
    plx_device_info device;
    plx_backend *backend = NULL;
    expect(bench, plx_plugin_at(bench->context, NOWHERE, &report), PLX_INVALID, "");
    expect(bench, plx_device_at(bench->context, NOWHERE, 0, &device), PLX_INVALID, "");
    expect(bench, plx_device_at(bench->context, bench->good, NOWHERE, &device), PLX_INVALID, "there is no number 99");
    expect(bench, plx_device_at(bench->context, bench->refused, 0, &device), PLX_INVALID,
           "plx-refused.so has 0 devices");
    assert_null(plx_kernel_at(bench->context, NOWHERE, PLX_REDUCE, 0));
    assert_null(plx_kernel_at(bench->context, bench->refused, PLX_REDUCE, 0));
    assert_null(plx_kernel_at(bench->context, bench->good, (plx_op)NOWHERE, 0));
    expect(bench, plx_open(bench->context, "refused", &backend), PLX_NOT_FOUND, "was refused");
    expect(bench, plx_open(bench->context, "nobody-knows-it", &backend), PLX_NOT_FOUND, "there are: ");
    expect(bench, plx_open(bench->context, "dummy-goof", &backend), PLX_NOT_FOUND, "did you mean \"dummy-good\"");
    assert_null(backend);
}

static void without_a_device_it_is_told_why(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "unresolved", "refused");
    directory_add(directory, "mute", "mute");
    plx_context *context = context_of(directory);
    plx_backend *backend = NULL;
    const fixture alone = {.context = context};
    /* the installed directory may have some: only what it says when nothing offers itself is meant */
    const plx_status status = plx_open(context, "auto", &backend);
    if (status != PLX_OK) {
        expect(&alone, status, PLX_NO_DEVICE, "plx-refused.so: ");
        assert_non_null(strstr(plx_message(context), "dummy-mute: "));
    }
    plx_close(backend);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void memory_of_a_context_has_names(void **state)
{
    fixture *bench = *state;
    int *one = plx_context_memory(bench->context, "one", sizeof *one);
    assert_non_null(one);
    *one = 1;
    assert_non_null(plx_context_memory(bench->context, "two", 8));
    assert_ptr_equal(plx_context_memory(bench->context, "one", sizeof *one), one);
    assert_int_equal(*one, 1);
    assert_null(plx_context_memory(bench->context, "all", SIZE_MAX));
}

static void nothing_can_be_destroyed(void **state)
{
    (void)state;
    plx_close(NULL);
    plx_context_destroy(NULL);
    plx_buffer_destroy(NULL);
    plx_queue_destroy(NULL);
    plx_event_destroy(NULL);
    plx_plan_destroy(NULL);
    plx_output_discard(NULL);
}

/* ---- code ---------------------------------------------------------------------------------- */

/* The dummy leaves all slots of device code empty. */
static void a_plugin_without_code_says_so(void **state)
{
    fixture *bench = *state;
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    plx_code code = {.text = NULL};
    plx_instructions found;
    plx_launch_facts facts;
    plx_plan *plan = NULL;
    size_t count;
    expect(bench, plx_code_of(bench->backend, &sum, "one-by-one", &code), PLX_UNSUPPORTED, "one-by-one");
    expect(bench, plx_plan_of_code(bench->backend, &sum, "one-by-one", &code, &plan), PLX_UNSUPPORTED,
           "takes no device code");
    expect(bench, plx_code_instructions(bench->backend, &sum, "one-by-one", &code, PLX_CODE_TEXT, &found, 1, &count),
           PLX_UNSUPPORTED, "counts no instructions");
    expect(bench, plx_code_without_device(bench->context, bench->good, &sum, "one-by-one", &code), PLX_UNSUPPORTED,
           "dummy-good: ");
    expect(bench,
           plx_code_instructions_without_device(bench->context, bench->good, &sum, "one-by-one", &code, PLX_CODE_TEXT,
                                                &found, 1, &count),
           PLX_UNSUPPORTED, "dummy-good: ");
    assert_null(plan);
    assert_int_equal(plx_plan_create(bench->backend, &sum, NULL, &plan), PLX_OK);
    expect(bench, plx_plan_launches(plan, &facts, 1, &count), PLX_UNSUPPORTED, "does not describe its launches");
    plx_plan_destroy(plan);
}

static void code_is_asked_of_kernels_that_there_are(void **state)
{
    fixture *bench = *state;
    const plx_problem sum = plx_reduce_of(PLX_I32, PLX_SUM, 10), wrong = plx_reduce_of(PLX_I32, PLX_SUM, -1);
    plx_code code = {.text = NULL};
    plx_instructions found;
    plx_plan *plan = NULL;
    size_t count;
    expect(bench, plx_code_of(bench->backend, &wrong, "one-by-one", &code), PLX_INVALID, "reduce");
    expect(bench, plx_code_of(bench->backend, &sum, "none", &code), PLX_NOT_FOUND, "none");
    expect(bench, plx_plan_of_code(bench->backend, &sum, "none", &code, &plan), PLX_NOT_FOUND, "none");
    expect(bench, plx_code_instructions(bench->backend, &sum, "none", &code, PLX_CODE_TEXT, &found, 1, &count),
           PLX_NOT_FOUND, "none");
    expect(bench, plx_code_without_device(bench->context, bench->good, &wrong, "one-by-one", &code), PLX_INVALID,
           "reduce");
    expect(bench, plx_code_without_device(bench->context, NOWHERE, &sum, "one-by-one", &code), PLX_NOT_FOUND,
           "there is no plugin 99");
    expect(bench, plx_code_without_device(bench->context, bench->refused, &sum, "one-by-one", &code), PLX_NOT_FOUND,
           "there is no plugin");
    expect(bench, plx_code_without_device(bench->context, bench->good, &sum, "none", &code), PLX_NOT_FOUND,
           "has no reduce kernel \"none\"");
    expect(bench,
           plx_code_instructions_without_device(bench->context, NOWHERE, &sum, "one-by-one", &code, PLX_CODE_TEXT,
                                                &found, 1, &count),
           PLX_NOT_FOUND, "there is no plugin 99");
}

/* ---- calls that fail ------------------------------------------------------------------------- */

static void events_that_fail_are_told(void **state)
{
    fixture *bench = *state;
    plx_backend *other = NULL;
    plx_event *from = NULL, *to = NULL, *foreign = NULL;
    double nanoseconds;
    assert_int_equal(plx_open(bench->context, "dummy-good:1", &other), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &from), PLX_OK);
    assert_int_equal(plx_event_create(bench->backend, &to), PLX_OK);
    assert_int_equal(plx_event_create(other, &foreign), PLX_OK);
    plx_queue *queue = NULL;
    assert_int_equal(plx_queue_create(bench->backend, &queue), PLX_OK);
    assert_int_equal(plx_event_record(queue, to), PLX_OK);
    atomic_store(&bench->dummy->fail, PLX_FAILED);
    expect(bench, plx_event_record(queue, from), PLX_FAILED, "recording an event");
    assert_int_equal(plx_event_record(queue, from), PLX_OK);
    atomic_store(&bench->dummy->fail, PLX_FAILED);
    expect(bench, plx_event_elapsed(to, from, &nanoseconds), PLX_FAILED, "the time between two events");
    expect(bench, plx_event_elapsed(from, foreign, &nanoseconds), PLX_INVALID, "one event belongs to");
    plx_queue_destroy(queue);
    plx_event_destroy(from);
    plx_event_destroy(to);
    plx_event_destroy(foreign);
    plx_close(other);
}

static void operations_without_a_kernel_are_refused(void **state)
{
    fixture *bench = *state;
    const plx_view none = {.buffer = NULL};
    plx_buffer *buffer = NULL;
    assert_int_equal(plx_buffer_create(bench->backend, 64, &buffer), PLX_OK);
    const plx_view some = {.buffer = buffer};
    expect(bench, plx_transpose(bench->backend, PLX_I32, 2, 2, some, 2, some, 2), PLX_UNSUPPORTED, "no kernel");
    expect(bench, plx_matvec(bench->backend, PLX_F32, false, 2, 2, 1, some, 2, some, 0, some), PLX_UNSUPPORTED,
           "no kernel");
    expect(bench, plx_transpose(bench->backend, PLX_I32, 2, 3, some, 2, some, 2), PLX_INVALID, "transpose");
    expect(bench, plx_reduce(bench->backend, PLX_I32, PLX_SUM, 2, none, some), PLX_INVALID, "");
    plx_buffer_destroy(buffer);
}

/* ---- choices ----------------------------------------------------------------------------------- */

/* In a cache of the test's own. */
static int set_up_with_cache(void **state)
{
    (void)set_up(state);
    fixture *made = *state;
    made->cache = directory_make();
    return setenv("XDG_CACHE_HOME", made->cache, 1);
}

static int tear_down_with_cache(void **state)
{
    fixture *made = *state;
    char *kept = path_in(made->cache, "parallax");
    directory_remove(kept);
    directory_remove(made->cache);
    return tear_down(state);
}

static void the_newest_thousand_choices_are_kept(void **state)
{
    enum { MOST = 1000, TRIED = MOST + 3 };
    fixture *bench = *state;
    plx_choice *choices = calloc(TRIED, sizeof *choices), found;
    plx_error error = {""};
    assert_non_null(choices);
    for (size_t i = 0; i < TRIED; i++) {
        const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 1 + (int64_t)i);
        plx_tuned_key("dummy-good", plx_backend_device(bench->backend), &problem, &choices[i]);
        (void)snprintf(choices[i].kernel, sizeof choices[i].kernel, "one-by-one");
    }
    assert_int_equal(plx_tuned_change(bench->context, choices, TRIED, &error), PLX_OK);
    assert_true(plx_tuned_at(0, &found));
    assert_string_equal(found.shape, choices[TRIED - MOST].shape);
    assert_true(plx_tuned_at(MOST - 1, &found));
    assert_string_equal(found.shape, choices[TRIED - 1].shape);
    assert_false(plx_tuned_at(MOST, &found));
    expect_error(plx_tuned_read(MOST, &found, &error), PLX_NOT_FOUND, &error, "there is no choice 1000");
    free(choices);
}

static void choices_need_a_place(void **state)
{
    fixture *bench = *state;
    plx_choice choice = {.kernel = "one-by-one"};
    plx_error error = {""};
    assert_int_equal(setenv("PLX_NO_CACHE", "1", 1), 0);
    expect_error(plx_tuned_change(bench->context, &choice, 1, &error), PLX_IO, &error, "choices can't be kept");
    expect_error(plx_tuned_forget(bench->context, &error), PLX_IO, &error, "choices can't be kept");
    assert_false(plx_tuned_at(0, &choice));
    assert_int_equal(unsetenv("PLX_NO_CACHE"), 0);
    assert_int_equal(plx_tuned_forget(bench->context, &error), PLX_OK);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_there_is_not_has_no_name),
        cmocka_unit_test(every_reason_of_a_throttle_has_a_name),
        cmocka_unit_test(no_operation_has_no_texts_and_no_settings),
        cmocka_unit_test(texts_end_where_their_room_does),
        cmocka_unit_test(what_scales_a_result_is_known),
        cmocka_unit_test(words_that_are_no_values_are_refused),
        cmocka_unit_test(problems_of_probes_are_made_whole),
        cmocka_unit_test(without_a_device_it_is_told_why),
        cmocka_unit_test(nothing_can_be_destroyed),
        WITH_BENCH(plugins_have_numbers),
        WITH_BENCH(memory_of_a_context_has_names),
        WITH_BENCH(a_plugin_without_code_says_so),
        WITH_BENCH(code_is_asked_of_kernels_that_there_are),
        WITH_BENCH(events_that_fail_are_told),
        WITH_BENCH(operations_without_a_kernel_are_refused),
        cmocka_unit_test_setup_teardown(the_newest_thousand_choices_are_kept, set_up_with_cache, tear_down_with_cache),
        cmocka_unit_test_setup_teardown(choices_need_a_place, set_up_with_cache, tear_down_with_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
