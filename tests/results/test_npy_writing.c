/* Files that are written: as a whole or not at all. */
#define _GNU_SOURCE

#include "npy_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

static void refused_arrays(void **state)
{
    (void)state;
    double value = 1;
    static const plx_array none = {.rank = 1, .dtype = PLX_F64, .rows = 1, .cols = 5, .data = NULL};
    const plx_array arrays[] = {
        none,
        {.dtype = PLX_F64, .rank = 4, .rows = 1, .cols = 1, .data = &value},
        {.dtype = PLX_F64, .rank = 3, .rows = 1, .cols = 1, .data = &value, .planes = -1},
        {.dtype = PLX_F64, .rank = 3, .rows = INT64_MAX / 2, .cols = 2, .data = &value, .planes = 4},
        {.dtype = PLX_F64, .rank = -1, .rows = 1, .cols = 1, .data = &value},
        {.dtype = PLX_F64, .rank = 2, .rows = -1, .cols = 1, .data = &value},
        {.dtype = PLX_F64, .rank = 1, .rows = 2, .cols = 1, .data = &value},
        {.dtype = PLX_F64, .rank = 0, .rows = 1, .cols = 2, .data = &value},
        {.dtype = PLX_F64, .rank = 2, .rows = INT64_MAX, .cols = 2, .data = &value},
        {.dtype = PLX_DTYPE_COUNT, .rank = 1, .rows = 1, .cols = 1, .data = &value},
    };
    (void)unlink(path);
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        plx_error error = {""};
        assert_int_equal(plx_npy_write(path, &arrays[i], &error), PLX_INVALID);
        assert_true(error.text[0] != '\0');
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void unwritable_places(void **state)
{
    (void)state;
    double value = 1;
    plx_array array = {.dtype = PLX_F64, .rank = 0, .rows = 1, .cols = 1, .data = &value};
    plx_error error = {""};
    assert_int_equal(plx_npy_write("no-such-directory/a.npy", &array, &error), PLX_IO);
    assert_non_null(strstr(error.text, "no-such-directory/a.npy"));
    assert_int_equal(plx_npy_write(directory, &array, &error), PLX_IO);
}

/* A full disk is told, and leaves nothing. */
static void full_device(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    double value = 1;
    plx_error error = {""};
    assert_int_equal(plx_npy_write("/dev/full",
                                   &(plx_array){.dtype = PLX_F64, .rank = 0, .rows = 1, .cols = 1, .data = &value},
                                   &error),
                     PLX_IO);
    assert_non_null(strstr(error.text, "No space"));
}

/* What was there stays until the new file is complete, permissions stay, a link stays
 * a link, and a discarded output changes nothing. */
static void replaces_whole_files(void **state)
{
    (void)state;
    char link_path[64], text[16] = "";
    plx_error error = {""};
    plx_output *output;
    struct stat about;
    write_file("old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    (void)snprintf(link_path, sizeof link_path, "%s/link", directory);
    assert_int_equal(symlink("a.npy", link_path), 0);

    assert_int_equal(plx_output_open(link_path, &output, &error), PLX_OK);
    assert_true(fputs("new", plx_output_stream(output)) >= 0);
    assert_int_equal(read_file((unsigned char *)text, 3), 3);
    assert_string_equal(text, "old");
    plx_output_discard(output);
    assert_int_equal(read_file((unsigned char *)text, 3), 3);
    assert_string_equal(text, "old");

    assert_int_equal(plx_output_open(link_path, &output, &error), PLX_OK);
    assert_true(fputs("new", plx_output_stream(output)) >= 0);
    assert_int_equal(plx_output_close(output, &error), PLX_OK);
    assert_int_equal(read_file((unsigned char *)text, 3), 3);
    assert_string_equal(text, "new");
    assert_int_equal(lstat(link_path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(unlink(link_path), 0);
}

/* A link that leads to no file yet leads to the new one afterwards. */
static void writes_through_dangling_links(void **state)
{
    (void)state;
    char link_path[64], text[16] = "";
    plx_error error = {""};
    plx_output *output;
    struct stat about;
    (void)unlink(path);
    (void)snprintf(link_path, sizeof link_path, "%s/link", directory);
    assert_int_equal(symlink("a.npy", link_path), 0);
    assert_int_equal(plx_output_open(link_path, &output, &error), PLX_OK);
    assert_true(fputs("new", plx_output_stream(output)) >= 0);
    assert_int_equal(plx_output_close(output, &error), PLX_OK);
    assert_int_equal(lstat(link_path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(read_file((unsigned char *)text, 3), 3);
    assert_string_equal(text, "new");
    assert_int_equal(unlink(link_path), 0);

    assert_int_equal(symlink("link", link_path), 0); /* it leads to itself */
    assert_int_equal(plx_output_open(link_path, &output, &error), PLX_IO);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(symlink("none/a.npy", link_path), 0);
    assert_int_equal(plx_output_open(link_path, &output, &error), PLX_IO);
    assert_int_equal(lstat(link_path, &about), 0);
    assert_int_equal(unlink(link_path), 0);
}

/* As long as names can be; twice, for the second one replaces the first. */
static void names_may_be_long(void **state)
{
    (void)state;
    char name[300], letters[256];
    plx_error error = {""};
    plx_output *output;
    memset(letters, 'n', sizeof letters - 1);
    letters[sizeof letters - 1] = '\0';
    (void)snprintf(name, sizeof name, "%s/%s", directory, letters);
    for (int i = 0; i < 2; i++) {
        if (plx_output_open(name, &output, &error) != PLX_OK || plx_output_close(output, &error) != PLX_OK)
            fail_msg("%s", error.text);
        assert_int_equal(access(name, F_OK), 0);
    }
    assert_int_equal(unlink(name), 0);
    (void)snprintf(name, sizeof name, "%s/%sn", directory, letters);
    assert_int_equal(plx_output_open(name, &output, &error), PLX_IO);
}

static size_t files_there(void)
{
    size_t count = 0;
    DIR *all = opendir(directory);
    assert_non_null(all);
    for (const struct dirent *one; (one = readdir(all)) != NULL;)
        count += strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0;
    (void)closedir(all);
    return count;
}

/* However a process ends that was writing. */
static void nothing_remains_of_an_end(void **state)
{
    (void)state;
    plx_error error = {""};
    plx_output *output;
    int status;
    (void)unlink(path);
    const int unnamed = open(directory, O_TMPFILE | O_WRONLY, 0600);
    if (unnamed < 0)
        skip(); /* the file system has no files without a name */
    (void)close(unnamed);
    const pid_t child = fork();
    if (child == 0) {
        if (plx_output_open(path, &output, &error) == PLX_OK && fputs("half", plx_output_stream(output)) >= 0)
            (void)fflush(plx_output_stream(output));
        (void)raise(SIGKILL);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(files_there(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_arrays),
        cmocka_unit_test(unwritable_places),
        cmocka_unit_test(full_device),
        cmocka_unit_test(replaces_whole_files),
        cmocka_unit_test(writes_through_dangling_links),
        cmocka_unit_test(names_may_be_long),
        cmocka_unit_test(nothing_remains_of_an_end),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
