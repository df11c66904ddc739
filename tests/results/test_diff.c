/* diff: what it calls a change and what it does not, on results made by hand; false alarms
 * over many records, with noise of several kinds. */
#define _POSIX_C_SOURCE 200809L

#include "study/diff/significance.h"

#include <parallax/study.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double by)
{
    if (!(fabs(found - expected) <= by))
        fail_msg("%.15g, expected %.15g", found, expected);
}

/* ---- significance ----------------------------------------------------------------- */

static void tails_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_near(plx_student_tails(0, 3), 1, 1e-12);
    assert_near(plx_student_tails(1, 1), 0.5, 1e-12); /* Cauchy */
    assert_near(plx_student_tails(12.7062, 1), 0.05, 1e-6);
    assert_near(plx_student_tails(-2.22814, 10), 0.05, 1e-6);
    assert_near(plx_student_tails(4.58689, 10), 0.001, 1e-7);
    assert_near(plx_student_tails(1.95996, 1e6), 0.05, 1e-5);
    assert_near(plx_student_tails(sqrt(2.0), 2), 1 - sqrt(0.5), 1e-12);
    assert_near(plx_student_tails(INFINITY, 4), 0, 0);
}

static void holm_asks_more_of_many(void **state)
{
    double p[] = {0.01, 0.04, 0.03, 0.005, 0.9};
    size_t order[5];
    (void)state;
    plx_holm(p, order, 5);
    assert_near(p[3], 0.025, 1e-15);
    assert_near(p[0], 0.04, 1e-15);
    assert_near(p[2], 0.09, 1e-15);
    assert_near(p[1], 0.09, 1e-15); /* never below the one before */
    assert_near(p[4], 0.9, 1e-15);
}

static void noise_needs_samples(void **state)
{
    plx_noise one = plx_noise_of(99, 101, 1), few = plx_noise_of(99, 101, 3), many = plx_noise_of(99, 101, 100);
    (void)state;
    assert_near(plx_medians_differ(100, one, 500, many), 1, 0);
    assert_true(plx_medians_differ(100, few, 103, few) > plx_medians_differ(100, many, 103, many));
    assert_true(plx_medians_differ(100, many, 100.2, many) > 0.5);
    plx_noise none = plx_noise_of(100, 100, 50);
    assert_near(plx_medians_differ(100, none, 100, none), 1, 0);
    assert_near(plx_medians_differ(100, none, 101, none), 0, 0);
}

/* ---- files made by hand -------------------------------------------------------------- */

static char directory[] = "/tmp/parallax-test-diff-XXXXXX";
static char old_path[64], new_path[64];

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    (void)snprintf(old_path, sizeof old_path, "%s/old.json", directory);
    (void)snprintf(new_path, sizeof new_path, "%s/new.json", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    (void)unlink(old_path);
    (void)unlink(new_path);
    return rmdir(directory);
}

static json_t *empty_file(void)
{
    json_t *root = json_pack("{s:s, s:{s:s, s:s}, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}], s:[], s:[]}", "schema",
                             "parallax-results/1", "environment", "parallax", "0.1.0", "kernels_hash", "abc", "devices",
                             "label", "alpha:0", "name", "Chip", "driver", "1.0", "label", "alpha:1", "name", "Chip",
                             "driver", "1.0", "records", "pairs");
    assert_non_null(root);
    return root;
}

/* A record of a vector's sum; the shape tells records apart. */
static json_t *add_record(json_t *root, int n, double median, double half, int samples)
{
    json_t *record =
        json_pack("{s:s, s:s, s:[i], s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:{s:f}, s:{s:f, s:[f, f], s:i, s:s}}", "op",
                  "reduce", "dtype", "f32", "shape", n, "reduction", "sum", "backend", "alpha:0", "device", 0, "kernel",
                  "vector", "status", "ok", "input", "uniform", "seed", 1, "error", "max_over_bound", 0.1, "time",
                  "median_ns", median, "ci95_ns", median - half, median + half, "samples", samples, "clock", "device");
    assert_non_null(record);
    json_array_append_new(json_object_get(root, "records"), record);
    return record;
}

