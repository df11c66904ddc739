/* judge: a result that was computed elsewhere, by its operands. */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "base/text.h"

#include <parallax/half.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what was brought -------------------------------------------------------------------- */

/* The operands are those of options->work. */
typedef struct claimed {
    plx_array result;
    plx_strided operands[PLX_MAX_OPERANDS], lying;
    size_t count;
    plx_judged judged;
} claimed;

static int ask_what(const cli_options *options)
{
    plx_op op;
    if (options->operands.count == 0)
        return CLI_OK; /* that question comes first */
    const int status = cli_op_of(options->operands.at[0], &op);
    if (status != CLI_OK)
        return status;
    if (options->in.count == 0)
        return cli_wrong_usage("which operands? --in FILE.npy, in their order");
    if (options->results.count != 1)
        return cli_wrong_usage(options->results.count == 0 ? "which result? --result FILE.npy"
                                                           : "one --result at a time");
    return CLI_OK;
}

static int read_result(const cli_options *options, claimed *of)
{
    const char *path = options->results.at[0];
    plx_error error = {""};
    const plx_status status = plx_npy_read(path, &of->result, &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    const plx_problem *problem = &options->work.problems[0];
    const plx_dtype wanted = plx_output_dtype(problem);
    const plx_array *moved = &options->work.inputs[0];
    const char *wanted_type = moved->type[0] != '\0' ? moved->type : plx_dtype_name(wanted);
    if (strcmp(cli_element_type(&of->result), wanted_type) == 0)
        return CLI_OK;
    const bool wider = of->result.dtype == PLX_F32 && plx_is_half(problem->dtype);
    return cli_wrong_usage("%s is %s, but the result of operands in %s is %s here%s", path,
                           cli_element_type(&of->result), cli_element_type(moved), wanted_type,
                           wider ? "; --out-dtype f32 says otherwise" : "");
}

static void lay_out(const cli_options *options, claimed *of)
{
    of->count = options->work.input_count < PLX_MAX_OPERANDS ? options->work.input_count : PLX_MAX_OPERANDS;
    for (size_t i = 0; i < of->count; i++)
        of->operands[i] = plx_strided_of(&options->work.inputs[i]);
    cli_axis_judged(options, &of->result);
    of->lying = plx_strided_of(&of->result);
    of->judged.problem = options->work.problems[0];
    of->judged.promise = options->promise;
    (void)snprintf(of->judged.name, sizeof of->judged.name, "%s", options->results.at[0]);
    plx_text_clean(of->judged.name, sizeof of->judged.name);
}

/* ---- what is told -------------------------------------------------------------------------- */

typedef struct verdicts {
    const plx_judged *list;
    size_t count;
} verdicts;

static plx_status write_json(const void *what, FILE *to, plx_error *error)
{
    const verdicts *all = what;
    return plx_judged_write_json(all->list, all->count, to, error);
}

static plx_status write_junit(const void *what, FILE *to, plx_error *error)
{
    const verdicts *all = what;
    return plx_judged_write_junit(all->list, all->count, to, error);
}

static plx_status write_markdown(const void *what, FILE *to, plx_error *error)
{
    const verdicts *all = what;
    return plx_judged_write_markdown(all->list, all->count, to, error);
}

static plx_status write_table(const void *what, FILE *to, plx_error *error)
{
    const verdicts *all = what;
    return plx_judged_write_table(all->list, all->count, to, cli_terminal_width(), cli_table_flags(), error);
}

static bool takes_stdout(const cli_options *options)
{
    return cli_stdout_is_taken(options) || cli_is_stdout(options->junit);
}

static int tell(const cli_options *options, const plx_judged *list, size_t count)
{
    const verdicts all = {list, count};
    int status = CLI_OK;
    if (options->given & OPT_MARKDOWN)
        status = cli_write("-", write_markdown, &all);
    else if (!takes_stdout(options) && !(options->given & OPT_QUIET))
        status = cli_show(write_table, &all);
    if (status == CLI_OK)
        status = cli_write(options->json, write_json, &all);
    if (status == CLI_OK)
        status = cli_write(options->junit, write_junit, &all);
    return status == CLI_OK ? plx_judged_status(list, count) : status;
}

static int check_streams(const cli_options *options)
{
    const int takers =
        cli_is_stdout(options->json) + cli_is_stdout(options->junit) + ((options->given & OPT_MARKDOWN) != 0);
    return takers > 1 ? cli_wrong_usage("--json, --junit and --markdown can't share standard output") : CLI_OK;
}

/* ---- one result ------------------------------------------------------------------------------ */

static int save(const cli_options *options, const claimed *of)
{
    plx_error error = {""};
    char stem[64];
    if (options->save_failure == NULL || of->judged.verdict.outcome == PLX_OUTCOME_OK)
        return CLI_OK;
    (void)snprintf(stem, sizeof stem, "%s", plx_op_name(of->judged.problem.op));
    const plx_status status =
        plx_judged_save(options->save_failure, stem, &of->judged, of->operands, of->count, &of->lying, &error);
    return status == PLX_OK ? CLI_OK : cli_failed(status, &error);
}

static int judge(const cli_options *options, claimed *of)
{
    plx_error error = {""};
    const plx_status status = plx_judge_result(&of->judged.problem, of->operands, of->count, &of->lying,
                                               &of->judged.promise, &of->judged.verdict, &error);
    if (status == PLX_INVALID) {
        cli_say("%s: %s", of->judged.name, error.text);
        return CLI_USAGE;
    }
    if (status != PLX_OK)
        return cli_failed(status, &error);
    const int saved = save(options, of);
    const int told = tell(options, &of->judged, 1);
    return saved != CLI_OK ? saved : told;
}

static int judge_one(cli_options *options)
{
    claimed of = {.count = 0};
    int status = ask_what(options);
    if (status == CLI_OK)
        status = cli_work_read(options);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status == CLI_OK)
        status = read_result(options, &of);
    if (status == CLI_OK) {
        lay_out(options, &of);
        status = judge(options, &of);
    }
    plx_array_free(&of.result);
    return status;
}

