/* bench: compare over a sweep of shapes, kept in a file that grows case by case. */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "base/coverage.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* ---- when it is interrupted --------------------------------------------------------- */

/* What the handler writes: nothing that is finished is lost, and people should know. */
static char farewell[512];

static void on_interrupt(int number)
{
    ssize_t written = write(STDERR_FILENO, farewell, strlen(farewell));
    (void)written;
    plx_coverage_write();
    (void)raise(number); /* the handler is gone by now: SA_RESETHAND */
}

/* A signal that is ignored, as under nohup, stays so. */
static void say_farewell_on(int number)
{
    struct sigaction action = {.sa_flags = (int)(SA_RESETHAND | SA_NODEFER)}, before;
    action.sa_handler = on_interrupt;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(number, &action, NULL);
}

static void prepare_farewell(const char *path)
{
    if (path == NULL)
        return;
    (void)snprintf(farewell, sizeof farewell,
                   "\n%s: interrupted; the finished cases are in %.300s, and the same command goes on from there\n",
                   cli_who, path);
    say_farewell_on(SIGINT);
    say_farewell_on(SIGTERM);
}

/* ---- sets ----------------------------------------------------------------------------- */

static void add_set(plx_table *table, size_t index)
{
    size_t cases = 0, of[PLX_OP_COUNT] = {0};
    plx_set_case found;
    for (; plx_set_at(plx_set_name(index), cases, &found); cases++)
        of[found.problem.op]++;
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", plx_set_name(index));
    plx_table_rest(table, "%s", plx_set_summary(index));
    if (cases == 0) /* it is what a file says */
        return;
    plx_table_row(table);
    plx_table_cell(table, 0, "%s", "");
    plx_table_rest(table, "%zu cases:", cases);
    for (unsigned op = 0; op < PLX_OP_COUNT; op++)
        if (of[op] > 0)
            plx_table_rest(table, " %s %zu", plx_op_name((plx_op)op), of[op]);
}

static int print_sets(void)
{
    plx_table table = {.columns = 1, .left = 1};
    for (size_t i = 0; plx_set_name(i) != NULL; i++)
        add_set(&table, i);
    cli_table_finish(&table);
    return CLI_DONE;
}

static bool asks_for_sets(const cli_list *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        if (strcmp(sets->at[i], "list") == 0 || strcmp(sets->at[i], "help") == 0)
            return true;
    return false;
}

int cli_sets_check(const cli_list *sets)
{
    if (asks_for_sets(sets))
        return print_sets();
    for (size_t i = 0; i < sets->count; i++) {
        plx_error error;
        plx_status status = plx_set_check(sets->at[i], &error);
        if (status != PLX_OK)
            return status == PLX_NOT_FOUND ? cli_unknown(&cli_set_names, sets->at[i])
                                           : cli_wrong_usage("%s", error.text);
    }
    return CLI_OK;
}

/* ---- what is asked for ------------------------------------------------------------------ */

/* Of an operation's own options a set takes the compute type alone, of products in f32. */
static int check_settings_of_sets(const cli_options *options, const plx_op *ops, size_t op_count)
{
    plx_compute computes[PLX_COMPUTE_COUNT];
    size_t count;
    for (size_t i = 0; i < options->settings.count; i += 2)
        if (strcmp(options->settings.at[i], "compute") != 0)
            return cli_wrong_usage("--reduce, --trans, --alpha and their like go with --shape; a set has its own");
    const int status = cli_computes_read(options, computes, &count);
    if (status != CLI_OK || count == 0)
        return status;
    for (size_t i = 0; i < options->dtype_count; i++)
        if (options->dtypes[i] != PLX_F32)
            return cli_wrong_usage("--compute is of products in f32: with a set no other --dtype goes with it");
    return op_count == 1 && ops[0] == PLX_GEMM
               ? CLI_OK
               : cli_wrong_usage("--compute is of gemm: parallax bench gemm --compute tf32 --set random:1:50");
}