static plx_diff_results diff_of(json_t *before, json_t *after, double threshold)
{
    plx_diff_results results;
    plx_error error = {""};
    plx_diff_options options = {.threshold = threshold};
    assert_int_equal(json_dump_file(before, old_path, 0), 0);
    assert_int_equal(json_dump_file(after, new_path, 0), 0);
    if (plx_diff(old_path, new_path, &options, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return results;
}

/* One record each; what becomes of it. */
static void expect_change(json_t *before, json_t *after, plx_change change, int status)
{
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.count, 1);
    assert_string_equal(plx_change_name(results.differences[0].change), plx_change_name(change));
    assert_int_equal(results.counts[change], 1);
    assert_int_equal(plx_diff_status(&results), status);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static void expect_nothing(json_t *before, json_t *after)
{
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.count, 0);
    assert_int_equal(results.compared, 1);
    assert_int_equal(plx_diff_status(&results), 0);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static json_t *one(double median, double half, int samples)
{
    json_t *root = empty_file();
    add_record(root, 1000, median, half, samples);
    return root;
}

static json_t *first_record(json_t *root)
{
    return json_array_get(json_object_get(root, "records"), 0);
}

static json_t *one_with(const char *key, json_t *value)
{
    json_t *root = one(1000, 2, 50);
    assert_int_equal(json_object_set_new(first_record(root), key, value), 0);
    return root;
}

static json_t *one_with_error(double error)
{
    return one_with("error", json_pack("{s:f}", "max_over_bound", error));
}

/* ---- times ------------------------------------------------------------------------- */

static void times_change_beyond_noise(void **state)
{
    (void)state;
    expect_nothing(one(1000, 2, 50), one(1000, 2, 50));
    expect_change(one(1000, 2, 50), one(1100, 2, 50), PLX_CHANGE_SLOWER, 1);
    expect_change(one(1100, 2, 50), one(1000, 2, 50), PLX_CHANGE_FASTER, 0);
    expect_nothing(one(1000, 2, 50), one(1015, 2, 50));     /* below the threshold */
    expect_nothing(one(1000, 100, 50), one(1150, 100, 50)); /* intervals overlap */
    expect_nothing(one(1000, 10, 1), one(1100, 10, 1));     /* nobody knows the noise */
    expect_change(one(1000, 5, 3), one(2000, 10, 3), PLX_CHANGE_SLOWER, 1);
}

/* Three samples that a busy machine held up differently tell little of their noise, and all the same 10 ms are not 246
 * ns.  Where samples happen to agree, what such devices do otherwise counts. */
static void few_samples_say_what_is_enormous(void **state)
{
    (void)state;
    expect_change(one(246, 120, 3), one(10e6, 6e6, 3), PLX_CHANGE_SLOWER, 1);
    expect_change(one(10e6, 6e6, 3), one(246, 120, 3), PLX_CHANGE_FASTER, 0);
    expect_change(one(246, 120, 3), one(2600, 1500, 4), PLX_CHANGE_SLOWER, 1);
    expect_nothing(one(1000, 1, 2), one(1040, 1, 2));
    expect_nothing(one(1000, 100, 3), one(1300, 100, 3));
}

/* The same record of a processor, which equal runs on it differ by, and of one that others use as well. */
static json_t *one_on_a_processor(double median, const char *plugin, double load)
{
    json_t *root = one(median, 0.002 * median, 50), *device = json_array_get(json_object_get(root, "devices"), 0);
    json_object_set_new(root, "host", json_pack("{s:s, s:i}", "cpu", "Acme 9000", "threads", 2));
    json_object_set_new(device, "name", json_string("cpu-Acme 9000"));
    json_object_set_new(device, "api", json_string(plugin[0] == 'o' ? "OpenCL 3.0 PoCL 5.0" : "C11"));
    json_object_set_new(device, "label", json_sprintf("%s:0", plugin));
    json_object_set_new(first_record(root), "backend", json_sprintf("%s:0", plugin));
    if (load >= 0)
        json_object_update_new(
            json_object_get(root, "host"),
            json_pack("{s:f, s:f, s:f, s:i}", "load_begin", load, "load_end", load, "others", load, "switches", 9));
    return root;
}

static void one_run_of_a_processor_tells_large_changes(void **state)
{
    static const char *const plugins[] = {"host", "opencl"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *plugin = plugins[i];
        expect_nothing(one_on_a_processor(1000, plugin, 0), one_on_a_processor(1150, plugin, 0));
        expect_nothing(one_on_a_processor(1000, plugin, -1), one_on_a_processor(1150, plugin, -1)); /* an old file */
        expect_change(one_on_a_processor(1000, plugin, 0), one_on_a_processor(2000, plugin, 0), PLX_CHANGE_SLOWER, 1);
    }
    expect_change(one(1000, 2, 50), one(1150, 2, 50), PLX_CHANGE_SLOWER, 1); /* no processor */
}

static void a_busy_machine_is_named_and_tells_less(void **state)
{
    (void)state;
    json_t *before = one_on_a_processor(1000, "host", 0), *after = one_on_a_processor(2500, "host", 1.8);
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.counts[PLX_CHANGE_SLOWER], 0);
    assert_int_equal(results.environment_count, 2);
    assert_string_equal(results.environment[0], "the machine of the new file was busy (load 1.8 on 2 processors)");
    assert_non_null(strstr(results.environment[1], "host:0"));
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

/* A product in f32; NULL: nothing is said of the compute type, as in files of before. */
static json_t *one_product(double median, const char *compute)
{
    json_t *root = one(median, 2, 50), *record = first_record(root);
    json_object_set_new(record, "op", json_string("gemm"));
    json_object_set_new(record, "shape", json_pack("[i, i, i]", 64, 64, 64));
    json_object_del(record, "reduction");
    if (compute != NULL)
        json_object_set_new(record, "compute", json_string(compute));
    return root;
}

static void compute_types_are_not_compared(void **state)
{
    (void)state;
    json_t *before = one_product(1000, NULL), *after = one_product(5000, "tf32");
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.compared, 0);
    assert_int_equal(results.counts[PLX_CHANGE_SLOWER], 0);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
    expect_change(one_product(1000, "tf32"), one_product(5000, "tf32"), PLX_CHANGE_SLOWER, 1);
    expect_nothing(one_product(1000, NULL), one_product(1000, "plain"));
}

static void the_threshold_is_the_users(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1100, 2, 50);
    plx_diff_results results = diff_of(before, after, 0.2);
    assert_int_equal(results.count, 0);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static json_t *one_without_time(void)
{
    json_t *root = one(1000, 2, 50);
    json_object_del(first_record(root), "time");
    return root;
}

static json_t *one_by_the_host(double median)
{
    json_t *root = one(median, 2, 50);
    json_object_set_new(json_object_get(first_record(root), "time"), "clock", json_string("host"));
    return root;
}

/* What was timed and is not, or not so that it can be compared, has not passed. */
static void a_lost_time_is_a_regression(void **state)
{
    (void)state;
    expect_change(one(1000, 2, 50), one_by_the_host(5000), PLX_CHANGE_UNTIMED, 1);
    json_t *other = one(5000, 2, 50);
    json_object_set_new(json_object_get(first_record(other), "time"), "hot", json_true());
    expect_change(one(1000, 2, 50), other, PLX_CHANGE_UNTIMED, 1);
    other = one(5000, 2, 50);
    json_object_set_new(json_object_get(first_record(other), "time"), "queues", json_integer(2));
    expect_change(one(1000, 2, 50), other, PLX_CHANGE_UNTIMED, 1);
    expect_change(one(1000, 2, 50), one_without_time(), PLX_CHANGE_UNTIMED, 1);
    expect_change(one_without_time(), one(1000, 2, 50), PLX_CHANGE_UNCOMPARED, 0);
    expect_nothing(one_without_time(), one_without_time());
}

/* Beside the device's time stands that of the host: where the other has no more, they are compared. */
static void times_are_compared_by_the_clock_that_both_have(void **state)
{
    (void)state;
    for (int host_is = 1000; host_is <= 5000; host_is += 4000) {
        json_t *before = one(400, 2, 50);
        json_object_set_new(first_record(before), "host_time",
                            json_pack("{s:f, s:[f, f], s:i, s:s}", "median_ns", 1000.0, "ci95_ns", 998.0, 1002.0,
                                      "samples", 50, "clock", "host"));
        if (host_is == 1000)
            expect_nothing(before, one_by_the_host(host_is));
        else
            expect_change(before, one_by_the_host(host_is), PLX_CHANGE_SLOWER, 1);
    }
}

/* ---- states and errors ------------------------------------------------------------------ */

static void states_change(void **state)
{
    (void)state;
    expect_change(one(1000, 2, 50), one_with("status", json_string("wrong")), PLX_CHANGE_BROKEN, 1);
    expect_change(one(1000, 2, 50), one_with("status", json_string("failed")), PLX_CHANGE_BROKEN, 1);
    expect_change(one(1000, 2, 50), one_with("status", json_string("unsupported")), PLX_CHANGE_BROKEN, 1);
    expect_change(one_with("status", json_string("wrong")), one(1000, 2, 50), PLX_CHANGE_REPAIRED, 0);
    expect_change(one_with("status", json_string("failed")), one_with("status", json_string("wrong")),
                  PLX_CHANGE_BROKEN, 1);
}

static void a_lost_result_is_a_regression(void **state)
{
    (void)state;
    expect_change(one(1000, 2, 50), one_with("status", json_string("not-run")), PLX_CHANGE_BROKEN, 1);
    expect_change(one_with("status", json_string("unsupported")), one_with("status", json_string("failed")),
                  PLX_CHANGE_BROKEN, 1);
    expect_change(one_with("status", json_string("wrong")), one_with("status", json_string("failed")),
                  PLX_CHANGE_UNCOMPARED, 0);
}

static void what_was_not_run_says_nothing(void **state)
{
    (void)state;
    expect_change(one_with("status", json_string("not-run")), one(1000, 2, 50), PLX_CHANGE_UNCOMPARED, 4);
    expect_change(one_with("status", json_string("unsupported")), one_with("status", json_string("not-run")),
                  PLX_CHANGE_UNCOMPARED, 4);
    expect_change(one_with("status", json_string("wrong")), empty_file(), PLX_CHANGE_UNCOMPARED, 4);
    expect_change(one_with("status", json_string("failed")), empty_file(), PLX_CHANGE_UNCOMPARED, 4);
    expect_change(empty_file(), one(1000, 2, 50), PLX_CHANGE_ADDED, 4);
}

/* ---- what is missing -------------------------------------------------------------------- */

static void remove_device_of(json_t *root, size_t which)
{
    json_array_remove(json_object_get(root, "devices"), which);
}

static json_t *record_on(json_t *root, int n, int device)
{
    json_t *record = add_record(root, n, 1000, 2, 50);
    json_object_set_new(record, "device", json_integer(device));
    json_object_set_new(record, "backend", json_string(device == 0 ? "alpha:0" : "alpha:1"));
    return record;
}

/* What diff prints, in memory that the caller frees. */
static char *table_of(const plx_diff_results *results)
{
    char *text = NULL;
    size_t length = 0;
    plx_error error = {""};
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    assert_int_equal(plx_diff_write_table(results, to, &error), PLX_OK);
    assert_int_equal(fclose(to), 0);
    return text;
}

static void assert_says(const plx_diff_results *results, const char *wanted, bool says)
{
    char *text = table_of(results);
    if ((strstr(text, wanted) != NULL) != says)
        fail_msg("%s\"%s\" in:\n%s", says ? "no " : "", wanted, text);
    free(text);
}

static void a_missing_result_is_a_regression(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    record_on(before, 2000, 0);
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.compared, 1);
    assert_int_equal(results.counts[PLX_CHANGE_VANISHED], 1);
    assert_int_equal(plx_diff_status(&results), 1);
    assert_says(&results, "alpha:0: 1 result gone, of 2", true);
    assert_says(&results, "reduce f32 2000 sum, alpha:0 vector", true);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
    expect_change(one(1000, 2, 50), empty_file(), PLX_CHANGE_VANISHED, 1);
}

