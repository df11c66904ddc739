/* What belongs to the whole process, or to a thread: kept, and put back. */
#define _GNU_SOURCE /* O_PATH, uselocale */

#include "base/process.h"

#include "base/clock.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* ---- names ---------------------------------------------------------------------------- */

const char *plx_part_name(plx_part part)
{
    static const char *const names[PLX_PART_COUNT] = {
        [PLX_PART_SUBNORMALS] = "subnormal numbers become zero",
        [PLX_PART_ROUNDING] = "the rounding mode",
        [PLX_PART_FLOATS] = "floating-point traps or precision",
        [PLX_PART_LOCALE] = "the locale",
        [PLX_PART_DIRECTORY] = "the working directory",
        [PLX_PART_UMASK] = "the umask",
        [PLX_PART_MASK] = "the signal mask",
        [PLX_PART_HANDLERS] = "handlers of signals",
        [PLX_PART_TIMERS] = "timers",
        [PLX_PART_LIMITS] = "limits",
        [PLX_PART_STREAMS] = "standard input, output or error",
    };
    return names[part];
}

static void add(char *text, size_t capacity, const char *word)
{
    const size_t length = strlen(text);
    (void)snprintf(text + length, capacity - length, "%s%s", length > 0 ? " " : "", word);
}

void plx_signals_text(uint64_t signals, char *text, size_t capacity)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},
                 {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                 {SIGUSR1, "SIGUSR1"}, {SIGSEGV, "SIGSEGV"}, {SIGUSR2, "SIGUSR2"}, {SIGPIPE, "SIGPIPE"},
                 {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGCHLD, "SIGCHLD"}, {SIGXCPU, "SIGXCPU"},
                 {SIGXFSZ, "SIGXFSZ"}, {SIGPROF, "SIGPROF"}, {SIGIO, "SIGIO"},     {SIGSYS, "SIGSYS"}};
    bool others = false;
    text[0] = '\0';
    for (int number = 1; number <= PLX_SIGNALS; number++) {
        size_t i = 0;
        if ((signals >> (number - 1) & 1) == 0)
            continue;
        while (i < sizeof known / sizeof known[0] && known[i].number != number)
            i++;
        if (i < sizeof known / sizeof known[0])
            add(text, capacity, known[i].name);
        else
            others = true;
    }
    if (others)
        add(text, capacity, text[0] != '\0' ? "and others" : "others");
}

/* Those that a computation can meet. */
static const struct {
    int number;
    const char *name;
} limits[PLX_LIMITS] = {
    {RLIMIT_AS, "RLIMIT_AS"},         {RLIMIT_CORE, "RLIMIT_CORE"},   {RLIMIT_CPU, "RLIMIT_CPU"},
    {RLIMIT_DATA, "RLIMIT_DATA"},     {RLIMIT_FSIZE, "RLIMIT_FSIZE"}, {RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK"},
    {RLIMIT_NOFILE, "RLIMIT_NOFILE"}, {RLIMIT_NPROC, "RLIMIT_NPROC"}, {RLIMIT_STACK, "RLIMIT_STACK"}};

void plx_limits_text(uint32_t which, char *text, size_t capacity)
{
    text[0] = '\0';
    for (size_t i = 0; i < PLX_LIMITS; i++)
        if (which >> i & 1)
            add(text, capacity, limits[i].name);
}

/* Notes what was found, and whether it is as it was again. */
static void note(plx_changes *changes, plx_part part, bool is_back)
{
    changes->parts |= PLX_PART_BIT(part);
    if (!is_back)
        changes->lasting |= PLX_PART_BIT(part);
}

/* ---- locale --------------------------------------------------------------------------- */

static void save_locale(plx_process *process)
{
    const char *name = setlocale(LC_ALL, NULL);
    const size_t length = name != NULL ? strlen(name) : sizeof process->locale;
    process->locale[0] = '\0';
    if (length < sizeof process->locale)
        memcpy(process->locale, name, length + 1);
}

static void put_back_locale(const plx_process *process, plx_changes *changes)
{
    const char *name = setlocale(LC_ALL, NULL);
    if (process->locale[0] != '\0' && name != NULL && strcmp(name, process->locale) != 0)
        note(changes, PLX_PART_LOCALE, setlocale(LC_ALL, process->locale) != NULL);
}

/* ---- directory ------------------------------------------------------------------ */

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino && one->st_rdev == other->st_rdev;
}

