/* probe ceilings: what each device can do at most, by which compare measures kernels. */
#include "cli.h"

#include "base/format.h"

bool cli_asks_ceilings(const cli_list *names)
{
    return cli_list_has(names, "ceilings");
}

int cli_ceilings_check(const cli_options *options)
{
    if (options->operands.count != 1)
        return cli_wrong_usage("'probe ceilings' stands alone: sweeps are probes of another kind");
    if (options->given & (OPT_CSV | OPT_PLOT | OPT_QUICK | OPT_SECONDS))
        return cli_wrong_usage("'probe ceilings' has no --csv, --plot, --quick or --seconds");
    return CLI_OK;
}

static bool is_measured(const plx_study_device *device)
{
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++)
        if (device->ceilings.value[kind] > 0)
            return true;
    return false;
}

static void print_device(const plx_study_device *device)
{
    plx_table table = {.columns = 2, .left = 1, .indent = "  "};
    (void)fprintf(cli_out(), "%s %s, %s\n", device->label, device->info.name, device->info.api);
    for (int kind = 0; kind < PLX_CEILING_COUNT; kind++) {
        char number[32], clock[120];
        if (!(device->ceilings.value[kind] > 0))
            continue;
        plx_plain_number_text(device->ceilings.value[kind], 4, number, sizeof number);
        plx_table_row(&table);
        plx_table_cell(&table, 0, "%s", plx_ceiling_name((plx_ceiling_kind)kind));
        plx_table_cell(&table, 1, "%s", number);
        plx_ceiling_clock_text(device, (plx_ceiling_kind)kind, clock, sizeof clock);
        plx_table_rest(&table, "%s%s%s", plx_ceiling_unit((plx_ceiling_kind)kind), clock[0] != '\0' ? "; " : "", clock);
    }
    cli_table_finish(&table);
    if (!is_measured(device))
        (void)fprintf(cli_out(), "  none: its plugin has no kernels for that\n");
}

static int print_all(const cli_options *options, const plx_results *results)
{
    bool some = false;
    for (size_t i = 0; i < results->device_count; i++) {
        if (!cli_stdout_is_taken(options))
            print_device(&results->devices[i]);
        some = some || is_measured(&results->devices[i]);
    }
    return some ? CLI_OK : CLI_NOTHING;
}

int cli_ceilings(plx_context *context, const cli_options *options)
{
    bool all = cli_list_has(&options->backends, "all");
    plx_results results;
    plx_error error = {.text = ""};
    plx_status measured = plx_measure_ceilings(context, all ? NULL : options->backends.at,
                                               all ? 0 : options->backends.count, &results, &error);
    if (measured != PLX_OK)
        return cli_failed(measured, &error);
    int shown = print_all(options, &results);
    int status = cli_outputs_write(options, &results);
    plx_results_free(&results);
    return status != CLI_OK ? status : shown;
}
