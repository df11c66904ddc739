/* The host side of the cuda plugin on a fake driver: its words when
 * something is missing, its devices, memory, queues and events, and what it does
 * after a sticky error. */
#define _GNU_SOURCE

#include "backends/cuda/toolkit.h"
#include "cuda_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the driver's library -------------------------------------------- */

typedef struct probe_result {
    plx_status status;
    plx_error error;
} probe_result;

static probe_result probe_now(void)
{
    plx_device_info device;
    size_t count = 0;
    probe_result result = {PLX_OK, {""}};
    result.status = load_plugin()->probe(&device, 1, &count, &result.error);
    return result;
}

/* The driver is looked for once per process: each library gets its own. */
static probe_result probe_with_library(const char *library)
{
    probe_result result = {PLX_OK, {""}};
    int ends[2], status;
    pid_t child;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("PLX_CUDA_LIBRARY", library, 1);
        result = probe_now();
        /* Not _exit(): what a build for coverage has counted is written at the end. */
        exit(write(ends[1], &result, sizeof result) == (ssize_t)sizeof result ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &result, sizeof result), sizeof result);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
    return result;
}

static void a_missing_driver_is_named(void **unused)
{
    probe_result result = probe_with_library("/nowhere/libcuda.so.1");
    (void)unused;
    assert_int_equal(result.status, PLX_NO_DEVICE);
    assert_string_equal(result.error.text, "/nowhere/libcuda.so.1 not found; install NVIDIA's driver");
}

static void an_old_driver_is_told_by_the_function_it_lacks(void **unused)
{
    probe_result result = probe_with_library("libc.so.6");
    (void)unused;
    assert_int_equal(result.status, PLX_NO_DEVICE);
    assert_string_equal(result.error.text,
                        "libc.so.6 has no function cuInit: the driver is too old; install a newer one");
}

/* ---- probe ----------------------------------------------------------- */

static void assert_init_says(int result, const char *words)
{
    plx_device_info device;
    size_t count = 77;
    fail_next("cuInit", result);
    assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_NO_DEVICE);
    assert_int_equal(count, 77);
    if (strstr(error.text, words) == NULL)
        fail_msg("\"%s\" does not speak of \"%s\"", error.text, words);
}

static void a_failing_driver_is_explained(void **unused)
{
    (void)unused;
    assert_init_says(NO_DEVICE, "the driver finds no device; ");
    assert_init_says(DRIVER_MISMATCH, "of different versions; reboot");
    assert_init_says(STUB_LIBRARY, "the toolkit's stub");
    assert_init_says(UNKNOWN, "FAKE_ERROR_999 (no description)");
}

static void no_devices_is_said(void **unused)
{
    plx_device_info device;
    size_t count = 77;
    (void)unused;
    fake->device_count = 0;
    assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_NO_DEVICE);
    fake->device_count = 1;
    assert_non_null(strstr(error.text, "no device; "));
}

/* Compute capability to blocks: all that a plan is made from. */
static void what_the_driver_does_not_tell_fails_the_probe(void **unused)
{
    static const struct {
        int attribute;
        const char *words;
    } needed[] = {{75, "compute capability"}, {16, "number of multiprocessors"},
                  {10, "warp size"},          {1, "threads per block"},
                  {8, "shared memory"},       {5, "largest grid"},
                  {6, "largest grid"},        {7, "largest grid"},
                  {2, "largest block"},       {3, "largest block"},
                  {4, "largest block"}};
    plx_device_info device;
    size_t count = 77;
    (void)unused;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        fake->odd_attribute = needed[i].attribute;
        fake->odd_value = -1;
        assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_FAILED);
        assert_int_equal(count, 77);
        if (strstr(error.text, "device 0 (Fake GPU 0)") == NULL || strstr(error.text, needed[i].words) == NULL)
            fail_msg("attribute %d: \"%s\"", needed[i].attribute, error.text);
    }
    fake->odd_attribute = 0;
    fail_next("cuDeviceGetAttribute", UNKNOWN);
    assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_FAILED);
    assert_non_null(strstr(error.text, "compute capability (result 999"));
    assert_int_equal(plugin->probe(&device, 1, &count, &error), PLX_OK);
}

