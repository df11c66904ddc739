/* What can happen in every slot of the hostile plugin. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <linux/capability.h>
#endif

#include <parallax/floats.h>

/* ---- what can happen anywhere ---------------------------------------------------- */

static void do_segv(void)
{
    (void)raise(SIGSEGV);
}

void do_loop(void)
{
    for (;;)
        (void)nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
}

static void do_spin(void)
{
    for (volatile unsigned long i = 0;; i++)
        ;
}

static void do_exit(void)
{
    exit(0);
}

static void do_exit1(void)
{
    exit(1);
}

static void do_exit_at_once(void)
{
    _exit(0);
}

void do_kill(void)
{
    (void)raise(SIGKILL);
}

static void do_stop(void)
{
    (void)raise(SIGSTOP);
}

static void do_overflow(void) /* of the stack */
{
    volatile char much[65536];
    much[0] = 1;
    if (much[0] == 1)
        do_overflow();
    much[1] = 2;
}

static void do_null(void)
{
    static volatile uintptr_t address = 8;
    *(volatile int *)address = 1; /* which is nowhere */
}

static void do_close(void) /* every file that is open */
{
    for (int i = 0; i < 256; i++)
        (void)close(i);
}

static void do_pipe(void)
{
    (void)raise(SIGPIPE);
}

static void do_alarm(void)
{
    (void)raise(SIGALRM);
}

static void do_real_time(void)
{
    (void)raise(SIGRTMIN + 3);
}

/* ---- what it changes of its process -------------------------------------------------- */

static void do_subnormals(void) /* become zero */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.control |= 0x8040;
#elif defined(__aarch64__)
    now.control |= 0x01000000;
#endif
    plx_floats_set(now);
}

static void do_rounding(void) /* upward */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.control |= 0x4000;
    now.x87 |= 0x0800;
#elif defined(__aarch64__)
    now.control |= 0x00400000;
#endif
    plx_floats_set(now);
}

static void do_precision(void) /* of x87: that of f32; and the masks of exceptions */
{
    plx_floats now = plx_floats_now();
#if defined(__x86_64__)
    now.x87 &= 0x0c3f;
#endif
    plx_floats_set(now);
}

static void do_locale(void)
{
    if (setlocale(LC_ALL, "C.UTF-8") == NULL)
        (void)setlocale(LC_ALL, "C.utf8");
}

static void do_thread_locale(void)
{
    (void)uselocale(newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0));
}

static void do_directory(void)
{
    (void)!chdir("/");
}

static void do_umask(void)
{
    (void)umask(0777);
}

static void do_mask(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static void do_handlers(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGCHLD, SIG_IGN);
    (void)signal(SIGSEGV, SIG_DFL);
}

static void set_timers(long microseconds)
{
    const struct itimerval often = {{0, microseconds}, {0, microseconds}};
    (void)setitimer(ITIMER_REAL, &often, NULL);
    (void)setitimer(ITIMER_PROF, &often, NULL);
    (void)setitimer(ITIMER_VIRTUAL, &often, NULL);
}

static void do_timers(void)
{
    set_timers(900000);
}

static void do_alarms(void) /* which go off while it is at work */
{
    set_timers(500);
    for (volatile unsigned long i = 0; i < 100000000; i++)
        ;
}

static void do_limits(void)
{
    static const int lowered[] = {RLIMIT_AS, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_STACK};
    for (size_t i = 0; i < sizeof lowered / sizeof lowered[0]; i++) {
        struct rlimit now;
        if (getrlimit(lowered[i], &now) != 0)
            continue;
        now.rlim_cur = lowered[i] == RLIMIT_NOFILE ? 3 : 4096;
        (void)setrlimit(lowered[i], &now);
    }
}

static void do_hard_limits(void) /* which only root may raise again, so it drops what root may */
{
#if defined(__linux__)
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
    (void)syscall(SYS_capset, &header, data);
#endif
    (void)setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 40, (rlim_t)1 << 40});
}

static void do_streams(void)
{
    const int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3; i++)
        (void)dup2(nowhere, i);
    (void)close(nowhere);
}

static void do_nonblocking(void)
{
    for (int i = 0; i < 3; i++)
        (void)fcntl(i, F_SETFL, O_NONBLOCK);
}

static void do_banner(void)
{
    (void)!write(1, "BANNER\n", 7);
    (void)printf("BANNER\n");
    (void)fflush(stdout);
}

static void do_end_thread(void)
{
    pthread_exit(NULL);
}

extern char **environ;

static void do_forget(void) /* what the program was started with */
{
    for (size_t i = 0; environ[i] != NULL; i++)
        memset(environ[i], 'x', strlen(environ[i]));
    memset(program_invocation_name, 'x', strlen(program_invocation_name));
    (void)raise(SIGSEGV);
}

static const struct action {
    const char *name;
    void (*act)(void);
} actions[] = {
    {"segv", do_segv},
    {"null", do_null},
    {"abort", abort},
    {"loop", do_loop},
    {"spin", do_spin},
    {"exit", do_exit},
    {"exit1", do_exit1},
    {"exit-at-once", do_exit_at_once},
    {"kill", do_kill},
    {"stop", do_stop},
    {"overflow", do_overflow},
    {"close-files", do_close},
    {"pipe", do_pipe},
    {"alarm", do_alarm},
    {"real-time", do_real_time},
    {"subnormals", do_subnormals},
    {"rounding", do_rounding},
    {"precision", do_precision},
    {"locale", do_locale},
    {"thread-locale", do_thread_locale},
    {"directory", do_directory},
    {"umask", do_umask},
    {"mask", do_mask},
    {"handlers", do_handlers},
    {"timers", do_timers},
    {"alarms", do_alarms},
    {"limits", do_limits},
    {"hard-limits", do_hard_limits},
    {"streams", do_streams},
    {"nonblocking", do_nonblocking},
    {"banner", do_banner},
    {"end-thread", do_end_thread},
    {"forget", do_forget},
};

/* Does harm in this slot, when it is asked for. */
void at(const char *slot)
{
    const size_t length = strlen(slot);
    if (strncmp(kind(), slot, length) != 0 || kind()[length] != '-')
        return;
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(kind() + length + 1, actions[i].name) == 0)
            actions[i].act();
}
