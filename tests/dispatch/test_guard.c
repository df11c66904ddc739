/* What a plugin changes of its process is as it was after every public call, and is named: each change that
 * tests/fakes/hostile.c knows, while it is loaded and in its slots, in a process of its own. */
#define _GNU_SOURCE

#include "dummy_support.h"

#include <fenv.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- what the process is like, by other means than the library's ------------------------------- */

typedef struct likeness {
    bool subnormals, x87;
    int rounding;
    char locale[256], directory[4096];
    locale_t of_thread;
    mode_t umask;
    unsigned long mask;
    void (*handlers[4])(int);
    long timers[3];
    struct rlimit limits[4];
    dev_t devices[3];
    ino_t files[3];
    int flags[3];
} likeness;

static likeness look(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGCHLD, SIGSEGV};
    likeness now;
    volatile double small = 0x1p-1022, half = 0.5;
    volatile long double third = 1.0L;
    sigset_t mask;
    memset(&now, 0, sizeof now);
    now.subnormals = small * half > 0;
    third = third / 3;
    now.x87 = third * 3 == 1.0L;
    now.rounding = fegetround();
    (void)snprintf(now.locale, sizeof now.locale, "%s", setlocale(LC_ALL, NULL));
    assert_non_null(getcwd(now.directory, sizeof now.directory));
    now.of_thread = uselocale((locale_t)0);
    now.umask = umask(022);
    (void)umask(now.umask);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    for (int i = 1; i < 32; i++)
        now.mask |= (unsigned long)sigismember(&mask, i) << i;
    for (size_t i = 0; i < 4; i++) {
        struct sigaction action;
        (void)sigaction(signals[i], NULL, &action);
        now.handlers[i] = action.sa_handler;
    }
    struct itimerval timer;
    for (int i = 0; i < 3; i++)
        now.timers[i] = getitimer(i == 0   ? ITIMER_REAL
                                  : i == 1 ? ITIMER_VIRTUAL
                                           : ITIMER_PROF,
                                  &timer) == 0
                            ? timer.it_interval.tv_usec + timer.it_interval.tv_sec
                            : -1;
    (void)getrlimit(RLIMIT_AS, &now.limits[0]);
    (void)getrlimit(RLIMIT_NOFILE, &now.limits[1]);
    (void)getrlimit(RLIMIT_FSIZE, &now.limits[2]);
    (void)getrlimit(RLIMIT_STACK, &now.limits[3]);
    for (int i = 0; i < 3; i++) {
        struct stat about;
        assert_int_equal(fstat(i, &about), 0);
        now.devices[i] = about.st_dev;
        now.files[i] = about.st_ino;
        now.flags[i] = fcntl(i, F_GETFL);
    }
    return now;
}

static likeness before;

/* In a child: the exit status tells which call it was. */
static void check(int call)
{
    const likeness now = look();
    if (memcmp(&before, &now, sizeof now) != 0)
        _exit(call);
}

/* ---- every public call that comes to the plugin --------------------------------------------------- */

static void use(plx_backend *backend, bool again)
{
    const plx_problem problem = plx_reduce_of(PLX_I32, PLX_SUM, 16);
    const int32_t numbers[16] = {1, 2, 3};
    int32_t sum = 0;
    plx_view operands[2] = {{NULL, 0}};
    plx_plan *plan = NULL;
    const int base = again ? 40 : 20;
    for (size_t i = 0; i < 2; i++)
        if (plx_buffer_create(backend, i == 0 ? sizeof numbers : sizeof sum, &operands[i].buffer) != PLX_OK)
            _exit(1);
    check(base);
    if (plx_upload(NULL, operands[0].buffer, 0, numbers, sizeof numbers) != PLX_OK)
        _exit(2);
    check(base + 1);
    if (plx_plan_create(backend, &problem, NULL, &plan) != PLX_OK)
        _exit(3);
    check(base + 2);
    for (int i = 0; i < 3; i++) {
        if (plx_execute(plan, NULL, operands, 2) != PLX_OK)
            _exit(4);
        check(base + 3);
    }
    if (plx_synchronize(backend, NULL) != PLX_OK)
        _exit(5);
    check(base + 4);
    if (plx_download(NULL, &sum, operands[1].buffer, 0, sizeof sum) != PLX_OK || sum != 6)
        _exit(6);
    check(base + 5);
    plx_plan_destroy(plan);
    check(base + 6);
    for (size_t i = 0; i < 2; i++)
        plx_buffer_destroy(operands[i].buffer);
    check(base + 7);
}

