/* tune: finds the fastest kernel for a user's shapes on the user's device, and keeps the
 * choice. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what is kept --------------------------------------------------------------- */

static int list_choices(void)
{
    plx_choice choice;
    plx_error error;
    plx_status status;
    size_t count = 0;
    for (; (status = plx_tuned_read(count, &choice, &error)) == PLX_OK; count++)
        (void)fprintf(cli_out(), "%s %s %s %s %s: %s, %.2f times as fast as %s  (%s, driver %s, %s%s)\n",
                      choice.backend, choice.op, choice.dtype, choice.shape, choice.variant, choice.kernel, choice.gain,
                      choice.over, choice.device, choice.driver, choice.date,
                      choice.current ? "" : "; of other kernels, ignored");
    if (status != PLX_NOT_FOUND)
        return cli_wrong_usage("%s", error.text);
    if (count == 0)
        (void)fprintf(cli_out(), "nothing is tuned; the plugins choose\n");
    return CLI_DONE;
}

static int forget_choices(plx_context *context, const cli_options *options)
{
    plx_error error = {.text = ""};
    if (plx_tuned_forget(context, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    if ((options->given & OPT_QUIET) == 0)
        (void)fprintf(cli_out(), "forgotten; the plugins choose\n");
    return CLI_OK;
}

/* ---- tuning ------------------------------------------------------------------------ */

/* Once for each, in the table or beside what takes its place. */
static void say_taken_back(const plx_results *results, const plx_tuned *tuned)
{
    const plx_record *record = &results->records[tuned->by_default];
    char problem[160];
    plx_problem_text(&record->problem, record->shift, problem, sizeof problem);
    cli_say("the choice that was kept of %s on %s, %s, is taken back: nothing is faster beyond the noise", problem,
            record->backend, tuned->taken_back);
}

/* Whether no other kernel was right and timed on that problem and backend. */
static bool is_alone(const plx_results *results, const plx_record *record)
{
    size_t others = 0;
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *other = &results->records[i];
        others += other != record && other->group == record->group && strcmp(other->backend, record->backend) == 0 &&
                  other->outcome == PLX_OUTCOME_OK && plx_timing_counts(&other->time);
    }
    return others == 0;
}

/* Nothing of a kernel in a file is kept: its author does, in the recipe. */
static void print_from_file(const plx_record *fastest, const plx_record *by_default, double gain)
{
    if (strcmp(fastest->kernel, by_default->kernel) == 0)
        (void)fprintf(cli_out(), ": %s as it is by itself; no other choice of its tunables is faster\n",
                      by_default->kernel);
    else if (fastest->time.high_ns < by_default->time.low_ns)
        (void)fprintf(cli_out(),
                      ": %s, %.2f times as fast as %s; to keep it, put these values first in its recipe's tune\n",
                      fastest->kernel, gain, by_default->kernel);
    else
        (void)fprintf(cli_out(), ": %s as it is by itself; nothing is faster beyond the noise\n", by_default->kernel);
}

static void print_tuned(const plx_results *results, const plx_tuned *tuned, size_t count)
{
    (void)fprintf(cli_out(), "\n");
    for (size_t i = 0; i < count; i++) {
        const plx_record *fastest = &results->records[tuned[i].fastest];
        const plx_record *by_default = &results->records[tuned[i].by_default];
        char shape[80];
        plx_shape_text(&fastest->problem, shape, sizeof shape);
        (void)fprintf(cli_out(), "%s %s %s", fastest->backend, plx_op_name(fastest->problem.op), shape);
        if ((fastest->kernel_flags & PLX_KERNEL_ADDED) != 0)
            print_from_file(fastest, by_default, tuned[i].gain);
        else if (tuned[i].kept)
            (void)fprintf(cli_out(), ": %s instead of %s%s%s, %.2f times as fast; kept\n", fastest->kernel,
                          by_default->kernel, by_default->config[0] != '\0' ? ":" : "", by_default->config,
                          tuned[i].gain);
        else if (is_alone(results, fastest))
            (void)fprintf(cli_out(),
                          ": %s stays; there is nothing to choose from, no other kernel was right and timed\n",
                          by_default->kernel);
        else
            (void)fprintf(cli_out(), ": %s%s%s stays; nothing is faster beyond the noise\n", by_default->kernel,
                          by_default->config[0] != '\0' ? ":" : "", by_default->config);
    }
}

static int finish(const cli_options *options, plx_results *results, const plx_tuned *tuned, size_t count)
{
    int status = cli_table_write(options, results);
    plx_gains_store(results);
    if ((options->given & OPT_QUIET) == 0 && !cli_stdout_is_taken(options))
        print_tuned(results, tuned, count);
    (void)fflush(cli_out()); /* what follows comes after the table */
    for (size_t i = 0; i < count && (options->given & OPT_QUIET) == 0; i++)
        if (tuned[i].taken_back[0] != '\0')
            say_taken_back(results, &tuned[i]);
    if (status == CLI_OK)
        status = cli_outputs_write(options, results);
    if (results->interrupted)
        return cli_interrupt_status(results, status);
    if (status == CLI_OK)
        status = cli_results_status(results, "nothing could be tuned: no kernel ran");
    if (status == CLI_OK && count == 0) {
        cli_say("nothing could be tuned: no kernel was right and timed");
        status = CLI_NOTHING;
    }
    return status;
}

/* ---- the choice ---------------------------------------------------------------------- */

static void print_regret(const char *what, const plx_regret *regret)
{
    char problem[160];
    if (regret->problems == 0)
        return;
    plx_problem_text(&regret->most_at, regret->most_at_shift, problem, sizeof problem);
    (void)fprintf(cli_out(),
                  "%s: %.3f of the least time, as a geometric mean of %zu problems; %.0f %% within 5 %%; at most %.2f: "
                  "%s\n",
                  what, regret->mean, regret->problems, 100.0 * (double)regret->within / (double)regret->problems,
                  regret->most, problem);
}

/* A kernel is worth its lines where the choice without it takes 1 % longer in the mean, or more than a tenth longer for
 * more than 2 % of the problems. */
static void print_without(const plx_kernel_without *left)
{
    const double share = 100.0 * (double)left->lost / (double)left->problems;
    (void)fprintf(
        cli_out(),
        "without %s, which is chosen for %zu: %.3f of the time, as a geometric mean of %zu; %.1f %% take more "
        "than a tenth longer%s\n",
        left->kernel, left->chosen, left->mean, left->problems, share,
        left->mean > 1.01 || share > 2.0 ? "" : ": it could go");
}

static void print_choice(const plx_choice_study *found)
{
    for (size_t i = 0; i < found->fit_count; i++) {
        const plx_rates_fit *fit = &found->fits[i];
        if (fit->rates > 0)
            (void)fprintf(cli_out(), "%s: %zu rates fitted to %zu times, off by %.1f %% typically, before %.1f %%\n",
                          fit->kernel, fit->rates, fit->times, 100.0 * fit->after, 100.0 * fit->before);
        else
            (void)fprintf(cli_out(), "%s: %zu times are too few to fit its rates\n", fit->kernel, fit->times);
    }
    (void)fprintf(cli_out(), "%zu problems on %s\n", found->problems, found->backend);
    print_regret("what is chosen takes", &found->chosen);
    print_regret("by the fitted rates", &found->by_fitted);
    for (size_t i = 0; i < found->without_count; i++)
        if (found->without[i].problems > 0)
            print_without(&found->without[i]);
}

static int finish_choice(const cli_options *options, plx_results *results)
{
    if ((options->given & OPT_QUIET) == 0 && !cli_stdout_is_taken(options))
        print_choice(results->choice);
    int status = cli_outputs_write(options, results);
    if (status == CLI_OK)
        status = cli_results_status(results, "nothing could be timed: no kernel ran");
    if (status == CLI_OK && results->choice->chosen.problems == 0) {
        cli_say("the time was over before any problem was judged: give it more with --budget");
        status = CLI_NOTHING;
    }
    return status;
}

/* The command, as far as it decides what is fitted. */
static void say_command(const cli_options *options, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "%s", cli_who);
    const struct {
        const char *option;
        const cli_list *words;
    } said[] = {{" ", &options->operands}, {" --set ", &options->sets}, {" --backend ", &options->backends}};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        for (size_t j = 0; j < said[i].words->count && used < capacity; j++)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", said[i].option, said[i].words->at[j]);
    if (used < capacity)
        (void)snprintf(text + used, capacity - used, " --budget %g --rates",
                       options->budget > 0 ? options->budget : 60);
}

