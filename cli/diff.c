/* diff: what changed from one file of results to another; the exit status says so. */
#include "cli.h"

static plx_status write_json(const void *found, FILE *to, plx_error *error)
{
    return plx_diff_write_json(found, to, error);
}

static plx_status write_ci(const void *found, plx_ci_form form, FILE *to, plx_error *error)
{
    return plx_diff_write_ci(found, form, to, error);
}

static int tell(const cli_options *options, const plx_diff_results *found)
{
    plx_error error = {""};
    if (!cli_stdout_is_taken(options) && !(options->given & OPT_QUIET) &&
        plx_diff_write_table(found, cli_out(), &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    int status = cli_write(options->json, write_json, found);
    if (status == CLI_OK)
        status = cli_ci_write(options, write_ci, found);
    if (status == CLI_OK)
        status = plx_diff_status(found);
    (void)fflush(cli_out()); /* what follows comes after the table */
    if (found->compared == 0)
        cli_say("nothing could be compared: no record is in both files");
    else if (!found->across && found->counts[PLX_CHANGE_VANISHED] + found->counts[PLX_CHANGE_UNTIMED] > 0 &&
             !found->allow_missing)
        cli_say("%zu result%s and %zu time%s of %s are missing; --allow-missing if that is meant",
                found->counts[PLX_CHANGE_VANISHED], found->counts[PLX_CHANGE_VANISHED] == 1 ? "" : "s",
                found->counts[PLX_CHANGE_UNTIMED], found->counts[PLX_CHANGE_UNTIMED] == 1 ? "" : "s",
                options->operands.at[0]);
    return status;
}

static int diff_check(cli_options *options)
{
    plx_diff_options wanted = {.threshold = options->threshold,
                               .allow_missing = (options->given & OPT_ALLOW_MISSING) != 0,
                               .across = (options->given & OPT_ACROSS) != 0};
    plx_diff_results found;
    plx_error error = {""};
    const size_t all = options->operands.count, old = options->ended ? options->before_end : 1;
    if (options->ended ? old == 0 || old == all : all != 2)
        return cli_wrong_usage(
            "two files of results are compared, or several with -- between old and new: parallax diff "
            "OLD.json NEW.json, parallax diff OLD.json... -- NEW.json...");
    int status = cli_ci_check(options);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status != CLI_OK)
        return status;
    plx_status made =
        plx_diff_runs(options->operands.at, old, options->operands.at + old, all - old, &wanted, &found, &error);
    if (made != PLX_OK)
        return cli_failed(made, &error);
    status = tell(options, &found);
    plx_diff_results_free(&found);
    return status;
}

const cli_verb cli_diff_verb = {
    .name = "diff",
    .summary = "says what became slower, wrong or less accurate from one file of results to another",
    .usage = "diff OLD.json NEW.json [options] | diff [options] OLD.json... -- NEW.json...",
    .help = "Compares two files that bench, compare or check wrote with --json, record by record:\n"
            "what became slower or faster beyond noise, what is wrong, failed or unsupported now,\n"
            "what takes up more of its error bound, and what is in one file alone.  Differences\n"
            "between the environments come first.\n"
            "\n"
            "A time has changed when it differs by more than --threshold, the 95 % intervals of the\n"
            "medians are disjoint, and the probability of that by noise alone, corrected for the\n"
            "number of records, is below 1 %.  Of one file on each side, noise is that within a run and what\n"
            "equal runs differed by on such a device: 0.5 % on an accelerator, 8 % on a processor, more where\n"
            "others used it (doc/performance.md).  Several files with -- between old and new, or files of\n"
            "'bench --runs', show their own noise: then smaller changes are found.\n"
            "\n"
            "A right result that only OLD.json has is a regression, and so is one that has no time in\n"
            "NEW.json to compare its time with: what was not compared has not passed.  Where files\n"
            "are meant to differ in that, say --allow-missing.\n"
            "\n"
            "--across compares two devices, an H100 with an H200: by backend, kernel and problem, whatever\n"
            "their names.  Then only what is right in OLD.json and wrong in NEW.json is a regression.\n"
            "--junit, --markdown and --annotate write what a build shows.\n"
            "\n"
            "Exit status: 0 no regression, 1 something is slower, broken, less accurate or missing,\n"
            "2 a file can't be used, 4 no record is in both and none is missing.\n"
            "\n"
            "Examples:\n"
            "  parallax diff before.json after.json\n"
            "  parallax diff before-*.json -- after-*.json\n"
            "  parallax diff --threshold 10 --json - before.json after.json\n"
            "  parallax diff --allow-missing all-kernels.json best.json\n"
            "  parallax diff --across h100.json h200.json --markdown\n",
    .options = OPT_VERBOSE | OPT_QUIET | OPT_THRESHOLD | OPT_ALLOW_MISSING | OPT_ACROSS | OPT_JSON | OPT_CI,
    .check = diff_check,
};
