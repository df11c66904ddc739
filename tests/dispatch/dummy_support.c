/* Directories of dummy plugins for the tests. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

char *path_in(const char *directory, const char *file)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", directory, file) > 0);
    return path;
}

char *directory_make(void)
{
    const char *parent = getenv("TMPDIR");
    char *directory = path_in(parent != NULL ? parent : "/tmp", "parallax-test-XXXXXX");
    assert_non_null(mkdtemp(directory));
    return directory;
}

void directory_remove(char *directory)
{
    DIR *files = opendir(directory);
    assert_non_null(files);
    for (struct dirent *file; (file = readdir(files)) != NULL;) {
        if (strcmp(file->d_name, ".") == 0 || strcmp(file->d_name, "..") == 0)
            continue;
        char *path = path_in(directory, file->d_name);
        assert_int_equal(remove(path), 0);
        free(path);
    }
    assert_int_equal(closedir(files), 0);
    assert_int_equal(rmdir(directory), 0);
    free(directory);
}

/* The whole path of what was built; free() it. */
static char *built_path(const char *built)
{
    const char *top = getenv("top_builddir");
    char *relative = path_in(top != NULL ? top : ".", built), *path = realpath(relative, NULL);
    assert_non_null(path);
    free(relative);
    return path;
}

char *dummy_path(const char *dummy)
{
    char *built = NULL;
    assert_true(asprintf(&built, "tests/fakes/.libs/plx-dummy-%s.so", dummy) > 0);
    char *path = built_path(built);
    free(built);
    return path;
}

void directory_add_built(const char *directory, const char *built)
{
    char *from = built_path(built), *to = path_in(directory, strrchr(built, '/') + 1);
    assert_int_equal(symlink(from, to), 0);
    free(from);
    free(to);
}

void directory_add(const char *directory, const char *dummy, const char *file)
{
    char *from = dummy_path(dummy), *to = NULL;
    assert_true(asprintf(&to, "%s/plx-%s.so", directory, file) > 0);
    assert_int_equal(symlink(from, to), 0);
    free(from);
    free(to);
}

void directory_write(const char *directory, const char *file, const void *bytes, size_t count)
{
    char *path = path_in(directory, file);
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(bytes, 1, count, to), count);
    assert_int_equal(fclose(to), 0);
    free(path);
}

dummy_state *controls_of(const char *dummy)
{
    char *path = dummy_path(dummy);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(module);
    dummy_state *state = dlsym(module, "dummy_control");
    assert_non_null(state);
    free(path);
    return state;
}

plx_context *context_of(const char *directory)
{
    const char *const directories[] = {directory};
    const plx_context_options options = {.plugin_dirs = directories, .plugin_dir_count = 1};
    plx_context *context = NULL;
    assert_int_equal(plx_context_create(&options, &context), PLX_OK);
    return context;
}

plx_plugin_report report_of(plx_context *context, const char *directory, const char *file)
{
    plx_plugin_report report = {.name = NULL};
    char *path = NULL;
    assert_true(asprintf(&path, "%s/plx-%s.so", directory, file) > 0);
    for (size_t i = 0; i < plx_plugin_count(context); i++) {
        assert_int_equal(plx_plugin_at(context, i, &report), PLX_OK);
        if (strcmp(report.path, path) == 0) {
            free(path);
            return report;
        }
    }
    fail_msg("no report for %s", path);
    return report;
}

void shape(const char *variable, size_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", value);
    assert_int_equal(setenv(variable, text, 1), 0);
}

int unshape(void **state)
{
    static const char *const all[] = {"DUMMY_NULL", "DUMMY_ABI",   "DUMMY_SIZE",
                                      "DUMMY_NAME", "DUMMY_EMPTY", "DUMMY_KERNEL"};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        (void)unsetenv(all[i]);
    return 0;
}
