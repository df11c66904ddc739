/* How the program ends: with its own status.  Plugins, the drivers behind them and what these leave to be
 * done at an exit have no say in it once the work is done, and what ends the program before is a
 * failure of theirs, with a word. */
#define _GNU_SOURCE /* dladdr */

#include "cli.h"

#include "base/privileges.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t is_done;

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

/* ---- faults ------------------------------------------------------------------- */

/* The plugin that the thread was in, or a library that it called; NULL: in none, so that the fault
 * is our own. */
static const char *plugin_at_work(void)
{
    void *frames[128];
    const int count = backtrace(frames, sizeof frames / sizeof frames[0]);
    for (int i = 0; i < count; i++) {
        Dl_info about;
        if (dladdr(frames[i], &about) == 0 || about.dli_fname == NULL)
            continue;
        const char *slash = strrchr(about.dli_fname, '/'),
                   *file = slash != NULL ? slash + 1 : about.dli_fname;
        if (strncmp(file, "plx-", 4) == 0)
            return about.dli_fname;
    }
    return NULL;
}

/* What it finds may itself be broken: a second fault, or a lock that is held, ends it. */
static void on_fault(int number)
{
    (void)alarm(5);
    (void)signal(SIGALRM, SIG_DFL);
    const char *plugin = plugin_at_work();
    if (plugin == NULL) { /* as if there were no handler, which is gone */
        (void)raise(number);
        return;
    }
    put((const char *const[]){cli_who, ": ", strsignal(number), " in the plugin ", plugin,
                              " or in what it calls; without it: --backend with another, or remove the file",
                              NULL});
    _exit(CLI_BACKEND_FAILED);
}

static void on_deadline(int number)
{
    (void)number;
    (void)alarm(5);
    (void)signal(SIGALRM, SIG_DFL);
    const char *plugin = plugin_at_work();
    put((const char *const[]){cli_who, ": not done after the seconds of $PLX_DEADLINE",
                              plugin != NULL ? "; it was in the plugin " : "", plugin != NULL ? plugin : "",
                              NULL});
    _exit(CLI_BACKEND_FAILED);
}

/* Who has taken a signal already, such as a sanitizer, keeps it. */
static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction now, wanted = {.sa_handler = handler, .sa_flags = flags};
    (void)sigemptyset(&wanted.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
        (void)sigaction(number, &wanted, NULL);
}

/* A stack of its own: the other one may be what is exhausted. */
static void handle_faults(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    static char room[1 << 16];
    const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    if (sigaltstack(&stack, NULL) != 0)
        return;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        handle(faults[i], on_fault, SA_ONSTACK | (int)SA_RESETHAND | SA_NODEFER);
}

/* ---- exits ---------------------------------------------------------------------- */

/* Registered before any plugin could register anything, and so called after all of that. */
static void at_exit(void)
{
    if (is_done)
        return;
    put((const char *const[]){
        cli_who, ": a plugin, or a library behind it, ended the program before its work was done", NULL});
    _exit(CLI_BACKEND_FAILED);
}

/* With raised privileges nothing is heeded of what its user set, by us, by the libraries that find
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

void cli_begin(void)
{
    if (plx_is_privileged())
        clear_environment();

    const char *deadline = plx_getenv("PLX_DEADLINE");
    const unsigned long seconds = deadline != NULL ? strtoul(deadline, NULL, 10) : 0;
    void *frame;
    (void)backtrace(&frame, 1); /* loads what it needs, which a handler must not */
    (void)atexit(at_exit);
    handle_faults();
    if (seconds > 0 && seconds <= 86400) {
        handle(SIGALRM, on_deadline, SA_ONSTACK);
        (void)alarm((unsigned)seconds);
    }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ENDS_BY_EXIT true /* leaks are looked for then */
#else
#define ENDS_BY_EXIT false
#endif

/* Where coverage is counted, it is written now. */
void __gcov_dump(void) __attribute__((weak));

void cli_end(int status)
{
    is_done = 1;
    if (ENDS_BY_EXIT)
        exit(status);
    (void)fflush(stderr);
    if (__gcov_dump != NULL)
        __gcov_dump();
    _exit(status);
}