static void a_device_is_described_without_a_context(void **unused)
{
    plx_device_info device[2];
    size_t count = 0;
    (void)unused;
    fake->device_count = 3;
    assert_int_equal(plugin->probe(device, 2, &count, &error), PLX_OK);
    fake->device_count = 1;
    assert_int_equal(count, 3);
    assert_string_equal(error.text, "");
    assert_int_equal(fake->contexts, 0);
    assert_string_equal(device[1].name, "Fake GPU 1");
    assert_string_equal(device[1].vendor, "NVIDIA Corporation");
    assert_string_equal(device[1].api, "CUDA 12.4");
    assert_true(device[1].driver[0] != '\0');
    assert_true(device[1].has_uuid);
    for (int i = 0; i < 16; i++)
        assert_int_equal(device[1].uuid[i], FAKE_UUID_FIRST + i + (i == 1 ? 16 : 0));
    assert_string_equal(device[1].pci, "0000:a8:01.0");
    assert_int_equal(device[1].compute_major, 9);
    assert_int_equal(device[1].units, 132);
    assert_int_equal(device[1].warp, 32);
    assert_int_equal(device[1].max_shared_bytes, 232448);
    assert_int_equal(device[1].max_grid[0], 2147483647);
    assert_int_equal(device[1].max_grid[1], 65535);
    assert_int_equal(device[1].max_block[2], 64);
    assert_true(device[1].memory_bytes == (uint64_t)80 << 30);
    assert_int_equal(device[1].features, PLX_FEATURE_F64 | PLX_FEATURE_SHUFFLE | PLX_FEATURE_LOCAL_MEMORY);
    assert_true(device[1].score > 100);
}

