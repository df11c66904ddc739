/* A problem that is met for the first time is timed where the application wants it: the fastest is taken and kept, by
 * one thread, once. */
#define _GNU_SOURCE

#include <parallax/tool.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char home[256];

static int make_home(void **state)
{
    (void)state;
    (void)snprintf(home, sizeof home, "%s/first-use-XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    (void)setenv("PLX_PROBE", "inline", 1);
    return mkdtemp(home) == NULL ? -1 : setenv("XDG_CACHE_HOME", home, 1);
}

static int clear_home(void **state)
{
    char command[400];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'/*", home);
    (void)unsetenv("PLX_NO_CACHE");
    (void)unsetenv("PLX_AUTOTUNE");
    (void)unsetenv("PLX_MODELLED");
    return system(command);
}

static int remove_home(void **state)
{
    char command[400];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command);
}

/* A context, and in it the plugin whose ways are as fast as $PLX_MODELLED says. */
typedef struct opened {
    plx_context *context;
    plx_backend *backend;
} opened;

static opened open_it(bool on_first_use)
{
    char fakes[512];
    const char *dirs[] = {fakes}, *top = getenv("top_builddir");
    const plx_context_options options = {.plugin_dirs = dirs, .plugin_dir_count = 1};
    opened o;
    (void)snprintf(fakes, sizeof fakes, "%s/tests/fakes/.libs", top != NULL ? top : ".");
    assert_int_equal(plx_context_create(&options, &o.context), PLX_OK);
    if (on_first_use)
        plx_tune_on_first_use(o.context, true);
    if (plx_open(o.context, "modelled", &o.backend) != PLX_OK)
        fail_msg("%s", plx_message(o.context));
    return o;
}

static void close_it(opened o)
{
    plx_close(o.backend);
    plx_context_destroy(o.context);
}

/* "modelled:way-2" */
static void taken(opened o, int64_t n, char name[96])
{
    const plx_problem problem = plx_reduce_of(PLX_F64, PLX_SUM, n);
    plx_plan *plan;
    plx_config config;
    if (plx_plan_create(o.backend, &problem, NULL, &plan) != PLX_OK)
        fail_msg("%s", plx_message(o.context));
    assert_int_equal(plx_plan_config(plan, &config), PLX_OK);
    (void)snprintf(name, 96, "%s:%s", plx_plan_kernel(plan)->name, config.name);
    plx_plan_destroy(plan);
}

static void expect_once(bool on_first_use, const char *expected)
{
    char name[96];
    opened o = open_it(on_first_use);
    taken(o, 100, name);
    assert_string_equal(name, expected);
    close_it(o);
}

static void test_off(void **state)
{
    plx_choice choice;
    (void)state;
    (void)setenv("PLX_MODELLED", "slow", 1);
    expect_once(false, "plain:");
    (void)setenv("PLX_AUTOTUNE", "0", 1);
    expect_once(false, "plain:");
    assert_false(plx_tuned_at(0, &choice));
}

static void test_fastest(void **state)
{
    plx_choice choice;
    (void)state;
    (void)setenv("PLX_MODELLED", "slow", 1);
    expect_once(true, "modelled:way-2"); /* of which the model expects least */
    assert_true(plx_tuned_at(0, &choice));
    assert_string_equal(choice.kernel, "modelled:way-2");
    assert_string_equal(choice.over, "plain");
    assert_true(choice.gain > 1.02);
    assert_false(plx_tuned_at(1, &choice));
    (void)setenv("PLX_MODELLED", "slow-ways", 1); /* nothing is timed again, and whoever comes next profits */
    expect_once(true, "modelled:way-2");
    expect_once(false, "modelled:way-2");
}

static void test_choice_stays(void **state)
{
    plx_choice choice;
    (void)state;
    (void)setenv("PLX_MODELLED", "slow-ways", 1);
    expect_once(true, "plain:");
    assert_true(plx_tuned_at(0, &choice)); /* that it was timed is kept as well */
    assert_string_equal(choice.kernel, "plain");
    (void)setenv("PLX_MODELLED", "slow", 1);
    expect_once(true, "plain:");
}