/* Without --shape the operands are operations, with it there is one. */
static int read_work(cli_options *options, const plx_op *ops, size_t op_count)
{
    if (!(options->given & OPT_SHAPE))
        return check_settings_of_sets(options, ops, op_count);
    return op_count == 1 && options->operands.count == 1
               ? cli_work_read(options)
               : cli_wrong_usage("--shape needs one operation: parallax bench gemm --shape 300x200x100");
}

static int bench_check(cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    size_t op_count;
    int status = cli_sets_check(&options->sets);
    if (status == CLI_OK)
        status = cli_compared_ops_of(options, ops, &op_count);
    if (status == CLI_OK)
        status = cli_kernel_read(options);
    if (status == CLI_OK)
        status = cli_kernel_name(options);
    if (status == CLI_OK)
        status = read_work(options, ops, op_count);
    return status == CLI_OK ? cli_runs(options) : status;
}

/* ---- telling ---------------------------------------------------------------------------- */

static void tell_started(void *data, size_t cases, size_t kept)
{
    const cli_options *options = data;
    if (kept > 0 && !(options->given & OPT_QUIET))
        cli_say("%zu of %zu cases are in %s already", kept, cases, options->json);
}

static void tell_finished(void *data, const plx_results *results)
{
    const cli_options *options = data;
    cli_progress_end();
    plx_gains_store(results);
    (void)cli_table_write(options, results); /* a failure counts when the output is closed */
    if (!cli_stdout_is_taken(options) && !(options->given & OPT_QUIET))
        (void)fprintf(cli_out(), "\n");
    (void)fflush(cli_out());
}

static void tell_left_out(void *data, const char *what, const char *reason)
{
    (void)data;
    cli_progress_end();
    cli_say("left out: %s: %s", what, reason);
}

static int print_summary(const cli_options *options, const plx_bench_results *found)
{
    if (cli_stdout_is_taken(options) || (options->given & OPT_QUIET))
        return CLI_OK;
    (void)fprintf(cli_out(), "%zu case%s: %zu run, %zu kept, %zu left out\n", found->cases,
                  found->cases == 1 ? "" : "s", found->ran, found->kept, found->left_out);
    plx_error error;
    const plx_status status = plx_results_write_standings(&found->results, cli_out(), &error);
    return status == PLX_OK || ferror(cli_out()) /* which is told when it is closed */
               ? CLI_OK
               : cli_wrong_usage("%s", error.text);
}

/* ---- the verb ------------------------------------------------------------------------------ */

/* The file of --json is written already. */
static int write_outputs(const cli_options *options, const plx_results *results)
{
    cli_options others = *options;
    if (!cli_is_stdout(options->json))
        others.json = NULL;
    return cli_outputs_write(&others, results);
}

static int finish(const cli_options *options, plx_bench_results *found)
{
    found->results.strict = (options->given & OPT_STRICT) != 0;
    int status = print_summary(options, found);
    if (status == CLI_OK)
        status = write_outputs(options, &found->results);
    if (status == CLI_OK)
        status = cli_results_status(&found->results, "nothing could be run");
    plx_bench_results_free(found);
    return status;
}

static int bench_run(plx_context *context, cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    plx_compute computes[PLX_COMPUTE_COUNT];
    plx_bench_results found;
    plx_error error = {.text = ""};
    plx_bench_options wanted = {
        .compare = cli_comparison(options),
        .any_seed = (options->given & OPT_SEED) == 0,
        .sets = options->sets.at,
        .set_count = options->sets.count,
        .ops = ops,
        .dtypes = options->dtypes,
        .dtype_count = options->dtype_count,
        .computes = computes,
        .json = cli_is_stdout(options->json) ? NULL : options->json,
        .restart = (options->given & OPT_RESTART) != 0,
        .started = tell_started,
        .finished = tell_finished,
        .left_out = tell_left_out,
        .data = options,
    };
    int status = cli_compared_ops_of(options, ops, &wanted.op_count);
    if (status == CLI_OK)
        status = cli_computes_read(options, computes, &wanted.compute_count);
    if (status != CLI_OK)
        return status;
    prepare_farewell(wanted.json);
    plx_status ran = plx_bench(context, &wanted, &found, &error);
    cli_progress_end();
    return ran == PLX_OK ? finish(options, &found) : cli_failed(ran, &error);
}

