/* compare: one operation on several backends and kernels, on the same bytes; what
 * agrees is timed. */
#include "cli.h"

#include <string.h>

/* The idea of each kernel that took part, once. */
static void print_ideas(const plx_results *results)
{
    plx_table table = {.columns = 1, .left = 1};
    (void)printf("\n");
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

static int compare_run(plx_context *context, cli_options *options)
{
    plx_results results;
    const plx_compare_options wanted = cli_comparison(options);
    plx_error error = {.text = ""};
    plx_status compared = plx_compare(context, &wanted, &results, &error);
    cli_again_no_more();
    cli_progress_end();
    if (compared != PLX_OK)
        return cli_failed(compared, &error);
    plx_gains_store(&results);
    int status = cli_table_write(options, &results);
    if (status == CLI_OK)
        status = cli_types_write(options, &results);
    if (wanted.no_timing && !(options->given & OPT_QUIET) && !cli_stdout_is_taken(options))
        (void)printf("\nnothing was timed: --no-timing was given\n");
    if ((options->given & OPT_VERBOSE) && !cli_stdout_is_taken(options))
        print_ideas(&results);
    if (status == CLI_OK)
        status = cli_outputs_write(options, &results);
    if (status == CLI_OK)
        status = cli_results_status(
            &results, true, "nothing could be compared: fewer than two backends or kernels gave a result");
    plx_results_free(&results);
    return status;
}

const cli_verb cli_compare_verb = {
    .name = "compare",
    .summary = "validates, then times, several backends and kernels on the same input",
    .usage = "compare OPERATION [SHAPE...] [options]",
    .help = "Gives the same input to every backend and kernel asked for, judges each result\n"
            "against the reference and against each other, and times only what passed.  Without\n"
            "--backend: every device of every plugin; without --kernel: the best of each, and\n"
            "of a vendor's library all.\n"
            "\n"
            "The table: `time` is the median with half its 95 % interval, `of best` the share of\n"
            "the fastest one's speed, `gain` the speedup over the step before in the ladder,\n"
            "`error/bound` the largest error as a part of what the arithmetic allows.  `of ceiling`\n"
            "is the part reached of what bounds it: the device's rate of copying, reading or\n"
            "multiplying, or the time of a launch, all measured in the same process; a `!` marks what\n"
            "is above, with the likely cause below.  `latency` is a single call from launch to\n"
            "completion, for what is short.\n"
            "\n"
            "With --compute all, or several --dtype, a table at the end has what each type costs and gains:\n"
            "of each backend's fastest kernel the time, the speed over plain f32's, the largest error in\n"
            "units in the last place and in units of the bound, and the bound as a part of what was summed.\n"
            "\n"
            "Operands take turns beyond twice the device's cache, so that no launch finds its own in\n"
            "it; --hot times the same ones over and over.  Launches follow each other in one queue;\n"
            "--queues 2 sends them to two in turn, where they may overlap: what a call costs among\n"
            "many that do not need each other.  What was measured while the device had throttled is\n"
            "dropped, and the rows say so.  What timed launches leave is judged once more: a kernel that\n"
            "is wrong then is wrong, and has no time.\n"
            "\n"
            "--counters adds what the hardware counted in one more execution of each: sectors of 32\n"
            "bytes that loads and stores moved, and how many for each request of a warp, bank\n"
            "conflicts, occupancy, and the bytes of DRAM versus those of the formula.  It says in a\n"
            "line why where they can't be had: OpenCL and the host have none.\n"
            "\n"
            "Exit status: 0 all agreed, 1 a result was wrong or two disagree, 3 a name that isn't\n"
            "there, 4 nothing to compare, nothing on a backend that was named, or a result that no bound\n"
            "tells from zero (not-judged), 5 a backend failed.\n"
            "A vendor's library that is wrong decides it only when somebody named it.\n"
            "\n"
            "Examples:\n"
            "  parallax compare gemm 1024 1024 1024\n"
            "  parallax compare transpose --shape 4096x4096 --shape 4000x4000 --kernel all\n"
            "  parallax compare gemm --in x.npy --trans-b --backend cuda --backend host --json -\n"
            "  parallax compare gemm --shape 128x128x64 --shape 128x128x1024 --shape 128x128x16384 \\\n"
            "    --dtype f32 --dtype f16 --dtype bf16 --compute all --out-dtype f32 --no-timing \\\n"
            "    --json errors.json    (of which `parallax report` draws the error against the terms)\n",
    .options = OPT_COMMON | OPT_PROBLEM | OPT_BACKEND | OPT_KERNEL | OPT_NO_TIMING | OPT_SECONDS | OPT_HOT |
               OPT_QUEUES | OPT_COUNTERS | OPT_JSON | OPT_CSV,
    .goes_on = true,
    .check = cli_work_read,
    .run = compare_run,
};
