/* The writers of results and their reader, on results made by hand. */
#define _POSIX_C_SOURCE 200809L
#include "tests/results/report_support.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static json_t *json_of(const plx_results *results)
{
    json_error_t error;
    char *text = text_of(plx_results_write_json, results);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL)
        fail_msg("%s at line %d", error.text, error.line);
    free(text);
    return json;
}

/* ---- JSON -------------------------------------------------------------------- */

static void json_has_the_schema(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    json_t *json = json_of(&s.results);
    static const char *const objects[] = {"tool", "host"}, *const arrays[] = {"devices", "records", "pairs"};
    assert_string_equal(json_string_value(json_object_get(json, "schema")), "parallax-results/1");
    for (size_t i = 0; i < 2; i++)
        assert_true(json_is_object(json_object_get(json, objects[i])));
    for (size_t i = 0; i < 3; i++)
        assert_true(json_is_array(json_object_get(json, arrays[i])));
    assert_string_equal(json_string_value(json_object_get(json_object_get(json, "tool"), "version")), plx_version());
    assert_int_equal(json_array_size(json_object_get(json, "records")), RECORDS);
    json_decref(json);
}

static json_t *get(json_t *json, const char *list, size_t index, const char *key)
{
    return json_object_get(json_array_get(json_object_get(json, list), index), key);
}

static void json_of_a_record(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    json_t *json = json_of(&s.results);
    const char *op, *dtype, *backend, *kernel, *status, *clock;
    int device, trans_a, trans_b, m, n, k, samples;
    double median, low, high, gflops, gain;
    json_t *record = json_array_get(json_object_get(json, "records"), 1);
    assert_int_equal(json_unpack(record, "{s:s, s:s, s:[i, i, i!], s:s, s:i, s:s, s:s, s:b, s:b, s:F}", "op", &op,
                                 "dtype", &dtype, "shape", &m, &n, &k, "backend", &backend, "device", &device, "kernel",
                                 &kernel, "status", &status, "trans_a", &trans_a, "trans_b", &trans_b, "gain", &gain),
                     0);
    assert_string_equal(op, "gemm");
    assert_string_equal(dtype, "f32");
    assert_string_equal(backend, "alpha:0");
    assert_string_equal(kernel, "tiled");
    assert_string_equal(status, "ok");
    assert_true(m == 3 && n == 4 && k == 5 && device == 0 && !trans_a && trans_b && gain == 2.0);
    assert_int_equal(json_unpack(record, "{s:{s:F, s:[F, F!], s:i, s:s}, s:{s:F}}", "time", "median_ns", &median,
                                 "ci95_ns", &low, &high, "samples", &samples, "clock", &clock, "rate", "gflops",
                                 &gflops),
                     0);
    assert_true(median == 1e5 && low == 99000 && high == 101000 && samples == 9);
    assert_string_equal(clock, "device");
    assert_true(fabs(gflops - 0.0012) < 1e-12);
    json_decref(json);
}

static void json_has_no_infinities(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    json_t *json = json_of(&s.results);
    json_t *error = get(json, "records", 2, "error");
    assert_true(json_is_null(json_object_get(error, "max_over_bound")));
    assert_true(json_is_null(json_object_get(error, "max_ulp")));
    assert_int_equal(json_integer_value(json_object_get(error, "first_bad")), 5);
    assert_string_equal(json_string_value(json_object_get(error, "got")), "nan");
    assert_string_equal(json_string_value(get(json, "records", 2, "status")), "wrong");
    assert_true(json_is_null(get(json, "pairs", 1, "max_ulp")));
    assert_true(json_is_null(json_object_get(get(json, "records", 0, "error"), "first_bad")));
    const json_t *bound = json_object_get(get(json, "records", 0, "error"), "bound");
    assert_string_equal(json_string_value(json_object_get(bound, "kind")), "deterministic");
    assert_true(json_number_value(json_object_get(bound, "gamma")) == 0.5);
    assert_true(json_number_value(json_object_get(bound, "narrowing")) == 0.125);
    assert_true(json_number_value(json_object_get(get(json, "records", 0, "error"), "max_over_terms")) == 0.0625);
    json_decref(json);
}

static void json_of_what_did_not_run(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    json_t *json = json_of(&s.results);
    assert_string_equal(json_string_value(get(json, "records", 3, "status")), "unsupported");
    assert_string_equal(json_string_value(get(json, "records", 3, "reason")), "needs f64, \"really\"");
    assert_null(get(json, "records", 3, "time"));
    assert_null(get(json, "records", 3, "rate"));
    assert_int_equal(json_object_size(get(json, "records", 3, "error")), 0);
    json_decref(json);
}

