/* The command line of another process. */
#define _GNU_SOURCE /* readlink */

#include "command.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_command_add(cli_command *to, const char *format, ...)
{
    char word[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(word, sizeof word, format, arguments);
    va_end(arguments);
    const bool fits = length >= 0 && (size_t)length < sizeof word && to->count + 1 < CLI_MOST_WORDS;
    char *copy = fits ? strdup(word) : NULL;
    to->failed = to->failed || copy == NULL;
    if (copy != NULL)
        to->words[to->count++] = copy;
}

void cli_command_add_self(cli_command *to)
{
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    to->failed = to->failed || length <= 0;
    cli_command_add(to, "%s", program);
}

void cli_command_free(cli_command *of)
{
    for (size_t i = 0; i < of->count; i++)
        free(of->words[i]);
    *of = (cli_command){.count = 0};
}