/* ---- a challenge ------------------------------------------------------------------------------- */

/* Whether the only word is no operation, but a directory. */
static bool is_challenge(const cli_options *options)
{
    struct stat about;
    plx_op op;
    return options->operands.count == 1 && !plx_op_from_name(options->operands.at[0], &op) &&
           stat(options->operands.at[0], &about) == 0 && S_ISDIR(about.st_mode);
}

static int check_challenge(const cli_options *options, plx_challenge_judging *wanted)
{
    plx_compute computes[PLX_COMPUTE_COUNT];
    size_t count = 0;
    if (options->in.count + options->results.count > 0)
        return cli_wrong_usage("operands and results of a challenge are those in %s; without --in and --result",
                               options->operands.at[0]);
    if (options->dtype_count > 0)
        return cli_wrong_usage("--dtype: the challenge says it");
    for (size_t i = 0; i + 1 < options->settings.count; i += 2)
        if (strcmp(options->settings.at[i], "compute") != 0)
            return cli_wrong_usage("--%s: the challenge says it", options->settings.at[i]);
    const int status = cli_computes_read(options, computes, &count);
    if (status == CLI_OK && count > 1)
        return cli_wrong_usage("--compute: one compute type at a time");
    wanted->compute = count > 0 ? computes[0] : PLX_COMPUTE_PLAIN;
    return status;
}

static int judge_challenge(cli_options *options)
{
    plx_challenge_judging wanted = {
        .promise = options->promise, .save_failure = options->save_failure, .progress = cli_progress(options)};
    plx_error error = {""};
    plx_judged *judged;
    size_t count;
    int status = check_challenge(options, &wanted);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status != CLI_OK)
        return status;
    const plx_status done = plx_challenge_judge(options->operands.at[0], &wanted, &judged, &count, &error);
    cli_progress_end();
    if (done != PLX_OK)
        return cli_failed(done, &error);
    status = tell(options, judged, count);
    free(judged);
    return status;
}

static int judge_check(cli_options *options)
{
    const int status = check_streams(options);
    if (status != CLI_OK)
        return status;
    if (options->given & OPT_DRAFT)
        return cli_draft(options);
    if (options->replay != NULL)
        return cli_judge_replay(options);
    if (options->source != NULL && (options->given & OPT_PRINT) == 0)
        return cli_judge_kernel(options);
    if (options->given & (OPT_BACKEND | OPT_SEED | OPT_INPUT | OPT_QUICK | OPT_FULL | OPT_NO_TIMING | OPT_SECONDS |
                          OPT_PLUGIN_DIR | OPT_COMPILE_ONLY | OPT_AGAINST | OPT_JUDGED))
        return cli_wrong_usage(
            "--backend, --seed, --quick and what else is about a run goes with --source: nothing else is run");
    if (options->recipe != NULL || options->source != NULL)
        return cli_recipe(options);
    if (options->given & (OPT_RECIPE | OPT_KERNEL_FILE | OPT_PRINT | OPT_SHAPE))
        return cli_wrong_usage("--shape, --print, --device and --tunable go with --recipe or --source");
    return is_challenge(options) ? judge_challenge(options) : judge_one(options);
}

