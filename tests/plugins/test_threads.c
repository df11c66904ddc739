/* The threads of the host backend: each piece once, whoever calls, and nobody woken for what is small. */
#include "backends/host/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 5000 };

static _Atomic int times[MOST];

static void count_piece(void *data, int64_t index)
{
    (void)data;
    atomic_fetch_add(&times[index], 1);
}

/* Some hundred microseconds of arithmetic. */
static void long_piece(void *data, int64_t index)
{
    volatile double sum = 0;
    for (int i = 0; i < 100000; i++)
        sum = sum + i;
    count_piece(data, index);
}

static void expect_each_once(int64_t count, void (*body)(void *data, int64_t index))
{
    for (int64_t i = 0; i < MOST; i++)
        atomic_store(&times[i], 0);
    plx_host_each(count, body, NULL);
    for (int64_t i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&times[i]), i < count);
}

static int threads_now(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *one; (one = readdir(tasks)) != NULL;)
        count += one->d_name[0] != '.';
    (void)closedir(tasks);
    return count;
}

/* In a process of its own, where nothing was woken yet. */
static int threads_of_small_calls(void)
{
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int64_t count = 0; count < 70; count++)
            expect_each_once(count, count_piece);
        _exit(threads_now());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* An interrupt within a piece may make it look long. */
static void what_is_small_wakes_nobody(void **state)
{
    int threads = 0;
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* has a thread of its own */
#endif
    for (int tries = 0; tries < 10 && threads != 1; tries++)
        threads = threads_of_small_calls();
    assert_int_equal(threads, 1);
}

static void each_piece_is_made_once(void **state)
{
    (void)state;
    for (int64_t count = 1; count < 60; count += 7)
        expect_each_once(count, long_piece);
    expect_each_once(MOST, count_piece);
    if (plx_host_threads() > 1)
        assert_true(threads_now() > 1);
}

/* ---- many callers ------------------------------------------------------------------------- */

enum { CALLERS = 6, PIECES = 40 };

static void add_piece(void *data, int64_t index)
{
    volatile double sum = 0;
    for (int i = 0; i < 30000; i++)
        sum = sum + i;
    atomic_fetch_add((_Atomic int64_t *)data, index + 1);
}

static void *call(void *data)
{
    for (int i = 0; i < 5; i++)
        plx_host_each(PIECES, add_piece, data);
    return NULL;
}

static void callers_do_not_meet(void **state)
{
    pthread_t threads[CALLERS];
    _Atomic int64_t sums[CALLERS];
    (void)state;
    for (int i = 0; i < CALLERS; i++) {
        atomic_init(&sums[i], 0);
        assert_int_equal(pthread_create(&threads[i], NULL, call, &sums[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(atomic_load(&sums[i]), 5 * PIECES * (PIECES + 1) / 2);
    }
}

static void call_again(void *data, int64_t index)
{
    (void)index;
    plx_host_each(PIECES, add_piece, data);
}

static void a_piece_may_call_itself(void **state)
{
    _Atomic int64_t sum = 0;
    (void)state;
    plx_host_each(8, call_again, &sum);
    assert_int_equal(atomic_load(&sum), 8 * PIECES * (PIECES + 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_small_wakes_nobody),
        cmocka_unit_test(each_piece_is_made_once),
        cmocka_unit_test(callers_do_not_meet),
        cmocka_unit_test(a_piece_may_call_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
