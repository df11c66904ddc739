/* report: files of results as one page, before and after as a page, one plot, or tables in Markdown. */
#include "cli.h"

#include "page/page.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char *path_of(const cli_options *options)
{
    return options->out != NULL ? options->out : "-";
}

/* By the name of the output; standard output gets SVG. */
static const char *terminal_of(const char *path)
{
    static const char *const known[] = {"svg", "png", "gp"};
    const char *dot = cli_is_stdout(path) ? ".svg" : strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(dot + 1, known[i]) == 0)
            return known[i];
    return NULL;
}

static int check(const cli_options *options)
{
    const char *terminal = options->plot != NULL ? terminal_of(path_of(options)) : "";
    const bool markdown = (options->given & OPT_MARKDOWN) != 0;
    if (options->operands.count == 0)
        return cli_wrong_usage("which results? name the files, as in 'parallax report results.json -o report.html'");
    if ((options->pack || options->unpack) &&
        (options->pack == options->unpack || markdown || options->plot != NULL || options->operands.count != 1))
        return cli_wrong_usage("--pack and --unpack take one file, and neither --plot nor --markdown");
    if (markdown && options->plot != NULL)
        return cli_wrong_usage("--plot and --markdown exclude each other");
    if (!markdown && options->section != NULL)
        return cli_wrong_usage("--section needs --markdown");
    if (options->history && (markdown || options->plot != NULL))
        return cli_wrong_usage("--history is a page of its own: without --plot and --markdown");
    if (options->manifest &&
        (options->pack || options->unpack || options->history || markdown || options->plot != NULL))
        return cli_wrong_usage("--manifest is by itself: without --pack, --unpack, --history, --plot and --markdown");
    if (!markdown && !options->pack && !options->unpack && !options->manifest && cli_is_stdout(path_of(options)) &&
        isatty(cli_out_descriptor()))
        return cli_wrong_usage("-o FILE is missing: a page is of no use on a terminal");
    if (terminal == NULL)
        return cli_wrong_usage("--plot: '%s' must end in .svg, .png or .gp", options->out);
    if (strcmp(terminal, "png") == 0 && !plx_gnuplot_found())
        return cli_wrong_usage(
            "--plot: a .png needs gnuplot, which is not installed, or not in PATH; .svg needs nothing");
    return CLI_OK;
}

static plx_status write_report(const void *data, FILE *to, plx_error *error)
{
    const cli_options *options = data;
    if (options->pack)
        return plx_results_pack(options->operands.at[0], to, error);
    if (options->unpack)
        return plx_results_unpack(options->operands.at[0], to, error);
    if (options->manifest)
        return plx_results_manifest(options->operands.at, options->operands.count, to, error);
    if (options->plot != NULL)
        return plx_report_plot(options->operands.at, options->operands.count, options->plot,
                               terminal_of(path_of(options)), to, error);
    if (options->given & OPT_MARKDOWN)
        return plx_report_markdown(options->operands.at, options->operands.count, options->section, to, error);
    if (options->history)
        return plx_report_history(options->operands.at, options->operands.count, to, error);
    return plx_report_write(options->operands.at, options->operands.count, to, error);
}

static int report_check(cli_options *options)
{
    int status = check(options);
    return status == CLI_OK ? cli_write(path_of(options), write_report, options) : status;
}

const cli_verb cli_report_verb = {
    .name = "report",
    .summary = "results as one HTML page with plots, or as tables for documents",
    .usage = "report FILE.json... [-o FILE.html] [--history | --plot NAME | --markdown [--section NAME] | --pack | "
             "--unpack | --manifest]",
    .help =
        "Makes one page of HTML from files that compare, bench, check, attribute and probe wrote with --json:\n"
        "an answer on top (faults, and how fast our kernels are beside the vendors' libraries),\n"
        "the ladders, rate against size, rooflines, error against the number of terms, probes,\n"
        "hardware counters, which backends agree, all records, and the environment.  The page needs\n"
        "neither a network nor scripts; it can be read on a phone, in dark and light.\n"
        "\n"
        "Several files make one page; our files without results (list, dispatch, screen, a manifest) are\n"
        "left out beside others.  The table shows a record of two files twice; a plot shows the newest.\n"
        "Every ratio compares two measurements of one file; the line of a library in a ladder is the only\n"
        "exception, and names its file.\n"
        "\n"
        "--history compares the files in the order in which they are named: it lists the kernels that became\n"
        "slower or faster beyond the 95 % intervals, and draws a chart of each operation and type from file to\n"
        "file.\n"
        "\n"
        "--plot writes one plot instead: answer, ladder-gemm, sweep-gemm, ratio-gemm, roofline-0,\n"
        "accuracy-gemm, history, ...; the name of the output ends in .svg, .gp (a script for gnuplot that draws\n"
        "the same) or .png (drawn by gnuplot).\n"
        "\n"
        "--markdown writes tables for documents instead: our kernels against the vendors' libraries\n"
        "(peers), our backends against each other (twins), the steps of ladders (ladders), why one API is\n"
        "slower (attribution), and the verdicts of probes (probes); --section writes one of them, or what\n"
        "the devices reach (ceilings), what files of results/record reached of our own aims (aims), or how\n"
        "much longer the problems would take if a kernel was not there (without).\n"
        "\n"
        "--pack writes one file again in about a tenth of its bytes, to be kept: one line a record, names\n"
        "once, and the digits that the intervals justify.  Every verb reads it like the file it was; --unpack writes\n"
        "its records out again.\n"
        "\n"
        "--manifest writes what each file is of, one line a file: verb, operations, element types, devices,\n"
        "drivers, date, kernels, rows, and the SHA-256 of its bytes.  results/record keeps one.\n"
        "\n"
        "Examples:\n"
        "  parallax report results.json -o report.html\n"
        "  parallax report results/h200/ladder-gemm.json --plot ladder-gemm -o ladder.svg\n"
        "  parallax report --history before.json after.json -o history.html\n"
        "  parallax report results/h200/bench-*.json --markdown --section peers\n",
    .options = OPT_REPORT | OPT_MARKDOWN | OPT_QUIET | OPT_VERBOSE,
    .check = report_check,
};
