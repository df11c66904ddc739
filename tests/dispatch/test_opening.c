/* Devices that are probed and opened, words of them, and messages, by the dummies. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- probing and opening ----------------------------------------------- */

typedef struct probing {
    plx_context *context;
    size_t devices;
} probing;

static void *probe_in_thread(void *data)
{
    probing *mine = data;
    plx_plugin_report report;
    if (plx_plugin_at(mine->context, 0, &report) == PLX_OK)
        mine->devices = report.device_count;
    return NULL;
}

static void probing_happens_once_and_late(void **state)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    probing each[THREADS];
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "good", "good");
    dummy_state *dummy = controls_of("good");
    const long before = atomic_load(&dummy->probes);
    plx_context *context = context_of(directory);
    assert_int_equal(atomic_load(&dummy->probes), before);
    for (size_t i = 0; i < THREADS; i++) {
        each[i] = (probing){.context = context};
        assert_int_equal(pthread_create(&threads[i], NULL, probe_in_thread, &each[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(each[i].devices, 11);
    }
    assert_int_equal(atomic_load(&dummy->probes), before + 1);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void a_plugin_without_device_says_why(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "bare", "bare");
    plx_context *context = context_of(directory);
    const plx_plugin_report report = report_of(context, directory, "bare");
    plx_backend *backend = NULL;
    assert_true(report.loaded);
    assert_int_equal(report.probe, PLX_NO_DEVICE);
    assert_string_equal(report.reason, "no driver for dummies; install one");
    assert_int_equal(plx_open(context, "dummy-bare", &backend), PLX_NO_DEVICE);
    assert_string_equal(plx_message(context), "dummy-bare: no driver for dummies; install one");
    assert_null(backend);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void expect_open(plx_context *context, const char *where, const char *label)
{
    plx_backend *backend = NULL;
    assert_int_equal(plx_open(context, where, &backend), PLX_OK);
    assert_string_equal(plx_backend_label(backend), label);
    assert_string_equal(plx_backend_name(backend), "dummy-good");
    assert_ptr_equal(plx_backend_context(backend), context);
    assert_int_equal(plx_backend_plugin(backend), 0);
    assert_string_equal(plx_backend_device(backend)->name + strlen("dummy device "), strrchr(label, ':') + 1);
    assert_int_equal(plx_backend_device(backend)->clusters[0], 7);
    assert_int_equal(plx_backend_device(backend)->clusters[1], 3);
    assert_int_not_equal(plx_backend_device(backend)->units, 12345);
    plx_close(backend);
}

static void expect_no_open(plx_context *context, const char *where, plx_status status, const char *part)
{
    plx_backend *backend = NULL;
    assert_int_equal(plx_open(context, where, &backend), status);
    assert_null(backend);
    assert_contains(plx_message(context), part);
}

static void devices_are_opened_by_name(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "good", "good");
    plx_context *context = context_of(directory);
    expect_open(context, "dummy-good:0", "dummy-good:0");
    expect_open(context, "dummy-good:10", "dummy-good:10");
    expect_open(context, "dummy-good", "dummy-good:9");
    expect_open(context, "auto", "dummy-good:9");
    expect_open(context, NULL, "dummy-good:9");
    assert_int_equal(setenv("PLX_BACKEND", "dummy-good:3", 1), 0);
    expect_open(context, "", "dummy-good:3");
    expect_open(context, "auto", "dummy-good:9");
    assert_int_equal(setenv("PLX_BACKEND", "nothing-like-it", 1), 0);
    expect_no_open(context, NULL, PLX_NOT_FOUND, "nothing-like-it");
    assert_int_equal(unsetenv("PLX_BACKEND"), 0);
    plx_context_destroy(context);
    directory_remove(directory);
}

static void what_cannot_be_opened_is_explained(void **state)
{
    (void)state;
    char *directory = directory_make();
    directory_add(directory, "good", "good");
    directory_add(directory, "shaped", "old");
    shape("DUMMY_ABI", 2);
    plx_context *context = context_of(directory);
    expect_no_open(context, "dummy-god", PLX_NOT_FOUND, "did you mean \"dummy-good\"?");
    expect_no_open(context, "something-else", PLX_NOT_FOUND, "dummy-good");
    expect_no_open(context, "old", PLX_NOT_FOUND, "ABI 2,");
    expect_no_open(context, "dummy-good:11", PLX_NOT_FOUND, "has 11");
    expect_no_open(context, "dummy-good:", PLX_INVALID, "dummy-good:0");
    expect_no_open(context, "dummy-good:-1", PLX_INVALID, "device number");
    expect_no_open(context, "dummy-good:1x", PLX_INVALID, "device number");
    expect_no_open(context, "dummy-good:99999999999999999999", PLX_INVALID, "device number");
    expect_no_open(context, ":0", PLX_INVALID, "names no backend");
    char word[4096];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    expect_no_open(context, word, PLX_INVALID, "names no backend");
    atomic_store(&controls_of("good")->fail, PLX_NO_MEMORY);
    expect_no_open(context, "dummy-good:1", PLX_NO_MEMORY, "it was told to fail");
    plx_context_destroy(context);
    directory_remove(directory);
}

/* ---- words ------------------------------------------------------------- */

/* Headers and library are of one version here, which stands in both. */
static void versions(void **state)
{
    char text[32];
    (void)state;
    (void)snprintf(text, sizeof text, "%d.%d.%d", PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH);
    assert_string_equal(PLX_VERSION, text);
    assert_string_equal(plx_version(), text);
    assert_true(PLX_VERSION_AT_LEAST(PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH));
    assert_true(PLX_VERSION_AT_LEAST(PLX_VERSION_MAJOR, 0, 0));
    assert_false(PLX_VERSION_AT_LEAST(PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH + 1));
    assert_false(PLX_VERSION_AT_LEAST(PLX_VERSION_MAJOR + 1, 0, 0));
}

static void nearest_names(void **state)
{
    static const char *const names[] = {"cuda", "opencl", "host"};
    (void)state;
    assert_string_equal(plx_nearest_name("cuad", names, 3), "cuda");
    assert_string_equal(plx_nearest_name("CUDA", names, 3), "cuda");
    assert_string_equal(plx_nearest_name("opncl", names, 3), "opencl");
    assert_string_equal(plx_nearest_name("hosts", names, 3), "host");
    assert_null(plx_nearest_name("metal", names, 3));
    assert_null(plx_nearest_name("", names, 3));
    assert_null(plx_nearest_name("cuda", names, 0));
}

static void words_go_there_and_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++) {
        plx_dtype dtype = PLX_DTYPE_COUNT;
        assert_true(plx_dtype_from_name(plx_dtype_name((plx_dtype)i), &dtype));
        assert_int_equal(dtype, i);
    }
    for (unsigned i = 0; i < PLX_OP_COUNT; i++) {
        plx_op op = PLX_OP_COUNT;
        assert_true(plx_op_from_name(plx_op_name((plx_op)i), &op));
        assert_int_equal(op, i);
    }
    for (unsigned i = 0; i < PLX_REDUCTION_COUNT; i++) {
        plx_reduction reduction = PLX_REDUCTION_COUNT;
        assert_true(plx_reduction_from_name(plx_reduction_name((plx_reduction)i), &reduction));
        assert_int_equal(reduction, i);
    }
    for (unsigned i = 0; i < PLX_STATUS_COUNT; i++)
        assert_string_not_equal(plx_strerror((plx_status)i), plx_strerror(PLX_STATUS_COUNT));
    assert_int_equal(plx_dtype_size(PLX_C128), 16);
    assert_int_equal(plx_dtype_size(PLX_DTYPE_COUNT), 0);
}

