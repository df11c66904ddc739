/* Beginning again without a backend: doctor, check and compare name one that ended the process, or did not
 * come back, and go on with the others.  What a plugin left of the process is of no use then, so the program
 * is executed anew in its place, with the words that it had, and told by $PLX_WITHOUT what to leave alone. */
#define _GNU_SOURCE /* environ */

#include "cli.h"

#include "base/coverage.h"
#include "base/privileges.h"
#include "base/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lines "BACKEND\tREASON". */
static const char variable[] = "PLX_WITHOUT=";

enum { MOST_BACKENDS = 64, MOST_TEXT = 1 << 15 };

/* All that is needed then is made before: a signal handler makes nothing. */
static char **words, **variables;
static size_t variable_count;
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

static size_t count_variables(void)
{
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    return count;
}

static void copy_variables(void)
{
    const size_t count = count_variables();
    variables = calloc(count + 2, sizeof *variables);
    for (size_t i = 0; variables != NULL && i < count; i++)
        if (strncmp(environ[i], variable, sizeof variable - 1) != 0)
            variables[variable_count++] = environ[i];
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
    copy_variables();
    words = plx_is_privileged() ? NULL : argv;
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

void cli_begin_again(const char *backend, const char *reason)
{
    if (!cli_may_begin_again(backend) || !tell(backend) || !tell("\t") || !tell(reason) || !tell("\n"))
        return;
    may_begin_again = 0;
    variables[variable_count] = told;
    variables[variable_count + 1] = NULL;
    (void)sigprocmask(SIG_SETMASK, &signals, NULL); /* a new program keeps what the thread held back */
    plx_coverage_write();
    (void)execve("/proc/self/exe", words, variables);
}
