/* What the loader does with good, bad and odd plugin files, by dummies. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A directory with this one dummy is searched; the reason must contain both parts. */
static void expect_refusal(const char *dummy, const char *part, const char *other_part)
{
    char *directory = directory_make();
    directory_add(directory, dummy, dummy);
    plx_context *context = context_of(directory);
    char *file = NULL;
    assert_true(asprintf(&file, "plx-%s.so", dummy) > 0);
    const plx_plugin_report report = report_of(context, directory, dummy);
    assert_false(report.loaded);
    assert_int_not_equal(report.probe, PLX_OK);
    assert_int_equal(report.device_count, 0);
    assert_string_equal(report.name, file);
    assert_string_equal(report.version, "");
    assert_string_equal(report.summary, "");
    assert_contains(report.reason, part);
    assert_contains(report.reason, other_part);
    assert_null(plx_kernel_at(context, 0, PLX_REDUCE, 0));
    free(file);
    plx_context_destroy(context);
    directory_remove(directory);
}

/* The same for a file of these bytes. */
static void expect_file_refusal(const void *bytes, size_t count, const char *part)
{
    char *directory = directory_make();
    directory_write(directory, "plx-file.so", bytes, count);
    plx_context *context = context_of(directory);
    const plx_plugin_report report = report_of(context, directory, "file");
    assert_false(report.loaded);
    assert_contains(report.reason, part);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void a_good_plugin_is_loaded(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "good", "good");
    plx_context *context = context_of(directory);
    const plx_plugin_report report = report_of(context, directory, "good");
    assert_true(report.loaded);
    assert_string_equal(report.name, "dummy-good");
    assert_string_equal(report.version, "1.2.3");
    assert_string_equal(report.summary, "a plugin without hardware");
    assert_int_equal(report.probe, PLX_OK);
    assert_string_equal(report.reason, "");
    assert_int_equal(report.device_count, 11);
    plx_device_info info;
    assert_int_equal(plx_device_at(context, 0, 10, &info), PLX_OK);
    assert_string_equal(info.name, "dummy device 10");
    assert_string_equal(plx_search_dir(context, 0), directory);
    assert_string_equal(plx_kernel_at(context, 0, PLX_GEMM, 1)->name, "wide");
    assert_null(plx_kernel_at(context, 0, PLX_GEMM, 4));
    assert_null(plx_kernel_at(context, 0, PLX_OP_COUNT, 0));
    assert_null(plx_kernel_at(context, 1000, PLX_GEMM, 0));
    plx_context_destroy(context);
    directory_remove(directory);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "good", "good");
    plx_context *context = context_of(directory);
    plx_plugin_report report;
    plx_device_info info;
    assert_int_equal(plx_plugin_at(context, 1000, &report), PLX_INVALID);
    assert_contains(plx_message(context), "1000");
    assert_int_equal(plx_device_at(context, 0, 11, &info), PLX_INVALID);
    assert_contains(plx_message(context), "11 devices");
    assert_null(plx_search_dir(context, 1000));
    plx_context_destroy(context);
    directory_remove(directory);
}

/* ---- descriptors (tests/fakes/dummy_shaped.c) --------------------------------- */

/* What must be there of a descriptor, and no more. */
static const size_t least = offsetof(plx_plugin, count);

static void an_unknown_abi_is_refused_with_all_numbers(void **state)
{
    static const size_t unknown[] = {0, PLX_PLUGIN_ABI + 1, UINT32_MAX};
    char part[64];
    (void)state;
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        shape("DUMMY_ABI", unknown[i]);
        (void)snprintf(part, sizeof part, "plugin ABI %zu,", unknown[i]);
        expect_refusal("shaped", part, "takes 1; rebuild it");
    }
}

static void an_impossible_size_is_refused_with_all_numbers(void **state)
{
    const size_t impossible[] = {0, 1, 8, least - 8, least + 1, sizeof(plx_plugin) - 4, 65544, UINT32_MAX};
    char part[64], other_part[64];
    (void)state;
    (void)snprintf(other_part, sizeof other_part, "library's has %zu", sizeof(plx_plugin));
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        shape("DUMMY_SIZE", impossible[i]);
        (void)snprintf(part, sizeof part, "has %zu bytes", impossible[i]);
        expect_refusal("shaped", part, other_part);
    }
}

