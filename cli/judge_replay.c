/* judge --replay: what a record of judge --source is about, judged again: the same files, options and seed. */
#include "judged.h"

#include <string.h>

static int refuse_changed(const cli_options *options, const char *what, const char *now, const char *was)
{
    return cli_wrong_usage("--replay: %s of %s is not what the record is about: its SHA-256 is %.12s, was %.12s", what,
                           options->source, now, was);
}

/* The record's words, read as those of a command line; of this one's the outputs. */
static int read_words(const cli_options *options, plx_kernel_record *record, cli_options *again)
{
    const int status = cli_options_read(&cli_judge_verb, (int)record->word_count, record->words, again);
    if (status != CLI_OK)
        return status;
    if (again->source == NULL || again->replay != NULL)
        return cli_wrong_usage("--replay: %s has no options of judge --source", options->replay);
    again->json = options->json;
    again->save_failure = options->save_failure;
    again->explain = again->explain || options->explain;
    again->seed = record->seed;
    again->given = (again->given & ~(uint64_t)(OPT_JSON | OPT_SAVE_FAILURE | OPT_QUIET)) | OPT_SEED |
                   (options->given & (OPT_JSON | OPT_SAVE_FAILURE | OPT_QUIET));
    again->wanted_source = record->source_sha256;
    again->wanted_recipe = record->recipe_sha256;
    return CLI_OK;
}

/* After the files were read. */
int cli_judge_unchanged(const cli_options *options)
{
    const plx_kernel_facts *facts = plx_kernel_file_facts(options->kernel);
    if (options->wanted_source != NULL && strcmp(options->wanted_source, facts->source_sha256) != 0)
        return refuse_changed(options, "the text", facts->source_sha256, options->wanted_source);
    if (options->wanted_recipe != NULL && strcmp(options->wanted_recipe, facts->recipe_sha256) != 0)
        return refuse_changed(options, "the recipe", facts->recipe_sha256, options->wanted_recipe);
    return CLI_OK;
}

int cli_judge_replay(cli_options *options)
{
    plx_kernel_record record;
    cli_options again = {.given = 0};
    plx_error error = {""};
    if (options->source != NULL || options->operands.count > 0)
        return cli_wrong_usage("--replay: the operation, source and options are the record's");
    const plx_status read = plx_kernel_record_read(options->replay, &record, &error);
    if (read != PLX_OK)
        return cli_failed(read, &error);
    int status = read_words(options, &record, &again);
    if (status == CLI_OK)
        status = cli_judge_kernel(&again);
    cli_options_free(&again);
    plx_kernel_record_free(&record);
    return status;
}
