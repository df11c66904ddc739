/* --source and --recipe: a kernel in a file, as one more candidate of a verb. */
#include "cli.h"

#include "base/privileges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int read_tunable(const char *word, plx_chosen *chosen)
{
    const char *is = strchr(word, '=');
    char *end;
    *chosen = (plx_chosen){.value = 0};
    if (is == NULL || is == word || (size_t)(is - word) >= sizeof chosen->name)
        return cli_wrong_usage("--tunable: '%s' is not NAME=N", word);
    (void)snprintf(chosen->name, sizeof chosen->name, "%.*s", (int)(is - word), word);
    errno = 0;
    const long long value = strtoll(is + 1, &end, 10);
    if (end == is + 1 || *end != '\0' || errno != 0)
        return cli_wrong_usage("--tunable: '%s' is not NAME=N, with a whole number", word);
    chosen->value = value;
    return CLI_OK;
}

int cli_tunables_read(const cli_options *options, plx_chosen **chosen)
{
    int status = CLI_OK;
    *chosen = calloc(options->tunables.count + 1, sizeof **chosen);
    if (*chosen == NULL)
        return cli_wrong_usage("no memory");
    for (size_t i = 0; status == CLI_OK && i < options->tunables.count; i++)
        status = read_tunable(options->tunables.at[i], &(*chosen)[i]);
    return status;
}

int cli_kernel_read(cli_options *options)
{
    plx_chosen *chosen = NULL;
    plx_compute computes[PLX_COMPUTE_COUNT];
    size_t compute_count = 0;
    plx_error error = {""};
    if (options->source == NULL)
        return (options->given & OPT_KERNEL_FILE) != 0
                   ? cli_wrong_usage("--recipe and what goes with it need --source FILE")
                   : CLI_OK;
    if (plx_is_privileged()) /* it is a stranger's code, and a compiler's */
        return cli_wrong_usage("--source: no kernel from a file is compiled or run with raised privileges");
    int status = cli_computes_read(options, computes, &compute_count);
    if (status == CLI_OK && compute_count > 1)
        status = cli_wrong_usage("--compute: a kernel in a file is judged in one compute type at a time");
    if (status == CLI_OK)
        status = cli_tunables_read(options, &chosen);
    plx_op op = PLX_REDUCE;
    const bool has_op = options->operands.count > 0 && plx_op_from_name(options->operands.at[0], &op);
    char api[16] = "";
    if (options->backends.count == 1)
        (void)snprintf(api, sizeof api, "%.*s", (int)strcspn(options->backends.at[0], ":"), options->backends.at[0]);
    const plx_kernel_wanted wanted = {
        .source = options->source,
        .recipe = options->recipe,
        .entry = options->entry,
        .chosen = chosen,
        .chosen_count = options->tunables.count,
        .compute = compute_count > 0 ? computes[0] : PLX_COMPUTE_PLAIN,
        .has_op = has_op,
        .op = op,
        .api = api[0] != '\0' ? api : NULL,
    };
    if (status == CLI_OK) {
        const plx_status opened = plx_kernel_file_open(&wanted, &options->kernel, &error);
        status = opened == PLX_OK ? CLI_OK : cli_failed(opened, &error);
        if (opened == PLX_BUILD_FAILED || opened == PLX_UNSUPPORTED)
            status = CLI_USAGE;
    }
    free(chosen);
    return status;
}

/* Beside the backends' own choice, where nobody says beside what. */
int cli_kernel_name(cli_options *options)
{
    if (options->kernel == NULL)
        return CLI_OK;
    const bool alone = options->kernels.count == 0;
    const bool added = cli_list_add(&options->kernels, plx_kernel_file_facts(options->kernel)->name) &&
                       (!alone || cli_list_add(&options->kernels, "best"));
    return added ? CLI_OK : cli_wrong_usage("no memory");
}

int cli_kernel_add(const cli_options *options, plx_context *context)
{
    plx_error error = {""};
    if (options->kernel == NULL)
        return CLI_OK;
    const plx_status status = plx_kernel_file_add(options->kernel, context, &error);
    return status == PLX_OK ? CLI_OK : cli_failed(status, &error);
}