static plx_device_info device(bool has_uuid, uint8_t uuid, const char *pci)
{
    plx_device_info info;
    memset(&info, 0, sizeof info);
    info.has_uuid = has_uuid;
    info.uuid[15] = uuid;
    (void)snprintf(info.pci, sizeof info.pci, "%s", pci);
    return info;
}

static void one_chip_is_recognised(void **state)
{
    (void)state;
    const plx_device_info a = device(true, 1, "0000:1a:00.0"), b = device(true, 1, ""),
                          c = device(true, 2, "0000:1a:00.0"), d = device(false, 0, "0000:1A:00.0"),
                          e = device(false, 0, "");
    assert_true(plx_same_device(&a, &b));
    assert_false(plx_same_device(&a, &c));
    assert_true(plx_same_device(&a, &d));
    assert_false(plx_same_device(&b, &e));
    assert_false(plx_same_device(&e, &e));
    plx_device_info host = e, other = a; /* the processors, with a number or without */
    host.features = other.features = PLX_FEATURE_CPU;
    assert_true(plx_same_device(&host, &other));
    assert_false(plx_same_device(&host, &a));
}

/* ---- messages ---------------------------------------------------------- */

static void *message_of_thread(void *context)
{
    return (void *)(uintptr_t)(plx_message(context)[0] == '\0');
}

static void messages_belong_to_context_and_thread(void **state)
{
    (void)state;
    char *directory = directory_make();
    plx_context *first = context_of(directory), *second = context_of(directory);
    pthread_t thread;
    void *empty = NULL;
    assert_string_equal(plx_message(first), "");
    expect_no_open(first, "one-name", PLX_NOT_FOUND, "one-name");
    assert_string_equal(plx_message(second), "");
    expect_no_open(second, "other-name", PLX_NOT_FOUND, "other-name");
    assert_contains(plx_message(first), "one-name");
    assert_int_equal(pthread_create(&thread, NULL, message_of_thread, first), 0);
    assert_int_equal(pthread_join(thread, &empty), 0);
    assert_non_null(empty);
    plx_context_destroy(first);
    plx_context_destroy(second);
    plx_context *third = context_of(directory); /* perhaps at the first one's address */
    assert_string_equal(plx_message(third), "");
    plx_context_destroy(third);
    directory_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probing_happens_once_and_late),
        cmocka_unit_test(a_plugin_without_device_says_why),
        cmocka_unit_test(devices_are_opened_by_name),
        cmocka_unit_test_teardown(what_cannot_be_opened_is_explained, unshape),
        cmocka_unit_test(versions),
        cmocka_unit_test(nearest_names),
        cmocka_unit_test(words_go_there_and_back),
        cmocka_unit_test(one_chip_is_recognised),
        cmocka_unit_test(messages_belong_to_context_and_thread),
    };
    (void)unsetenv("PLX_PLUGIN_PATH");
    (void)unsetenv("PLX_BACKEND");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
