/* Backends with raised privileges, in a program that does not clear its environment: what leads drivers
 * elsewhere is gone before a driver is loaded, and nothing is gone without. */
#define _GNU_SOURCE /* setenv */
#include <parallax/plugin.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

static int raised;

/* In place of the C library's, also for the plugins. */
__attribute__((visibility("default"))) unsigned long getauxval(unsigned long type)
{
    return type == AT_SECURE ? (unsigned long)raised : 0;
}

static void ask_for_devices(const char *file)
{
    plx_device_info devices[8];
    char path[4096];
    plx_plugin_entry_function entry;
    plx_error error;
    size_t count;
    (void)snprintf(path, sizeof path, "%s/.libs/%s", getenv("top_builddir") != NULL ? getenv("top_builddir") : ".",
                   file);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module == NULL)
        _exit(77);
    void *address = dlsym(module, PLX_PLUGIN_ENTRY);
    memcpy(&entry, &address, sizeof entry);
    (void)entry()->probe(devices, 8, &count, &error);
}

/* What whoever starts a program may put between its variables: a name without '='. */
static void add_lone_names(void)
{
    static char cuda[] = "CUDA_ALONE", opencl[] = "POCL_ALONE";
    static char *longer[4096];
    size_t count = 0;
    for (; environ[count] != NULL && count < sizeof longer / sizeof longer[0] - 3; count++)
        longer[count] = environ[count];
    longer[count] = cuda;
    longer[count + 1] = opencl;
    environ = longer;
}

/* A driver is loaded once in a process: a process for each. */
static void assert_environment(const char *file, int with, const char *const *variables, const char *kept)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        raised = with;
        for (size_t i = 0; variables[i] != NULL; i++)
            (void)setenv(variables[i], "/nonexistent", 1);
        (void)setenv(kept, "1", 1);
        add_lone_names();
        (void)alarm(60); /* they must not be removed for ever */
        ask_for_devices(file);
        for (size_t i = 0; variables[i] != NULL; i++)
            if ((getenv(variables[i]) == NULL) != with)
                _exit(2);
        _exit(getenv(kept) != NULL ? 0 : 3);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_cuda(void **state)
{
    static const char *const injected[] = {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_COREDUMP_FILE",
                                           "CUDA_CACHE_PATH", NULL};
    (void)state;
    assert_environment("plx-cuda.so", 1, injected, "CUDAX");
    assert_environment("plx-cuda.so", 0, injected, "CUDAX");
}

static void test_opencl(void **state)
{
    static const char *const elsewhere[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_LAYERS", "POCL_CACHE_DIR",
                                            NULL};
    (void)state;
    assert_environment("plx-opencl.so", 1, elsewhere, "OPENCLX");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuda), cmocka_unit_test(test_opencl)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