static void an_empty_slot_is_refused_by_name(void **state)
{
    (void)state;
    shape("DUMMY_EMPTY", offsetof(plx_plugin, copy));
    expect_refusal("shaped", "\"copy\"", "empty");
    shape("DUMMY_EMPTY", offsetof(plx_plugin, name));
    expect_refusal("shaped", "\"name\"", "empty");
    for (size_t offset = offsetof(plx_plugin, version); offset < least; offset += sizeof(void *)) {
        shape("DUMMY_EMPTY", offset);
        expect_refusal("shaped", "its descriptor leaves", "empty");
    }
}

static void what_a_kernel_must_say_is_refused_by_name(void **state)
{
    (void)state;
    shape("DUMMY_KERNEL", offsetof(plx_kernel, gain));
    expect_refusal("shaped", "reduce kernel 0", "\"gain\"");
    shape("DUMMY_KERNEL", offsetof(plx_kernel, name));
    expect_refusal("shaped", "reduce kernel 0", "\"name\"");
    shape("DUMMY_KERNEL", offsetof(plx_kernel, depth));
    expect_refusal("shaped", "reduce kernel 0", "\"depth\"");
    assert_int_equal(setenv("DUMMY_KERNEL", "endless", 1), 0);
    expect_refusal("shaped", "more than 256", "reduce kernels");
}

/* Loads the shaped dummy, runs a sum, and looks at what it leaves empty. */
static void expect_use(bool has_optional)
{
    char *directory = directory_make();
    directory_add(directory, "shaped", "shaped");
    plx_context *context = context_of(directory);
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 3);
    const int32_t x[3] = {1, 20, 300};
    int32_t result = 0;
    plx_backend *backend = NULL;
    plx_buffer *buffer = NULL;
    plx_plan *plan = NULL;
    plx_counters counters;
    plx_error error = {.text = ""};
    plx_telemetry telemetry;
    const plx_status optional = has_optional ? PLX_OK : PLX_UNSUPPORTED;
    assert_string_equal(report_of(context, directory, "shaped").reason, "");
    assert_int_equal(plx_open(context, "dummy-shaped", &backend), PLX_OK);
    assert_int_equal(plx_buffer_create(backend, 16, &buffer), PLX_OK);
    assert_int_equal(plx_upload(NULL, buffer, 0, x, sizeof x), PLX_OK);
    assert_int_equal(plx_plan_create(backend, &problem, NULL, &plan), PLX_OK);
    const plx_view operands[2] = {{buffer, 0}, {buffer, 12}};
    assert_int_equal(plx_execute(plan, NULL, operands, 2), PLX_OK);
    assert_int_equal(plx_download(NULL, &result, buffer, 12, 4), PLX_OK);
    assert_int_equal(result, 321);
    assert_int_equal(plx_supports(backend, &problem, "one-by-one"), PLX_OK);
    assert_int_equal(plx_backend_telemetry(backend, &telemetry), optional);
    assert_int_equal(plx_count(plan, NULL, operands, 2, &counters, &error), optional);
    if (!has_optional)
        assert_contains(plx_message(context), "not supported: not available from this API");
    plx_plan_destroy(plan);
    plx_buffer_destroy(buffer);
    plx_close(backend);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void a_shorter_descriptor_has_nothing_optional(void **state)
{
    (void)state;
    shape("DUMMY_SIZE", least);
    expect_use(false);
    shape("DUMMY_SIZE", offsetof(plx_plugin, supports));
    expect_use(true);
}

static void a_longer_descriptor_is_taken_as_far_as_it_is_known(void **state)
{
    (void)state;
    shape("DUMMY_SIZE", sizeof(plx_plugin) + 64);
    expect_use(true);
}

static void a_name_that_cannot_be_typed_is_refused(void **state)
{
    (void)state;
    assert_int_equal(setenv("DUMMY_NAME", "Dummy Name", 1), 0);
    expect_refusal("shaped", "\"Dummy Name\"", "a-z");
    assert_int_equal(setenv("DUMMY_NAME", "auto", 1), 0);
    expect_refusal("shaped", "\"auto\"", "meaning of its own");
}

