/* The gains that are remembered between runs: kept, replaced, bounded, and never in the
 * way when the file can't be used. */
#define _XOPEN_SOURCE 700

#include <parallax/study.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[256], path[512];

static const plx_device_info chip = {.name = "chip", .has_uuid = true, .uuid = {1, 2, 3}};
static const plx_device_info other_chip = {.name = "chip", .has_uuid = true, .uuid = {1, 2, 4}};
static const plx_device_info nameless = {.name = "chip"};

/* An empty cache for each test. */
static int set_up(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "%s/gains-XXXXXX", getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp");
    if (mkdtemp(root) == NULL || setenv("XDG_CACHE_HOME", root, 1) != 0 || unsetenv("PLX_NO_CACHE") != 0)
        return -1;
    (void)snprintf(path, sizeof path, "%s/parallax/gains.json", root);
    return 0;
}

/* What keeps two processes from changing the file at once stays. */
static void remove_lock(const char *directory)
{
    char lock[600];
    (void)snprintf(lock, sizeof lock, "%s/lock", directory);
    (void)remove(lock);
}

static int tear_down(void **state)
{
    char directory[512];
    (void)state;
    (void)snprintf(directory, sizeof directory, "%s/parallax", root);
    (void)remove(path);
    remove_lock(directory);
    (void)rmdir(directory);
    return rmdir(root); /* which nothing else may be in */
}

static plx_record record_of(const char *kernel, int64_t n, double median_ns, double gain)
{
    plx_record record = {.problem = plx_gemm_of(PLX_F32, false, true, n, n, n),
                         .outcome = PLX_OUTCOME_OK,
                         .time = {.measured = true, .median_ns = median_ns},
                         .gbps = 10,
                         .gflops = 500,
                         .gain = gain};
    (void)snprintf(record.backend, sizeof record.backend, "cuda:1");
    (void)snprintf(record.kernel, sizeof record.kernel, "%s", kernel);
    return record;
}

static void store_on(const plx_device_info *device, plx_record *records, size_t count)
{
    plx_study_device devices[1] = {{.label = "cuda:1", .info = *device}};
    plx_results results = {.devices = devices, .device_count = 1, .records = records, .record_count = count};
    plx_gains_store(&results);
}

static void store_ladder(int64_t n, double gain)
{
    plx_record records[] = {record_of("naive", n, 100, 0), record_of("copy", n, 90, 0),
                            record_of("tiled", n, 50, gain)};
    records[1].kernel_flags = PLX_KERNEL_BASELINE;
    store_on(&chip, records, 3);
}

/* What is beside the ladder is no step that another one could be over. */
static void store_with_special(void)
{
    plx_record records[] = {record_of("naive", 64, 100, 0), record_of("few-rows", 64, 90, 0),
                            record_of("tiled", 64, 50, 2.0)};
    records[1].kernel_flags = PLX_KERNEL_SPECIAL;
    store_on(&chip, records, 3);
}

static bool is_known(const char *kernel)
{
    plx_gain gain;
    return plx_gains_find(&chip, "cuda", PLX_GEMM, kernel, &gain);
}