static void save_directory(plx_process *process)
{
    process->directory = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (process->directory >= 0 && fstat(process->directory, &process->directory_about) != 0) {
        (void)close(process->directory);
        process->directory = -1;
    }
}

static void put_back_directory(const plx_process *process, plx_changes *changes)
{
    struct stat now;
    if (process->directory >= 0 && stat(".", &now) == 0 && !is_same(&now, &process->directory_about))
        note(changes, PLX_PART_DIRECTORY,
             fchdir(process->directory) == 0 && stat(".", &now) == 0 && is_same(&now, &process->directory_about));
}

/* ---- what the kernel tells in a file ------------------------------------------------------ */

/* The number behind a title, to a base. */
static bool number_behind(const char *text, const char *title, int base, uint64_t *number)
{
    const char *found = strstr(text, title);
    if (found != NULL)
        *number = strtoull(found + strlen(title), NULL, base);
    return found != NULL;
}

/* To ask by umask() is to set it, for all threads; and to ask for each handler takes as many calls as there
 * are signals.  Without /proc the one is unknown, and the others are all asked for. */
static plx_status_file status_now(void)
{
    plx_status_file now = {.umask = -1};
    uint64_t umask;
    char text[4096];
    const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        (void)close(file);
    if (length <= 0)
        return now;
    text[length] = '\0';
    if (number_behind(text, "\nUmask:", 8, &umask))
        now.umask = (int)umask;
    now.has_signals =
        number_behind(text, "\nSigIgn:", 16, &now.ignored) && number_behind(text, "\nSigCgt:", 16, &now.caught);
    return now;
}

static void put_back_umask(const plx_process *process, const plx_status_file *now, plx_changes *changes)
{
    if (process->status.umask < 0 || now->umask < 0 || now->umask == process->status.umask)
        return;
    (void)umask((mode_t)process->status.umask);
    note(changes, PLX_PART_UMASK, true);
}

/* ---- signals ---------------------------------------------------------------------------- */

static uint64_t bit_of(int number)
{
    return UINT64_C(1) << (number - 1);
}

/* Signals whose handlers have to be asked for one by one: all that are caught, and that of children, whose
 * flags matter without a handler. */
static uint64_t to_ask_for(const plx_status_file *status)
{
    const uint64_t none = bit_of(SIGKILL) | bit_of(SIGSTOP);
    return (status->has_signals ? status->caught | bit_of(SIGCHLD) : UINT64_MAX) & ~none;
}

static void save_handlers(plx_process *process)
{
    const uint64_t asked = to_ask_for(&process->status);
    process->known = 0;
    memset(process->handlers, 0, sizeof process->handlers);
    for (int number = 1; number <= PLX_SIGNALS; number++) {
        struct sigaction *handler = &process->handlers[number - 1];
        if ((asked & bit_of(number)) != 0 && sigaction(number, NULL, handler) == 0)
            process->known |= bit_of(number);
        else if (process->status.has_signals) /* and without flags, as far as is known */
            handler->sa_handler = (process->status.ignored & bit_of(number)) != 0 ? SIG_IGN : SIG_DFL;
    }
}

/* SA_RESTORER is the C library's. */
static bool is_same_handler(const struct sigaction *one, const struct sigaction *other)
{
    const int restorer = 0x04000000;
    uint64_t first, second;
    memcpy(&first, &one->sa_mask, sizeof first);
    memcpy(&second, &other->sa_mask, sizeof second);
    return one->sa_sigaction == other->sa_sigaction && first == second &&
           ((one->sa_flags ^ other->sa_flags) & ~restorer) == 0;
}

/* Those that may differ: what is asked for in any case, and what the kernel's file says. */
static uint64_t to_compare(const plx_process *process, const plx_status_file *now)
{
    const plx_status_file *was = &process->status;
    if (!was->has_signals || !now->has_signals)
        return process->known;
    return process->known | ((was->ignored ^ now->ignored) | (was->caught ^ now->caught));
}

