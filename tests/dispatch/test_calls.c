/* Which calls into backends are being made, and backends that are not to be used. */
#define _GNU_SOURCE /* setenv, asprintf */

#include "dummy_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MANY_THREADS = 300 };

static char *directory;
static atomic_int loaded;

static void count_loaded(void)
{
    atomic_fetch_add(&loaded, 1);
}

static plx_context *make_context(const plx_barred *barred, size_t count)
{
    const char *directories[] = {directory};
    plx_context *context;
    const plx_context_options options = {.plugin_dirs = directories, .plugin_dir_count = 1};
    const plx_tool_options tool = {.barred = barred, .barred_count = count, .loaded = count_loaded};
    assert_int_equal(plx_tool_context_create(&options, &tool, &context), PLX_OK);
    return context;
}

static int set_up(void **state)
{
    (void)state;
    (void)unsetenv("HOSTILE");
    directory = directory_make();
    directory_add_built(directory, "tests/fakes/.libs/plx-hostile.so");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    directory_remove(directory);
    return 0;
}

/* ---- what is not to be used ------------------------------------------------------------ */

static void a_backend_may_be_barred(void **state)
{
    char backend_name[] = "hostile:0", reason[] = "it fell over";
    const plx_barred barred[] = {{backend_name, reason}, {"other:0", "another reason"}};
    plx_context *context = make_context(barred, 2);
    plx_backend *backend = NULL;
    plx_plugin_report report;
    (void)state;
    memset(backend_name, 'x', sizeof backend_name - 1); /* they were copied */
    memset(reason, 'x', sizeof reason - 1);
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_FAILED);
    assert_string_equal(plx_message(context), "hostile:0: it fell over");
    assert_null(backend);
    for (size_t i = 0; i < plx_plugin_count(context); i++) /* the plugin is there, with its device */
        if (plx_plugin_at(context, i, &report) == PLX_OK && strcmp(report.name, "hostile") == 0)
            assert_int_equal(report.device_count, 1);
    plx_context_destroy(context);
}

static void a_plugin_may_be_barred(void **state)
{
    const plx_barred barred = {"hostile", "it fell over"};
    plx_context *context = make_context(&barred, 1);
    plx_backend *backend = NULL;
    (void)state;
    assert_int_equal(plx_open(context, "hostile:0", &backend), PLX_FAILED);
    assert_string_equal(plx_message(context), "hostile: it fell over");
    plx_context_destroy(context);
}

static void programs_are_told_that_something_was_loaded(void **state)
{
    plx_context *context = make_context(NULL, 0);
    plx_backend *backend;
    (void)state;
    atomic_store(&loaded, 0);
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(atomic_load(&loaded), 2); /* asked for devices, opened */
    plx_plan *plan;
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 10);
    assert_int_equal(plx_plan_create(backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(atomic_load(&loaded), 3);
    plx_plan_destroy(plan);
    plx_close(backend);
    plx_context_destroy(context);
}

/* ---- what is being called ------------------------------------------------------------------ */

static void *call_slowly(void *data)
{
    plx_backend *backend = data;
    plx_buffer *x, *sum;
    assert_int_equal(plx_buffer_create(backend, 40, &x), PLX_OK);
    assert_int_equal(plx_buffer_create(backend, 4, &sum), PLX_OK);
    (void)setenv("HOSTILE", "execute-loop", 1);
    (void)plx_reduce(backend, PLX_I32, PLX_SUM, 10, (plx_view){x, 0}, (plx_view){sum, 0});
    return NULL;
}

static void *make_a_buffer(void *data)
{
    plx_buffer *buffer;
    assert_int_equal(plx_buffer_create(data, 4, &buffer), PLX_OK);
    plx_buffer_destroy(buffer);
    return NULL;
}

/* The last test: the thread never comes back. */
static void a_call_has_a_name(void **state)
{
    plx_context *context = make_context(NULL, 0);
    plx_backend *backend;
    plx_call calls[4], again[4];
    pthread_t thread, others[MANY_THREADS];
    const struct timespec moment = {.tv_nsec = 1000000};
    (void)state;
    assert_int_equal(plx_open(context, "hostile", &backend), PLX_OK);
    assert_int_equal(plx_calls(calls, 4), 0);
    assert_int_equal(pthread_create(&thread, NULL, call_slowly, backend), 0);
    while (plx_calls(calls, 4) != 1 || strcmp(calls[0].what, "execution") != 0)
        (void)nanosleep(&moment, NULL);
    assert_string_equal(calls[0].backend, "hostile:0");
    assert_string_equal(calls[0].kernel, "reduce/one-by-one");
    assert_true(calls[0].work >= 10 + 40);
    assert_false(calls[0].own);
    (void)nanosleep(&moment, NULL);
    assert_int_equal(plx_calls(again, 4), 1);
    assert_int_equal(again[0].number, calls[0].number);
    assert_int_equal(again[0].thread, calls[0].thread);
    assert_int_equal(plx_calls(again, 0), 0);
    /* More threads than are watched: the rest call, too. */
    for (int i = 0; i < MANY_THREADS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, make_a_buffer, backend), 0);
    for (int i = 0; i < MANY_THREADS; i++)
        assert_int_equal(pthread_join(others[i], NULL), 0);
    assert_int_equal(plx_calls(calls, 4), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_backend_may_be_barred),
        TEST(a_plugin_may_be_barred),
        TEST(programs_are_told_that_something_was_loaded),
        TEST(a_call_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
