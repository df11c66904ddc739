/* What may be believed of the user's cache directory, that writers do not lose each other's work, and that no text is
 * kept that lost a part. */
#define _GNU_SOURCE

#include "base/cache_dir.h"
#include "base/text.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[128], directory[256], path[512], other[512];

static int set_up(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/parallax-test-XXXXXX");
    if (mkdtemp(root) == NULL || setenv("XDG_CACHE_HOME", root, 1) != 0 || unsetenv("PLX_NO_CACHE") != 0)
        return -1;
    (void)snprintf(directory, sizeof directory, "%s/parallax", root);
    (void)snprintf(other, sizeof other, "%s/other", root);
    return plx_cache_path("kept", path, sizeof path) ? 0 : -1;
}

static int tear_down(void **state)
{
    char lock[512];
    (void)state;
    (void)snprintf(lock, sizeof lock, "%s/lock", directory);
    (void)remove(path);
    (void)remove(other);
    (void)remove(lock);
    (void)rmdir(directory);
    return rmdir(root); /* nothing else is left there */
}

static void write_kept(const char *text, plx_status wanted)
{
    plx_error error = {.text = ""};
    const plx_status status = plx_cache_write(path, text, strlen(text), &error);
    if (status != wanted)
        fail_msg("status %d: %s", (int)status, error.text);
    assert_true(wanted == PLX_OK || error.text[0] != '\0');
}

static bool reads(uint64_t most)
{
    FILE *file = plx_cache_open(path, most);
    if (file != NULL)
        assert_int_equal(fclose(file), 0);
    return file != NULL;
}

static void test_kept(void **state)
{
    struct stat about;
    (void)state;
    assert_false(reads(100));
    write_kept("first", PLX_OK);
    write_kept("second", PLX_OK);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(about.st_size, 6);
    assert_int_equal(stat(directory, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_true(reads(6));
    assert_false(reads(5));
}

static void test_others_may_write(void **state)
{
    (void)state;
    write_kept("text", PLX_OK);
    assert_int_equal(chmod(path, 0622), 0);
    assert_false(reads(100));
    assert_int_equal(chmod(path, 0644), 0);
    assert_true(reads(100));
    assert_int_equal(chmod(directory, 0777), 0);
    assert_false(reads(100));
    write_kept("more", PLX_IO);
    assert_int_equal(chmod(directory, 0700), 0);
    assert_true(reads(100));
    if (geteuid() == 0) { /* somebody else's */
        assert_int_equal(chown(path, 1234, (gid_t)-1), 0);
        assert_false(reads(100));
    }
}

/* A link may lead anywhere; what it leads to is neither read nor replaced. */
static void test_link(void **state)
{
    struct stat about;
    (void)state;
    write_kept("text", PLX_OK);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(reads(100));
    write_kept("more", PLX_IO);
    assert_int_equal(stat(other, &about), 0);
    assert_int_equal(about.st_size, 4);
}

static void expect_reason(const char *wanted)
{
    plx_error error = {.text = ""};
    int lock;
    assert_int_equal(plx_cache_write(path, "text", 4, &error), PLX_IO);
    if (strstr(error.text, wanted) == NULL)
        fail_msg("\"%s\", without \"%s\"", error.text, wanted);
    assert_int_equal(plx_cache_lock(path, &lock, &error), PLX_IO);
    assert_non_null(strstr(error.text, wanted));
}

/* Each with its own remedy. */
static void test_directory_that_can_not_be(void **state)
{
    (void)state;
    const int file = open(directory, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    expect_reason("/parallax is no directory; remove it");
    assert_int_equal(unlink(directory), 0);
    assert_int_equal(symlink("/nowhere/place", directory), 0);
    expect_reason("/parallax is no directory; remove it");
    assert_int_equal(unlink(directory), 0);
    write_kept("text", PLX_OK);
    assert_int_equal(chmod(directory, 0777), 0);
    expect_reason("others may write into its directory; chmod go-w");
    assert_int_equal(chmod(directory, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(directory, 1234, (gid_t)-1), 0);
        expect_reason("its directory is another user's");
        assert_int_equal(chown(directory, 0, (gid_t)-1), 0);
    }
    (void)snprintf(path, sizeof path, "/proc/nowhere/parallax/kept");
    expect_reason("its directory can't be made: No such file or directory");
    assert_true(plx_cache_path("kept", path, sizeof path));
}

static void test_pipe(void **state)
{
    (void)state;
    write_kept("text", PLX_OK);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(reads(100)); /* and does not wait */
    write_kept("more", PLX_IO);
}

/* Adds 1 to the number in the file, as often as that, always under the lock. */
static void count(int times)
{
    for (int i = 0; i < times; i++) {
        char text[32] = "0";
        int lock;
        plx_error error;
        if (plx_cache_lock(path, &lock, &error) != PLX_OK)
            _exit(1);
        FILE *file = plx_cache_open(path, 32);
        if (file != NULL && fgets(text, sizeof text, file) == NULL)
            _exit(2);
        if (file != NULL)
            (void)fclose(file);
        (void)snprintf(text, sizeof text, "%ld", strtol(text, NULL, 10) + 1);
        if (plx_cache_write(path, text, strlen(text), &error) != PLX_OK)
            _exit(3);
        plx_cache_unlock(lock);
    }
}

enum { WRITERS = 4, TIMES = 50 };

static void test_writers(void **state)
{
    char text[16] = "";
    (void)state;
    for (int i = 0; i < WRITERS; i++)
        if (fork() == 0) {
            count(TIMES);
            _exit(0);
        }
    for (int i = 0, ended; i < WRITERS; i++) {
        assert_true(wait(&ended) > 0);
        assert_int_equal(ended, 0);
    }
    FILE *file = plx_cache_open(path, 32);
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    assert_int_equal(fclose(file), 0);
    assert_int_equal(strtol(text, NULL, 10), WRITERS * TIMES);
}

/* As a stream in memory that finds none for one part, and some for the next: closing it succeeds. */
static ssize_t loses_the_second(void *cookie, const char *bytes, size_t length)
{
    int *parts = cookie;
    (void)bytes;
    return ++*parts == 2 ? 0 : (ssize_t)length;
}

static bool is_whole_after(int parts)
{
    int written = 0;
    FILE *to = fopencookie(&written, "w", (cookie_io_functions_t){.write = loses_the_second});
    assert_non_null(to);
    for (int i = 0; i < parts; i++) {
        (void)fputs("part", to);
        (void)fflush(to);
    }
    return plx_text_whole(to);
}

static void test_text_that_lost_a_part(void **state)
{
    (void)state;
    assert_true(is_whole_after(1));
    assert_false(is_whole_after(2));
    assert_false(is_whole_after(3));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_kept),
        TEST(test_others_may_write),
        TEST(test_link),
        TEST(test_directory_that_can_not_be),
        TEST(test_pipe),
        TEST(test_writers),
        cmocka_unit_test(test_text_that_lost_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
