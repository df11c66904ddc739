/* The command line of another process, word by word. */
#ifndef PLX_CLI_COMMAND_H
#define PLX_CLI_COMMAND_H

#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MOST_WORDS = 256 };

typedef struct cli_command {
    char *words[CLI_MOST_WORDS]; /* NULL behind the last, as execv() wants it */
    size_t count;
    bool failed; /* a word is missing: not to be run */
} cli_command;

/* The word has less than PATH_MAX bytes. */
void cli_command_add(cli_command *to, const char *format, ...) PLX_PRINTF(2, 3);
/* This program, by its file. */
void cli_command_add_self(cli_command *to);
void cli_command_free(cli_command *of);

#endif