static void put_back_handlers(const plx_process *process, const plx_status_file *status, plx_changes *changes)
{
    const uint64_t compared = to_compare(process, status);
    for (int number = 1; number <= PLX_SIGNALS; number++) {
        const struct sigaction *before = &process->handlers[number - 1];
        struct sigaction now;
        memset(&now, 0, sizeof now);
        if ((compared & bit_of(number)) == 0 || sigaction(number, NULL, &now) != 0 || is_same_handler(before, &now))
            continue;
        changes->signals |= bit_of(number);
        note(changes, PLX_PART_HANDLERS, sigaction(number, before, NULL) == 0);
    }
}

/* ---- timers ------------------------------------------------------------------------------ */

static const int timers[PLX_TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

static void save_timers(plx_process *process)
{
    memset(process->timers, 0, sizeof process->timers);
    for (size_t i = 0; i < PLX_TIMERS; i++)
        (void)getitimer(timers[i], &process->timers[i]);
    process->timers_at = plx_now_ns();
}

/* What would be left of it by now; a moment where it is past. */
static struct timeval left_of(const struct itimerval *before, double passed)
{
    double left = seconds_of(&before->it_value) - passed;
    if (left < 1e-3)
        left =
            before->it_interval.tv_sec > 0 || before->it_interval.tv_usec > 0 ? seconds_of(&before->it_interval) : 1e-3;
    const double whole = floor(left);
    return (struct timeval){.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)((left - whole) * 1e6)};
}

/* One that went off while nobody looked is none that was changed; that of the clock is off by less than a
 * second. */
static bool is_same_timer(size_t timer, const struct itimerval *before, const struct itimerval *now, double passed)
{
    const double was = seconds_of(&before->it_value), is = seconds_of(&now->it_value);
    if (was == 0 && is == 0)
        return true;
    if (seconds_of(&before->it_interval) != seconds_of(&now->it_interval) || (was == 0) != (is == 0))
        return was > 0 && is == 0 && seconds_of(&before->it_interval) == 0 && (timer != 0 || was <= passed);
    return timer != 0 || seconds_of(&before->it_interval) > 0 || fabs(was - passed - is) < 1.0;
}

static void put_back_timers(const plx_process *process, plx_changes *changes)
{
    const double passed = (plx_now_ns() - process->timers_at) * 1e-9;
    for (size_t i = 0; i < PLX_TIMERS; i++) {
        const struct itimerval *before = &process->timers[i];
        struct itimerval now;
        if (getitimer(timers[i], &now) != 0 || is_same_timer(i, before, &now, passed))
            continue;
        struct itimerval wanted = *before;
        if (seconds_of(&before->it_value) > 0)
            wanted.it_value = left_of(before, i == 0 ? passed : 0);
        note(changes, PLX_PART_TIMERS, setitimer(timers[i], &wanted, NULL) == 0);
    }
}

/* ---- limits ------------------------------------------------------------------------------ */

static void save_limits(plx_process *process)
{
    process->limits_known = 0;
    for (int i = 0; i < PLX_LIMITS; i++)
        if (getrlimit(limits[i].number, &process->limits[i]) == 0)
            process->limits_known |= UINT32_C(1) << i;
}

/* Without privileges a hard limit that was lowered stays low. */
static bool set_limit(int limit, const struct rlimit *wanted)
{
    struct rlimit now;
    if (setrlimit(limit, wanted) == 0)
        return true;
    if (getrlimit(limit, &now) != 0)
        return false;
    now.rlim_cur = wanted->rlim_cur < now.rlim_max ? wanted->rlim_cur : now.rlim_max;
    return setrlimit(limit, &now) == 0 && now.rlim_cur == wanted->rlim_cur;
}

static void put_back_limits(const plx_process *process, plx_changes *changes)
{
    for (int i = 0; i < PLX_LIMITS; i++) {
        const struct rlimit *before = &process->limits[i];
        struct rlimit now;
        if ((process->limits_known >> i & 1) == 0 || getrlimit(limits[i].number, &now) != 0 ||
            (now.rlim_cur == before->rlim_cur && now.rlim_max == before->rlim_max))
            continue;
        changes->limits |= UINT32_C(1) << i;
        note(changes, PLX_PART_LIMITS, set_limit(limits[i].number, before));
    }
}

/* ---- standard streams ---------------------------------------------------------------------- */

/* A copy has a number that nobody expects, where numbers are plenty: code that closes "all" files begins at
 * the low ones. */