static void json_of_pairs_and_devices(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    json_t *json = json_of(&s.results);
    assert_int_equal(json_integer_value(json_array_get(get(json, "pairs", 1, "records"), 1)), 2);
    assert_true(json_is_true(get(json, "pairs", 0, "identical")));
    assert_true(json_is_false(get(json, "pairs", 1, "agree")));
    assert_string_equal(json_string_value(get(json, "devices", 0, "uuid")), "00112233-4455-6677-8899-aabbccddeeff");
    assert_true(json_is_null(get(json, "devices", 1, "uuid")));
    assert_true(json_is_null(get(json, "devices", 0, "pci")));
    assert_string_equal(json_string_value(get(json, "devices", 0, "memory_bytes")), "18446744073709551615");
    assert_string_equal(json_string_value(get(json, "devices", 1, "name")), "Chip ??, \"Two\"");
    json_decref(json);
}

static void json_of_every_operation(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.records[0].problem = plx_reduce_of(PLX_I64, PLX_MAX, 1000);
    s.records[1].problem = plx_transpose_of(PLX_C128, 10, 20);
    s.records[2].problem = plx_matvec_of(PLX_F64, true, 30, 40);
    json_t *json = json_of(&s.results);
    assert_string_equal(json_string_value(get(json, "records", 0, "reduction")), "max");
    assert_int_equal(json_array_size(get(json, "records", 0, "shape")), 1);
    assert_int_equal(json_integer_value(get(json, "records", 1, "ld_out")), 10);
    assert_int_equal(json_integer_value(json_array_get(get(json, "records", 1, "shape"), 1)), 20);
    assert_true(json_is_true(get(json, "records", 2, "trans")));
    json_decref(json);
}

static void nothing_to_tell(void **state)
{
    (void)state;
    plx_results none = {.device_count = 0};
    json_t *json = json_of(&none);
    assert_int_equal(json_array_size(json_object_get(json, "records")), 0);
    json_decref(json);
    char *table = text_of(write_plain_table, &none);
    assert_string_equal(table, "");
    free(table);
}

