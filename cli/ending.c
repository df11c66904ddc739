/* How the program ends: with its own status.  Plugins, the drivers behind them and what these leave to be
 * done at an exit have no say in it once the work is done, and what ends the program before is a
 * failure of theirs, with a word. */
#define _GNU_SOURCE /* dladdr */

#include "cli.h"

#include "base/clock.h"
#include "base/coverage.h"
#include "base/privileges.h"
#include "base/text.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

static volatile sig_atomic_t is_done;
static pid_t process;         /* that is the program, and none that something forked off */
static unsigned seconds_left; /* of $PLX_DEADLINE, once its alarm was stopped; 0: there is none */

static void leave(int status) __attribute__((noreturn));
static void leave(int status)
{
    is_done = 1;
    _exit(status);
}

/* A line to standard error, by means that a signal handler may use. */
static void put(const char *const *pieces)
{
    char line[512];
    size_t length = 0;
    for (; *pieces != NULL; pieces++)
        for (const char *at = *pieces; *at != '\0' && length < sizeof line - 1; at++)
            line[length++] = *at;
    line[length++] = '\n';
    (void)!write(STDERR_FILENO, line, length);
}

/* Text that is put together likewise. */
static void add(char *to, size_t capacity, const char *from)
{
    size_t at = strlen(to);
    for (; *from != '\0' && at + 1 < capacity; from++)
        to[at++] = *from;
    to[at] = '\0';
}

/* ---- who is to blame ---------------------------------------------------------------- */

/* What stands on the calling thread's stack. */
typedef struct stack {
    const char *plugin; /* the path of the first one; NULL: none is there */
    bool is_ours;       /* the program or its libraries are */
} stack;

static stack look_at_stack(void)
{
    void *frames[128];
    stack found = {.plugin = NULL};
    const int count = backtrace(frames, sizeof frames / sizeof frames[0]);
    for (int i = 0; i < count; i++) {
        Dl_info about;
        if (dladdr(frames[i], &about) == 0 || about.dli_fname == NULL)
            continue;
        const char *slash = strrchr(about.dli_fname, '/'), *file = slash != NULL ? slash + 1 : about.dli_fname;
        if (strncmp(file, "plx-", 4) == 0 && found.plugin == NULL)
            found.plugin = about.dli_fname;
        found.is_ours = found.is_ours || strncmp(file, "libparallax", 11) == 0;
    }
    return found;
}

/* The thread's own call; where the thread is a driver's, one that another thread is in. */
static bool find_call(bool of_others, plx_call *call)
{
    return plx_calls(call, 1) == 1 && (call->own || of_others);
}

static const char remedy[] = "; reinstall or restart the driver behind it, or leave it out: --backend with another";

/* What plx-NAME.so is called, if it is called as its file is. */
static void add_name(char *to, size_t capacity, const char *plugin)
{
    const char *slash = strrchr(plugin, '/');
    add(to, capacity, (slash != NULL ? slash + 1 : plugin) + 4);
    if (strlen(to) > 3)
        to[strlen(to) - 3] = '\0';
}

/* Ends the program for what a backend did, or begins again without it.  Call and plugin may be NULL. */
static void end_for(const plx_call *call, const char *plugin, const char *what)
{
    char reason[512] = "", label[48] = "";
    if (call == NULL && plugin != NULL)
        add_name(label, sizeof label, plugin);
    if (call != NULL) {
        add(label, sizeof label, call->backend);
        add(reason, sizeof reason, call->what);
        add(reason, sizeof reason, call->kernel[0] != '\0' ? " of " : "");
        add(reason, sizeof reason, call->kernel);
        add(reason, sizeof reason, " ");
    }
    add(reason, sizeof reason, what);
    add(reason, sizeof reason, plugin != NULL ? " in the plugin " : "");
    add(reason, sizeof reason, plugin != NULL ? plugin : "");
    plx_text_clean(reason, sizeof reason); /* it is one line of a terminal, and of what is told */
    const bool again = label[0] != '\0' && cli_may_begin_again(label);
    add(reason, sizeof reason, remedy);
    put((const char *const[]){cli_who, ": ", label, label[0] != '\0' ? ": " : "", reason,
                              again ? "; going on without it" : "", NULL});
    if (again)
        cli_begin_again(label, reason, seconds_left);
    leave(CLI_BACKEND_FAILED);
}