static void a_missing_descriptor_is_refused(void **state)
{
    (void)state;
    shape("DUMMY_NULL", 1);
    expect_refusal("shaped", "plx_plugin_entry", "no descriptor");
}

/* ---- files -------------------------------------------------------------- */

static void a_missing_entry_is_refused(void **state)
{
    (void)state;
    expect_refusal("mute", "no symbol plx_plugin_entry", "no Parallax plugin");
}

static void an_unresolved_symbol_is_refused_by_name(void **state)
{
    (void)state;
    expect_refusal("unresolved", "dummy_function_that_exists_nowhere", "nothing provides");
}

static void files_that_are_no_shared_objects_are_refused(void **state)
{
    static const char text[] = "#!/bin/sh\necho no plugin\n";
    (void)state;
    expect_file_refusal("", 0, "empty");
    expect_file_refusal(text, sizeof text - 1, "no ELF header");
    expect_file_refusal("\x7f"
                        "EL",
                        3, "no ELF header");
    expect_file_refusal("\x7f"
                        "ELF",
                        4, "cut short");
}

/* Cut anywhere, the file must be refused and not bring the program down.  Behind
 * the last loaded segment there are only sections, which nobody needs to run it. */
static void a_file_that_was_cut_short_is_refused(void **state)
{
    (void)state;
    char *path = dummy_path("good");
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    const size_t count = fread(bytes, 1, 1 << 20, from);
    assert_true(count > 4096 && count < 1 << 20);
    assert_int_equal(fclose(from), 0);
    static const size_t lengths[] = {16, 63, 64, 100, 500, 1000, 4096};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        expect_file_refusal(bytes, lengths[i], "cut short");
    free(bytes);
    free(path);
}

static void directories_and_pipes_are_refused(void **state)
{
    (void)state;
    char *directory = directory_make();
    char *inner = path_in(directory, "plx-directory.so"), *pipe = path_in(directory, "plx-pipe.so");
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    plx_context *context = context_of(directory);
    assert_contains(report_of(context, directory, "directory").reason, "no regular file");
    assert_contains(report_of(context, directory, "pipe").reason, "no regular file");
    plx_context_destroy(context);
    free(inner);
    free(pipe);
    directory_remove(directory);
}

static void a_broken_link_is_refused(void **state)
{
    (void)state;
    char *directory = directory_make(), *link = path_in(directory, "plx-link.so");
    assert_int_equal(symlink("/no/such/file", link), 0);
    plx_context *context = context_of(directory);
    assert_contains(report_of(context, directory, "link").reason, "can't be read");
    plx_context_destroy(context);
    free(link);
    directory_remove(directory);
}

static void other_files_are_left_alone(void **state)
{
    (void)state;
    char *directory = directory_make();
    static const char *const names[] = {"libparallax.so", "plx-.so", "plx-a.so.1", "plx-a.la", "a.so"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        directory_write(directory, names[i], "", 0);
    plx_context *context = context_of(directory);
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        plx_plugin_report report;
        assert_int_equal(plx_plugin_at(context, i, &report), PLX_OK);
        if (strncmp(report.path, directory, strlen(directory)) == 0)
            fail_msg("%s was looked at", report.path);
    }
    plx_context_destroy(context);
    directory_remove(directory);
}

static void of_one_name_the_first_counts(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "twin", "b");
    directory_add(directory, "good", "a");
    plx_context *context = context_of(directory);
    const plx_plugin_report twin = report_of(context, directory, "b");
    char *first = path_in(directory, "plx-a.so");
    assert_true(report_of(context, directory, "a").loaded);
    assert_false(twin.loaded);
    assert_string_equal(twin.name, "plx-b.so");
    assert_contains(twin.reason, "dummy-good was already loaded");
    assert_contains(twin.reason, first);
    free(first);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void bad_plugins_do_not_stop_a_good_one(void **state)
{
    static const char *const all[] = {"bare", "mute", "shaped", "unresolved"};
    (void)state;
    char *directory = directory_make();
    shape("DUMMY_SIZE", 0);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        directory_add(directory, all[i], all[i]);
    directory_write(directory, "plx-empty.so", "", 0);
    directory_add(directory, "good", "zz");
    plx_context *context = context_of(directory);
    assert_true(report_of(context, directory, "zz").loaded);
    plx_context_destroy(context);
    directory_remove(directory);
}