static int choice_run(plx_context *context, cli_options *options)
{
    char command[200];
    plx_results results;
    plx_error error = {.text = ""};
    plx_choice_options wanted = {
        .compare = cli_comparison(options),
        .sets = options->sets.at,
        .set_count = options->sets.count,
        .dtype = options->dtype_count > 0 ? options->dtypes[0] : PLX_F32,
        .rates = options->rates,
        .command = command,
    };
    int status = cli_op_of(options->operands.at[0], &wanted.op);
    if (status != CLI_OK)
        return status;
    say_command(options, command, sizeof command);
    const plx_status made = plx_tune_choice(context, &wanted, &results, &error);
    cli_progress_end();
    if (made != PLX_OK)
        return cli_failed(made, &error);
    status = finish_choice(options, &results);
    plx_results_free(&results);
    return status;
}

static int choice_check(const cli_options *options)
{
    struct stat about;
    plx_op ops[PLX_OP_COUNT];
    size_t count;
    int status = cli_sets_check(&options->sets);
    if (status == CLI_OK)
        status = cli_compared_ops_of(options, ops, &count);
    if (status != CLI_OK)
        return status;
    if (options->operands.count != 1 || options->dtype_count > 1)
        return cli_wrong_usage(
            "--set needs one operation and at most one --dtype: parallax tune gemm --set random:1:40");
    if (options->given & (OPT_SHAPE | OPT_SETTINGS | OPT_KERNEL))
        return cli_wrong_usage(
            "--shape, --kernel and the operation's own options don't go with --set, which has its own "
            "shapes and asks all kernels");
    if (options->rates != NULL && (stat(options->rates, &about) != 0 || !S_ISDIR(about.st_mode)))
        return cli_wrong_usage("--rates: %s is no directory", options->rates);
    return CLI_OK;
}