static void write_file(const char *text)
{
    char directory[512];
    (void)snprintf(directory, sizeof directory, "%s/parallax", root);
    (void)mkdir(directory, 0700);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static size_t kept(void)
{
    json_t *file = json_load_file(path, 0, NULL);
    size_t count = json_array_size(json_object_get(file, "gains"));
    json_decref(file);
    return count;
}

static void test_is_kept(void **state)
{
    plx_gain gain;
    (void)state;
    assert_false(is_known("tiled"));
    store_ladder(64, 2.0);
    assert_true(plx_gains_find(&chip, "cuda:1", PLX_GEMM, "tiled", &gain));
    assert_string_equal(gain.over, "naive");
    assert_string_equal(gain.shape, "64x64x64");
    assert_string_equal(gain.variant, "nt");
    assert_int_equal(gain.dtype, PLX_F32);
    assert_true(gain.gain > 1.99 && gain.gain < 2.01 && gain.gflops > 499 && gain.gbps < 11);
    assert_int_equal(strlen(gain.date), 10);
    assert_false(is_known("naive")); /* there is no step before the first */
    assert_false(is_known("copy"));
}

static void test_is_over_a_step(void **state)
{
    plx_gain gain;
    (void)state;
    store_with_special();
    assert_true(plx_gains_find(&chip, "cuda:1", PLX_GEMM, "tiled", &gain));
    assert_string_equal(gain.over, "naive");
    assert_false(is_known("few-rows"));
}

static void test_belongs_to_its_device(void **state)
{
    plx_gain gain;
    (void)state;
    store_ladder(64, 2.0);
    assert_false(plx_gains_find(&other_chip, "cuda", PLX_GEMM, "tiled", &gain));
    assert_false(plx_gains_find(&nameless, "cuda", PLX_GEMM, "tiled", &gain));
    assert_false(plx_gains_find(&chip, "opencl", PLX_GEMM, "tiled", &gain));
    assert_false(plx_gains_find(&chip, "cuda", PLX_MATVEC, "tiled", &gain));
    assert_true(plx_gains_find(&chip, "cuda:7", PLX_GEMM, "tiled", &gain)); /* numbers change */
}

static void test_newest_is_found(void **state)
{
    plx_gain gain;
    (void)state;
    store_ladder(64, 2.0);
    store_ladder(128, 3.0);
    assert_true(plx_gains_find(&chip, "cuda", PLX_GEMM, "tiled", &gain));
    assert_string_equal(gain.shape, "128x128x128");
    store_ladder(64, 4.0);
    assert_true(plx_gains_find(&chip, "cuda", PLX_GEMM, "tiled", &gain));
    assert_string_equal(gain.shape, "64x64x64");
    assert_true(gain.gain > 3.99);
    assert_int_equal(kept(), 2);
}

static void test_only_what_is_right(void **state)
{
    plx_record records[] = {record_of("naive", 64, 100, 0), record_of("tiled", 64, 50, 2.0)};
    (void)state;
    records[1].outcome = PLX_OUTCOME_WRONG;
    store_on(&chip, records, 2);
    records[1].outcome = PLX_OUTCOME_OK;
    records[1].gain = 0; /* not timed */
    store_on(&chip, records, 2);
    records[1].gain = 2.0;
    records[0].time.measured = false;
    store_on(&chip, records, 2);
    records[0].time.measured = true;
    records[1].device = 5;
    store_on(&chip, records, 2);
    assert_false(is_known("tiled"));
    assert_int_not_equal(access(path, F_OK), 0);
}

static void test_is_bounded(void **state)
{
    enum { MANY = 1010 };
    static plx_record records[2 * MANY];
    plx_gain gain;
    (void)state;
    for (size_t i = 0; i < MANY; i++) {
        records[2 * i] = record_of("naive", (int64_t)i + 1, 100, 0);
        records[2 * i + 1] = record_of("tiled", (int64_t)i + 1, 50, 2.0);
        records[2 * i].group = records[2 * i + 1].group = i;
    }
    store_on(&chip, records, 2 * MANY);
    assert_int_equal(kept(), 1000);
    assert_true(plx_gains_find(&chip, "cuda", PLX_GEMM, "tiled", &gain));
    assert_string_equal(gain.shape, "1010x1010x1010");
}

static void test_no_cache(void **state)
{
    (void)state;
    assert_int_equal(setenv("PLX_NO_CACHE", "1", 1), 0);
    store_ladder(64, 2.0);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(unsetenv("PLX_NO_CACHE"), 0);
    store_ladder(64, 2.0);
    assert_true(is_known("tiled"));
    assert_int_equal(setenv("PLX_NO_CACHE", "1", 1), 0);
    assert_false(is_known("tiled"));
}

static void test_nowhere(void **state)
{
    const char *home = getenv("HOME");
    char kept_home[4096];
    (void)state;
    (void)snprintf(kept_home, sizeof kept_home, "%s", home != NULL ? home : "");
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(unsetenv("HOME"), 0);
    store_ladder(64, 2.0);
    assert_false(is_known("tiled"));
    assert_int_not_equal(access("relative", F_OK), 0);
    assert_int_equal(setenv("HOME", root, 1), 0);
    store_ladder(64, 2.0);
    assert_true(is_known("tiled"));
    (void)snprintf(path, sizeof path, "%s/.cache/parallax/gains.json", root);
    assert_int_equal(remove(path), 0);
    (void)snprintf(path, sizeof path, "%s/.cache/parallax", root);
    remove_lock(path);
    assert_int_equal(rmdir(path), 0);
    (void)snprintf(path, sizeof path, "%s/.cache", root);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(setenv("HOME", kept_home, 1), 0);
}

/* What is no list of gains is no error, and makes room for one. */
static void test_garbage(void **state)
{
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "3",
        "{\"schema\": \"parallax-gains/1\"}",
        "{\"schema\": \"parallax-gains/1\", \"gains\": 3}",
        "{\"schema\": \"parallax-gains/9\", \"gains\": []}",
        "{\"schema\": \"parallax-gains/1\", \"gains\": [1, null, [], {}, {\"device\": 3}]}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_file(texts[i]);
        assert_false(is_known("tiled"));
        store_ladder(64, 2.0);
        assert_true(is_known("tiled"));
    }
}

/* Somebody else may have written the file: nothing of it may drive a terminal. */
static void test_control_characters(void **state)
{
    static const char form[] = "{\"schema\": \"parallax-gains/1\", \"gains\": [{\"device\": \"chip\", "
                               "\"backend\": \"cuda\", \"op\": \"gemm\", "
                               "\"dtype\": \"f32\", \"kernel\": \"tiled\", \"shape\": \"64x64x64\", "
                               "\"variant\": \"\", \"over\": \"%s\", "
                               "\"gain\": %s, \"gbps\": 1.0, \"gflops\": 1.0, \"date\": \"2026-01-01\"}]}";
    char text[1024];
    plx_gain gain;
    (void)state;
    (void)snprintf(text, sizeof text, form, "naive", "2.0");
    write_file(text);
    assert_true(plx_gains_find(&nameless, "cuda", PLX_GEMM, "tiled", &gain));
    (void)snprintf(text, sizeof text, form, "\\u001b[2J", "2.0");
    write_file(text);
    assert_false(plx_gains_find(&nameless, "cuda", PLX_GEMM, "tiled", &gain));
    (void)snprintf(text, sizeof text, form, "naive", "\"2.0\"");
    write_file(text);
    assert_false(plx_gains_find(&nameless, "cuda", PLX_GEMM, "tiled", &gain));
}

static void test_too_large(void **state)
{
    (void)state;
    store_ladder(64, 2.0);
    assert_true(is_known("tiled"));
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    for (int i = 0; i < 1 << 20; i++)
        (void)fputc(' ', file);
    assert_int_equal(fclose(file), 0);
    assert_false(is_known("tiled"));
}

/* Neither read, which would wait, nor replaced. */
static void test_pipe_and_directory(void **state)
{
    struct stat about;
    (void)state;
    store_ladder(64, 2.0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(is_known("tiled"));
    store_ladder(64, 2.0);
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(is_known("tiled"));
    store_ladder(64, 2.0);
    assert_int_equal(rmdir(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_is_over_a_step, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_belongs_to_its_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_newest_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_only_what_is_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nowhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_garbage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_control_characters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_too_large, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pipe_and_directory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