/* Every field that a study fills: what is read and written again is the same text. */
static void what_is_written_is_read(void **state)
{
    static const char *const fields[] = {
        "\"throttled\": true",  "\"clock_reason\": \"a reason\"",
        "\"latency\": {",       "\"host_time\": {",
        "\"over\": \"why\"",    "\"gain\": 2.0",
        "\"shift\": 3",         "\"dram_read_bytes\": 7.0",
        "\"ecc\": true",        "\"power_w\": 700.0",
        "\"throttle\": [",      "\"compute_capability\": [",
        "\"kind\": \"launch\"", "\"dropped\": 3",
        "\"step\": 3",          "\"output_dtype\": \"f32\"",
        "\"named\": true",      "\"vendor\": true",
        "\"hot\": true",        "\"config\": \"64x64/4\"",
        "\"baseline\": true",   "\"first_bad\": 5",
        "\"trans_b\": true",    "\"upper_quartile_ns\": 7.5",
    };
    char path[] = "/tmp/parallax-test-report-XXXXXX";
    plx_results read;
    plx_error error = {""};
    sample s;
    (void)state;
    make_sample(&s);
    plx_record *full = &s.records[1];
    full->time.host = full->time.latency =
        (plx_interval){.measured = true, .median_ns = 5, .low_ns = 4, .high_ns = 6, .samples = 3};
    full->time.throttled = full->time.hot = full->named = full->counted = true;
    full->time.dropped = full->step = full->group = full->shift = 3;
    full->spread = (plx_spread){.known = true, .least = 5, .lower = 6, .middle = 7, .upper = 7.5, .most = 9};
    (void)snprintf(full->time.clock_reason, sizeof full->time.clock_reason, "a reason");
    full->ceiling =
        (plx_ceiling){.applies = true, .kind = PLX_CEILING_READ, .value = 5, .fraction = 0.5, .over = "why"};
    full->counters.dram_read_bytes = 7;
    full->counters.duration_ns = (double)NAN;
    full->formula_bytes = 188; /* 3 x 5, 5 x 4 and 3 x 4 of f32 */
    full->kernel_flags = PLX_KERNEL_VENDOR;
    s.records[0].kernel_flags = PLX_KERNEL_BASELINE;
    s.devices[1].named = true;
    s.devices[1].info.compute_major = 9;
    s.devices[1].environment = (plx_telemetry){.known = PLX_KNOWS_ECC | PLX_KNOWS_POWER | PLX_KNOWS_THROTTLE,
                                               .ecc = true,
                                               .power_w = 700,
                                               .throttle = PLX_THROTTLE_OTHER};
    s.devices[1].ceilings.value[PLX_CEILING_LAUNCH] = 2000;
    plx_environment_now(&s.results.environment);
    s.records[0].problem.dtype = PLX_F16;
    s.records[0].problem.output = PLX_OUTPUT(PLX_F32);
    (void)close(mkstemp(path));
    assert_int_equal(plx_results_write(&s.results, path, &error), PLX_OK);
    if (plx_results_read(path, &read, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_int_equal(read.record_count, RECORDS);
    char *before = text_of(plx_results_write_json, &s.results), *after = text_of(plx_results_write_json, &read);
    assert_string_equal(after, before);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (strstr(before, fields[i]) == NULL)
            fail_msg("%s is not written", fields[i]);
    free(before);
    free(after);
    plx_results_free(&read);
    (void)remove(path);
}

/* ---- CSV --------------------------------------------------------------------- */

static void csv_lines(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_sample(&s);
    char *text = text_of(plx_results_write_csv, &s.results);
    size_t lines = 0;
    for (const char *at = text; *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, RECORDS + 1);
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_string_equal(
        line, "gemm,f32,3x4x5,nt,uniform,alpha:0,Chip One,tiled,ok,0.25,2,,100000,99000,101000,"
              "9,device,0.002,0.0012,2,,,,,,,,,,,,,,yes,no,1,0,0,,,,,,,,,,,12,deterministic,0.5,64x64/4,0.0625");
    line_with(text, "beta:0", "vector", line, sizeof line);
    assert_non_null(strstr(line, ",unsupported,,,,,,,,,"));
    assert_non_null(strstr(line, ",\"needs f64, \"\"really\"\"\""));
    assert_null(strstr(text, "inf"));
    json_t *utf8 = json_string(text); /* which jansson makes of UTF-8 alone */
    assert_non_null(utf8);
    json_decref(utf8);
    free(text);
}

/* ---- counters ---------------------------------------------------------------- */

static void json_of_counters(void **state)
{
    (void)state;
    sample s;
    make_counted(&s);
    json_t *json = json_of(&s.results);
    json_t *counters = get(json, "records", 1, "counters");
    assert_int_equal(json_real_value(json_object_get(counters, "global_load_sectors")), 134217728);
    assert_true(json_real_value(json_object_get(counters, "achieved_occupancy")) > 0.97);
    assert_int_equal(json_real_value(json_object_get(counters, "formula_bytes")), 88000000);
    assert_null(json_object_get(counters, "reason"));
    counters = get(json, "records", 0, "counters");
    assert_true(json_is_null(json_object_get(counters, "dram_read_bytes")));
    counters = get(json, "records", 2, "counters");
    assert_string_equal(json_string_value(json_object_get(counters, "reason")), "not available from this API");
    assert_null(json_object_get(counters, "global_load_sectors"));
    json_decref(json);
    make_sample(&s);
    json = json_of(&s.results);
    assert_null(get(json, "records", 0, "counters"));
    json_decref(json);
}

static void csv_of_counters(void **state)
{
    (void)state;
    sample s;
    char line[512];
    make_counted(&s);
    char *text = text_of(plx_results_write_csv, &s.results);
    line_with(text, "op,", "reason", line, sizeof line);
    assert_non_null(strstr(line, ",reason,global_load_sectors,global_load_requests,global_store_sectors,"
                                 "global_store_requests,shared_load_conflicts,shared_store_conflicts,"
                                 "achieved_occupancy,dram_read_bytes,dram_write_bytes,duration_ns,"
                                 "formula_bytes,counters_reason"));
    line_with(text, "alpha:0", "tiled", line, sizeof line);
    assert_non_null(strstr(line, ",,134217728,8388608,2048,512,7,3,0.975,60000000,30000000,45000,88000000,"));
    line_with(text, "alpha:0", "naive", line, sizeof line);
    assert_non_null(strstr(line, ",7,3,0.975,,,45000,88000000,"));
    line_with(text, "beta:0", "broken", line, sizeof line);
    assert_non_null(strstr(line, ",,,,,,,,,,,,not available from this API"));
    free(text);
}

/* ---- streams that fail --------------------------------------------------------- */

static void full_device(void **state)
{
    (void)state;
    static const writer writers[] = {plx_results_write_json, plx_results_write_csv, write_plain_table};
    sample s;
    make_sample(&s);
    for (size_t i = 0; i < 3; i++) {
        plx_error error = {""};
        FILE *to = fopen("/dev/full", "w");
        if (to == NULL)
            skip();
        assert_int_equal(writers[i](&s.results, to, &error), PLX_IO);
        assert_true(error.text[0] != '\0');
        (void)fclose(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_schema),
        cmocka_unit_test(json_of_a_record),
        cmocka_unit_test(json_has_no_infinities),
        cmocka_unit_test(json_of_what_did_not_run),
        cmocka_unit_test(json_of_pairs_and_devices),
        cmocka_unit_test(json_of_every_operation),
        cmocka_unit_test(nothing_to_tell),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(csv_lines),
        cmocka_unit_test(json_of_counters),
        cmocka_unit_test(csv_of_counters),
        cmocka_unit_test(full_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
