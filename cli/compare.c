/* compare: one operation on several backends and kernels, on the same bytes; what
 * agrees is timed. */
#include "cli.h"

#include <string.h>

/* The idea of each kernel that took part, once. */
static void print_ideas(const plx_results *results)
{
    plx_table table = {.columns = 1, .left = 1};
    (void)fprintf(cli_out(), "\n");
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        bool known = record->idea[0] == '\0';
        for (size_t j = 0; j < i && !known; j++)
            known = strcmp(results->records[j].kernel, record->kernel) == 0 &&
                    strcmp(results->records[j].idea, record->idea) == 0;
        if (known)
            continue;
        plx_table_row(&table);
        plx_table_cell(&table, 0, "%s", record->kernel);
        plx_table_rest(&table, "%s", record->idea);
    }
    cli_table_finish(&table);
}

static int compare_check(cli_options *options)
{
    int status = cli_ci_check(options);
    if (status == CLI_OK)
        status = cli_kernel_read(options);
    if (status == CLI_OK)
        status = cli_kernel_name(options);
    return status == CLI_OK ? cli_work_read(options) : status;
}

static int compare_run(plx_context *context, cli_options *options)
{
    plx_results results;
    const plx_compare_options wanted = cli_comparison(options);
    plx_error error = {.text = ""};
    cli_keep_begin(options, "compare", plx_results_write_csv);
    plx_status compared = plx_compare(context, &wanted, &results, &error);
    cli_keep_end();
    cli_again_no_more();
    cli_progress_end();
    if (compared != PLX_OK)
        return cli_failed(compared, &error);
    plx_gains_store(&results);
    results.strict = (options->given & OPT_STRICT) != 0;
    int status = cli_table_write(options, &results);
    if (status == CLI_OK)
        status = cli_types_write(options, &results);
    if (wanted.no_timing && !(options->given & OPT_QUIET) && !cli_stdout_is_taken(options))
        (void)fprintf(cli_out(), "\nnothing was timed: --no-timing was given\n");
    if ((options->given & OPT_VERBOSE) && !cli_stdout_is_taken(options))
        print_ideas(&results);
    if (status == CLI_OK)
        status = cli_outputs_write(options, &results);
    if (status == CLI_OK)
        status = cli_results_ci_write(options, "compare", &results);
    if (status == CLI_OK)
        status = results.interrupted
                     ? CLI_OK
                     : cli_results_status(&results, "nothing could be compared: no kernel gave a result with elements");
    status = cli_interrupt_status(&results, status);
    plx_results_free(&results);
    return status;
}

const cli_verb cli_compare_verb = {
    .times = true,
    .name = "compare",
    .summary = "validates, then times, several backends and kernels on the same input",
    .usage = "compare OPERATION [SHAPE...] [options]",
    .help = "Gives the same input to every backend and kernel asked for.  Each result is judged against\n"
            "the reference and against the other results; only what passed is timed.  Without --backend:\n"
            "every device of every plugin.  Without --kernel: the kernel that each backend chooses, and\n"
            "all kernels of a vendor's library.\n"
            "\n"
            "The columns of the table:\n"
            "  time         the median, and half the width of its 95 % interval\n"
            "  of best      the speed as a share of the fastest row's\n"
            "  gain         the speedup over the step before in the ladder\n"
            "  error/bound  the largest error as a share of what the arithmetic allows\n"
            "  of ceiling   the share reached of the limit that applies: the device's rate of copying,\n"
            "               reading or multiplying (fma-f32: plain multiply-adds, bf16-units: matrix\n"
            "               units for that type), or the time of a launch, all measured in the same\n"
            "               process.  A `!` marks a row above its limit; the likely cause stands below\n"
            "  latency      a single call from launch to completion, where calls are short\n"
            "\n"
            "With --compute all, or several --dtype, a second table shows what each type costs and gains.\n"
            "For each backend's fastest kernel it has the time, the speed relative to plain f32, the largest\n"
            "error (in units in the last place, and as a share of the bound), and the bound relative to the\n"
            "size of what was summed.\n"
            "\n"
            "Launches use several sets of operands in turn, together more than twice the device's cache, so\n"
            "that no launch finds its operands there; --hot times the same ones over and over.  Launches\n"
            "follow each other in one queue.  --queues 2 spreads them over two queues, where they may overlap:\n"
            "this is the cost of a call among many independent ones.  Samples that were taken while the device\n"
            "throttled are dropped, and the row says so.  Results of timed launches are judged again; a kernel\n"
            "that is wrong then is reported as wrong and has no time.\n"
            "\n"
            "--counters adds what the hardware counted in one more execution of each kernel: sectors of 32\n"
            "bytes that loads and stores moved, and how many for each request of a warp; bank conflicts;\n"
            "occupancy; and the bytes of DRAM compared with those of the formula.  Where there are no\n"
            "counters (OpenCL and the host have none) a line says why.\n"
            "\n"
            "Exit status: 0 all agreed, 1 a result was wrong or two disagree, 3 a name that isn't\n"
            "there, 4 nothing to compare, nothing on a backend that was named, or a result that no bound\n"
            "tells from zero (not-judged), 5 a backend failed, or there is not enough memory.\n"
            "A vendor's library that is wrong decides the status only when somebody named it, or with\n"
            "--strict.\n"
            "\n"
            "Examples:\n"
            "  parallax compare gemm 1024 1024 1024\n"
            "  parallax compare transpose --shape 4096x4096 --shape 4000x4000 --kernel all\n"
            "  parallax compare gemm --in x.npy --trans-b --backend cuda --backend host --json -\n"
            "  parallax compare gemm --shape 128x128x64 --shape 128x128x1024 --shape 128x128x16384 \\\n"
            "    --dtype f32 --dtype f16 --dtype bf16 --compute all --out-dtype f32 --no-timing \\\n"
            "    --json errors.json    (of which `parallax report` draws the error against the terms)\n",
    .options = OPT_COMMON | OPT_PROBLEM | OPT_BACKEND | OPT_KERNEL | OPT_NO_TIMING | OPT_SECONDS | OPT_HOT |
               OPT_QUEUES | OPT_COUNTERS | OPT_JSON | OPT_CSV | OPT_CI | OPT_REQUIRE | OPT_STRICT | OPT_KERNEL_FILE,
    .stops = true,
    .goes_on = true,
    .check = compare_check,
    .run = compare_run,
};
