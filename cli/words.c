/* Messages, and the names that a user may have mistyped. */
#include "cli.h"

#include "base/address_limit.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* One line, whatever the names of files in it, or what stands in them. */
static void say(const char *format, va_list arguments)
{
    char text[4096];
    const int length = snprintf(text, sizeof text, "%s: ", cli_who);
    (void)vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
    plx_text_clean(text, sizeof text);
    plx_put_broken(stderr, text, cli_width_of(STDERR_FILENO));
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
    char list[3072] = "";
    size_t length = 0;
    for (size_t i = 0; i < count && length < sizeof list; i++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", names[i]);
    if (nearest != NULL)
        cli_say("unknown %s '%s'; did you mean '%s'?  There are: %s", kind, word, nearest, list);
    else
        cli_say("unknown %s '%s'; there are: %s", kind, word, count > 0 ? list : "none");
}

/* ---- names of the library ------------------------------------------------ */

static const char *op_name(size_t index)
{
    return index < PLX_OP_COUNT ? plx_op_name((plx_op)index) : NULL;
}

static const char *dtype_name(size_t index)
{
    return index < PLX_DTYPE_COUNT ? plx_dtype_name((plx_dtype)index) : NULL;
}

static const char *reduction_name(size_t index)
{
    return index < PLX_REDUCTION_COUNT ? plx_reduction_name((plx_reduction)index) : NULL;
}

static const char *input_name(size_t index)
{
    return index < PLX_INPUT_COUNT ? plx_input_name((plx_input)index) : NULL;
}

/* The probes that are sweeps, and the two that are not. */
static const char *probe_name(size_t index)
{
    static const char *const others[] = {"ceilings", "matrix-units", NULL};
    size_t sweeps = 0;
    while (plx_probe_name(sweeps) != NULL)
        sweeps++;
    return index < sweeps ? plx_probe_name(index) : index - sweeps < 3 ? others[index - sweeps] : NULL;
}

const cli_names cli_op_names = {"operation", op_name}, cli_dtype_names = {"dtype", dtype_name},
                cli_reduction_names = {"reduction", reduction_name}, cli_input_names = {"input", input_name},
                cli_set_names = {"set", plx_set_name}, cli_probe_names = {"probe", probe_name};

int cli_unknown(const cli_names *known, const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (; count < sizeof names / sizeof names[0] && known->name_of(count) != NULL; count++)
        names[count] = known->name_of(count);
    cli_say_unknown(known->kind, word, names, count);
    return CLI_USAGE;
}

int cli_op_of(const char *word, plx_op *op)
{
    return plx_op_from_name(cli_op_alias(word), op) ? CLI_OK : cli_unknown(&cli_op_names, word);
}

int cli_ops_of(const cli_options *options, plx_op ops[PLX_OP_COUNT], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < options->operands.count; i++) {
        plx_op op;
        bool known = false;
        int status = cli_op_of(options->operands.at[i], &op);
        if (status != CLI_OK)
            return status;
        for (size_t j = 0; j < *count; j++)
            known = known || ops[j] == op;
        if (!known)
            ops[(*count)++] = op;
    }
    return CLI_OK;
}

plx_op_info cli_op_info(plx_op op)
{
    plx_op_info info = {.name = NULL};
    (void)plx_op_describe(op, &info);
    return info;
}

int cli_compared_ops_of(const cli_options *options, plx_op ops[PLX_OP_COUNT], size_t *count)
{
    const int status = cli_ops_of(options, ops, count);
    for (size_t i = 0; status == CLI_OK && i < *count; i++) {
        const plx_op_info info = cli_op_info(ops[i]);
        if (info.verb != NULL)
            return cli_wrong_usage("'parallax %s' runs %s, with the sizes that it needs", info.verb, info.name);
    }
    return status;
}

void cli_dtypes_text(uint32_t dtypes, char *text, size_t capacity)
{
    size_t length = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < PLX_DTYPE_COUNT && length < capacity; i++) {
        if (dtypes & PLX_DTYPE_BIT(i))
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? " " : "",
                                       plx_dtype_name((plx_dtype)i));
    }
}

int cli_failed(plx_status status, const plx_error *error)
{
    char limit[PLX_ADDRESS_LIMIT_TEXT] = "";
    if (status == PLX_NO_MEMORY && strstr(error->text, "(ulimit -v)") == NULL)
        (void)plx_address_limit(limit);
    cli_say("%s%s", error->text, limit);
    return cli_exit_status(status);
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