static void a_device_that_is_not_there_is_not_opened(void **unused)
{
    plx_session *session = NULL;
    (void)unused;
    assert_int_equal(plugin->open(5, &session, &error), PLX_NOT_FOUND);
    assert_string_equal(error.text, "there is no CUDA device 5; the driver lists 1");
    fail_next("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY);
    assert_int_equal(plugin->open(0, &session, &error), PLX_NO_MEMORY);
    assert_null(session);
}

/* ---- memory and queues ----------------------------------------------- */

static void bytes_travel(void **unused)
{
    bench made = begin();
    plx_memory *first, *second;
    uint32_t sent[4] = {1, 2, 3, 4}, got[4] = {0};
    (void)unused;
    assert_int_equal(plugin->alloc(made.session, 32, &first, &error), PLX_OK);
    assert_int_equal(plugin->alloc(made.session, 32, &second, &error), PLX_OK);
    assert_int_equal(plugin->fill(made.queue, first, 0, 9, 32, &error), PLX_OK);
    assert_int_equal(plugin->upload(made.queue, first, 8, sent, 8, &error), PLX_OK);
    assert_int_equal(plugin->copy(made.queue, second, 16, first, 4, 16, &error), PLX_OK);
    assert_int_equal(plugin->download(made.queue, got, second, 16, 16, &error), PLX_OK);
    assert_int_equal(plugin->synchronize(made.queue, &error), PLX_OK);
    assert_int_equal(got[0], 9);
    assert_int_equal(got[1], 1);
    assert_int_equal(got[2], 2);
    assert_int_equal(got[3], 9);
    plugin->free(made.session, second);
    plugin->free(made.session, first);
    end(made);
}

static void transfers_outside_a_buffer_are_refused(void **unused)
{
    bench made = begin();
    plx_memory *memory;
    char host[64] = {0};
    (void)unused;
    assert_int_equal(plugin->alloc(made.session, 32, &memory, &error), PLX_OK);
    assert_int_equal(plugin->upload(made.queue, memory, 1, host, 32, &error), PLX_INVALID);
    assert_int_equal(plugin->download(made.queue, host, memory, 33, 0, &error), PLX_INVALID);
    assert_int_equal(plugin->download(made.queue, host, memory, UINT64_MAX, 2, &error), PLX_INVALID);
    assert_int_equal(plugin->fill(made.queue, memory, 0, 1, 31, &error), PLX_INVALID);
    assert_int_equal(plugin->copy(made.queue, memory, 0, memory, 16, 17, &error), PLX_INVALID);
    assert_int_equal(plugin->upload(made.queue, memory, 32, host, 0, &error), PLX_OK);
    plugin->free(made.session, memory);
    end(made);
}

static void exhausted_memory_is_told_apart(void **unused)
{
    bench made = begin();
    plx_memory *memory = NULL;
    (void)unused;
    fail_next("cuMemAlloc", OUT_OF_MEMORY);
    assert_int_equal(plugin->alloc(made.session, 4096, &memory, &error), PLX_NO_MEMORY);
    assert_null(memory);
    assert_string_equal(error.text, "Fake GPU 0 has no 4096 bytes left for a buffer");
    end(made);
}

static void events_measure_nanoseconds(void **unused)
{
    bench made = begin();
    plx_plugin_event *from, *to;
    double nanoseconds = 0;
    (void)unused;
    assert_int_equal(plugin->event_create(made.session, &from, &error), PLX_OK);
    assert_int_equal(plugin->event_create(made.session, &to, &error), PLX_OK);
    assert_int_equal(plugin->event_record(made.queue, from, &error), PLX_OK);
    assert_int_equal(plugin->event_record(made.queue, to, &error), PLX_OK);
    assert_int_equal(plugin->event_elapsed(from, to, &nanoseconds, &error), PLX_OK);
    assert_true(nanoseconds == 1.5e6);
    plugin->event_destroy(to);
    plugin->event_destroy(from);
    end(made);
}

static void *upload_from_here(void *argument)
{
    const bench *made = argument;
    static plx_status status;
    plx_memory *memory;
    uint32_t value = 7;
    plx_error own;
    status = plugin->alloc(made->session, 4, &memory, &own);
    if (status == PLX_OK) {
        status = plugin->upload(made->queue, memory, 0, &value, 4, &own);
        plugin->free(made->session, memory);
    }
    return &status;
}

/* The fake driver refuses calls from a thread without a current context. */
static void any_thread_may_call(void **unused)
{
    bench made = begin();
    pthread_t thread;
    void *status = NULL;
    (void)unused;
    assert_int_equal(pthread_create(&thread, NULL, upload_from_here, &made), 0);
    assert_int_equal(pthread_join(thread, &status), 0);
    assert_int_equal(*(plx_status *)status, PLX_OK);
    end(made);
}

/* ---- sticky errors --------------------------------------------------- */

static void a_dead_context_runs_nothing_more(void **unused)
{
    bench made = begin();
    plx_memory *memory;
    size_t calls;
    (void)unused;
    assert_int_equal(plugin->alloc(made.session, 16, &memory, &error), PLX_OK);
    fail_next("cuStreamSynchronize", ILLEGAL_ADDRESS);
    assert_int_equal(plugin->synchronize(made.queue, &error), PLX_DEVICE_LOST);
    assert_string_equal(error.text, "cuStreamSynchronize failed: FAKE_ERROR_700 (as the test wants it); "
                                    "the device's context is dead and this process runs nothing more on it");
    calls = fake->calls;
    assert_int_equal(plugin->fill(made.queue, memory, 0, 0, 16, &error), PLX_DEVICE_LOST);
    assert_int_equal(plugin->synchronize(made.queue, &error), PLX_DEVICE_LOST);
    assert_int_equal(fake->calls, calls);
    plugin->free(made.session, memory);
    plugin->queue_destroy(made.queue);
    plugin->close(made.session);
    assert_int_equal(fake->contexts, 0);
}

static void other_errors_are_not_sticky(void **unused)
{
    bench made = begin();
    (void)unused;
    fail_next("cuStreamSynchronize", UNKNOWN);
    assert_int_equal(plugin->synchronize(made.queue, &error), PLX_FAILED);
    assert_int_equal(plugin->synchronize(made.queue, &error), PLX_OK);
    end(made);
}

/* Kernels for 9.0 are empty in what CUDA 11 compiles: none of them may be taken for there. */
static void an_older_toolkit_knows_no_newer_device(void **unused)
{
    const struct {
        int toolkit;
        uint32_t major, minor, seen_major, seen_minor;
    } cases[] = {{11080, 9, 0, 8, 9}, {11080, 12, 0, 8, 9}, {11080, 8, 0, 8, 0},
                 {11080, 7, 5, 7, 5}, {12000, 9, 0, 9, 0},  {13000, 10, 3, 10, 3}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plx_device_info info = {.compute_major = cases[i].major, .compute_minor = cases[i].minor};
        plx_cuda_capability_for(cases[i].toolkit, &info);
        assert_int_equal(info.compute_major, cases[i].seen_major);
        assert_int_equal(info.compute_minor, cases[i].seen_minor);
    }
}

int main(void)
{
    const struct CMUnitTest words[] = {
        cmocka_unit_test(a_missing_driver_is_named),
        cmocka_unit_test(an_old_driver_is_told_by_the_function_it_lacks),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_driver_is_explained),
        cmocka_unit_test(an_older_toolkit_knows_no_newer_device),
        cmocka_unit_test(no_devices_is_said),
        cmocka_unit_test(what_the_driver_does_not_tell_fails_the_probe),
        cmocka_unit_test(a_device_is_described_without_a_context),
        cmocka_unit_test(a_device_that_is_not_there_is_not_opened),
        cmocka_unit_test(bytes_travel),
        cmocka_unit_test(transfers_outside_a_buffer_are_refused),
        cmocka_unit_test(exhausted_memory_is_told_apart),
        cmocka_unit_test(events_measure_nanoseconds),
        cmocka_unit_test(any_thread_may_call),
        cmocka_unit_test(a_dead_context_runs_nothing_more),
        cmocka_unit_test(other_errors_are_not_sticky),
    };
    return cmocka_run_group_tests(words, NULL, NULL) + cmocka_run_group_tests(tests, start_with_fake, NULL);
}
