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
    assert_int_equal(fake->contexts, made.contexts);
}
