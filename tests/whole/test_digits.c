/* The four operations on the real digits: all sums are integers below 2^24, so that each
 * device must give the bits of every other, and one known number.  One device alone is
 * still judged against the reference; what could not be compared is a skip that says so. */
#define _POSIX_C_SOURCE 200809L

#include "tests/plugins/vendor_sum.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
/* cmocka.h wants those four. */
#include <cmocka.h>

enum { SKIPPED = 77 };

static size_t device_count;
static bool has_opencl;

/* ---- running the program -------------------------------------------------------- */

static const char *environment(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static FILE *start(const char *arguments)
{
    char command[8192];
    int length = snprintf(command, sizeof command,
                          "data='%s/data'; pixels=$data/digits-pixels-1797x64-f32.npy; "
                          "labels=$data/digits-labels-1797-f32.npy; whole=$data/digits-labels-1797-i32.npy; "
                          "'%s' %s </dev/null",
                          environment("top_srcdir", "."), environment("PARALLAX", "./parallax"), arguments);
    assert_in_range(length, 1, sizeof command - 1);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    return pipe;
}

static int finish(FILE *pipe)
{
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static json_t *json_of(const char *arguments, int *status)
{
    json_error_t error;
    FILE *pipe = start(arguments);
    json_t *root = json_loadf(pipe, 0, &error);
    *status = finish(pipe);
    if (!root)
        print_error("parallax %s: status %d, %s\n", arguments, *status, error.text);
    return root;
}

/* ---- what a comparison must say --------------------------------------------------- */

static json_t *array_of(json_t *root, const char *name)
{
    json_t *array = json_object_get(root, name);
    assert_true(json_is_array(array));
    return array;
}

/* The results that are right, of the backends whose labels begin so. */
static size_t count_ok(json_t *root, const char *backend)
{
    size_t index, count = 0;
    json_t *record;
    json_array_foreach(array_of(root, "records"), index, record)
    {
        const char *label = json_string_value(json_object_get(record, "backend"));
        const char *status = json_string_value(json_object_get(record, "status"));
        assert_true(label && status);
        count += strncmp(label, backend, strlen(backend)) == 0 && strcmp(status, "ok") == 0;
    }
    return count;
}

/* The kernel of a library whose own sum is wrong. */
static bool is_left_out(const json_t *record)
{
    const char *backend = json_string_value(json_object_get(record, "backend"));
    const char *kernel = json_string_value(json_object_get(record, "kernel"));
    const char *dtype = json_string_value(json_object_get(record, "dtype"));
    if (!backend || strncmp(backend, "openblas:", 9) != 0 || !kernel || strcmp(kernel, "sum") != 0 || !dtype ||
        !openblas_sum_is_wrong(strcmp(dtype, "f32") == 0 ? PLX_F32 : PLX_F64))
        return false;
    print_message("left out: openblas reduce/sum in %s: OpenBLAS's own function is wrong here\n", dtype);
    return true;
}

static bool has_left_out(json_t *root, const json_t *pair)
{
    for (size_t i = 0; i < 2; i++) {
        const json_t *index = json_array_get(json_object_get(pair, "records"), i);
        if (is_left_out(json_array_get(array_of(root, "records"), (size_t)json_integer_value(index))))
            return true;
    }
    return false;
}

/* Kernels of a device's best choice must be right; each of the `all` may be unsupported. */
static void check_records(json_t *root, bool all)
{
    size_t index;
    json_t *record;
    json_array_foreach(array_of(root, "records"), index, record)
    {
        const char *status = json_string_value(json_object_get(record, "status"));
        assert_non_null(status);
        if ((all && strcmp(status, "unsupported") == 0) || is_left_out(record))
            continue;
        assert_string_equal(status, "ok");
        json_t *error = json_object_get(json_object_get(record, "error"), "max_over_bound");
        assert_true(json_number_value(error) == 0 && json_is_number(error));
    }
}

static void check_pairs(json_t *root, bool paired, json_int_t elements)
{
    size_t index;
    json_t *pair;
    json_t *pairs = array_of(root, "pairs");
    assert_in_range(json_array_size(pairs), paired ? 1 : 0, 100000);
    json_array_foreach(pairs, index, pair)
    {
        if (has_left_out(root, pair))
            continue;
        assert_true(json_is_true(json_object_get(pair, "compared")));
        assert_true(json_is_true(json_object_get(pair, "agree")));
        assert_true(json_is_true(json_object_get(pair, "identical")));
        assert_int_equal(json_integer_value(json_object_get(pair, "elements")), elements);
    }
}

static void compare(const char *arguments, bool all, json_int_t elements)
{
    char command[1024];
    (void)snprintf(command, sizeof command, "compare %s%s --backend all --no-timing --json -", arguments,
                   all ? " --kernel all" : "");
    int status;
    json_t *root = json_of(command, &status);
    assert_non_null(root);
    const bool paired = count_ok(root, "") > 1; /* a peer may have no kernel for this */
    assert_int_equal(status, paired ? 0 : 4);
    assert_true(paired || !has_opencl);
    assert_int_equal(count_ok(root, "host:"), 1);
    assert_true(!has_opencl || count_ok(root, "opencl:") > 0);
    check_records(root, all);
    check_pairs(root, paired, elements);
    json_decref(root);
}

/* ---- tests -------------------------------------------------------------------------- */

static void gram_of_the_images(void **state)
{
    (void)state;
    compare("gemm --trans-b --in \"$pixels\" --in \"$pixels\"", false, 1797 * 1797);
}

static void gram_of_the_pixels(void **state)
{
    (void)state;
    compare("gemm --trans-a --in \"$pixels\" --in \"$pixels\"", false, 64 * 64);
}

static void transposed(void **state)
{
    (void)state;
    compare("transpose --in \"$pixels\"", true, 64 * 1797);
}

static void pixels_weighed_by_their_digit(void **state)
{
    (void)state;
    compare("matvec --trans --in \"$pixels\" --in \"$labels\"", true, 64);
}

static void sums(void **state)
{
    (void)state;
    compare("reduce --in \"$pixels\"", true, 1);
    compare("reduce --in \"$labels\"", true, 1);
    compare("reduce --in \"$whole\"", true, 1);
}

static void extremes(void **state)
{
    (void)state;
    compare("reduce --reduce max --in \"$pixels\"", true, 1);
    compare("reduce --reduce min --in \"$pixels\"", true, 1);
}

/* The result of one run on each kind of device, by itself. */
static void expect_result(const char *backend, const char *arguments, const char *expected)
{
    char command[1024], line[64] = "";
    (void)snprintf(command, sizeof command, "run %s --backend %s -q", arguments, backend);
    FILE *pipe = start(command);
    assert_non_null(fgets(line, sizeof line, pipe));
    assert_int_equal(finish(pipe), 0);
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, expected);
}

static void known_numbers(void **state)
{
    (void)state;
    static const char *const backends[] = {"host", "opencl"};
    for (size_t i = 0; i < (has_opencl ? 2u : 1u); i++) {
        expect_result(backends[i], "reduce --in \"$pixels\"", "561718");
        expect_result(backends[i], "reduce --in \"$labels\"", "8070");
        expect_result(backends[i], "reduce --in \"$whole\"", "8070");
        expect_result(backends[i], "reduce --reduce max --in \"$pixels\"", "16");
        expect_result(backends[i], "reduce --reduce min --in \"$pixels\"", "0");
    }
}

/* ---- which devices there are ---------------------------------------------------------- */

static int count_devices(void **state)
{
    (void)state;
    int status;
    size_t index;
    json_t *device;
    json_t *root = json_of("list devices --json -", &status);
    if (!root || status != 0)
        return -1;
    json_array_foreach(json_object_get(root, "devices"), index, device)
    {
        const char *label = json_string_value(json_object_get(device, "label"));
        has_opencl |= label && strncmp(label, "opencl:", 7) == 0;
        device_count++;
    }
    json_decref(root);
    return device_count > 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_of_the_images),
        cmocka_unit_test(gram_of_the_pixels),
        cmocka_unit_test(transposed),
        cmocka_unit_test(pixels_weighed_by_their_digit),
        cmocka_unit_test(sums),
        cmocka_unit_test(extremes),
        cmocka_unit_test(known_numbers),
    };
    int failures = cmocka_run_group_tests(tests, count_devices, NULL);
    if (failures == 0 && device_count < 2) {
        printf("skipped: the host alone was judged; there is no second device to compare it with\n");
        return SKIPPED;
    }
    return failures;
}
