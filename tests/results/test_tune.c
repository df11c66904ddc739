/* Choices that were tuned are taken before the plugin's own, for exactly what they were
 * measured on, and a file that can't be used is as good as none. */
#define _XOPEN_SOURCE 700

#include <parallax/tool.h>
#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[256], directory[300], path[512];

/* One place for all tests: an OpenCL platform keeps what it once read of the environment. */
static int make_root(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "%s/tune-XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    if (mkdtemp(root) == NULL)
        return -1;
    (void)snprintf(directory, sizeof directory, "%s/parallax", root);
    (void)snprintf(path, sizeof path, "%s/choices.tsv", directory);
    return setenv("XDG_CACHE_HOME", root, 1);
}

static int remove_root(void **state)
{
    char command[600];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static int set_up(void **state)
{
    (void)state;
    (void)remove(path);
    return unsetenv("PLX_NO_CACHE");
}

/* Any device with more than one gemm kernel; the test is skipped where there is none. */
static plx_backend *open_device(plx_context **context)
{
    plx_backend *backend;
    assert_int_equal(plx_context_create(NULL, context), PLX_OK);
    if (plx_open(*context, "opencl", &backend) == PLX_OK)
        return backend;
    print_message("skipped: %s\n", plx_message(*context));
    plx_context_destroy(*context);
    skip();
    return NULL;
}

/* The file as plx_tune() writes it; `changed` is what one field is instead (NULL: none), by its
 * number. */
static void write_choice(const plx_device_info *info, const char *kernel, size_t which, const char *changed)
{
    const plx_problem problem = plx_gemm_of(PLX_F32, false, true, 96, 80, 64);
    plx_choice key;
    plx_tuned_key("opencl", info, &problem, &key);
    const char *fields[] = {key.device, key.driver,  key.backend, key.kernels_hash, key.op,       key.dtype,
                            key.shape,  key.variant, kernel,      "vectorized",     "2026-11-21", "1.5"};
    const size_t count = sizeof fields / sizeof fields[0];
    if (changed != NULL)
        fields[which] = changed;
    (void)mkdir(directory, 0700);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("parallax-choices/2\n", file);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(file, "%s%c", fields[i], i + 1 < count ? '\t' : '\n');
    assert_int_equal(fclose(file), 0);
}

static void chosen(plx_problem problem, char kernel[64])
{
    plx_context *context;
    plx_backend *backend = open_device(&context);
    plx_plan *plan;
    if (plx_plan_create(backend, &problem, NULL, &plan) != PLX_OK)
        fail_msg("%s", plx_message(context));
    (void)snprintf(kernel, 64, "%s", plx_plan_kernel(plan)->name);
    plx_plan_destroy(plan);
    plx_close(backend);
    plx_context_destroy(context);
}

static plx_device_info device(void)
{
    plx_context *context;
    plx_backend *backend = open_device(&context);
    plx_device_info info = *plx_backend_device(backend);
    plx_close(backend);
    plx_context_destroy(context);
    return info;
}

static plx_problem tuned_problem(void)
{
    return plx_gemm_of(PLX_F32, false, true, 96, 80, 64);
}

static void test_taken(void **state)
{
    char kernel[64], by_default[64];
    plx_problem problem = tuned_problem();
    plx_device_info info = device();
    (void)state;
    chosen(problem, by_default);
    const char *other = strcmp(by_default, "naive") == 0 ? "tile-2d" : "naive";
    write_choice(&info, other, 0, NULL);
    chosen(problem, kernel);
    assert_string_equal(kernel, other);
    problem.of.gemm.alpha = 2; /* the same work */
    problem.of.gemm.beta = -1;
    chosen(problem, kernel);
    assert_string_equal(kernel, other);
}

static void test_only_where_measured(void **state)
{
    enum { DEVICE, DRIVER, BACKEND, HASH, OP, DTYPE, SHAPE, VARIANT, KERNEL };
    static const struct {
        size_t field;
        const char *value;
    } changes[] = {
        {DEVICE, "another"}, {DRIVER, "0.1"}, {HASH, "00"},     {BACKEND, "cuda"}, {OP, "matvec"}, {DTYPE, "f64"},
        {SHAPE, "96x80x65"}, {VARIANT, "nn"}, {KERNEL, "gone"}, {KERNEL, "x\ty"},  {KERNEL, ""},
    };
    char kernel[64], by_default[64];
    plx_device_info info = device();
    (void)state;
    chosen(tuned_problem(), by_default);
    const char *other = strcmp(by_default, "naive") == 0 ? "tile-2d" : "naive";
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        write_choice(&info, other, changes[i].field, changes[i].value);
        chosen(tuned_problem(), kernel);
        assert_string_equal(kernel, by_default);
    }
    write_choice(&info, other, 0, NULL);
    (void)setenv("PLX_NO_CACHE", "1", 1);
    chosen(tuned_problem(), kernel);
    assert_string_equal(kernel, by_default);
}

