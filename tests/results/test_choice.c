/* How far a choice is from the best, and rates that are fitted and written, on a plugin with a model; and
 * what the dispatcher makes of models that answer wrongly. */
#define _XOPEN_SOURCE 700

#include <parallax/tool.h>
#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROBLEMS = 9 };

static char directory[256];
static plx_problem problems[PROBLEMS]; /* set by main */

static plx_status study(const char *backend, const char *rates, size_t count, plx_results *results, plx_error *error)
{
    plx_context *context;
    const char *directories[] = {directory};
    const plx_context_options plugins = {.plugin_dirs = directories, .plugin_dir_count = 1};
    const plx_choice_options options = {
        .compare = {.backends = &backend,
                    .backend_count = 1,
                    .problems = problems,
                    .problem_count = count,
                    .seconds_per_kernel = 1e-4},
        .op = PLX_REDUCE,
        .dtype = PLX_F64,
        .rates = rates,
        .command = "parallax tune reduce",
    };
    assert_int_equal(plx_context_create(&plugins, &context), PLX_OK);
    const plx_status status = plx_tune_choice(context, &options, results, error);
    plx_context_destroy(context);
    return status;
}

static void the_choice_is_told(void **unused)
{
    plx_results results;
    plx_error error = {.text = ""};
    size_t chosen = 0;
    (void)unused;
    assert_int_equal(study("modelled", NULL, PROBLEMS, &results, &error), PLX_OK);
    const plx_choice_study *found = results.choice;
    assert_string_equal(found->backend, "modelled:0");
    assert_int_equal(found->problems, PROBLEMS);
    assert_int_equal(found->chosen.problems, PROBLEMS);
    assert_true(found->chosen.within <= PROBLEMS && found->chosen.mean >= 1.0 &&
                found->chosen.most >= found->chosen.mean);
    assert_int_equal(found->without_count, 1); /* where it is chosen nothing else has a model */
    assert_string_equal(found->without[0].kernel, "modelled");
    assert_true(found->without[0].problems < PROBLEMS && found->without[0].lost + found->without[0].chosen == 0);
    assert_false(found->fitted);
    assert_int_equal(found->by_fitted.problems + found->fit_count, 0);
    for (size_t i = 0; i < results.record_count; i++) {
        assert_int_equal(results.records[i].outcome, PLX_OUTCOME_OK);
        chosen += !results.records[i].named;
    }
    assert_int_equal(chosen, PROBLEMS);
    plx_results_free(&results);
}

static void assert_file(void)
{
    char path[512], line[600];
    (void)snprintf(path, sizeof path, "%s/modelled.h", directory);
    FILE *from = fopen(path, "r");
    assert_non_null(from);
    assert_non_null(fgets(line, sizeof line, from));
    assert_ptr_equal(strstr(line, "/* By `parallax tune reduce` on a processor with a model, driver "), line);
    assert_non_null(fgets(line, sizeof line, from));
    assert_non_null(strstr(line, "SHA-256"));
    assert_non_null(fgets(line, sizeof line, from));
    assert_ptr_equal(strstr(line, ".start_us = "), line);
    assert_non_null(fgets(line, sizeof line, from));
    assert_ptr_equal(strstr(line, ".elements_per_us = "), line);
    assert_null(fgets(line, sizeof line, from));
    (void)fclose(from);
    (void)remove(path);
}