/* ---- faults ------------------------------------------------------------------- */

/* What it finds may itself be broken: a second fault, or a lock that is held, ends it. */
static void guard_handler(void)
{
    seconds_left = alarm(5);
    (void)signal(SIGALRM, SIG_DFL);
}

/* Threads that share a backend fault at the same time: the first one speaks.  False: it is the same thread
 * once more. */
static bool is_first(void)
{
    static atomic_int speaker;
    const int self = (int)syscall(SYS_gettid);
    int nobody = 0;
    if (atomic_compare_exchange_strong(&speaker, &nobody, self))
        return true;
    while (nobody != self)
        (void)pause();
    return false;
}

/* As if there were no handler. */
static void fault_plainly(int number)
{
    (void)signal(number, SIG_DFL);
    plx_coverage_write();
    (void)raise(number);
}

static void on_fault(int number)
{
    plx_call call;
    char what[128] = "ended the program by a signal (";
    if (!is_first()) {
        fault_plainly(number);
        return;
    }
    guard_handler();
    const stack at = look_at_stack();
    const bool known = find_call(at.plugin == NULL && !at.is_ours, &call);
    if (!known && at.plugin == NULL && at.is_ours) {
        fault_plainly(number);
        return;
    }
    add(what, sizeof what, strsignal(number));
    add(what, sizeof what, ")");
    end_for(known ? &call : NULL, at.plugin, what);
}

static void on_deadline(void)
{
    plx_call call;
    guard_handler();
    const bool known = find_call(true, &call);
    put((const char *const[]){cli_who, ": not done after the seconds of $PLX_DEADLINE", known ? "; it was in " : "",
                              known ? call.backend : "", known ? ", " : "", known ? call.what : "",
                              known && call.kernel[0] != '\0' ? " of " : "", known ? call.kernel : "", NULL});
    leave(CLI_BACKEND_FAILED);
}

/* ---- timers ------------------------------------------------------------------------ */

static double ends_at; /* by plx_now_ns(); 0: there is none */

static void tell_timer(int number)
{
    static volatile sig_atomic_t is_told;
    plx_call call;
    const bool known = find_call(true, &call);
    if (is_told)
        return;
    is_told = 1;
    put((const char *const[]){cli_who, ": ", known ? call.backend : "", known ? ": " : "", known ? call.what : "",
                              known ? ": " : "", "a timer of a plugin, or of a library behind it, went off (",
                              strsignal(number), "); it is passed over", NULL});
}

/* A timer that a plugin set may replace ours. */
static void on_timer(int number, siginfo_t *from, void *unused)
{
    const double left = ends_at > 0 ? (ends_at - plx_now_ns()) * 1e-9 : 0;
    (void)unused;
    if (is_done)
        return;
    if (from->si_code == SI_USER || from->si_code == SI_TKILL) {
        fault_plainly(number);
        return;
    }
    if (number == SIGALRM && ends_at > 0 && left < 0.05)
        on_deadline();
    if (ends_at > 0)
        (void)alarm((unsigned)left + 1);
    tell_timer(number);
}