/* A kernel in a configuration is a choice as well; one that is not there is told and not taken. */
static void test_configurations(void **state)
{
    plx_context *context;
    plx_plan *plan;
    plx_config config;
    const plx_kernel *kernel;
    plx_device_info info = device();
    const plx_problem problem = tuned_problem();
    (void)state;
    write_choice(&info, "split-k:64x64/2", 0, NULL);
    plx_backend *backend = open_device(&context);
    assert_int_equal(plx_plan_create(backend, &problem, NULL, &plan), PLX_OK);
    assert_string_equal(plx_plan_kernel(plan)->name, "split-k");
    assert_int_equal(plx_plan_config(plan, &config), PLX_OK);
    assert_string_equal(config.name, "64x64/2");
    assert_int_equal(plx_choose(backend, &problem, &kernel), PLX_OK); /* the same without a plan */
    assert_string_equal(kernel->name, "split-k");
    assert_int_equal(plx_choose_untuned(backend, &problem, &kernel), PLX_OK);
    assert_string_not_equal(kernel->name, "split-k");
    assert_int_equal(plx_plan_depth(plan), 32 + 1); /* half of the terms, and the other half's sum */
    assert_string_equal(plx_tuned_ignored(context), "");
    plx_plan_destroy(plan);
    plx_close(backend);
    plx_context_destroy(context);
    write_choice(&info, "split-k:64x64/3", 0, NULL); /* 64 terms are two steps */
    backend = open_device(&context);
    assert_int_equal(plx_plan_create(backend, &problem, NULL, &plan), PLX_OK);
    assert_int_equal(plx_plan_config(plan, &config), PLX_OK);
    assert_string_not_equal(config.name, "64x64/3");
    assert_int_equal(plx_choose(backend, &problem, &kernel), PLX_OK); /* as the plan is */
    assert_string_equal(kernel->name, plx_plan_kernel(plan)->name);
    assert_non_null(strstr(plx_tuned_ignored(context), "has no configuration \"64x64/3\""));
    plx_plan_destroy(plan);
    plx_close(backend);
    plx_context_destroy(context);
}

/* Every configuration of a kernel is tried, judged and counted; the fastest are in the comparison. */
typedef struct heard {
    size_t calls;
    bool searched;
} heard;

static void hear(void *data, size_t done, size_t total, const char *what)
{
    heard *h = data;
    assert_true(done <= total);
    h->calls++;
    h->searched = h->searched || strstr(what, "tried, fastest split-k:") != NULL;
}

