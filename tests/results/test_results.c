/* Files of results: what older versions wrote is read and written again without a loss, and
 * each way of being broken has its one line. */
#define _POSIX_C_SOURCE 200809L

#include <parallax/study.h>

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char whole[] =
    "{\"schema\": \"parallax-results/1\", \"environment\": {\"parallax\": \"9\"},\n"
    " \"devices\": [{\"label\": \"a:0\", \"name\": \"A\", \"uuid\": null, \"units\": 7}],\n"
    " \"records\": [{\"op\": \"gemm\", \"dtype\": \"f32\", \"shape\": [2, 3, 4], \"backend\": \"a:0\",\n"
    "   \"device\": 0, \"kernel\": \"k\", \"status\": \"ok\", \"time\": {\"median_ns\": 5, \"ci95_ns\": [4.5, 6],\n"
    "   \"samples\": 30}, \"seed\": \"18446744073709551615\", \"input\": \"graded\", \"gain\": 1.5}],\n"
    " \"pairs\": [{\"records\": [0, 0], \"compared\": true}]}\n";

static char path[] = "/tmp/parallax-test-results-XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static plx_status read_text(const char *text, plx_results *results, plx_error *error)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return plx_results_read(path, results, error);
}

/* The text with one word of it exchanged. */
static void changed(const char *from, const char *to, char *text, size_t capacity)
{
    const char *at = strstr(whole, from);
    if (at == NULL)
        fail_msg("there is no %s", from);
    else
        assert_true((size_t)snprintf(text, capacity, "%.*s%s%s", (int)(at - whole), whole, to, at + strlen(from)) <
                    capacity);
}

static void refuses(const char *text, const char *because)
{
    plx_results results = {.record_count = 77};
    plx_error error = {""};
    assert_int_equal(read_text(text, &results, &error), PLX_INVALID);
    assert_int_equal(results.record_count, 77);
    assert_memory_equal(error.text, path, strlen(path));
    if (strstr(error.text, because) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, because);
    assert_null(strchr(error.text, '\n'));
}

