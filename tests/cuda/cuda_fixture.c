/* Loads the cuda plugin and the fake driver from the build tree. */
#define _GNU_SOURCE

#include "cuda_fixture.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const plx_plugin *plugin;
fake_cuda_state *fake;
plx_error error;

static const char *build_path(const char *file)
{
    static char path[4096];
    const char *directory = getenv("top_builddir");
    (void)snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : ".", file);
    return path;
}

static void *open_or_fail(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        fail_msg("%s", dlerror());
    return module;
}

const plx_plugin *load_plugin(void)
{
    plx_plugin_entry_function entry;
    void *address = dlsym(open_or_fail(build_path(".libs/plx-cuda.so")), PLX_PLUGIN_ENTRY);
    assert_non_null(address);
    memcpy(&entry, &address, sizeof entry);
    return entry();
}

/* A function of the driver, into a pointer. */
void find_in_driver(const char *name, void *pointer)
{
    void *address = dlsym(open_or_fail(build_path("tests/fakes/.libs/fake-cuda.so")), name);
    assert_non_null(address);
    memcpy(pointer, &address, sizeof address);
}

void *current_context(void)
{
    int (*get)(void **);
    void *context = NULL;
    find_in_driver("cuCtxGetCurrent", &get);
    assert_int_equal(get(&context), 0);
    return context;
}

void make_current(void *context)
{
    int (*set)(void *);
    find_in_driver("cuCtxSetCurrent", &set);
    assert_int_equal(set(context), 0);
}

static int exchange_mode(int mode)
{
    int (*exchange)(int *);
    find_in_driver("cuThreadExchangeStreamCaptureMode", &exchange);
    assert_int_equal(exchange(&mode), 0);
    return mode;
}

int capture_mode(void)
{
    const int mode = exchange_mode(CAPTURE_GLOBAL);
    (void)exchange_mode(mode);
    return mode;
}

void set_capture_mode(int mode)
{
    (void)exchange_mode(mode);
}

void *other_context(int device)
{
    fake_cuda_other_context_function *other;
    int (*retain)(void **, int), (*release)(int);
    void *context = NULL;
    find_in_driver("fake_cuda_other_context", &other);
    if (device >= 0)
        return other(device);
    find_in_driver("cuDevicePrimaryCtxRetain", &retain);
    find_in_driver("cuDevicePrimaryCtxRelease_v2", &release);
    assert_int_equal(retain(&context, 0), 0);
    assert_int_equal(release(0), 0);
    return context;
}

void *make_stream(void)
{
    int (*create)(void **, unsigned);
    void *stream = NULL;
    find_in_driver("cuStreamCreate", &create);
    assert_int_equal(create(&stream, 1), 0);
    fake->streams--; /* the test's, and no leak of the plugin's */
    return stream;
}

void capture(void *stream, int mode)
{
    int (*start)(void *, int);
    find_in_driver("cuStreamBeginCapture_v2", &start);
    assert_int_equal(start(stream, mode), 0);
}

void *begin_capture(int mode)
{
    void *stream = make_stream();
    capture(stream, mode);
    return stream;
}

int end_capture(void *stream)
{
    int (*finish)(void *, void **);
    void *graph = NULL;
    find_in_driver("cuStreamEndCapture", &finish);
    return finish(stream, &graph);
}

uint64_t make_memory(int kind, size_t bytes)
{
    int (*allocate)(unsigned long long *, size_t);
    unsigned long long address = 0;
    find_in_driver("cuMemAlloc_v2", &allocate);
    fake->next_is = kind;
    assert_int_equal(allocate(&address, bytes), 0);
    return address;
}

void free_memory(uint64_t address)
{
    int (*give_back)(unsigned long long);
    find_in_driver("cuMemFree_v2", &give_back);
    assert_int_equal(give_back(address), 0);
}

static fake_cuda_state *load_fake(void)
{
    fake_cuda_control_function *control;
    void *address = dlsym(open_or_fail(build_path("tests/fakes/.libs/fake-cuda.so")), "fake_cuda_control");
    assert_non_null(address);
    memcpy(&control, &address, sizeof control);
    return control();
}

void fail_next(const char *function, int result)
{
    fake->failing_function = function;
    fake->failing_result = result;
}

int start_with_fake(void **unused)
{
    (void)unused;
    setenv("PLX_CUDA_LIBRARY", build_path("tests/fakes/.libs/fake-cuda.so"), 1);
    fake = load_fake();
    plugin = load_plugin();
    return 0;
}

bench begin(void)
{
    bench made = {.contexts = fake->contexts};
    assert_int_equal(plugin->open(0, &made.session, &error), PLX_OK);
    assert_int_equal(plugin->queue_create(made.session, &made.queue, &error), PLX_OK);
    return made;
}

void end(bench made)
{
    plugin->queue_destroy(made.queue);
    plugin->close(made.session);
    assert_int_equal(fake->left_behind, 0);
    assert_int_equal(fake->bad_frees, 0);
    assert_int_equal(fake->contexts, made.contexts);
}
