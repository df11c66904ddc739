/* Starts parallax-inspect for plugin files, and makes out what became of it. */
#define _GNU_SOURCE /* pipe2 */

#include "core/inspect.h"

#include "core/core.h"

#include "base/address_limit.h"
#include "base/clock.h"
#include "base/privileges.h"
#include "base/signal_name.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* A driver may take long to wake up its devices, but not so long. */
enum { SECONDS = 30, MOST_SECONDS = 600, AT_ONCE = 16, MOST_SAID = 1 << 18 };

/* One process. */
typedef struct attempt {
    plx_inspection *of;
    pid_t process;
    int pipe; /* -1: closed */
    char *said;
    size_t length;
    bool no_memory; /* for what it said, or there */
} attempt;

/* ---- the program ------------------------------------------------------------ */

/* It lies next to the installed plugins, and in a build tree, where libtool keeps the library and
 * the plugins in .libs, above them. */
static bool find_program(char program[static PATH_MAX])
{
    char directory[PATH_MAX];
    bool built;
    if (plx_library_directory(directory, &built) &&
        snprintf(program, PATH_MAX, "%s/%s/parallax-inspect", directory, built ? ".." : "parallax") < PATH_MAX &&
        access(program, X_OK) == 0)
        return true;
    (void)snprintf(program, PATH_MAX, "%s/parallax-inspect", PLX_PLUGIN_DIR);
    return access(program, X_OK) == 0;
}

static unsigned seconds_to_wait(void)
{
    const char *told = plx_getenv("PLX_PROBE_SECONDS");
    const unsigned long seconds = told != NULL ? strtoul(told, NULL, 10) : 0;
    return seconds > 0 && seconds <= MOST_SECONDS ? (unsigned)seconds : SECONDS;
}

/* ---- starting it ------------------------------------------------------------ */

/* A group of its own, so that what it starts ends with it; no signal of the caller's is held back or
 * left out there. */
static int prepare_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int failed = posix_spawnattr_init(attributes);
    if (failed != 0)
        return failed;
    failed =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (failed == 0)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    if (failed == 0)
        failed = posix_spawnattr_setsigdefault(attributes, &all);
    return failed;
}

static int prepare_files(posix_spawn_file_actions_t *files, int writing)
{
    int failed = posix_spawn_file_actions_init(files);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(files, writing, PLX_INSPECT_DESCRIPTOR);
    for (int i = 0; failed == 0 && i < 3; i++)
        failed = posix_spawn_file_actions_addopen(files, i, "/dev/null", i == 0 ? O_RDONLY : O_WRONLY, 0);
    if (failed != 0)
        (void)posix_spawn_file_actions_destroy(files);
    return failed;
}

/* posix_spawn, because a fork in a process with threads is good for nothing but exec. */
static int spawn(const char *program, const char *path, unsigned seconds, int writing, pid_t *process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    char name[] = "parallax-inspect", time[16];
    char *words[] = {name, (char *)(uintptr_t)path, time, NULL}; /* which it only reads */
    (void)snprintf(time, sizeof time, "%u", seconds);
    int failed = prepare_attributes(&attributes);
    if (failed != 0)
        return failed;
    failed = prepare_files(&files, writing);
    if (failed == 0) {
        failed = posix_spawn(process, program, &files, &attributes, words, environ);
        (void)posix_spawn_file_actions_destroy(&files);
    }
    (void)posix_spawnattr_destroy(&attributes);
    return failed;
}

/* False: there is no process, and nothing to wait for. */
static bool start(attempt *made, plx_inspection *of, const char *program, unsigned seconds)
{
    int ends[2];
    *made = (attempt){.of = of, .pipe = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const int failed = spawn(program, of->path, seconds, ends[1], &made->process);
    (void)close(ends[1]);
    if (failed == 0)
        made->pipe = ends[0];
    else
        (void)close(ends[0]);
    return failed == 0;
}

/* ---- how it ended ----------------------------------------------------------------- */

/* False: it did not end, which the kernel may keep it from, or somebody else asked for it. */
static bool reap(pid_t process, int *ended)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; i < 500; i++) {
        const pid_t which = waitpid(process, ended, WNOHANG);
        if (which == process)
            return true;
        if (which < 0 && errno != EINTR)
            return false;
        (void)nanosleep(&moment, NULL);
    }
    return false;
}

/* "was ended by SIGSEGV (Segmentation fault)". */
static void end_text(bool late, unsigned seconds, bool known, int ended, char *text, size_t capacity)
{
    char name[64];
    if (late) {
        (void)snprintf(text, capacity, "had not come back after %u s", seconds);
    } else if (known && WIFSIGNALED(ended)) {
        plx_signal_name(WTERMSIG(ended), name, sizeof name);
        (void)snprintf(text, capacity, "was ended by %s", name);
    } else if (known && WIFEXITED(ended)) {
        (void)snprintf(text, capacity, "was ended by it, with exit status %d", WEXITSTATUS(ended));
    } else {
        (void)snprintf(text, capacity, "ended");
    }
}

