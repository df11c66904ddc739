/* Messages, and the names that a user may have mistyped. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void say(const char *format, va_list arguments)
{
    (void)fprintf(stderr, "%s: ", cli_who);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
}

void cli_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
}

int cli_wrong_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_say_unknown(const char *kind, const char *word, const char *const *names, size_t count)
{
    const char *nearest = plx_nearest_name(word, names, count);
    (void)fprintf(stderr, "%s: unknown %s '%s'; ", cli_who, kind, word);
    if (nearest != NULL)
        (void)fprintf(stderr, "did you mean '%s'?  There are: ", nearest);
    else
        (void)fprintf(stderr, "there are: ");
    for (size_t i = 0; i < count; i++)
        (void)fprintf(stderr, "%s%s", i > 0 ? ", " : "", names[i]);
    (void)fprintf(stderr, "%s\n", count == 0 ? "none" : "");
}

/* ---- names of the library ------------------------------------------------ */

enum { MOST_NAMES = 16 };
_Static_assert((int)PLX_OP_COUNT <= MOST_NAMES && (int)PLX_DTYPE_COUNT <= MOST_NAMES &&
                   (int)PLX_INPUT_COUNT <= MOST_NAMES,
               "a list of names has room for each");

int cli_op_of(const char *word, plx_op *op)
{
    const char *names[MOST_NAMES];
    if (plx_op_from_name(word, op))
        return CLI_OK;
    for (unsigned i = 0; i < PLX_OP_COUNT; i++)
        names[i] = plx_op_name((plx_op)i);
    cli_say_unknown("operation", word, names, PLX_OP_COUNT);
    return CLI_USAGE;
}

int cli_dtype_of(const char *word, plx_dtype *dtype)
{
    const char *names[MOST_NAMES];
    if (plx_dtype_from_name(word, dtype))
        return CLI_OK;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT; i++)
        names[i] = plx_dtype_name((plx_dtype)i);
    cli_say_unknown("dtype", word, names, PLX_DTYPE_COUNT);
    return CLI_USAGE;
}

int cli_input_of(const char *word, plx_input *input)
{
    const char *names[MOST_NAMES];
    if (plx_input_from_name(word, input))
        return CLI_OK;
    for (unsigned i = 0; i < PLX_INPUT_COUNT; i++)
        names[i] = plx_input_name((plx_input)i);
    cli_say_unknown("input", word, names, PLX_INPUT_COUNT);
    return CLI_USAGE;
}

void cli_dtype_names(uint32_t dtypes, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < PLX_DTYPE_COUNT && length < capacity; i++) {
        if (dtypes & PLX_DTYPE_BIT(i))
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? " " : "",
                                       plx_dtype_name((plx_dtype)i));
    }
}

const char *cli_why_nothing(const plx_results *results, const char *otherwise)
{
    for (size_t i = 0; i < results->record_count; i++)
        if (results->records[i].outcome == PLX_OUTCOME_NOT_JUDGED)
            return "a result could not be judged: no bound on its error tells it from zero";
    return otherwise;
}

int cli_exit_status(plx_status status)
{
    switch (status) {
    case PLX_OK:
        return CLI_OK;
    case PLX_INVALID:
    case PLX_IO:
        return CLI_USAGE;
    case PLX_UNSUPPORTED:
    case PLX_NOT_FOUND:
    case PLX_NO_DEVICE:
        return CLI_UNAVAILABLE;
    case PLX_NO_MEMORY:
    case PLX_BUILD_FAILED:
    case PLX_FAILED:
    case PLX_DEVICE_LOST:
    case PLX_STATUS_COUNT:
        break;
    }
    return CLI_BACKEND_FAILED;
}
