/* judge --draft: a first recipe for a kernel, by what its source says, for people to complete. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_options(const cli_options *options, plx_op *op)
{
    const uint64_t known = OPT_DRAFT | OPT_KERNEL_FILE | OPT_QUIET | OPT_VERBOSE;
    if (options->source == NULL)
        return cli_wrong_usage("--draft: of which kernel? --source FILE names it");
    if (options->recipe != NULL || options->tunables.count > 0 || (options->given & ~known) != 0)
        return cli_wrong_usage("--draft writes a recipe, and judges nothing: beside it go --source and --entry alone");
    if (options->operands.count != 1)
        return cli_wrong_usage("--draft: for which operation? reduce, transpose, matvec or gemm");
    if (!cli_is_stdout(options->draft) && access(options->draft, F_OK) == 0)
        return cli_wrong_usage("%s: is there already, and may have been completed; choose another name",
                               options->draft);
    return cli_op_of(options->operands.at[0], op);
}

static plx_status write_text(const void *what, FILE *to, plx_error *error)
{
    (void)error;
    return fputs(what, to) < 0 ? PLX_IO : PLX_OK;
}

/* What is to be looked at, on standard error: the recipe may be on standard output. */
static void tell(const cli_options *options, const char *op, char *notes)
{
    if (options->given & OPT_QUIET)
        return;
    (void)fprintf(stderr, "A draft.  Look at these, by doc/recipe.md:\n");
    for (char *line = strtok(notes, "\n"); line != NULL; line = strtok(NULL, "\n"))
        (void)fprintf(stderr, "  %s\n", line);
    if (!cli_is_stdout(options->draft))
        (void)fprintf(stderr,
                      "Then see its launches, without a device, and judge the kernel:\n"
                      "  parallax judge %s --recipe %s --print\n"
                      "  parallax judge %s --source %s --recipe %s%s%s\n",
                      op, options->draft, op, options->source, options->draft,
                      options->entry != NULL ? " --entry " : "", options->entry != NULL ? options->entry : "");
}

int cli_draft(const cli_options *options)
{
    char *text = NULL, *notes = NULL;
    plx_error error = {""};
    plx_op op;
    int status = check_options(options, &op);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status != CLI_OK)
        return status;
    const plx_status drafted = plx_recipe_draft(op, options->source, options->entry, &text, &notes, &error);
    if (drafted != PLX_OK)
        return cli_failed(drafted, &error);
    status = cli_write(options->draft, write_text, text);
    if (status == CLI_OK)
        tell(options, options->operands.at[0], notes);
    free(text);
    free(notes);
    return status;
}