const cli_verb cli_judge_verb = {
    .name = "judge",
    .summary = "says whether a result from elsewhere, or a kernel in a file, is right",
    .usage =
        "judge OPERATION|DIR --in FILE.npy --in FILE.npy --result FILE.npy [options], or "
        "judge OPERATION --source FILE [--recipe FILE] [options], or judge OPERATION --source FILE --draft RECIPE, or "
        "judge OPERATION --recipe FILE --print [options]",
    .help =
        "Judges a result by its operands, each element against a bound that follows from the\n"
        "arithmetic that the result promises.  No backend and no device is needed.  Operands come\n"
        "from .npy files in their order: reduce x; transpose in; matvec A, x, [y]; gemm A, B, [C].\n"
        "The last one is the old contents of the output, where --beta is not 0.\n"
        "\n"
        "Without options the promise is the weakest that is usual for the type: sums in any order, kept in\n"
        "f32 (of f64 in f64), for operands of 16 bits with or without matrix units, and subnormals kept.\n"
        "Products of f32 in other types are promised with --compute.\n"
        "\n"
        "The bound of long sums has room for operands that were rounded to fewer digits, so the verdict also\n"
        "says what the error looks like: the type's own, or that of operands in tf32, bf16 or f16.  With\n"
        "--typical a result is wrong if its error looks less exact than was promised.\n"
        "\n"
        "Instead of an operation the DIR of a challenge judges all results in it ('parallax challenge').\n"
        "\n"
        "With --source a kernel in a file is judged: compiled, and run in a process of its own as its recipe says,\n"
        "on the cases of its domain, then timed on each shape beside ours and the vendor's (doc/judging.md).\n"
        "\n"
        "A recipe describes how to launch a kernel.  --draft writes a first one, by the kernel's parameters, and says\n"
        "what it could not tell.  --print shows its launches for each shape on\n"
        "the device that --device describes.\n"
        "\n"
        "Exit status: 0 the result or kernel is right, 1 it is wrong, 2 a file, a recipe or an option can't be used,\n"
        "3 there is no device for the kernel, 4 it could not be judged: no bound tells it from zero, or it has no\n"
        "elements; or the recipe takes no problem of those asked for; 5 the kernel crashed, did not come back, or\n"
        "did not compile; 6 with --against it is slower than in the record.\n"
        "\n"
        "Examples:\n"
        "  parallax judge gemm --in a.npy --in b.npy --result c.npy\n"
        "  parallax judge gemm --in a.npy --in b.npy --in c0.npy --beta 0.5 --result c.npy --json -\n"
        "  parallax judge reduce --in x.npy --result sum.npy --sums pairwise\n"
        "  parallax judge cases --typical --junit cases.xml\n"
        "  parallax judge gemm --source gemm.cl --draft gemm.json\n"
        "  parallax judge gemm --source gemm.cl --shape 512x512x512 --json record.json\n"
        "  parallax judge gemm --recipe mine.json --print --shape 4096x4096x4096 --dtype f16 --device h100\n",
    .takes_one = true,
    .options = OPT_VERBOSE | OPT_QUIET | OPT_DTYPE | OPT_SETTINGS | OPT_IN | OPT_AXIS | OPT_RESULT | OPT_PROMISE |
               OPT_JSON | OPT_JUNIT | OPT_MARKDOWN | OPT_SAVE_FAILURE | OPT_SHAPE | OPT_RECIPE | OPT_KERNEL_FILE |
               OPT_PRINT | OPT_COMPILE_ONLY | OPT_AGAINST | OPT_BACKEND | OPT_SEED | OPT_INPUT | OPT_QUICK | OPT_FULL |
               OPT_NO_TIMING | OPT_SECONDS | OPT_PLUGIN_DIR | OPT_JUDGED | OPT_DRAFT,
    .check = judge_check,
};