static void missing_results_can_be_allowed(void **state)
{
    plx_diff_results results;
    plx_error error = {""};
    plx_diff_options options = {.allow_missing = true};
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one_without_time();
    record_on(before, 2000, 0);
    assert_int_equal(json_dump_file(before, old_path, 0), 0);
    assert_int_equal(json_dump_file(after, new_path, 0), 0);
    assert_int_equal(plx_diff(old_path, new_path, &options, &results, &error), PLX_OK);
    assert_int_equal(results.counts[PLX_CHANGE_VANISHED] + results.counts[PLX_CHANGE_UNTIMED], 2);
    assert_int_equal(plx_diff_status(&results), 0);
    results.allow_missing = false;
    assert_int_equal(plx_diff_status(&results), 1);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

/* The second of two equal devices is gone with its 51 results: one line. */
static void a_device_that_is_gone_is_one_line(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    for (int n = 1; n <= 51; n++)
        record_on(before, 1000 * n, 1);
    remove_device_of(after, 1);
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.counts[PLX_CHANGE_VANISHED], 51);
    assert_int_equal(results.loss_count, 1);
    assert_int_equal(results.losses[0].gone, 51);
    assert_true(results.losses[0].device_gone);
    assert_says(&results, "alpha:1: 51 results gone, the device is gone (Chip)", true);
    assert_says(&results, "reduce f32", false);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static void lost_times_are_counted_by_device(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    for (int n = 2; n <= 4; n++) {
        record_on(before, 1000 * n, 1);
        json_object_del(record_on(after, 1000 * n, 1), "time");
    }
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.counts[PLX_CHANGE_UNTIMED], 3);
    assert_int_equal(plx_diff_status(&results), 1);
    assert_says(&results, "alpha:1: 3 times gone, of 3", true);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

/* Records of a later version are not passed over in silence. */
static void what_can_not_be_read_is_said(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    json_object_set_new(record_on(before, 2000, 0), "op", json_string("convolve"));
    plx_diff_results results = diff_of(before, after, 0);
    assert_says(&results, "1 record of the old file is left out", true);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static void errors_change(void **state)
{
    (void)state;
    expect_change(one_with_error(0.1), one_with_error(0.2), PLX_CHANGE_LESS_ACCURATE, 1);
    expect_change(one_with_error(0.2), one_with_error(0.1), PLX_CHANGE_MORE_ACCURATE, 0);
    expect_nothing(one_with_error(0.1), one_with_error(0.11));
    expect_nothing(one_with_error(0.001), one_with_error(0.004));
    json_t *other = one_with_error(0.5);
    json_object_set_new(first_record(other), "seed", json_integer(2)); /* other data */
    expect_nothing(one_with_error(0.1), other);
}

/* ---- matching ---------------------------------------------------------------------------- */

static void labels_may_change(void **state)
{
    (void)state;
    json_t *other = one(2000, 2, 50);
    json_object_set_new(json_array_get(json_object_get(other, "devices"), 1), "label", json_string("alpha:7"));
    json_object_set_new(first_record(other), "backend", json_string("alpha:7"));
    json_object_set_new(first_record(other), "device", json_integer(1));
    expect_change(one(1000, 2, 50), other, PLX_CHANGE_SLOWER, 1);
}

static void other_problems_are_others(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value;
    } rows[] = {{"dtype", "f64"}, {"reduction", "max"}, {"input", "positive"}, {"backend", "beta:0"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *before = one(1000, 2, 50), *after = one_with(rows[i].key, json_string(rows[i].value));
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.counts[PLX_CHANGE_VANISHED], 1);
        assert_int_equal(results.counts[PLX_CHANGE_ADDED], 1);
        assert_int_equal(plx_diff_status(&results), 1);
        assert_int_equal(results.compared, 0);
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
}

/* The best kernel of a backend may have become another one, and slower. */
static void another_best_kernel_is_compared(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(2000, 2, 50);
    json_object_set_new(first_record(after), "kernel", json_string("onepass"));
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.count, 1);
    assert_int_equal(results.differences[0].change, PLX_CHANGE_SLOWER);
    assert_string_equal(results.differences[0].kernel, "onepass, was vector");
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static void equal_devices_keep_their_order(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    json_object_set_new(add_record(before, 1000, 3000, 2, 50), "device", json_integer(1));
    json_object_set_new(add_record(after, 1000, 3000, 2, 50), "device", json_integer(1));
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.count, 0);
    assert_int_equal(results.compared, 2);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

static void environments_are_named(void **state)
{
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1000, 2, 50);
    json_object_set_new(json_object_get(after, "environment"), "kernels_hash", json_string("def"));
    json_object_set_new(json_array_get(json_object_get(after, "devices"), 0), "driver", json_string("2.0"));
    json_object_set_new(json_array_get(json_object_get(before, "devices"), 1), "uuid",
                        json_string("e6000000-0000-0000-0000-000000000001"));
    json_object_set_new(json_array_get(json_object_get(after, "devices"), 1), "uuid",
                        json_string("d8000000-0000-0000-0000-000000000002"));
    plx_diff_results results = diff_of(before, after, 0);
    assert_int_equal(results.count, 0);
    assert_int_equal(results.environment_count, 3);
    assert_string_equal(results.environment[0], "hash of the kernels: abc, now def");
    assert_string_equal(results.environment[1], "driver of alpha:0: 1.0, now 2.0");
    assert_string_equal(results.environment[2], "chip (UUID) of alpha:1: e6000000-0000-0000-0000-000000000001, "
                                                "now d8000000-0000-0000-0000-000000000002");
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

/* ---- false alarms -------------------------------------------------------------------------- */

/* Marsaglia's xorshift: the same noise on every machine. */
static uint64_t noise_state;

static double uniform(void)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 7;
    noise_state ^= noise_state << 17;
    return ((double)(noise_state >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

typedef enum noise_kind { NORMAL, SKEWED, OUTLIERS, NOISE_KINDS } noise_kind;

static double sample_of(noise_kind kind, double spread)
{
    if (kind == SKEWED)
        return 1000 * exp(spread * -log(uniform()));
    if (kind == OUTLIERS && uniform() < 0.1)
        return 1000 * (1 + 10 * spread * uniform());
    return 1000 * exp(spread * normal());
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* The ranks of the 95 % interval, as the core takes them: P(Bin(n, 1/2) <= rank) <= 2.5 %. */
static size_t lower_rank(size_t count)
{
    double term = exp2(-(double)count), sum = term;
    size_t rank = 0;
    while (sum <= 0.025) {
        term *= (double)(count - rank) / (double)(rank + 1);
        sum += term;
        if (sum <= 0.025)
            rank++;
        else
            break;
    }
    return rank;
}

/* A median and its interval of samples that are taken until the interval is narrower than
 * 1 %, or until there are as many as the time allows. */
static void add_noisy(json_t *root, int n, noise_kind kind, double spread, size_t most, double factor)
{
    double samples[120], sorted[120], median = 0, low = 0, high = 0;
    size_t count = 0;
    while (count < most) {
        samples[count++] = factor * sample_of(kind, spread);
        if (count < most && (count < 12 || count % 4 != 0))
            continue;
        memcpy(sorted, samples, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, rising);
        low = sorted[lower_rank(count)];
        high = sorted[count - 1 - lower_rank(count)];
        median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
        if (high - low < 0.01 * median)
            break;
    }
    json_t *record = add_record(root, n, median, 0, (int)count);
    json_object_set_new(json_object_get(record, "time"), "ci95_ns", json_pack("[f, f]", low, high));
}

/* Records with noise of every kind, few samples and many; the record `slow`, if any, is
 * slower by a tenth. */
static json_t *noisy_file(uint64_t seed, int count, int slow)
{
    static const double spreads[] = {0.003, 0.01, 0.03, 0.1};
    static const size_t most[] = {3, 5, 12, 40, 120};
    json_t *root = empty_file();
    noise_state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int i = 0; i < count; i++)
        add_noisy(root, i + 1, (noise_kind)(i % NOISE_KINDS), i == slow ? 0.003 : spreads[i / 3 % 4],
                  i == slow ? 40 : most[i / 12 % 5], i == slow ? 1.1 : 1);
    return root;
}

static void noise_alone_rarely_alarms(void **state)
{
    enum { RUNS = 40, RECORDS = 1000 };
    size_t alarmed = 0;
    (void)state;
    for (uint64_t run = 0; run < RUNS; run++) {
        json_t *before = noisy_file(2 * run + 1, RECORDS, -1), *after = noisy_file(2 * run + 2, RECORDS, -1);
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.timed, RECORDS);
        alarmed += results.count > 0;
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
    printf("%zu of %d diffs of %d records each alarmed\n", alarmed, (int)RUNS, (int)RECORDS);
    assert_true(alarmed <= 2); /* 1 % of them are expected at most */
}

static void one_slow_record_among_a_thousand_is_found(void **state)
{
    (void)state;
    for (uint64_t run = 0; run < 5; run++) {
        json_t *before = noisy_file(100 + run, 1000, 499), *after = noisy_file(200 + run, 1000, 499);
        json_t *old = json_array_get(json_object_get(before, "records"), 499);
        double median = json_number_value(json_object_get(json_object_get(old, "time"), "median_ns"));
        json_t *interval = json_object_get(json_object_get(old, "time"), "ci95_ns");
        json_object_set_new(json_object_get(old, "time"), "median_ns", json_real(median / 1.1));
        json_array_set_new(interval, 0, json_real(json_number_value(json_array_get(interval, 0)) / 1.1));
        json_array_set_new(interval, 1, json_real(json_number_value(json_array_get(interval, 1)) / 1.1));
        plx_diff_results results = diff_of(before, after, 0);
        assert_int_equal(results.counts[PLX_CHANGE_SLOWER], 1);
        assert_non_null(strstr(results.differences[0].problem, " 500 "));
        plx_diff_results_free(&results);
        json_decref(before);
        json_decref(after);
    }
}

/* ---- several runs -------------------------------------------------------------------------------- */

enum { SIDE = 5, FEW_RECORDS = 25 };

static char run_paths[2 * SIDE][80];

/* Runs that differ by much more than the samples of one do. */
static void write_runs(uint64_t seed, double between, double slower)
{
    noise_state = seed * 0x9E3779B97F4A7C15u + 1;
    for (int run = 0; run < 2 * SIDE; run++) {
        json_t *root = empty_file();
        for (int i = 0; i < FEW_RECORDS; i++) {
            const double median = sample_of(NORMAL, between) * (i == 7 && run >= SIDE ? slower : 1);
            add_record(root, i + 1, median, 0.002 * median, 40);
        }
        (void)snprintf(run_paths[run], sizeof run_paths[run], "%s/run%d.json", directory, run);
        assert_int_equal(json_dump_file(root, run_paths[run], 0), 0);
        json_decref(root);
    }
}

static plx_diff_results diff_of_runs(size_t a_side)
{
    const char *old[SIDE], *new[SIDE];
    plx_diff_results results;
    plx_error error = {""};
    for (size_t i = 0; i < a_side; i++) {
        old[i] = run_paths[i];
        new[i] = run_paths[SIDE + i];
    }
    if (plx_diff_runs(old, a_side, new, a_side, NULL, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return results;
}

/* The noise is that between runs, where there are several; of one alone nobody can know. */
static void equal_runs_are_no_regression(void **state)
{
    enum { PAIRS = 40 };
    size_t alarmed = 0;
    (void)state;
    for (uint64_t pair = 0; pair < PAIRS; pair++) {
        write_runs(300 + pair, 0.1, 1);
        plx_diff_results single = diff_of_runs(1), several = diff_of_runs(SIDE);
        assert_true(single.count > 0);
        assert_int_equal(several.timed, FEW_RECORDS);
        alarmed += several.count > 0;
        plx_diff_results_free(&single);
        plx_diff_results_free(&several);
    }
    printf("%zu of %d pairs of equal runs alarmed\n", alarmed, (int)PAIRS);
    assert_true(alarmed <= 2);
}

static void a_slower_kernel_is_found_between_runs(void **state)
{
    (void)state;
    for (uint64_t pair = 0; pair < 20; pair++) {
        write_runs(400 + pair, 0.01, 1.15);
        plx_diff_results several = diff_of_runs(SIDE);
        assert_int_equal(several.counts[PLX_CHANGE_SLOWER], 1);
        assert_non_null(strstr(several.differences[0].problem, " 8 "));
        plx_diff_results_free(&several);
    }
    for (int run = 0; run < 2 * SIDE; run++)
        (void)unlink(run_paths[run]);
}

/* One run of ten that something else held up hides no slower kernel, and makes none. */
static void one_run_that_was_held_up_hides_nothing(void **state)
{
    enum { MANY = 10 };
    char path[2][MANY][80];
    const char *sides[2][MANY];
    plx_error error = {""};
    (void)state;
    noise_state = 77;
    for (int side = 0; side < 2; side++)
        for (int run = 0; run < MANY; run++) {
            const double held_up = run == 3 + side ? 1.6 : 1;
            json_t *root = one(sample_of(NORMAL, 0.02) * held_up * (side == 1 ? 1.15 : 1), 2, 40);
            (void)snprintf(path[side][run], sizeof path[side][run], "%s/held-%d-%d.json", directory, side, run);
            sides[side][run] = path[side][run];
            assert_int_equal(json_dump_file(root, path[side][run], 0), 0);
            json_decref(root);
        }
    for (int with = 0; with < 2; with++) { /* the old ones with themselves, and with the new ones */
        plx_diff_results results;
        assert_int_equal(plx_diff_runs(sides[0], MANY, sides[with], MANY, NULL, &results, &error), PLX_OK);
        assert_int_equal(results.counts[PLX_CHANGE_SLOWER], with);
        plx_diff_results_free(&results);
    }
    for (int run = 0; run < 2 * MANY; run++)
        (void)unlink(path[run / MANY][run % MANY]);
}

/* ---- what is written ------------------------------------------------------------------------- */

static void the_json_says_it_all(void **state)
{
    char *text = NULL;
    size_t length = 0;
    plx_error error = {""};
    (void)state;
    json_t *before = one(1000, 2, 50), *after = one(1100, 2, 50);
    record_on(before, 2000, 1);
    plx_diff_results results = diff_of(before, after, 0);
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    assert_int_equal(plx_diff_write_json(&results, to, &error), PLX_OK);
    assert_int_equal(fclose(to), 0);
    json_t *root = json_loads(text, 0, NULL);
    json_t *found = json_array_get(json_object_get(root, "differences"), 0);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "parallax-diff/1");
    assert_true(json_is_true(json_object_get(root, "regression")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "counts"), "slower")), 1);
    assert_string_equal(json_string_value(json_object_get(found, "change")), "slower");
    assert_string_equal(json_string_value(json_object_get(found, "problem")), "reduce f32 1000 sum");
    assert_near(json_number_value(json_object_get(found, "ratio")), 1.1, 1e-9);
    json_t *missing = json_array_get(json_object_get(root, "missing"), 0);
    assert_string_equal(json_string_value(json_object_get(missing, "backend")), "alpha:1");
    assert_int_equal(json_integer_value(json_object_get(missing, "gone")), 1);
    assert_true(json_is_false(json_object_get(missing, "device_gone")));
    assert_true(json_is_false(json_object_get(root, "allow_missing")));
    json_decref(root);
    free(text);
    plx_diff_results_free(&results);
    json_decref(before);
    json_decref(after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_are_those_of_the_tables),
        cmocka_unit_test(holm_asks_more_of_many),
        cmocka_unit_test(noise_needs_samples),
        cmocka_unit_test(times_change_beyond_noise),
        cmocka_unit_test(few_samples_say_what_is_enormous),
        cmocka_unit_test(one_run_of_a_processor_tells_large_changes),
        cmocka_unit_test(a_busy_machine_is_named_and_tells_less),
        cmocka_unit_test(compute_types_are_not_compared),
        cmocka_unit_test(the_threshold_is_the_users),
        cmocka_unit_test(a_lost_time_is_a_regression),
        cmocka_unit_test(times_are_compared_by_the_clock_that_both_have),
        cmocka_unit_test(states_change),
        cmocka_unit_test(a_lost_result_is_a_regression),
        cmocka_unit_test(what_was_not_run_says_nothing),
        cmocka_unit_test(a_missing_result_is_a_regression),
        cmocka_unit_test(missing_results_can_be_allowed),
        cmocka_unit_test(a_device_that_is_gone_is_one_line),
        cmocka_unit_test(lost_times_are_counted_by_device),
        cmocka_unit_test(what_can_not_be_read_is_said),
        cmocka_unit_test(errors_change),
        cmocka_unit_test(labels_may_change),
        cmocka_unit_test(other_problems_are_others),
        cmocka_unit_test(another_best_kernel_is_compared),
        cmocka_unit_test(equal_devices_keep_their_order),
        cmocka_unit_test(environments_are_named),
        cmocka_unit_test(noise_alone_rarely_alarms),
        cmocka_unit_test(one_slow_record_among_a_thousand_is_found),
        cmocka_unit_test(equal_runs_are_no_regression),
        cmocka_unit_test(a_slower_kernel_is_found_between_runs),
        cmocka_unit_test(one_run_that_was_held_up_hides_nothing),
        cmocka_unit_test(the_json_says_it_all),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
