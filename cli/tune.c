/* tune: finds the fastest kernel for a user's shapes on the user's device, and keeps the
 * choice. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is kept --------------------------------------------------------------- */

static int list_choices(void)
{
    plx_choice choice;
    plx_error error;
    plx_status status;
    size_t count = 0;
    for (; (status = plx_tuned_read(count, &choice, &error)) == PLX_OK; count++)
        (void)printf("%s %s %s %s %s: %s, %.2f times as fast as %s  (%s, driver %s, %s%s)\n", choice.backend,
                     choice.op, choice.dtype, choice.shape, choice.variant, choice.kernel, choice.gain,
                     choice.over, choice.device, choice.driver, choice.date,
                     choice.current ? "" : "; of other kernels, ignored");
    if (status != PLX_NOT_FOUND)
        return cli_wrong_usage("%s", error.text);
    if (count == 0)
        (void)printf("nothing is tuned; the plugins choose\n");
    return CLI_DONE;
}

static int forget_choices(plx_context *context, const cli_options *options)
{
    plx_error error = {.text = ""};
    if (plx_tuned_forget(context, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    if ((options->given & OPT_QUIET) == 0)
        (void)printf("forgotten; the plugins choose\n");
    return CLI_OK;
}

/* ---- tuning ------------------------------------------------------------------------ */

static void print_tuned(const plx_results *results, const plx_tuned *tuned, size_t count)
{
    (void)printf("\n");
    for (size_t i = 0; i < count; i++) {
        const plx_record *fastest = &results->records[tuned[i].fastest];
        const plx_record *by_default = &results->records[tuned[i].by_default];
        char shape[80];
        plx_shape_text(&fastest->problem, shape, sizeof shape);
        (void)printf("%s %s %s", fastest->backend, plx_op_name(fastest->problem.op), shape);
        if (tuned[i].kept)
            (void)printf(": %s instead of %s%s%s, %.2f times as fast; kept\n", fastest->kernel,
                         by_default->kernel, by_default->config[0] != '\0' ? ":" : "", by_default->config,
                         tuned[i].gain);
        else
            (void)printf(": %s%s%s stays; nothing is faster beyond the noise\n", by_default->kernel,
                         by_default->config[0] != '\0' ? ":" : "", by_default->config);
    }
}

static int finish(const cli_options *options, plx_results *results, const plx_tuned *tuned, size_t count)
{
    int status = cli_table_write(options, results);
    plx_gains_store(results);
    if ((options->given & OPT_QUIET) == 0 && !cli_stdout_is_taken(options))
        print_tuned(results, tuned, count);
    if (status == CLI_OK)
        status = cli_outputs_write(options, results);
    if (status == CLI_OK)
        status = cli_results_status(results, false, "nothing could be tuned: no kernel ran");
    if (status == CLI_OK && count == 0) {
        cli_say("nothing could be tuned: no kernel was right and timed");
        status = CLI_NOTHING;
    }
    return status;
}

/* "list" or "forget" in place of an operation. */
static bool asks_for(const cli_options *options, const char *word)
{
    return options->operands.count == 1 && strcmp(options->operands.at[0], word) == 0;
}

static int tune_check(cli_options *options)
{
    if (asks_for(options, "list"))
        return list_choices();
    return asks_for(options, "forget") ? CLI_OK : cli_work_read(options);
}

static int tune_run(plx_context *context, cli_options *options)
{
    static const char *by_default[] = {"auto"};
    plx_results results;
    plx_tuned *tuned = NULL;
    size_t count = 0;
    plx_error error = {.text = ""};
    plx_compare_options wanted = cli_comparison(options);
    if (asks_for(options, "forget"))
        return forget_choices(context, options);
    if (wanted.backend_count == 0) {
        wanted.backends = by_default;
        wanted.backend_count = 1;
    }
    plx_status made = plx_tune(context, &wanted, &results, &tuned, &count, &error);
    cli_progress_end();
    if (made != PLX_OK)
        return cli_failed(made, &error);
    int status = finish(options, &results, tuned, count);
    free(tuned);
    plx_results_free(&results);
    return status;
}

const cli_verb cli_tune_verb = {
    .name = "tune",
    .summary = "finds the fastest kernel for your shapes on your device, and keeps the choice",
    .usage = "tune OPERATION SHAPE... [options] | tune list | tune forget",
    .help = "Validates and times every kernel of each backend (the best device without --backend) on\n"
            "each shape.  Kernels that can be launched in several configurations (tiles, parts of the sum)\n"
            "are searched first: each configuration is validated and timed shortly, in the order of what\n"
            "its model expects, until --budget is spent or the rest is expected to take twice as long as\n"
            "the fastest; then the four fastest are compared with all kernels.  Where one is faster beyond\n"
            "its noise than what the backend's own table chooses, it is kept: from then on everybody who\n"
            "names no kernel gets it for this shape, element type and form, the library's users included.\n"
            "\n"
            "A configuration is named behind its kernel, wherever a kernel is named: split-k:64x64/4.\n"
            "\n"
            "Choices are kept in $XDG_CACHE_HOME/parallax/choices.tsv (else ~/.cache), and are ignored\n"
            "with another device, driver or version of the kernels, or with PLX_NO_CACHE=1.  One that\n"
            "can't be taken is told, and the backend's own table chooses.\n"
            "`tune list` shows them, `tune forget` removes them all.\n"
            "\n"
            "Exit status: 0 done, 1 a result was wrong, 2 usage, or the file can't be written, 3 a name\n"
            "that isn't there, 4 nothing to tune, or a result that no bound tells from zero (not-judged),\n"
            "5 a backend failed.\n"
            "\n"
            "Examples:\n"
            "  parallax tune gemm --shape 1000x64x4096 --shape 512x512x512 --backend cuda --budget 30\n"
            "  parallax tune reduce 16777216 --reduce max --dtype i64\n",
    .options =
        OPT_COMMON | (OPT_PROBLEM & ~OPT_IN) | OPT_BACKEND | OPT_KERNEL | OPT_SECONDS | OPT_BUDGET |
        OPT_JSON | OPT_CSV,
    .check = tune_check,
    .run = tune_run,
};