static void rates_are_fitted_and_written(void **unused)
{
    char path[512];
    plx_results results, again;
    plx_error error = {.text = ""};
    (void)unused;
    (void)snprintf(path, sizeof path, "%s/choice.json", directory);
    assert_int_equal(study("modelled", directory, PROBLEMS, &results, &error), PLX_OK);
    const plx_choice_study *found = results.choice;
    assert_true(found->fitted);
    assert_int_equal(found->fit_count, 1);
    assert_string_equal(found->fits[0].kernel, "modelled");
    assert_int_equal(found->fits[0].rates, 2);
    /* How good a fit is, test_rates asks of times that it makes: these are measured, on whatever machine. */
    assert_true(found->fits[0].times >= 10 && isfinite(found->fits[0].after) && found->fits[0].before > 0);
    assert_int_equal(found->problems, PROBLEMS);
    assert_int_equal(found->by_fitted.problems, PROBLEMS / 3);
    assert_file();
    assert_int_equal(plx_results_write(&results, path, &error), PLX_OK);
    assert_int_equal(plx_results_read(path, &again, &error), PLX_OK);
    assert_memory_equal(&again.choice->fits[0].rates, &found->fits[0].rates, sizeof found->fits[0].rates);
    assert_int_equal(again.choice->without_count, found->without_count);
    assert_string_equal(again.choice->without[0].kernel, "modelled");
    assert_int_equal(again.choice->by_fitted.within, found->by_fitted.within);
    assert_true(fabs(again.choice->chosen.mean - found->chosen.mean) < 1e-5 && again.choice->fitted);
    assert_int_equal(again.choice->chosen.most_at.of.reduce.n, found->chosen.most_at.of.reduce.n);
    plx_results_free(&again);
    plx_results_free(&results);
    (void)remove(path);
}

/* Then nothing is fitted, and nothing written. */
static void too_few_times_are_not_fitted(void **unused)
{
    char path[512];
    plx_results results;
    plx_error error = {.text = ""};
    (void)unused;
    (void)snprintf(path, sizeof path, "%s/modelled.h", directory);
    assert_int_equal(study("modelled", directory, 3, &results, &error), PLX_OK);
    assert_false(results.choice->fitted);
    assert_int_equal(results.choice->fits[0].rates, 0);
    assert_int_equal(access(path, F_OK), -1);
    plx_results_free(&results);
}

static void refused(const char *backend, plx_status status, const char *reason)
{
    plx_results results;
    plx_error error = {.text = ""};
    assert_int_equal(study(backend, NULL, PROBLEMS, &results, &error), status);
    if (strstr(error.text, reason) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, reason);
}

static void what_has_no_model_is_refused(void **unused)
{
    (void)unused;
    refused("host", PLX_UNSUPPORTED, "no kernel of reduce on host has a model of its time");
}

static void wrong_answers_are_refused(void **unused)
{
    (void)unused;
    setenv("PLX_MODELLED", "rates-million", 1);
    refused("modelled", PLX_FAILED, "it lists 1000000, which can't be");
    setenv("PLX_MODELLED", "rates-nan", 1);
    refused("modelled", PLX_FAILED, "start_us is nan, and should be from");
    setenv("PLX_MODELLED", "rates-text", 1);
    refused("modelled", PLX_FAILED, "number 0 has no name, or one without an end");
    setenv("PLX_MODELLED", "expect-zero", 1);
    refused("modelled", PLX_UNSUPPORTED, "has a model of its time");
    setenv("PLX_MODELLED", "expect-nan", 1);
    refused("modelled", PLX_UNSUPPORTED, "has a model of its time");
    unsetenv("PLX_MODELLED");
}

static const char *plugin_path(void)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/plx-modelled.so", directory);
    return path;
}

/* With the plugin in it. */
static int make_directory(void **unused)
{
    char built[512];
    const char *top = getenv("top_builddir");
    (void)unused;
    (void)snprintf(directory, sizeof directory, "%s/choice-XXXXXX",
                   getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    (void)snprintf(built, sizeof built, "%s/tests/fakes/.libs/plx-modelled.so", top != NULL ? top : ".");
    return mkdtemp(directory) != NULL ? symlink(built, plugin_path()) : -1;
}

static int remove_directory(void **unused)
{
    (void)unused;
    return unlink(plugin_path()) != 0 || rmdir(directory) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_choice_is_told),           cmocka_unit_test(rates_are_fitted_and_written),
        cmocka_unit_test(too_few_times_are_not_fitted), cmocka_unit_test(what_has_no_model_is_refused),
        cmocka_unit_test(wrong_answers_are_refused),
    };
    for (int i = 0; i < PROBLEMS; i++)
        problems[i] = plx_reduce_of(PLX_F64, PLX_SUM, 3000 + 1000 * i);
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
