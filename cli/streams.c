/* What is the program's own, whatever plugins do to their process: its standard output, its words, and what
 * the process was like when it began. */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */

#include "cli.h"

#include "base/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- standard output ---------------------------------------------------------------------- */

static FILE *own;
static int descriptor = -1;

/* A number that code which closes "all" descriptors does not reach. */
static int copy_of_output(void)
{
    const int copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 901);
    return copy >= 0 ? copy : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* Where it can't be done all is as usual. */
void cli_streams_begin(void)
{
    descriptor = copy_of_output();
    own = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (own == NULL && descriptor >= 0)
        (void)close(descriptor);
    if (own != NULL && isatty(descriptor))
        own = cli_wrapped(own);
    if (own == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        descriptor = -1;
}

void cli_streams_end(void)
{
    if (descriptor >= 0)
        (void)dup2(descriptor, STDOUT_FILENO);
}

int cli_out_descriptor(void)
{
    return own != NULL && descriptor >= 0 ? descriptor : STDOUT_FILENO;
}

FILE *cli_out(void)
{
    return own != NULL ? own : stdout;
}

/* ---- the process ------------------------------------------------------------------------------ */

static plx_process before;
static bool is_kept;

void cli_process_keep(void)
{
    plx_process_save(&before);
    is_kept = true;
}

void cli_process_put_back(void)
{
    plx_changes changes = {.parts = 0};
    if (!is_kept)
        return;
    plx_process_put_back(&before, &changes);
    changes.parts &= ~PLX_PART_BIT(PLX_PART_HANDLERS); /* compilers set them from threads of their own, at any time */
    for (int part = 0; part < PLX_PART_COUNT; part++)
        if (changes.parts & PLX_PART_BIT(part))
            cli_say("a plugin, or a library behind it, had changed its process: %s; %s", plx_part_name((plx_part)part),
                    changes.lasting & PLX_PART_BIT(part) ? "it could not be put back" : "it was put back");
}

void cli_process_force(void)
{
    if (is_kept)
        plx_process_force(&before);
}

/* ---- words -------------------------------------------------------------------------------------- */

/* Programs write over those that they were started with, to change what they are called in lists of
 * processes. */
char **cli_words_of_our_own(char **argv)
{
    size_t count = 0;
    while (argv[count] != NULL)
        count++;
    char **words = calloc(count + 1, sizeof *words);
    for (size_t i = 0; words != NULL && i < count; i++)
        if ((words[i] = strdup(argv[i])) == NULL) {
            while (i > 0)
                free(words[--i]);
            free(words);
            words = NULL;
        }
    return words != NULL ? words : argv;
}
