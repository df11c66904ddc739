/* What check, compare and diff write for machines that build: --junit, --markdown and --annotate. */
#include "cli.h"

typedef struct ci_writing {
    cli_ci_writer *write;
    const void *what;
    plx_ci_form form;
} ci_writing;

static plx_status write_form(const void *data, FILE *to, plx_error *error)
{
    const ci_writing *this = data;
    return this->write(this->what, this->form, to, error);
}

/* Annotations are found in either stream of a job, so that a file on standard output stays one. */
static int annotate(const cli_options *options, ci_writing writing)
{
    plx_error error = {""};
    writing.form = PLX_CI_ANNOTATIONS;
    if (!cli_stdout_is_taken(options) && !cli_is_stdout(options->junit))
        return cli_write("-", write_form, &writing);
    return write_form(&writing, stderr, &error) == PLX_OK ? CLI_OK : cli_wrong_usage("%s", error.text);
}

int cli_ci_write(const cli_options *options, cli_ci_writer *write, const void *what)
{
    int status = cli_write(options->junit, write_form, &(ci_writing){write, what, PLX_CI_JUNIT});
    if (status == CLI_OK && (options->given & OPT_MARKDOWN) != 0)
        status = cli_write("-", write_form, &(ci_writing){write, what, PLX_CI_MARKDOWN});
    if (status == CLI_OK && (options->given & OPT_ANNOTATE) != 0)
        status = annotate(options, (ci_writing){.write = write, .what = what});
    return status;
}

typedef struct results_of {
    const plx_results *results;
    const char *verb;
} results_of;

static plx_status write_results(const void *what, plx_ci_form form, FILE *to, plx_error *error)
{
    const results_of *this = what;
    return plx_results_write_ci(this->results, form, this->verb, to, error);
}

int cli_results_ci_write(const cli_options *options, const char *verb, const plx_results *results)
{
    return cli_ci_write(options, write_results, &(results_of){results, verb});
}

int cli_ci_check(const cli_options *options)
{
    const int takers = cli_is_stdout(options->json) + cli_is_stdout(options->csv) + cli_is_stdout(options->junit) +
                       ((options->given & OPT_MARKDOWN) != 0);
    return takers > 1 ? cli_wrong_usage("--json, --csv, --junit and --markdown can't share standard output") : CLI_OK;
}