/* With the caller's own rounding, where that is told by `upward`. */
static void in_child(const char *kind, const char *directory, const char *named, bool upward)
{
    const char *const directories[] = {directory};
    const plx_context_options options = {.plugin_dirs = directories, .plugin_dir_count = 1};
    plx_context *context = NULL;
    plx_backend *backend = NULL;
    char changes[512] = "";
    (void)setenv("HOSTILE", kind, 1);
    (void)setenv("PLX_PROBE", "inline", 1);
    if (upward)
        (void)fesetround(FE_UPWARD);
    before = look();
    if (plx_context_create(&options, &context) != PLX_OK)
        _exit(7);
    check(10);
    if (plx_open(context, "hostile", &backend) != PLX_OK)
        _exit(8);
    check(11);
    use(backend, false);
    use(backend, true);
    const size_t plugin = plx_backend_plugin(backend);
    plx_close(backend);
    check(12);
    plx_plugin_changes(context, plugin, changes, sizeof changes);
    if (strstr(changes, named) == NULL || (named[0] == '\0' && changes[0] != '\0')) {
        (void)fprintf(stderr, "%s: it is said that \"%s\" changed\n", kind, changes);
        _exit(9);
    }
    plx_context_destroy(context);
    _exit(0);
}

static char *hostile_directory(void)
{
    char *directory = directory_make();
    directory_add_built(directory, "tests/fakes/.libs/plx-hostile.so");
    return directory;
}

static void try_kind(const char *kind, const char *named, bool upward)
{
    char *directory = hostile_directory();
    int ended = -1;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        in_child(kind, directory, named, upward);
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != 0)
        print_error("%s: status %x\n", kind, (unsigned)ended);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
    directory_remove(directory);
}

static void everything_is_put_back_and_named(void **state)
{
    static const struct {
        const char *what, *named;
    } changes[] = {
        {"subnormals", "subnormal numbers become zero ("},
        {"rounding", "the rounding mode ("},
#if defined(__x86_64__)
        {"precision", "floating-point traps or precision ("},
#endif
        {"locale", "the locale ("},
        {"thread-locale", "the locale ("},
        {"directory", "the working directory ("},
        {"umask", "the umask ("},
        {"mask", "the signal mask ("},
        {"handlers", "handlers of SIGINT SIGSEGV SIGTERM SIGCHLD ("},
        {"timers", "timers ("},
        {"limits", "limits RLIMIT_AS RLIMIT_FSIZE RLIMIT_NOFILE RLIMIT_STACK ("},
        {"streams", "standard input, output or error ("},
        {"nonblocking", "standard input, output or error ("},
    };
    static const struct {
        const char *slot, *named;
    } slots[] = {{"constructor", "loading)"}, {"entry", "loading)"}, {"open", "opening)"}, {"plan", "planning)"},
                 {"execute", "execution)"},   {"upload", "upload)"}, {"close", "closing)"}};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        for (size_t j = 0; j < sizeof slots / sizeof slots[0]; j++) {
            char kind[64], named[128];
            (void)snprintf(kind, sizeof kind, "%s-%s", slots[j].slot, changes[i].what);
            (void)snprintf(named, sizeof named, "%s%s", changes[i].named, slots[j].named);
            try_kind(kind, named, false);
        }
}

/* And what is the caller's own stays its own. */
static void what_the_caller_set_stays(void **state)
{
    (void)state;
    try_kind("-", "", false);
    try_kind("-", "", true);
    try_kind("execute-rounding", "the rounding mode (execution)", true);
    try_kind("execute-subnormals", "subnormal numbers become zero (execution)", true);
}

int main(void)
{
    (void)signal(SIGINT, SIG_DFL); /* a shell that starts it in the background leaves it out */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_put_back_and_named),
        cmocka_unit_test(what_the_caller_set_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
