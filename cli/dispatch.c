/* The words of a command: finds the verb, reads its options, checks all that can be checked, and runs it. */
#include "cli.h"

#include "base/privileges.h"

#include <string.h>

static const cli_verb *const verbs[] = {
    &cli_list_verb,  &cli_doctor_verb,    &cli_run_verb,    &cli_check_verb,  &cli_compare_verb, &cli_attribute_verb,
    &cli_bench_verb, &cli_tune_verb,      &cli_diff_verb,   &cli_report_verb, &cli_probe_verb,   &cli_explain_verb,
    &cli_judge_verb, &cli_challenge_verb, &cli_screen_verb, &cli_seal_verb,   &cli_fleet_verb,   &cli_completion_verb,
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

const char *cli_who = "parallax";

const cli_verb *cli_verb_at(size_t index)
{
    return index < VERB_COUNT ? verbs[index] : NULL;
}

static const cli_verb *verb_of(const char *word)
{
    for (int i = 0; i < VERB_COUNT; i++) {
        if (strcmp(verbs[i]->name, word) == 0)
            return verbs[i];
    }
    return NULL;
}

static int unknown_verb(const char *word)
{
    const char *names[VERB_COUNT];
    if (word[0] == '-')
        return cli_wrong_usage("unknown option '%s'; a verb comes first, see 'parallax --help'", word);
    for (int i = 0; i < VERB_COUNT; i++)
        names[i] = verbs[i]->name;
    cli_say_unknown("verb", word, names, VERB_COUNT);
    return CLI_USAGE;
}

static void add_line(plx_table *table, const char *name, const char *summary)
{
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", name);
    plx_table_rest(table, "%s", summary);
}

static void print_usage(FILE *to)
{
    plx_error error;
    plx_table table = {.columns = 1,
                       .left = 1,
                       .indent = "  ",
                       .width = to == cli_out() ? cli_terminal_width() : cli_width_of(fileno(to))};
    cli_put_text(to, "Usage: parallax VERB [OPERATION] [options]\n\n"
                     "Runs one computation through CUDA, OpenCL and a host reference, proves that the\n"
                     "results agree, and shows where the time goes.\n\nVerbs:\n");
    for (int i = 0; i < VERB_COUNT; i++)
        add_line(&table, verbs[i]->name, verbs[i]->summary);
    (void)plx_table_finish(&table, to, &error);
    (void)fprintf(to, "\nOperations:\n");
    for (unsigned i = 0; i < PLX_OP_COUNT; i++) {
        const plx_op_info info = cli_op_info((plx_op)i);
        add_line(&table, info.name, info.summary);
        plx_table_rest(&table, "; shape %s", info.shape_form);
    }
    (void)plx_table_finish(&table, to, &error);
    cli_put_text(to, "\n'parallax VERB --help' says more of a verb.  A first try:\n"
                     "  parallax run gemm 256 256 256\n");
}

static int print_version(void)
{
    (void)fprintf(cli_out(), "parallax %s\n", plx_version());
    return CLI_OK;
}

/* "parallax run": what messages begin with. */
static void set_who(const cli_verb *verb)
{
    static char who[32];
    (void)snprintf(who, sizeof who, "parallax %s", verb->name);
    cli_who = who;
}

/* Whose files they would be is not for the user to say. */
static int check_privileges(const cli_options *options)
{
    const char *const files[] = {options->json, options->csv,  options->junit,  options->out,
                                 options->plot, options->page, options->folder, options->save_failure};
    for (size_t i = 0; plx_is_privileged() && i < sizeof files / sizeof files[0]; i++)
        if (files[i] != NULL && !cli_is_stdout(files[i]))
            return cli_wrong_usage("'%s': no file is written with raised privileges", files[i]);
    return CLI_OK;
}

/* What a verb does with what it was told. */
static int carry_out(const cli_verb *verb, cli_options *options)
{
    plx_context *context;
    int status = check_privileges(options);
    if (status == CLI_OK && verb->check != NULL)
        status = verb->check(options);
    if (status == CLI_OK && verb->run == NULL)
        status = CLI_DONE;
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status == CLI_OK)
        status = cli_open_context(verb, options, &context);
    if (status != CLI_OK)
        return status == CLI_DONE ? CLI_OK : status;
    status = cli_required_check(context, options);
    if (verb->stops)
        cli_interrupt_begin(verb->terminates);
    if (status == CLI_OK)
        status = verb->run(context, options);
    cli_close_context(options, context);
    return status;
}

static int run_verb(const cli_verb *verb, int argc, char **argv)
{
    cli_options options;
    set_who(verb);
    int status = cli_options_read(verb, argc, argv, &options);
    if (status == CLI_OK && options.help)
        cli_verb_help(verb);
    else if (status == CLI_OK && options.version)
        status = print_version();
    else if (status == CLI_OK)
        status = carry_out(verb, &options);
    cli_options_free(&options);
    return status;
}

/* "parallax help run" is "parallax run --help". */
static int print_help(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-') {
        print_usage(cli_out());
        return CLI_OK;
    }
    const cli_verb *verb = verb_of(argv[1]);
    if (verb == NULL)
        return unknown_verb(argv[1]);
    cli_verb_help(verb);
    return CLI_OK;
}

int cli_dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return print_version();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return print_help(argc - 1, argv + 1);
    const cli_verb *verb = verb_of(word);
    return verb != NULL ? run_verb(verb, argc - 1, argv + 1) : unknown_verb(word);
}