/* ---- where it looks ---------------------------------------------------- */

static void the_environment_comes_after_the_options(void **state)
{
    (void)state;
    char *first = directory_make(), *second = directory_make(), *path = NULL;
    directory_add(first, "good", "same");
    directory_add(second, "twin", "same");
    assert_true(asprintf(&path, ":/no/such/directory:%s:", second) > 0);
    assert_int_equal(setenv("PLX_PLUGIN_PATH", path, 1), 0);
    plx_context *context = context_of(first);
    assert_true(report_of(context, first, "same").loaded);
    assert_false(report_of(context, second, "same").loaded);
    assert_string_equal(plx_search_dir(context, 0), first);
    assert_string_equal(plx_search_dir(context, 1), "/no/such/directory");
    assert_string_equal(plx_search_dir(context, 2), second);
    plx_context_destroy(context);
    assert_int_equal(plx_context_create(NULL, &context), PLX_OK);
    assert_true(report_of(context, second, "same").loaded);
    plx_context_destroy(context);
    assert_int_equal(unsetenv("PLX_PLUGIN_PATH"), 0);
    free(path);
    directory_remove(first);
    directory_remove(second);
}

static void a_directory_is_searched_once(void **state)
{
    (void)state;
    char *directory = directory_make(), *again = NULL;
    directory_add(directory, "good", "good");
    assert_true(asprintf(&again, "%s/../%s/.", directory, strrchr(directory, '/') + 1) > 0);
    assert_int_equal(setenv("PLX_PLUGIN_PATH", again, 1), 0);
    plx_context *context = context_of(directory);
    size_t loaded = 0;
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        plx_plugin_report report;
        assert_int_equal(plx_plugin_at(context, i, &report), PLX_OK);
        loaded += strstr(report.path, "plx-good.so") != NULL;
    }
    assert_int_equal(loaded, 1);
    plx_context_destroy(context);
    assert_int_equal(unsetenv("PLX_PLUGIN_PATH"), 0);
    free(again);
    directory_remove(directory);
}

static void a_named_directory_must_exist(void **state)
{
    (void)state;
    const char *const directories[] = {"/no/such/directory"};
    const plx_context_options options = {.plugin_dirs = directories, .plugin_dir_count = 1};
    plx_context *context = NULL;
    assert_int_equal(plx_context_create(&options, &context), PLX_INVALID);
    assert_null(context);
    assert_contains(plx_message(NULL), "/no/such/directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_plugin_is_loaded),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test_teardown(an_unknown_abi_is_refused_with_all_numbers, unshape),
        cmocka_unit_test_teardown(an_impossible_size_is_refused_with_all_numbers, unshape),
        cmocka_unit_test_teardown(what_a_kernel_must_say_is_refused_by_name, unshape),
        cmocka_unit_test_teardown(a_shorter_descriptor_has_nothing_optional, unshape),
        cmocka_unit_test_teardown(a_longer_descriptor_is_taken_as_far_as_it_is_known, unshape),
        cmocka_unit_test_teardown(an_empty_slot_is_refused_by_name, unshape),
        cmocka_unit_test_teardown(a_name_that_cannot_be_typed_is_refused, unshape),
        cmocka_unit_test_teardown(a_missing_descriptor_is_refused, unshape),
        cmocka_unit_test(a_missing_entry_is_refused),
        cmocka_unit_test(an_unresolved_symbol_is_refused_by_name),
        cmocka_unit_test(files_that_are_no_shared_objects_are_refused),
        cmocka_unit_test(a_file_that_was_cut_short_is_refused),
        cmocka_unit_test(directories_and_pipes_are_refused),
        cmocka_unit_test(a_broken_link_is_refused),
        cmocka_unit_test(other_files_are_left_alone),
        cmocka_unit_test(of_one_name_the_first_counts),
        cmocka_unit_test_teardown(bad_plugins_do_not_stop_a_good_one, unshape),
        cmocka_unit_test(the_environment_comes_after_the_options),
        cmocka_unit_test(a_directory_is_searched_once),
        cmocka_unit_test(a_named_directory_must_exist),
    };
    (void)unsetenv("PLX_PLUGIN_PATH");
    (void)unsetenv("PLX_BACKEND");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