static int copy_of(int descriptor)
{
    const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 900);
    return copy >= 0 ? copy : fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
}

static void save_streams(plx_process *process)
{
    for (int i = 0; i < PLX_STREAMS; i++) {
        plx_stream *stream = &process->streams[i];
        stream->copy = fstat(i, &stream->about) == 0 ? copy_of(i) : -1;
        stream->flags = stream->copy >= 0 ? fcntl(i, F_GETFL) : -1;
    }
}

static bool put_back_stream(int descriptor, const plx_stream *before)
{
    struct stat copy;
    return fstat(before->copy, &copy) == 0 && is_same(&copy, &before->about) && dup2(before->copy, descriptor) >= 0 &&
           (before->flags < 0 || fcntl(descriptor, F_SETFL, before->flags) >= 0);
}

/* A file system that can't tell what a stream leads to has not changed it: then only the stream's own flags
 * are known. */
static bool is_same_stream(int descriptor, const plx_stream *before)
{
    struct stat now;
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || (before->flags >= 0 && flags != before->flags))
        return false;
    return fstat(descriptor, &now) != 0 || is_same(&now, &before->about);
}

static void put_back_streams(const plx_process *process, plx_changes *changes)
{
    for (int i = 0; i < PLX_STREAMS; i++) {
        const plx_stream *before = &process->streams[i];
        if (before->copy >= 0 && !is_same_stream(i, before))
            note(changes, PLX_PART_STREAMS, put_back_stream(i, before));
    }
}

/* ---- all of it ------------------------------------------------------------------------------ */

void plx_process_save(plx_process *process)
{
    save_locale(process);
    save_directory(process);
    process->status = status_now();
    save_handlers(process);
    save_timers(process);
    save_limits(process);
    save_streams(process);
}

/* Limits come first, for the others may need what they forbid. */
void plx_process_put_back(const plx_process *process, plx_changes *changes)
{
    put_back_limits(process, changes);
    put_back_streams(process, changes);
    put_back_timers(process, changes);
    const plx_status_file now = status_now();
    put_back_handlers(process, &now, changes);
    put_back_umask(process, &now, changes);
    put_back_locale(process, changes);
    put_back_directory(process, changes);
}

void plx_process_force(const plx_process *process)
{
    static const struct itimerval none;
    for (int i = 0; i < PLX_LIMITS; i++)
        if (process->limits_known >> i & 1)
            (void)set_limit(limits[i].number, &process->limits[i]);
    for (int i = 0; i < PLX_STREAMS; i++)
        if (process->streams[i].copy >= 0)
            (void)put_back_stream(i, &process->streams[i]);
    for (size_t i = 0; i < PLX_TIMERS; i++)
        (void)setitimer(timers[i], &none, NULL);
    for (int number = 1; number <= PLX_SIGNALS; number++)
        if (process->status.has_signals || (process->known & bit_of(number)) != 0)
            (void)sigaction(number, &process->handlers[number - 1], NULL);
    if (process->directory >= 0)
        (void)!fchdir(process->directory);
    if (process->status.umask >= 0)
        (void)umask((mode_t)process->status.umask);
}

void plx_process_forget(plx_process *process)
{
    if (process->directory >= 0)
        (void)close(process->directory);
    process->directory = -1;
    for (int i = 0; i < PLX_STREAMS; i++) {
        if (process->streams[i].copy >= 0)
            (void)close(process->streams[i].copy);
        process->streams[i].copy = -1;
    }
}

/* ---- of a thread ------------------------------------------------------------------------------ */

void plx_thread_save(plx_thread *thread)
{
    thread->locale = uselocale((locale_t)0);
    (void)sigemptyset(&thread->mask);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &thread->mask);
}

void plx_thread_put_back(const plx_thread *thread, plx_changes *changes)
{
    sigset_t now;
    uint64_t first, second;
    if (uselocale((locale_t)0) != thread->locale)
        note(changes, PLX_PART_LOCALE, uselocale(thread->locale) != (locale_t)0);
    (void)sigemptyset(&now);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &now);
    memcpy(&first, &now, sizeof first);
    memcpy(&second, &thread->mask, sizeof second);
    if (first != second)
        note(changes, PLX_PART_MASK, pthread_sigmask(SIG_SETMASK, &thread->mask, NULL) == 0);
}