/* ---- the verb ---------------------------------------------------------------------------- */

/* "list" or "forget" in place of an operation. */
static bool asks_for(const cli_options *options, const char *word)
{
    return options->operands.count > 0 && strcmp(options->operands.at[0], word) == 0;
}

static int tune_check(cli_options *options)
{
    const cli_list *words = &options->operands;
    if (words->count > 1 && (asks_for(options, "list") || asks_for(options, "forget")))
        return cli_wrong_usage("'%s' stands alone, so not with '%s'", words->at[0], words->at[1]);
    if (asks_for(options, "list"))
        return list_choices();
    if (options->source != NULL && options->kernels.count + options->sets.count > 0)
        return cli_wrong_usage("--source is tuned alone: --kernel and --set are about kernels of plugins");
    if (options->sets.count > 0)
        return choice_check(options);
    const int status = cli_kernel_read(options);
    if (status != CLI_OK)
        return status;
    if (options->kernel != NULL && !cli_list_add(&options->kernels, plx_kernel_file_facts(options->kernel)->name))
        return cli_wrong_usage("no memory");
    if (options->rates != NULL)
        return cli_wrong_usage("--rates needs --set: rates are fitted to times of many shapes");
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
    if (options->sets.count > 0)
        return choice_run(context, options);
    if (wanted.backend_count == 0) {
        wanted.backends = by_default;
        wanted.backend_count = 1;
    }
    cli_keep_begin(options, "tune", plx_results_write_csv);
    plx_status made = plx_tune(context, &wanted, &results, &tuned, &count, &error);
    cli_keep_end();
    cli_progress_end();
    if (made != PLX_OK)
        return cli_failed(made, &error);
    int status = finish(options, &results, tuned, count);
    free(tuned);
    plx_results_free(&results);
    return status;
}

