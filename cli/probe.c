/* probe: what memory does to kernels on these devices, with verdicts. */
#include "cli.h"

#include <string.h>

static bool is_probe(const char *word)
{
    const char *name;
    for (size_t i = 0; (name = plx_probe_name(i)) != NULL; i++)
        if (strcmp(name, word) == 0)
            return true;
    return false;
}

static int check_names(const cli_list *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (!is_probe(names->at[i]))
            return cli_unknown(&cli_probe_names, names->at[i]);
    return CLI_OK;
}

/* ---- outputs -------------------------------------------------------------------- */

/* -q: the verdicts alone. */
static void print_verdicts(const plx_results *results)
{
    for (size_t i = 0; i < results->sweep_count; i++)
        (void)fprintf(cli_out(), "%s/%s on %s: %s\n", results->sweeps[i].probe, results->sweeps[i].name,
                      results->sweeps[i].backend, results->sweeps[i].verdict.text);
}

/* -v: what each point ran, and how it was timed. */
static void print_details(const plx_probe_sweep *sweep)
{
    (void)fprintf(cli_out(), "\n%s/%s on %s, point by point\n", sweep->probe, sweep->name, sweep->backend);
    for (size_t i = 0; i < sweep->point_count; i++) {
        const plx_probe_point *point = &sweep->points[i];
        char shape[80];
        plx_shape_text(&point->problem, shape, sizeof shape);
        (void)fprintf(cli_out(), "  %s%s%s: %s/%s, %s %s", point->series, point->series[0] != '\0' ? ", " : "",
                      point->label, plx_op_name(point->problem.op), point->kernel, plx_dtype_name(point->problem.dtype),
                      shape);
        if (point->time.measured)
            (void)fprintf(cli_out(), ", %zu samples on the %s's clock", point->time.samples,
                          point->time.device_clock ? "device" : "host");
        if (point->gbps > 0)
            (void)fprintf(cli_out(), ", %.4g GB/s", point->gbps);
        (void)fprintf(cli_out(), "\n");
    }
}

static int write_table(const cli_options *options, const plx_results *results)
{
    plx_error error = {""};
    if (cli_stdout_is_taken(options))
        return CLI_OK;
    if (options->given & OPT_QUIET) {
        print_verdicts(results);
        return CLI_OK;
    }
    if (plx_probe_write_table(results, cli_out(), cli_terminal_width(), &error) != PLX_OK && !ferror(cli_out()))
        return cli_wrong_usage("%s", error.text);
    for (size_t i = 0; i < results->sweep_count && (options->given & OPT_VERBOSE); i++)
        print_details(&results->sweeps[i]);
    return CLI_OK;
}

/* All of them, even when one can't be written; the first failure counts. */
static int write_all(const cli_options *options, const plx_results *results)
{
    int table = write_table(options, results);
    int json = cli_results_write(options->json, plx_results_write_json, results);
    int csv = cli_results_write(options->csv, plx_probe_write_csv, results);
    int plot = options->plot != NULL ? cli_plot_write(options->plot, results) : CLI_OK;
    return table != CLI_OK ? table : json != CLI_OK ? json : csv != CLI_OK ? csv : plot;
}

/* ---- the verb --------------------------------------------------------------------- */

static void say_what_failed(const cli_options *options, const plx_results *results)
{
    if (cli_stdout_is_taken(options) || (options->given & OPT_QUIET)) {
        for (size_t i = 0; i < results->unopened_count; i++)
            cli_say("not opened: %s", results->unopened[i]);
    }
    if (results->sweep_count == 0 && results->unopened_count == 0)
        cli_say("no device has probes; 'parallax doctor' says why");
}

static int probe_check(cli_options *options)
{
    if (cli_asks_ceilings(&options->operands))
        return cli_ceilings_check(options);
    if (cli_asks_units(&options->operands))
        return cli_units_check(options);
    int status = check_names(&options->operands);
    return status == CLI_OK && options->plot != NULL ? cli_plot_check(options->plot) : status;
}

static int probe_run(plx_context *context, cli_options *options)
{
    if (cli_asks_ceilings(&options->operands))
        return cli_ceilings(context, options);
    if (cli_asks_units(&options->operands))
        return cli_units(context, options);
    bool all = cli_list_has(&options->backends, "all");
    plx_results results;
    plx_probe_options wanted = {
        .backends = all ? NULL : options->backends.at,
        .backend_count = all ? 0 : options->backends.count,
        .names = options->operands.at,
        .name_count = options->operands.count,
        .quick = options->effort == PLX_QUICK,
        .seconds_per_sweep = options->seconds,
        .progress = cli_progress(options),
    };
    plx_error error = {.text = ""};
    cli_keep_begin(options, "probe", plx_probe_write_csv);
    plx_status probed = plx_probe(context, &wanted, &results, &error);
    cli_keep_end();
    cli_progress_end();
    if (probed != PLX_OK)
        return cli_failed(probed, &error);
    int status = CLI_OK;
    say_what_failed(options, &results);
    if (results.sweep_count > 0)
        status = write_all(options, &results);
    if (status == CLI_OK)
        status = cli_interrupt_status(&results, plx_probe_results_status(&results));
    plx_results_free(&results);
    return status;
}

const cli_verb cli_probe_verb = {
    .stops = true,
    .name = "probe",
    .summary = "what memory does to kernels on a device, with verdicts",
    .usage = "probe [PROBE...] [options]",
    .help = "Sweeps one property of a small kernel's memory accesses.  Every point is validated, and\n"
            "right ones are timed.  A verdict says whether the phenomenon is visible on the device, beyond its\n"
            "noise.  Without a name: all probes; without --backend: every device that has them.\n"
            "\n"
            "Probes:\n"
            "  partition    reads of few regions, and leading dimensions of 2^k\n"
            "  coalescing   scattered, strided and misaligned reads\n"
            "  banks        strides through shared memory, with and without padding\n"
            "  shared       static against dynamic shared memory\n"
            "  divergence   branches inside and between warps, and the boundary guard\n"
            "\n"
            "`probe ceilings` measures what each device can do at most: rates of copying, of reading and of\n"
            "multiply-adds, of products on matrix units, and the time of a launch.  compare and bench judge\n"
            "times by the same limits.\n"
            "\n"
            "`probe matrix-units` finds out how matrix units add up products: how many at once, with how many\n"
            "digits, and what they do with the digits beyond.  Status 1: a unit loses more than the bound of our\n"
            "kernels assumes.\n"
            "\n"
            "Times are medians with half the width of their 95 % interval.  A phenomenon is visible when\n"
            "the slowest point that could show it takes at least 1.1 times as long as the fastest\n"
            "that can't, by the unfavourable ends of both intervals.  With -q: the verdicts alone.\n"
            "\n"
            "Examples:\n"
            "  parallax probe banks --backend cuda\n"
            "  parallax probe matrix-units --json units.json\n"
            "  parallax probe --quick --json probe.json --plot probe.svg\n",
    .options = OPT_COMMON | OPT_BACKEND | OPT_QUICK | OPT_SECONDS | OPT_JSON | OPT_CSV | OPT_PLOT,
    .check = probe_check,
    .run = probe_run,
};
