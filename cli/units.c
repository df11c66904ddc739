/* probe matrix-units: how the matrix units of the devices compute, and whether the bounds allow for it. */
#include "cli.h"

bool cli_asks_units(const cli_list *names)
{
    return cli_list_has(names, "matrix-units");
}

int cli_units_check(const cli_options *options)
{
    if (options->operands.count != 1)
        return cli_wrong_usage("'probe matrix-units' stands alone: sweeps are probes of another kind");
    if (options->given & (OPT_CSV | OPT_PLOT | OPT_QUICK | OPT_SECONDS))
        return cli_wrong_usage("'probe matrix-units' has no --csv, --plot, --quick or --seconds");
    return CLI_OK;
}

/* -q: the verdicts alone. */
static int print_verdicts(const plx_results *results)
{
    for (size_t i = 0; i < results->unit_count; i++) {
        const plx_matrix_unit *unit = &results->units[i];
        (void)fprintf(cli_out(), "%s on %s: %s\n", unit->kernel, unit->backend,
                      unit->verdict[0] != '\0' ? unit->verdict : unit->reason);
    }
    return CLI_OK;
}

static int print_all(const cli_options *options, const plx_results *results)
{
    plx_error error = {.text = ""};
    if (cli_stdout_is_taken(options))
        return CLI_OK;
    if (options->given & OPT_QUIET)
        return print_verdicts(results);
    if (plx_units_write_table(results, cli_out(), cli_terminal_width(), &error) != PLX_OK && !ferror(cli_out()))
        return cli_wrong_usage("%s", error.text);
    return CLI_OK;
}

int cli_units(plx_context *context, const cli_options *options)
{
    bool all = cli_list_has(&options->backends, "all");
    plx_results results;
    plx_units_options wanted = {
        .backends = all ? NULL : options->backends.at,
        .backend_count = all ? 0 : options->backends.count,
        .progress = cli_progress(options),
    };
    plx_error error = {.text = ""};
    plx_status probed = plx_probe_units(context, &wanted, &results, &error);
    cli_progress_end();
    if (probed != PLX_OK)
        return cli_failed(probed, &error);
    if (results.unit_count == 0)
        cli_say("no device here has kernels on matrix units");
    int shown = print_all(options, &results);
    int status = cli_outputs_write(options, &results);
    if (status == CLI_OK)
        status = shown;
    if (status == CLI_OK)
        status = plx_units_status(&results);
    plx_results_free(&results);
    return status;
}
