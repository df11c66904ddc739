/* check: validates every kernel on every backend, and the backends against each
 * other; no timing. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

/* A failure that was shown, and how many came for the same reason: once a device is lost all do.  A wrong kernel has no
 * reason here: its results are wrong each in its own way, and a few of them show it. */
typedef struct shown_failure {
    char backend[48], reason[512], kernel[64];
    plx_op op;
    size_t shown, more;
} shown_failure;

enum { MOST_SHOWN = 64, FEW = 3 };

typedef struct failures {
    const cli_options *options;
    shown_failure shown[MOST_SHOWN];
    size_t count;
} failures;

static bool is_alike(const shown_failure *shown, const shown_failure *other)
{
    return shown->op == other->op && strcmp(shown->backend, other->backend) == 0 &&
           strcmp(shown->kernel, other->kernel) == 0 && strcmp(shown->reason, other->reason) == 0;
}

/* Of what failed for one reason one is shown, of what is wrong a few. */
static shown_failure failure_of(const plx_record *record)
{
    const bool failed = record->outcome == PLX_OUTCOME_FAILED;
    shown_failure made = {.op = failed ? PLX_REDUCE : record->problem.op};
    (void)snprintf(made.backend, sizeof made.backend, "%s", record->backend);
    (void)snprintf(made.reason, sizeof made.reason, "%s", failed ? record->reason : "");
    (void)snprintf(made.kernel, sizeof made.kernel, "%s", failed ? "" : record->kernel);
    return made;
}

/* Whether enough like it was shown. */
static bool is_shown(failures *all, const plx_record *record)
{
    const size_t most = record->outcome == PLX_OUTCOME_FAILED ? 1 : FEW;
    const shown_failure made = failure_of(record);
    size_t at = 0;
    while (at < all->count && !is_alike(&all->shown[at], &made))
        at++;
    if (at == MOST_SHOWN)
        return false;
    if (at == all->count)
        all->shown[all->count++] = made;
    if (all->shown[at].shown < most) {
        all->shown[at].shown++;
        return false;
    }
    all->shown[at].more++;
    return true;
}

static void print_more(const failures *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const shown_failure *one = &all->shown[i];
        if (one->more > 0 && one->kernel[0] == '\0')
            cli_say("%zu more on %s for the same reason: %s", one->more, one->backend, one->reason);
        else if (one->more > 0)
            cli_say("%zu more wrong of %s/%s on %s; --verbose shows each", one->more, plx_op_name(one->op), one->kernel,
                    one->backend);
    }
}

/* The command finds the same plugins again. */
static void print_failure(void *data, const plx_record *record, const char *command)
{
    failures *all = data;
    const cli_options *options = all->options;
    const bool each = (options->given & OPT_VERBOSE) != 0 && record->outcome != PLX_OUTCOME_FAILED;
    if (!each && is_shown(all, record))
        return;
    cli_progress_end();
    (void)fprintf(stderr, "%s %s/%s on %s: %s\n  case: %s %s, %s input\n  repeat: %s",
                  plx_outcome_name(record->outcome), plx_op_name(record->problem.op), record->kernel, record->backend,
                  record->reason, plx_dtype_name(record->problem.dtype), record->circumstances,
                  plx_input_name(record->input), command);
    for (size_t i = 0; i < options->plugin_dirs.count; i++)
        (void)fprintf(stderr, " --plugin-dir '%s'", options->plugin_dirs.at[i]);
    (void)fputc('\n', stderr);
}

static void print_counts(const plx_check_counts *counts)
{
    size_t explained = 0;
    (void)fprintf(cli_out(), "%zu cases: %zu ok, %zu wrong, %zu failed, %zu unsupported", counts->cases, counts->ok,
                  counts->wrong, counts->failed, counts->unsupported);
    if (counts->not_judged > 0)
        (void)fprintf(cli_out(), ", %zu not judged", counts->not_judged);
    (void)fprintf(cli_out(), "\n");
    for (size_t i = 0; i < counts->reason_count; i++) {
        (void)fprintf(cli_out(), "  %zu unsupported: %s\n", counts->reasons[i].count, counts->reasons[i].text);
        explained += counts->reasons[i].count;
    }
    if (explained < counts->unsupported)
        (void)fprintf(cli_out(), "  %zu unsupported for other reasons\n", counts->unsupported - explained);
    (void)fprintf(cli_out(), "%zu pairs of results: %zu agree, %zu disagree\n", counts->pairs, counts->agreed,
                  counts->disagreed);
    (void)fprintf(cli_out(), "runs repeated to compare their bits: %zu\n", counts->repeats);
    if (counts->drawn_seed != 0)
        (void)fprintf(cli_out(), "cases besides the list: drawn by --seed %" PRIu64 "\n", counts->drawn_seed);
}