static void test_by_the_variable(void **state)
{
    (void)state;
    (void)setenv("PLX_MODELLED", "slow", 1);
    (void)setenv("PLX_AUTOTUNE", "1", 1);
    expect_once(false, "modelled:way-2");
}

static void test_without_a_cache(void **state)
{
    char name[96];
    plx_choice choice;
    (void)state;
    (void)setenv("PLX_NO_CACHE", "1", 1);
    (void)setenv("PLX_MODELLED", "slow", 1);
    opened o = open_it(true);
    taken(o, 100, name);
    assert_string_equal(name, "modelled:way-2");
    (void)setenv("PLX_MODELLED", "slow-ways", 1); /* timed again, it would be another */
    taken(o, 100, name);
    assert_string_equal(name, "modelled:way-2");
    close_it(o);
    (void)unsetenv("PLX_NO_CACHE");
    assert_false(plx_tuned_at(0, &choice));
}

static void test_one_that_fails(void **state)
{
    char name[96];
    (void)state;
    (void)setenv("PLX_MODELLED", "broken", 1);
    opened o = open_it(true);
    taken(o, 100, name);
    assert_int_equal(strncmp(name, "modelled:", 9), 0); /* the choice sleeps longer */
    assert_string_not_equal(name, "modelled:way-2");
    close_it(o);
}

static void *take_in_a_thread(void *name_of)
{
    struct {
        opened o;
        char name[96];
    } *mine = name_of;
    taken(mine->o, 100, mine->name);
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 4 };
    struct {
        opened o;
        char name[96];
    } all[THREADS];
    pthread_t threads[THREADS];
    opened o = open_it(true);
    (void)state;
    (void)setenv("PLX_MODELLED", "slow", 1);
    for (size_t i = 0; i < THREADS; i++) {
        all[i].o = o;
        assert_int_equal(pthread_create(&threads[i], NULL, take_in_a_thread, &all[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_string_equal(all[i].name, "modelled:way-2");
    }
    close_it(o);
}

/* The caller's results are those of one execution. */
static void test_operands_are_left(void **state)
{
    const plx_problem problem = plx_reduce_of(PLX_F64, PLX_SUM, 4);
    const double x[4] = {1, 2, 3, 4};
    double sum = -1;
    plx_buffer *in, *out;
    (void)state;
    opened o = open_it(true);
    assert_int_equal(plx_buffer_create(o.backend, sizeof x, &in), PLX_OK);
    assert_int_equal(plx_buffer_create(o.backend, sizeof sum, &out), PLX_OK);
    assert_int_equal(plx_upload(NULL, in, 0, x, sizeof x), PLX_OK);
    const plx_view views[] = {{in, 0}, {out, 0}};
    assert_int_equal(plx_run(o.backend, NULL, &problem, views, 2), PLX_OK);
    assert_int_equal(plx_download(NULL, &sum, out, 0, sizeof sum), PLX_OK);
    assert_int_equal(plx_synchronize(o.backend, NULL), PLX_OK);
    assert_true(sum > 9.5 && sum < 10.5);
    plx_buffer_destroy(in);
    plx_buffer_destroy(out);
    close_it(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_off, clear_home),
        cmocka_unit_test_setup(test_fastest, clear_home),
        cmocka_unit_test_setup(test_choice_stays, clear_home),
        cmocka_unit_test_setup(test_by_the_variable, clear_home),
        cmocka_unit_test_setup(test_without_a_cache, clear_home),
        cmocka_unit_test_setup(test_one_that_fails, clear_home),
        cmocka_unit_test_setup(test_threads, clear_home),
        cmocka_unit_test_setup(test_operands_are_left, clear_home),
    };
    return cmocka_run_group_tests_name("first use", tests, make_home, remove_home);
}