static void test_search(void **state)
{
    const char *const backends[] = {"opencl"}, *const kernels[] = {"split-k"};
    const plx_problem problem = tuned_problem();
    heard h = {0, false};
    plx_context *context;
    plx_results results;
    plx_tuned *tuned;
    plx_error error = {.text = ""};
    size_t count, configured = 0;
    (void)state;
    (void)device();
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = kernels,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seed = 1,
                                         .seconds_per_kernel = 0.05,
                                         .seconds_in_all = 1e-9,
                                         .progress = hear,
                                         .progress_data = &h};
    assert_int_equal(plx_tune(context, &options, &results, &tuned, &count, &error), PLX_OK);
    assert_int_equal(count, 1);
    for (size_t i = 0; i < results.record_count; i++) {
        assert_int_equal(results.records[i].outcome, PLX_OUTCOME_OK);
        assert_string_not_equal(results.records[i].config, "");
        configured += strchr(results.records[i].kernel, ':') != NULL;
        assert_true(results.records[i].gain == 0); /* configurations are no steps */
    }
    assert_int_equal(results.record_count, configured + 1);
    assert_in_range(configured, 1, 8);
    assert_true(h.searched);
    free(tuned);
    plx_results_free(&results);
    plx_context_destroy(context);
}

static void test_broken_file(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "parallax-choices/1\n",
        "parallax-choices/2",
        "parallax-choices/2\n\n\t\t\n",
        "parallax-choices/2\na\tb\tc\td\te\tf\tg\th\ti\tj\tk\tno number\n",
        "parallax-choices/2\na\tb\tc\td\te\tf\tg\th\ti\tj\tk\t1.5", /* cut off */
    };
    char kernel[64], by_default[64];
    plx_choice choice;
    (void)state;
    chosen(tuned_problem(), by_default);
    (void)mkdir(directory, 0700);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fputs(texts[i], file);
        (void)fclose(file);
        chosen(tuned_problem(), kernel);
        assert_string_equal(kernel, by_default);
        assert_false(plx_tuned_at(0, &choice));
    }
}

/* Of one kernel alone there is nothing to choose, and what was kept of the problem goes. */
static void test_tune_replaces(void **state)
{
    const char *const backends[] = {"opencl"}, *const kernels[] = {"naive"};
    const plx_problem problem = tuned_problem();
    plx_device_info info = device();
    plx_context *context;
    plx_results results;
    plx_tuned *tuned;
    plx_choice choice;
    plx_error error = {.text = ""};
    size_t count;
    (void)state;
    write_choice(&info, "naive", 0, NULL);
    assert_true(plx_tuned_at(0, &choice));
    assert_string_equal(choice.kernel, "naive");
    assert_true(choice.current);
    assert_false(plx_tuned_at(1, &choice));
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    const plx_compare_options options = {.backends = backends,
                                         .backend_count = 1,
                                         .kernels = kernels,
                                         .kernel_count = 1,
                                         .problems = &problem,
                                         .problem_count = 1,
                                         .seed = 1,
                                         .seconds_per_kernel = 0.05};
    assert_int_equal(plx_tune(context, &options, &results, &tuned, &count, &error), PLX_OK);
    assert_int_equal(count, 1);
    assert_false(tuned[0].kept);
    assert_string_equal(tuned[0].taken_back, "naive"); /* and that is told */
    assert_string_equal(results.records[tuned[0].fastest].kernel, "naive");
    assert_false(plx_tuned_at(0, &choice));
    free(tuned);
    plx_results_free(&results);
    assert_int_equal(plx_tune(context, &options, &results, &tuned, &count, &error), PLX_OK);
    assert_string_equal(tuned[0].taken_back, ""); /* there was none */
    free(tuned);
    plx_results_free(&results);
    write_choice(&info, "naive", 0, NULL);
    assert_int_equal(plx_tuned_forget(context, &error), PLX_OK);
    assert_false(plx_tuned_at(0, &choice));
    plx_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_taken, set_up),          cmocka_unit_test_setup(test_only_where_measured, set_up),
        cmocka_unit_test_setup(test_configurations, set_up), cmocka_unit_test_setup(test_search, set_up),
        cmocka_unit_test_setup(test_broken_file, set_up),    cmocka_unit_test_setup(test_tune_replaces, set_up),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
