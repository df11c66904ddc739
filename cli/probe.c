/* probe: what memory does to kernels on these devices, with verdicts. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_PROBES = 16 };

static int check_names(const cli_list *names)
{
    const char *known[MOST_PROBES];
    size_t count = 0;
    while (count < MOST_PROBES && plx_probe_name(count) != NULL) {
        known[count] = plx_probe_name(count);
        count++;
    }
    for (size_t i = 0; i < names->count; i++) {
        size_t found = 0;
        while (found < count && strcmp(known[found], names->at[i]) != 0)
            found++;
        if (found < count)
            continue;
        cli_say_unknown("probe", names->at[i], known, count);
        return CLI_USAGE;
    }
    return CLI_OK;
}

/* ---- outputs -------------------------------------------------------------------- */

typedef plx_status (*probe_writer)(const plx_results *results, FILE *to, plx_error *error);

static int write_to(const char *path, const plx_results *results, probe_writer write)
{
    plx_output *output;
    plx_error error = {""};
    if (path == NULL)
        return CLI_OK;
    if (strcmp(path, "-") == 0) {
        /* cli_stdout_close() tells what the stream could not take. */
        if (write(results, stdout, &error) != PLX_OK && !ferror(stdout))
            return cli_wrong_usage("%s", error.text);
        return CLI_OK;
    }
    plx_status status = plx_output_open(path, &output, &error);
    if (status == PLX_OK) {
        status = write(results, plx_output_stream(output), &error);
        if (status == PLX_OK)
            status = plx_output_close(output, &error);
        else
            plx_output_discard(output);
    }
    return status == PLX_OK ? CLI_OK : cli_wrong_usage("%s", error.text);
}

/* -q: the verdicts alone. */
static void print_verdicts(const plx_results *results)
{
    for (size_t i = 0; i < results->sweep_count; i++)
        (void)printf("%s/%s on %s: %s\n", results->sweeps[i].probe, results->sweeps[i].name,
                     results->sweeps[i].backend, results->sweeps[i].verdict.text);
}

/* -v: what each point ran, and how it was timed. */
static void print_details(const plx_probe_sweep *sweep)
{
    (void)printf("\n%s/%s on %s, point by point\n", sweep->probe, sweep->name, sweep->backend);
    for (size_t i = 0; i < sweep->point_count; i++) {
        const plx_probe_point *point = &sweep->points[i];
        int64_t shape[PLX_MAX_SHAPE] = {0};
        plx_problem_shape(&point->problem, shape);
        (void)printf("  %s%s%s: %s/%s, %s", point->series, point->series[0] != '\0' ? ", " : "", point->label,
                     plx_op_name(point->problem.op), point->kernel, plx_dtype_name(point->problem.dtype));
        for (size_t s = 0; s < PLX_MAX_SHAPE && shape[s] > 0; s++)
            (void)printf("%s%" PRId64, s > 0 ? "x" : " ", shape[s]);
        if (point->time.measured)
            (void)printf(", %zu samples on the %s's clock", point->time.samples,
                         point->time.device_clock ? "device" : "host");
        if (point->gbps > 0)
            (void)printf(", %.4g GB/s", point->gbps);
        (void)printf("\n");
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
    if (plx_probe_write_table(results, stdout, cli_terminal_width(), &error) != PLX_OK && !ferror(stdout))
        return cli_wrong_usage("%s", error.text);
    for (size_t i = 0; i < results->sweep_count && (options->given & OPT_VERBOSE); i++)
        print_details(&results->sweeps[i]);
    return CLI_OK;
}

/* All of them, even when one can't be written; the first failure counts. */
static int write_all(const cli_options *options, const plx_results *results)
{
    int table = write_table(options, results);
    int json = write_to(options->json, results, plx_results_write_json);
    int csv = write_to(options->csv, results, plx_probe_write_csv);
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

static int probe_on(plx_context *context, const cli_options *options)
{
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
    plx_status probed = plx_probe(context, &wanted, &results, &error);
    cli_progress_end();
    if (probed != PLX_OK) {
        cli_say("%s", error.text);
        return cli_exit_status(probed);
    }
    int status = CLI_OK;
    say_what_failed(options, &results);
    if (results.sweep_count > 0)
        status = write_all(options, &results);
    if (status == CLI_OK)
        status = plx_probe_results_status(&results);
    plx_results_free(&results);
    return status;
}

static int probe_main(cli_options *options)
{
    plx_context *context;
    if (cli_asks_ceilings(&options->operands))
        return cli_ceilings(options);
    int status = check_names(&options->operands);
    if (status == CLI_OK && options->plot != NULL)
        status = cli_plot_check(options->plot);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status == CLI_OK)
        status = cli_open_context(options, &context);
    if (status == CLI_OK) {
        status = probe_on(context, options);
        cli_close_context(options, context);
    }
    return status;
}

const cli_verb cli_probe_verb = {
    .name = "probe",
    .summary = "what memory does to kernels on a device, with verdicts",
    .usage = "probe [NAME...] [options]",
    .help = "Sweeps one property of a small kernel's memory accesses, validates every point, times\n"
            "what is right, and says in words whether the phenomenon is visible on the device and\n"
            "beyond its noise.  Without a name: all probes; without --backend: every device that\n"
            "has them.\n"
            "\n"
            "Probes:\n"
            "  partition    reads of few regions, and leading dimensions of 2^k\n"
            "  coalescing   scattered, strided and misaligned reads\n"
            "  banks        strides through shared memory, with and without padding\n"
            "  shared       static against dynamic shared memory\n"
            "  divergence   branches inside and between warps, and the boundary guard\n"
            "\n"
            "`probe ceilings` measures what each device can do at most, by which compare and bench\n"
            "judge a time: rates of copying, of reading and of multiply-adds, and the time of a launch.\n"
            "\n"
            "The times are medians with half their 95 % interval.  A phenomenon is visible when\n"
            "the slowest point that could show it takes at least 1.1 times as long as the fastest\n"
            "that can't, by the unfavourable ends of both intervals.  With -q: the verdicts alone.\n"
            "\n"
            "Examples:\n"
            "  parallax probe banks --backend cuda\n"
            "  parallax probe --quick --json probe.json --plot probe.svg\n",
    .options = OPT_COMMON | OPT_BACKEND | OPT_QUICK | OPT_SECONDS | OPT_JSON | OPT_CSV | OPT_PLOT,
    .run = probe_main,
};
