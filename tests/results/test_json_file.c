/* Reading results back: what is whole is read, and each way of being broken has its
 * one line. */
#define _POSIX_C_SOURCE 200809L

#include "study/files/json_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char whole[] =
    "{\"schema\": \"parallax-results/1\", \"environment\": {\"parallax\": \"9\"},\n"
    " \"devices\": [{\"label\": \"a:0\", \"name\": \"A\"}],\n"
    " \"records\": [{\"op\": \"gemm\", \"dtype\": \"f32\", \"shape\": [2, 3, 4], \"backend\": \"a:0\",\n"
    "   \"device\": 0, \"kernel\": \"k\", \"status\": \"ok\", \"time\": {\"median_ns\": 5, \"ci95_ns\": [4.5, 6],\n"
    "   \"settled\": true}}],\n"
    " \"pairs\": [{\"records\": [0, 0]}]}\n";

static char path[] = "/tmp/parallax-test-json-XXXXXX";

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

static plx_status read_text(const char *text, json_t **root, plx_error *error)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return plx_json_file_read(path, root, error);
}

/* The text with one word of it exchanged. */
static void changed(const char *from, const char *to, char *text, size_t capacity)
{
    const char *at = strstr(whole, from);
    assert_non_null(at);
    assert_true((size_t)snprintf(text, capacity, "%.*s%s%s", (int)(at - whole), whole, to,
                                 at + strlen(from)) < capacity);
}

static void refuses(const char *text, const char *because)
{
    json_t *root = NULL;
    plx_error error = {""};
    assert_int_equal(read_text(text, &root, &error), PLX_INVALID);
    assert_null(root);
    assert_memory_equal(error.text, path, strlen(path));
    if (strstr(error.text, because) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, because);
    assert_null(strchr(error.text, '\n'));
}

static void what_is_whole_is_read(void **state)
{
    (void)state;
    json_t *root = NULL;
    plx_error error = {""};
    assert_int_equal(read_text(whole, &root, &error), PLX_OK);
    const json_t *record = json_array_get(json_object_get(root, "records"), 0);
    assert_string_equal(plx_json_text_at(root, "environment.parallax", "?"), "9");
    assert_string_equal(plx_json_text_at(record, "kernel", "?"), "k");
    assert_float_equal(plx_json_number_at(record, "time.median_ns", -1), 5, 0);
    assert_float_equal(plx_json_element_at(record, "time.ci95_ns", 1, -1), 6, 0);
    assert_true(plx_json_bool_at(record, "time.settled", false));
    assert_int_equal(plx_json_integer_at(record, "device", -1), 0);
    json_decref(root);
}

static void what_is_missing_is_the_fallback(void **state)
{
    (void)state;
    json_t *root = NULL;
    plx_error error = {""};
    assert_int_equal(read_text(whole, &root, &error), PLX_OK);
    assert_string_equal(plx_json_text_at(root, "environment.parallax.more", "none"), "none");
    assert_string_equal(plx_json_text_at(root, "records", "none"), "none");
    assert_float_equal(plx_json_number_at(root, "schema", 7), 7, 0);
    assert_float_equal(plx_json_element_at(root, "pairs", 3, 8), 8, 0);
    assert_int_equal(plx_json_integer_at(NULL, "device", -1), -1);
    json_decref(root);
}

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
}

static void other_schemas_are_refused(void **state)
{
    char text[sizeof whole + 16];
    (void)state;
    changed("results/1", "probe/1", text, sizeof text);
    refuses(text, "parallax-probe/1");
    refuses("[1, 2]", "no results");
    refuses("{}", "no results");
}

static void missing_fields_are_named(void **state)
{
    static const struct {
        const char *from, *to, *because;
    } rows[] = {
        {"\"devices\"", "\"device\"", "\"devices\""},
        {"\"name\": \"A\"", "\"name\": 1", "devices[0]: name"},
        {"\"kernel\"", "\"kern\"", "records[0]: kernel"},
        {"[2, 3, 4]", "[2, 3.5, 4]", "records[0]: shape"},
        {"\"device\": 0", "\"device\": 1", "records[0]: device"},
        {"\"device\": 0", "\"device\": -1", "records[0]: device"},
        {"[0, 0]", "[0, 1]", "pairs[0]: records"},
        {"{\"records\": [0, 0]}", "7", "pairs[0]: an object"},
    };
    char text[sizeof whole + 16];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        changed(rows[i].from, rows[i].to, text, sizeof text);
        refuses(text, rows[i].because);
    }
}

static void what_is_no_file_is_refused(void **state)
{
    json_t *root = NULL;
    plx_error error = {""};
    (void)state;
    assert_int_equal(plx_json_file_read("/nowhere/results.json", &root, &error), PLX_IO);
    assert_non_null(strstr(error.text, "/nowhere/results.json: can't read"));
    assert_int_equal(plx_json_file_read("/", &root, &error), PLX_IO);
    assert_null(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_whole_is_read),       cmocka_unit_test(what_is_missing_is_the_fallback),
        cmocka_unit_test(what_is_cut_short_is_refused), cmocka_unit_test(what_is_no_json_is_refused),
        cmocka_unit_test(other_schemas_are_refused),   cmocka_unit_test(missing_fields_are_named),
        cmocka_unit_test(what_is_no_file_is_refused),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