/* By default each of them ends a process without a word. */
static void begin_timers(void)
{
    static const int of_timers[] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (size_t i = 0; i < sizeof of_timers / sizeof of_timers[0]; i++) {
        struct sigaction now, wanted = {.sa_sigaction = on_timer, .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_RESTART};
        (void)sigemptyset(&wanted.sa_mask);
        if (sigaction(of_timers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            (void)sigaction(of_timers[i], &wanted, NULL);
    }
}

void cli_give_up(const plx_call *call, unsigned seconds)
{
    char what[128];
    (void)snprintf(what, sizeof what, "had not come back after %u s ($PLX_CALL_SECONDS)", seconds);
    seconds_left = alarm(0);
    end_for(call, NULL, what);
}

/* Those that end a process by default, and are taken unless a sanitizer has them. */
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
enum { FAULT_COUNT = sizeof faults / sizeof faults[0] };
static bool is_taken[FAULT_COUNT];

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction wanted = {.sa_handler = handler, .sa_flags = flags};
    (void)sigemptyset(&wanted.sa_mask);
    (void)sigaction(number, &wanted, NULL);
}

/* Compilers within drivers take signals for themselves, to remove their files. */
void cli_take_faults(void)
{
    for (size_t i = 0; i < FAULT_COUNT; i++)
        if (is_taken[i])
            handle(faults[i], on_fault, SA_ONSTACK | SA_NODEFER);
}

/* A stack of its own: the other one may be what is exhausted. */
static void begin_faults(void)
{
    static char room[1 << 16];
    const stack_t alternate = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction now;
    if (sigaltstack(&alternate, NULL) != 0)
        return;
    for (size_t i = 0; i < FAULT_COUNT; i++)
        is_taken[i] = sigaction(faults[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL;
    cli_take_faults();
}

/* ---- exits ---------------------------------------------------------------------- */

static void end_early(void)
{
    plx_call call;
    const bool known = find_call(true, &call);
    if (!known)
        put((const char *const[]){
            cli_who, ": a plugin, or a library behind it, ended the program before its work was done", NULL});
    else
        end_for(&call, NULL, "ended the program before its work was done");
    leave(CLI_BACKEND_FAILED);
}

/* Registered before any plugin could register anything, and so called after all of that. */
static void at_exit(void)
{
    if (!is_done)
        end_early();
}

/* With raised privileges nothing is honoured of what its user set, by us, by the libraries that find
 * drivers, or by the drivers: all but what a terminal needs is gone. */
static void clear_environment(void)
{
    static const char *const harmless[] = {"TERM", "NO_COLOR", "COLUMNS", "LANG", "LC_ALL", "LC_CTYPE"};
    char *kept[sizeof harmless / sizeof harmless[0]];
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        const char *value = getenv(harmless[i]);
        kept[i] = value != NULL ? strdup(value) : NULL;
    }
    (void)clearenv();
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (kept[i] != NULL)
            (void)setenv(harmless[i], kept[i], 1);
        free(kept[i]);
    }
}

void cli_begin(char **argv)
{
    if (plx_is_privileged())
        clear_environment();

    const char *deadline = plx_getenv("PLX_DEADLINE");
    const unsigned long seconds = deadline != NULL ? strtoul(deadline, NULL, 10) : 0;
    void *frame;
    process = getpid();
    cli_again_prepare(argv);
    (void)backtrace(&frame, 1); /* loads what it needs, which a handler must not */
    (void)atexit(at_exit);
    begin_faults();
    begin_timers();
    if (seconds > 0 && seconds <= 86400) {
        const unsigned left = alarm((unsigned)seconds), /* of before it began again */
            until = left > 0 && left < seconds ? left : (unsigned)seconds;
        ends_at = plx_now_ns() + 1e9 * until;
        (void)alarm(until);
    }
    cli_process_keep();
}

/* A build with AddressSanitizer would do so at an exit, which is not had here. */
static void look_for_leaks(void)
{
#if defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
}

void cli_end(int status)
{
    is_done = 1;
    look_for_leaks();
    (void)fflush(stderr);
    _exit(status);
}

/* That which no exit handler sees: a call of _exit() by a plugin or a library behind it.  The program's own
 * definition comes before the C library's. */
__attribute__((visibility("default"))) void _exit(int status)
{
    if (process == getpid() && !is_done)
        end_early();
    plx_coverage_write();
    for (;;)
        (void)syscall(SYS_exit_group, status);
}

__attribute__((visibility("default"))) void _Exit(int status)
{
    _exit(status);
}