const cli_verb cli_tune_verb = {
    .times = true,
    .stops = true,
    .name = "tune",
    .summary = "finds the fastest kernel for your shapes on your device, and keeps the choice",
    .usage = "tune OPERATION SHAPE... [options] | tune OPERATION --set SET... [--rates DIR] | tune list | "
             "tune forget",
    .help = "Validates and times every kernel on each shape, on the best device or on those of --backend.\n"
            "If a kernel is faster, beyond the noise, than the one that the backend's own table chooses, tune\n"
            "keeps this choice: from then on the backend uses it wherever no kernel is named, for this shape,\n"
            "element type and form, also in programs that use the library.\n"
            "\n"
            "Kernels that can be launched in several configurations (tiles, parts of the sum) are searched\n"
            "first.  Each configuration is validated and timed briefly, in the order that the kernel's model\n"
            "expects, until --budget is spent or the rest is expected to take twice as long as the fastest.\n"
            "The four fastest then take part in the comparison.  A configuration is named behind its kernel,\n"
            "wherever a kernel is named: split-k:64x64/4.\n"
            "\n"
            "With --source the tunables of a kernel in a file are searched so: each choice of their values that the\n"
            "recipe allows is a configuration, mine:NAME:TILE=64.  Nothing is kept: the fastest values are to be put\n"
            "first in the recipe's tune, or given by --tunable.\n"
            "\n"
            "Choices are kept in $XDG_CACHE_HOME/parallax/choices.tsv (else ~/.cache), and are ignored\n"
            "with another device, driver or version of the kernels, or with PLX_NO_CACHE=1.  A choice that\n"
            "can't be taken is reported, and the backend's own table chooses.\n"
            "`tune list` shows the choices, `tune forget` removes them all.\n"
            "\n"
            "With --set nothing is kept.  Instead it measures how far the choices of one backend are from the\n"
            "best.  In each problem of the set it validates and times the configurations that are expected to\n"
            "be fast, and the fastest of them again, until --budget is spent.  The result is the time of the\n"
            "choice over the least time: the geometric mean, the most, and the share of problems where it is at\n"
            "most 1.05.  --rates fits the rates of the kernels' models to two problems of three, writes them as\n"
            "a table in C for each kernel (kernels/gemm/plan/rates/), and tries them on the third.\n"
            "\n"
            "Exit status: 0 done, 1 a result was wrong, 2 usage, or the file can't be written, 3 a name\n"
            "that isn't there, 4 nothing to tune, or a result that no bound tells from zero (not-judged),\n"
            "5 a backend failed.\n"
            "\n"
            "Examples:\n"
            "  parallax tune gemm --shape 1000x64x4096 --shape 512x512x512 --backend cuda --budget 30\n"
            "  parallax tune reduce 16777216 --reduce max --dtype i64\n"
            "  parallax tune gemm --source mine.cu --shape 4096x4096x4096\n"
            "  parallax tune gemm --set random:11:60 --backend cuda --budget 60 --json choice.json\n",
    .options = OPT_COMMON | (OPT_PROBLEM & ~OPT_IN) | OPT_BACKEND | OPT_KERNEL | OPT_SECONDS | OPT_BUDGET | OPT_JSON |
               OPT_CSV | OPT_SET | OPT_RATES | OPT_KERNEL_FILE,
    .check = tune_check,
    .run = tune_run,
};
