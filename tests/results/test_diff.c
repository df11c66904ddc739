/* diff: what it calls a change and what it does not, on results made by hand. */
#define _POSIX_C_SOURCE 200809L

#include "diff_support.h"

/* ---- files made by hand -------------------------------------------------------------- */

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
        cmocka_unit_test(the_json_says_it_all),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
