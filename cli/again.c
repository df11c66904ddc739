/* Beginning again without a backend: doctor, check and compare name one that ended the process, or did not
 * come back, and go on with the others.  What a plugin left of the process is of no use then, so the program
 * is executed anew in its place, with the words that it had, and told by $PLX_WITHOUT what to leave alone. */
#define _GNU_SOURCE /* environ */

#include "cli.h"

#include "base/coverage.h"
#include "base/privileges.h"
#include "base/text.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Lines "BACKEND\tREASON". */
static const char variable[] = "PLX_WITHOUT=";

enum { MOST_BACKENDS = 64, MOST_TEXT = 1 << 15 };

/* All that is needed then is made before: a signal handler makes nothing, and plugins may write over the words and
 * variables that the program was started with, as the kernel may forget what the program is. */
static char **words, **variables;
static char told[sizeof variable + MOST_TEXT];
static sigset_t signals;
static volatile sig_atomic_t may_begin_again;

/* ---- what it was told ------------------------------------------------------------ */

static plx_barred barred[MOST_BACKENDS];
static size_t barred_count;

/* The text stays: `barred` points into it. */
static void read_told(char *text)
{
    for (char *line; barred_count < MOST_BACKENDS && (line = strsep(&text, "\n")) != NULL;) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        plx_text_clean(line, strlen(line) + 1);
        plx_text_clean(tab + 1, strlen(tab + 1) + 1);
        barred[barred_count++] = (plx_barred){.backend = line, .reason = tab + 1};
    }
}

const plx_barred *cli_barred(size_t *count)
{
    *count = barred_count;
    return barred;
}

/* ---- beginning -------------------------------------------------------------------- */

/* All of `from` but $PLX_WITHOUT, and `last` if there is one, in memory that nobody writes any more; NULL where there
 * is none. */
static char **sealed(char *const *from, char *last)
{
    size_t count = 0, bytes = 2 * sizeof *from;
    for (; from != NULL && from[count] != NULL; count++)
        bytes += sizeof *from + strlen(from[count]) + 1;
    char **made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return NULL;
    char *text = (char *)(made + count + 2);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(from[i]) + 1;
        if (last != NULL && strncmp(from[i], variable, sizeof variable - 1) == 0)
            continue;
        made[kept++] = memcpy(text, from[i], length);
        text += length;
    }
    made[kept] = last;
    (void)mprotect(made, bytes, PROT_READ);
    return made;
}

/* ---- the program --------------------------------------------------------------------- */

static char path[PATH_MAX]; /* "": unknown */
static int program = -1;
static struct stat about;

static void find_program(void)
{
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    const int low = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    path[length > 0 ? length : 0] = '\0';
    program = low >= 0 ? fcntl(low, F_DUPFD_CLOEXEC, 902) : -1;
    if (program >= 0)
        (void)close(low);
    else
        program = low;
    if (program >= 0 && fstat(program, &about) != 0) {
        (void)close(program);
        program = -1;
    }
}

static bool is_program(const struct stat *other)
{
    return other->st_dev == about.st_dev && other->st_ino == about.st_ino;
}

/* By its name, which it keeps in lists of processes; by its descriptor where something else has that name now. */
static void execute(void)
{
    struct stat now;
    if (path[0] != '\0' && (program < 0 || (stat(path, &now) == 0 && is_program(&now))))
        (void)execve(path, words, variables);
#ifdef SYS_execveat
    if (program >= 0 && fstat(program, &now) == 0 && is_program(&now))
        (void)syscall(SYS_execveat, program, "", words, variables, AT_EMPTY_PATH);
#endif
}

/* A program with raised privileges is told nothing by its environment. */
void cli_again_prepare(char **argv)
{
    static char before[MOST_TEXT];
    const char *value = plx_getenv("PLX_WITHOUT");
    (void)pthread_sigmask(SIG_SETMASK, NULL, &signals);
    (void)snprintf(told, sizeof told, "%s%s", variable, value != NULL ? value : "");
    (void)snprintf(before, sizeof before, "%s", value != NULL ? value : "");
    (void)unsetenv("PLX_WITHOUT"); /* what else is started has nothing to do with it */
    read_told(before);
    variables = sealed(environ, told);
    words = plx_is_privileged() ? NULL : sealed(argv, NULL);
    find_program();
}

void cli_again_from_here(void)
{
    may_begin_again = words != NULL && variables != NULL;
}

void cli_again_no_more(void)
{
    may_begin_again = 0;
}

/* ---- again ----------------------------------------------------------------------------- */

static bool is_barred(const char *backend)
{
    for (size_t i = 0; i < barred_count; i++)
        if (strcmp(barred[i].backend, backend) == 0)
            return true;
    return false;
}

/* False: it does not fit. */
static bool tell(const char *text)
{
    const size_t before = strlen(told), length = strlen(text);
    if (before + length >= sizeof told)
        return false;
    memcpy(told + before, text, length + 1);
    return true;
}

bool cli_may_begin_again(const char *backend)
{
    return may_begin_again && barred_count < MOST_BACKENDS && !is_barred(backend);
}

void cli_begin_again(const char *backend, const char *reason, unsigned seconds)
{
    if (!cli_may_begin_again(backend) || !tell(backend) || !tell("\t") || !tell(reason) || !tell("\n"))
        return;
    may_begin_again = 0;
    plx_coverage_write();
    cli_process_force();
    cli_streams_end();
    (void)alarm(seconds);
    (void)sigprocmask(SIG_SETMASK, &signals, NULL); /* a new program keeps what the thread held back */
    execute();
}