static void print_times(const plx_check_counts *counts)
{
    (void)fprintf(cli_out(), "seconds, of all threads together:");
    for (int phase = 0; phase < PLX_CHECK_PHASE_COUNT; phase++)
        (void)fprintf(cli_out(), "%s %s %.1f", phase > 0 ? "," : "", plx_check_phase_name((plx_check_phase)phase),
                      counts->seconds[phase]);
    (void)fprintf(cli_out(), "\n");
}

/* A failure may hide behind a kernel's worst case, a wrong one that does not count. */
static int check_status(const plx_check_counts *counts, const plx_results *results)
{
    int status = cli_results_status(results, "nothing could be validated");
    return status == CLI_OK && counts->failed > 0 ? CLI_BACKEND_FAILED : status;
}

static int check_check(cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    size_t op_count;
    int status = cli_ops_of(options, ops, &op_count);
    if (status == CLI_OK && options->only_case != 0 && (op_count != 1 || options->dtype_count != 1))
        status = cli_wrong_usage("--case is the number of a case of one operation and one --dtype");
    return status == CLI_OK ? cli_ci_check(options) : status;
}

static int check_run(plx_context *context, cli_options *options)
{
    plx_op ops[PLX_OP_COUNT];
    plx_check_counts counts;
    plx_results results;
    failures shown = {.options = options};
    plx_check_options wanted = {
        .backends = options->backends.at,
        .backend_count = options->backends.count,
        .kernels = options->kernels.at,
        .kernel_count = options->kernels.count,
        .ops = ops,
        .dtypes = options->dtypes,
        .dtype_count = options->dtype_count,
        .effort = options->effort,
        .seed = options->seed,
        .drawn_seed = options->drawn_seed,
        .only_case = options->only_case,
        .limit_repeats = (options->given & OPT_REPEATS) != 0,
        .most_repeats = options->repeats,
        .save_failure = options->save_failure,
        .progress = cli_progress(options),
        .progress_data = &shown,
        .failure = print_failure,
    };
    plx_error error = {.text = ""};
    int status = cli_ops_of(options, ops, &wanted.op_count); /* none: all of them */
    if (status != CLI_OK)
        return status;
    cli_keep_begin(options, "check", plx_results_write_csv);
    plx_status checked = plx_check(context, &wanted, &counts, &results, &error);
    cli_keep_end();
    cli_again_no_more();
    cli_progress_end();
    print_more(&shown);
    if (checked != PLX_OK)
        return cli_failed(checked, &error);
    results.strict = (options->given & OPT_STRICT) != 0;
    status = cli_table_write(options, &results);
    if (!cli_stdout_is_taken(options))
        print_counts(&counts);
    if (!cli_stdout_is_taken(options) && (options->given & OPT_VERBOSE))
        print_times(&counts);
    if (status == CLI_OK)
        status = cli_outputs_write(options, &results);
    if (status == CLI_OK)
        status = cli_results_ci_write(options, "check", &results);
    if (status == CLI_OK && !results.interrupted)
        status = check_status(&counts, &results);
    status = cli_interrupt_status(&results, status);
    plx_results_free(&results);
    return status;
}

const cli_verb cli_check_verb = {
    .name = "check",
    .summary = "validates every kernel on every backend and every pair of backends",
    .usage = "check [OPERATION...] [options]",
    .help = "Runs every kernel over shapes, transpositions and seven classes of input.  Every element is\n"
            "judged against a bound that follows from the arithmetic, and the backends are compared with\n"
            "each other.  Nothing is timed.  Failures are shown with a command that repeats each; of a\n"
            "wrong kernel the first three, with --verbose all.\n"
            "Without --backend: every device; without --kernel: all kernels.\n"
            "Besides its list of cases it has some of a seed that is drawn and printed; --seed N repeats them, and\n"
            "generates the data of the list by N, which otherwise is always the same.\n"
            "For CI: --require cuda,opencl fails where such a backend has no device, --strict where a library\n"
            "is wrong; --junit, --markdown and --annotate write what a build shows.\n"
            "\n"
            "Exit status: 0 all is right, 1 a result was wrong or two disagree, 3 a name that isn't\n"
            "there, 4 no element was compared on some device or of a kernel that was named, 5 a backend\n"
            "failed.  A vendor's library that is wrong decides the status only when somebody named it, or\n"
            "with --strict.\n"
            "\n"
            "Examples:\n"
            "  parallax check --quick\n"
            "  parallax check gemm --backend cuda --kernel double-buffer --full\n"
            "  parallax check reduce transpose --dtype f32 --save-failure failures\n",
    .options = OPT_COMMON | OPT_BACKEND | OPT_KERNEL | OPT_DTYPE | OPT_SEED | OPT_QUICK | OPT_FULL | OPT_CASE |
               OPT_REPEATS | OPT_SAVE_FAILURE | OPT_JSON | OPT_CSV | OPT_CI | OPT_REQUIRE | OPT_STRICT,
    .stops = true,
    .goes_on = true,
    .check = check_check,
    .run = check_run,
};