const cli_verb cli_bench_verb = {
    .times = true,
    .name = "bench",
    .summary = "compares over a sweep of shapes, for files and plots",
    .usage = "bench [OPERATION...] [options]",
    .help = "Compares backends and kernels, as compare does, over the shapes of one or several sets\n"
            "and those of --shape.  Without --set and --shape: the set quick.  `--set list` says\n"
            "which sets there are.  Each case is validated; right results are timed.\n"
            "\n"
            "The summary at the end compares our fastest kernel with the fastest of the vendors' libraries\n"
            "on the same device, for each operation and variant: the ratio of the times (theirs over ours)\n"
            "as a geometric mean, the least, the most, and the share of problems where it is 1 or more.\n"
            "\n"
            "The file of --json always holds every finished case.  Given again, the same command keeps those\n"
            "and runs each case in which a kernel has no result yet.  `unsupported` is a result; `failed` and\n"
            "`not-run` are not.  A file from another environment (version, kernels, compiler, devices, driver,\n"
            "options) is refused; --restart replaces it.\n"
            "\n"
            "random:SEED[:COUNT] is a set that a seed draws, the same on every machine: COUNT (50)\n"
            "cases of each operation, from thousands of elements to 512 MiB of f32, in all layouts.  Half\n"
            "of them have padding between rows, half have operands that do not start at an aligned address.\n"
            "drawn8:SEED[:COUNT] draws products whose sides are multiples of 8.  layers[:PLACE][:LAYOUT] has\n"
            "the products of published language models' layers (attention, gate-up, down, head), forward (nt)\n"
            "and backward (nn, tn).\n"
            "\n"
            "file:PATH has the shapes of a file.  A line is a problem: an operation, its shape and what is set of it,\n"
            "as options name it without dashes: 'gemm 16x4096x4096 trans-b', 'gemm 128x128x64 batch=96'.  From # on\n"
            "a line is a comment.\n"
            "\n"
            "--runs 5 runs everything in five processes, one after the other, into one file: a time is then\n"
            "the mean of the runs, and its interval comes from the differences between them.  'diff' needs\n"
            "this if runs differ from each other.  The same command continues an interrupted run.\n"
            "\n"
            "Processors do not run the largest shapes of a set: such a case is left out, or, if another device\n"
            "runs it, not-run on the processor.  Either is reported.\n"
            "\n"
            "Exit status: 0 all ran and agreed, 1 a result was wrong or two disagree, 3 a name that\n"
            "isn't there, 4 nothing ran, nothing on a backend that was named, or a result that no bound\n"
            "tells from zero (not-judged), 5 a backend failed.\n"
            "A vendor's library that is wrong decides the status only when somebody named it.\n"
            "\n"
            "Examples:\n"
            "  parallax bench --json quick.json\n"
            "  parallax bench gemm matvec --set square --set odd --kernel best --json bench.json\n"
            "  parallax bench gemm --set random:1:200 --backend cuda --backend cublas --json r.json\n"
            "  parallax bench gemm --set random:1:50 --compute tf32 --backend cuda --backend cublas\n"
            "  parallax bench gemm --set layers:nt --dtype bf16 --backend cuda --backend cublas\n"
            "  parallax bench --set file:shapes.txt --dtype bf16 --backend cuda --backend cublas\n"
            "  parallax bench transpose --shape 4096x4096 --shape 4096x4000 --kernel all --csv -\n",
    .options = OPT_COMMON | (OPT_PROBLEM & ~OPT_IN) | OPT_SET | OPT_RUNS | OPT_RESTART | OPT_BACKEND | OPT_KERNEL |
               OPT_NO_TIMING | OPT_SECONDS | OPT_HOT | OPT_QUEUES | OPT_COUNTERS | OPT_JSON | OPT_CSV | OPT_REQUIRE |
               OPT_STRICT | OPT_KERNEL_FILE,
    .check = bench_check,
    .run = bench_run,
};