static void explain_end(plx_inspection *found, const char *end)
{
    char limit[PLX_ADDRESS_LIMIT_TEXT];
    if (found->name[0] == '\0') {
        found->result = PLX_REFUSED;
        (void)plx_fail(&found->reason, PLX_FAILED,
                       "a process that loaded it to try it %s; reinstall the plugin and what it needs, or remove it%s",
                       end, plx_address_limit(limit));
        return;
    }
    found->result = PLX_DEVICES_FAILED;
    (void)plx_fail(&found->reason, PLX_FAILED,
                   "a process that asked it for its devices %s; reinstall or restart the driver behind it, or "
                   "remove the plugin%s",
                   end, plx_address_limit(limit));
}

/* The process may still be there, and what it started: it is not needed any more. */
static void finish(attempt *of, bool late, unsigned seconds)
{
    int ended = 0;
    char text[96];
    (void)close(of->pipe);
    of->pipe = -1;
    if (of->said != NULL)
        of->said[of->length] = '\0';
    const bool nothing = of->length == 0 && !late; /* the process never came to the plugin */
    const bool complete = of->said != NULL && plx_inspection_read(of->of, of->said, of->length, &of->no_memory);
    bool known = !complete && !late && reap(of->process, &ended); /* before it is killed, for the truth */
    (void)kill(-of->process, SIGKILL);
    if (!known)
        (void)reap(of->process, &(int){0});
    if (of->no_memory || nothing) {
        *of->of = (plx_inspection){.path = of->of->path, .files = of->of->files};
    } else if (!complete) {
        end_text(late, seconds, known, ended, text, sizeof text);
        explain_end(of->of, text);
        of->of->died = true;
    }
    free(of->said);
    of->said = NULL;
}

/* ---- waiting ---------------------------------------------------------------------- */

/* False: it is at its end, by its own words or because the pipe is closed. */
static bool take_said(attempt *of)
{
    if (of->said == NULL && (of->said = malloc(MOST_SAID)) == NULL) {
        of->no_memory = true;
        return false;
    }
    const ssize_t bytes = read(of->pipe, of->said + of->length, MOST_SAID - 1 - of->length);
    if (bytes < 0)
        return errno == EINTR || errno == EAGAIN;
    of->length += (size_t)bytes;
    return bytes > 0 && !plx_inspection_ended(of->said, of->length) && of->length < MOST_SAID - 1;
}

static void wait_for_all(attempt *attempts, size_t count, unsigned seconds)
{
    const double until = plx_now_ns() + 1e9 * seconds;
    for (;;) {
        struct pollfd ends[AT_ONCE];
        size_t waiting = 0;
        for (size_t i = 0; i < count; i++) {
            ends[i] = (struct pollfd){.fd = attempts[i].pipe, .events = POLLIN};
            waiting += attempts[i].pipe >= 0;
        }
        const double left = (until - plx_now_ns()) * 1e-6;
        if (waiting == 0 || left <= 0)
            break;
        if (poll(ends, count, (int)left + 1) <= 0)
            continue;
        for (size_t i = 0; i < count; i++)
            if (ends[i].fd >= 0 && ends[i].revents != 0 && !take_said(&attempts[i]))
                finish(&attempts[i], false, seconds);
    }
    for (size_t i = 0; i < count; i++)
        if (attempts[i].pipe >= 0)
            finish(&attempts[i], true, seconds);
}

/* Those whose path is not NULL. */
static void try_all(plx_inspection **inspections, size_t count)
{
    char program[PATH_MAX];
    const unsigned seconds = seconds_to_wait();
    if (count == 0 || !find_program(program))
        return;
    for (size_t i = 0; i < count;) {
        attempt attempts[AT_ONCE];
        size_t started = 0;
        for (; i < count && started < AT_ONCE; i++)
            if (start(&attempts[started], inspections[i], program, seconds))
                started++;
        wait_for_all(attempts, started, seconds);
    }
}

void plx_inspect(plx_inspection *inspections, size_t count, bool anew)
{
    const char *told = plx_getenv("PLX_PROBE");
    plx_inspection **unknown = calloc(count + 1, sizeof *unknown);
    size_t unknown_count = 0;
    if (unknown == NULL || (told != NULL && strcmp(told, "inline") == 0)) {
        free(unknown);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (inspections[i].path != NULL && (anew || !plx_inspection_recall(&inspections[i])))
            unknown[unknown_count++] = &inspections[i];
    try_all(unknown, unknown_count);
    plx_inspections_keep(unknown, unknown_count);
    free(unknown);
}
