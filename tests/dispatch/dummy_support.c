/* Folders of dummy plugins for the tests. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

char *path_in(const char *folder, const char *file)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", folder, file) > 0);
    return path;
}

char *folder_make(void)
{
    const char *parent = getenv("TMPDIR");
    char *folder = path_in(parent != NULL ? parent : "/tmp", "parallax-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

void folder_remove(char *folder)
{
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *file; (file = readdir(directory)) != NULL;) {
        if (strcmp(file->d_name, ".") == 0 || strcmp(file->d_name, "..") == 0)
            continue;
        char *path = path_in(folder, file->d_name);
        assert_int_equal(remove(path), 0);
        free(path);
    }
    assert_int_equal(closedir(directory), 0);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

char *dummy_path(const char *dummy)
{
    const char *top = getenv("top_builddir");
    char *relative = NULL;
    assert_true(asprintf(&relative, "%s/tests/fakes/.libs/plx-dummy-%s.so", top != NULL ? top : ".", dummy) > 0);
    char *path = realpath(relative, NULL);
    assert_non_null(path);
    free(relative);
    return path;
}

void folder_add(const char *folder, const char *dummy, const char *file)
{
    char *from = dummy_path(dummy), *to = NULL;
    assert_true(asprintf(&to, "%s/plx-%s.so", folder, file) > 0);
    assert_int_equal(symlink(from, to), 0);
    free(from);
    free(to);
}

void folder_write(const char *folder, const char *file, const void *bytes, size_t count)
{
    char *path = path_in(folder, file);
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

plx_context *context_of(const char *folder)
{
    const char *const folders[] = {folder};
    const plx_context_options options = {.plugin_dirs = folders, .plugin_dir_count = 1};
    plx_context *context = NULL;
    assert_int_equal(plx_context_create(&options, &context), PLX_OK);
    return context;
}