static plx_results good(const char *text)
{
    plx_results results;
    plx_error error = {""};
    if (read_text(text, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    return results;
}

/* ---- what is in it ------------------------------------------------------------------ */

static void what_is_whole_is_read(void **state)
{
    (void)state;
    plx_results results = good(whole);
    const plx_record *record = &results.records[0];
    assert_string_equal(results.environment.parallax, "9");
    assert_int_equal(results.devices[0].info.units, 7);
    assert_false(results.devices[0].info.has_uuid);
    assert_int_equal(results.record_count, 1);
    assert_string_equal(record->kernel, "k");
    assert_int_equal(record->problem.of.gemm.n, 3);
    assert_int_equal(record->input, PLX_INPUT_GRADED);
    assert_true(record->seed == UINT64_MAX);
    assert_float_equal(record->time.high_ns, 6, 0);
    assert_float_equal(record->gain, 1.5, 0);
    assert_int_equal(results.pair_count, 1);
    assert_true(isinf(results.pairs[0].max_ulp));
    plx_results_free(&results);
}

/* What this version has no word for is no fault, and is not passed over in silence. */
static void what_is_unknown_is_left_out(void **state)
{
    static const char *const words[][2] = {
        {"\"gemm\"", "\"convolve\""}, {"\"f32\"", "\"f8\""}, {"\"ok\"", "\"splendid\""}, {"\"graded\"", "\"chaotic\""}};
    char text[sizeof whole + 64];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        changed(words[i][0], words[i][1], text, sizeof text);
        plx_results results = good(text);
        assert_int_equal(results.record_count, 0);
        assert_int_equal(results.unknown, 1);
        assert_int_equal(results.pair_count, 0);
        plx_results_free(&results);
    }
    changed("\"gain\": 1.5", "\"a newer field\": {}", text, sizeof text);
    plx_results results = good(text);
    assert_int_equal(results.record_count, 1);
    plx_results_free(&results);
}

static void results_of_this_process_say_so(void **state)
{
    plx_results fresh = {.record_count = 0}, results;
    plx_error error;
    (void)state;
    assert_int_equal(plx_results_write(&fresh, path, &error), PLX_OK);
    assert_int_equal(plx_results_read(path, &results, &error), PLX_OK);
    assert_string_equal(results.environment.parallax, plx_version());
    assert_string_equal(results.environment.kernels_hash, plx_build_facts()->kernels_hash);
    assert_int_equal(strlen(results.environment.date), strlen("2026-11-21T14:05:00Z"));
    plx_results_free(&results);
}

/* ---- files of older versions ------------------------------------------------------------ */

static json_t *json_of(const char *file)
{
    json_t *root = json_load_file(file, 0, NULL);
    assert_non_null(root);
    return root;
}

/* Former names are read; the summary is computed anew, for times with wide intervals are not ranked any more. */
static bool is_written_otherwise(const char *key)
{
    return strcmp(key, "summary") == 0 || strcmp(key, "yardstick") == 0 || strcmp(key, "settled") == 0;
}

/* Numbers have twelve digits in files; what an older version did not say may be added. */
static void assert_same(const json_t *one, const json_t *other, const char *where)
{
    const char *key;
    json_t *value;
    if (json_is_object(one) && json_is_object(other)) {
        json_object_foreach((json_t *)(uintptr_t)one, key, value) if (!is_written_otherwise(key))
            assert_same(value, json_object_get(other, key), key);
    } else if (json_is_array(one) && json_is_array(other)) {
        assert_int_equal(json_array_size(one), json_array_size(other));
        for (size_t i = 0; i < json_array_size(one); i++)
            assert_same(json_array_get(one, i), json_array_get(other, i), where);
    } else if (json_is_number(one) && json_is_number(other)) {
        double a = json_number_value(one), b = json_number_value(other);
        if (!(fabs(a - b) <= 1e-11 * fabs(a)))
            fail_msg("%s: %.15g became %.15g", where, a, b);
    } else if (!json_equal((json_t *)(uintptr_t)one, (json_t *)(uintptr_t)other)) {
        fail_msg("%s differs", where);
    }
}

/* With what is packed written out. */
static json_t *lists_of(const char *file)
{
    plx_error error;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    assert_int_equal(plx_results_unpack(file, to, &error), PLX_OK);
    assert_int_equal(fclose(to), 0);
    json_t *root = json_loadb(text, length, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static void nothing_is_lost(const char *name)
{
    char file[1000];
    plx_results results;
    plx_error error;
    const char *source = getenv("top_srcdir");
    (void)snprintf(file, sizeof file, "%s/%s", source != NULL ? source : ".", name);
    if (plx_results_read(file, &results, &error) != PLX_OK)
        fail_msg("%s", error.text);
    assert_true(results.record_count + results.sweep_count + results.device_count > 0);
    assert_int_equal(results.unknown, 0);
    assert_int_equal(plx_results_write(&results, path, &error), PLX_OK);
    plx_results_free(&results);
    json_t *before = lists_of(file), *after = json_of(path);
    assert_same(before, after, name);
    json_decref(before);
    json_decref(after);
}

static void what_older_versions_wrote_is_kept(void **state)
{
    (void)state;
    nothing_is_lost("tests/data/results/compare-0.1.json");
    nothing_is_lost("tests/data/results/check-0.1.json");
    nothing_is_lost("tests/data/results/bench-0.1.json");
    nothing_is_lost("tests/data/results/bench-left-out-0.1.json");
    nothing_is_lost("tests/data/results/probe-0.1.json");
    nothing_is_lost("results/h200/ladder-gemm.json");
    nothing_is_lost("results/h200/counters-gemm.json");
    nothing_is_lost("results/h200/bench-random-matvec.json");
    nothing_is_lost("results/h200/check.json");
}

/* ---- broken files ------------------------------------------------------------------------ */

static void what_is_cut_short_is_refused(void **state)
{
    char text[sizeof whole];
    (void)state;
    refuses("", "empty");
    for (size_t length = 1; length + 2 < sizeof whole; length++) {
        memcpy(text, whole, length);
        text[length] = '\0';
        refuses(text, length > 2 ? ":" : "line 1");
    }
    (void)snprintf(text, sizeof text, "%.200s", whole);
    refuses(text, "cut short");
}

static void what_is_no_json_is_refused(void **state)
{
    char text[sizeof whole + 16];
    (void)state;
    refuses("op,dtype,shape\nreduce,f32,7\n", "line 1: not JSON");
    changed("\"gemm\"", "gemm", text, sizeof text);
    refuses(text, "line 3: not JSON");
    (void)snprintf(text, sizeof text, "%s%s", whole, "{}");
    refuses(text, "not JSON");
    changed("1.5", "1e999", text, sizeof text);
    refuses(text, "not JSON");
}

static void other_schemas_are_refused(void **state)
{
    char text[sizeof whole + 16];
    (void)state;
    changed("results/1", "results/2", text, sizeof text);
    refuses(text, "parallax-results/2");
    refuses("[1, 2]", "no results");
    refuses("{}", "no results");
}

static void wrong_fields_are_named(void **state)
{
    static const struct {
        const char *from, *to, *because;
    } rows[] = {
        {"\"devices\"", "\"device\"", "\"devices\""},
        {"\"name\": \"A\"", "\"name\": 1", "devices[0]: name"},
        {"\"uuid\": null", "\"uuid\": \"zebra\"", "devices[0]: uuid"},
        {"\"kernel\"", "\"kern\"", "records[0]: kernel"},
        {"[2, 3, 4]", "[2, 3.5, 4]", "records[0]: shape"},
        {"[2, 3, 4]", "[2, -3, 4]", "records[0]: shape"},
        {"[2, 3, 4]", "[2, 3]", "records[0]: shape"},
        {"[2, 3, 4]", "[9223372036854775807, 9223372036854775807, 4]", "records[0]: shape"},
        {"[2, 3, 4]", "[2, 3, 4, 5, 6, 7, 8, 9, 10]", "records[0]: shape"},
        {"\"device\": 0", "\"device\": 1", "records[0]: device"},
        {"\"device\": 0", "\"device\": -1", "records[0]: device"},
        {"{\"median_ns\": 5, ", "{\"median_ns\": -5, ", "records[0]: median_ns"},
        {"{\"median_ns\": 5, ", "{\"median_ns\": 1e300, ", "records[0]: median_ns"},
        {"{\"median_ns\": 5, ", "{\"median_ns\": \"5\", ", "records[0]: median_ns"},
        {"[4.5, 6]", "[4.5, 2]", "records[0]: ci95_ns"},
        {"\"samples\": 30", "\"samples\": -30", "records[0]: samples"},
        {"\"18446744073709551615\"", "\"18446744073709551616\"", "records[0]: seed"},
        {"\"gain\": 1.5", "\"gain\": \"much\"", "records[0]: gain"},
        {"\"gain\": 1.5", "\"error\": []", "records[0]: error"},
        {"\"gain\": 1.5", "\"lda\": 1", "records[0]: leading dimensions"},
        {"[0, 0]", "[0, 1]", "pairs[0]: records"},
        {"\"compared\": true", "\"compared\": 1", "pairs[0]: compared"},
        {"{\"records\": [0, 0], \"compared\": true}", "7", "pairs[0]: an object"},
        {"{\"parallax\": \"9\"}", "{\"parallax\": 9}", "environment.parallax"},
    };
    char text[sizeof whole + 64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        changed(rows[i].from, rows[i].to, text, sizeof text);
        refuses(text, rows[i].because);
    }
}

static void what_is_no_file_is_no_file(void **state)
{
    plx_results results;
    plx_error error = {""};
    (void)state;
    assert_int_equal(plx_results_read("/no/such/file.json", &results, &error), PLX_IO);
    assert_non_null(strstr(error.text, "/no/such/file.json: can't read"));
    assert_int_equal(plx_results_read("/tmp", &results, &error), PLX_IO);
    results = (plx_results){.record_count = 0};
    assert_int_equal(plx_results_write(&results, "/no/such/file.json", &error), PLX_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_whole_is_read),          cmocka_unit_test(what_is_unknown_is_left_out),
        cmocka_unit_test(results_of_this_process_say_so), cmocka_unit_test(what_older_versions_wrote_is_kept),
        cmocka_unit_test(what_is_cut_short_is_refused),   cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(other_schemas_are_refused),      cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(what_is_no_file_is_no_file),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
