/* What a fenced process may write: nothing, and with a device the names of its threads, without which CUDA does not
 * begin. */
#define _GNU_SOURCE
#include "study/subject/subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka.h wants those. */
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_LANDLOCK = 77, NAMED = 1, WRITTEN = 2 };

/* With the flags of a driver: what exists is cut off at its begin, which is a right of its own. */
static bool opens(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return file >= 0 && close(file) == 0;
}

/* In a process of its own, which the fence is for. */
static int outcome(bool on_device, const char *file)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char text[200], comm[64];
        subject_fence(false, on_device, text, sizeof text);
        if (strstr(text, "Landlock ") == NULL || strstr(text, "no Landlock") != NULL)
            _exit(NO_LANDLOCK);
        (void)snprintf(comm, sizeof comm, "/proc/%d/task/%d/comm", (int)getpid(), (int)getpid());
        _exit((opens(comm) ? NAMED : 0) | (opens(file) ? WRITTEN : 0));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void threads_are_named_where_a_driver_is(void **unused)
{
    char file[] = "/tmp/fence-XXXXXX";
    const int made = mkstemp(file);
    (void)unused;
    assert_true(made >= 0);
    (void)close(made);
    if (!opens("/proc/self/comm")) { /* of a system that is put up just now */
        (void)unlink(file);
        skip();
    }
    const int on_host = outcome(false, file), on_device = outcome(true, file);
    (void)unlink(file);
    if (on_host == NO_LANDLOCK)
        skip();
    assert_int_equal(on_host, 0);
    assert_int_equal(on_device, NAMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_are_named_where_a_driver_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
