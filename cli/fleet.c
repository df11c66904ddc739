/* fleet: which devices of many machines are odd. */
#include "cli.h"

#include "page/page.h"

static plx_status write_json(const void *what, FILE *to, plx_error *error)
{
    return plx_fleet_write_json(what, to, error);
}

static plx_status write_page(const void *what, FILE *to, plx_error *error)
{
    return plx_page_fleet(what, to, error);
}

static plx_status read_all(plx_fleet *fleet, const cli_options *options, plx_error *error)
{
    cli_progress_function *progress = cli_progress(options);
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < options->expected.count; i++)
        status = plx_fleet_expect(fleet, options->expected.at[i], error);
    for (size_t i = 0; status == PLX_OK && i < options->operands.count; i++) {
        if (progress != NULL && i % 100 == 0)
            progress(NULL, i, options->operands.count, options->operands.at[i]);
        status = plx_fleet_add(fleet, options->operands.at[i], error);
    }
    cli_progress_end();
    return status == PLX_OK ? plx_fleet_vote(fleet, error) : status;
}

static int show(const plx_fleet *fleet, const cli_options *options)
{
    plx_error error = {""};
    if (!cli_stdout_is_taken(options) && !cli_is_stdout(options->page) && !(options->given & OPT_QUIET) &&
        plx_fleet_write_table(fleet, cli_out(), cli_terminal_width(), &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    const int json = cli_write(options->json, write_json, fleet), page = cli_write(options->page, write_page, fleet);
    return json != CLI_OK ? json : page;
}

static int fleet_check(cli_options *options)
{
    plx_fleet *fleet = NULL;
    plx_error error = {""};
    if (options->operands.count == 0)
        return cli_wrong_usage("which files? FILE.json..., as 'parallax screen --out DIR' writes them");
    int status = cli_fail_on_check(options);
    if (status != CLI_OK)
        return status;
    plx_status made = plx_fleet_create(&fleet, &error);
    if (made == PLX_OK)
        made = read_all(fleet, options, &error);
    status = made == PLX_OK ? show(fleet, options) : cli_failed(made, &error);
    if (status == CLI_OK)
        status = cli_health_status(options, plx_fleet_verdict(fleet));
    plx_fleet_free(fleet);
    return status == CLI_OK ? CLI_DONE : status;
}

const cli_verb cli_fleet_verb = {
    .name = "fleet",
    .summary = "which devices of many screened machines are odd",
    .usage = "fleet FILE.json... [options]",
    .help = "Reads the files that 'parallax screen' wrote on many machines.  Devices of one model must compute the\n"
            "same bits by the same code on the same operands; fleet names the odd ones, with the command that\n"
            "repeats it.  A device is slow if it is far from the median of its model, beyond the model's spread.\n"
            "Ranks of a job without a file, and hosts of --expect without one, are missing, not healthy.\n"
            "A file that can't be read is named and skipped.\n"
            "\n"
            "Exit status: as that of 'parallax screen', of the worst device; a missing host is untested.\n"
            "\n"
            "Examples:\n"
            "  parallax fleet screens/*.json\n"
            "  parallax fleet screens/*.json --expect 'node[001-500]' --page fleet.html --fail-on isolate\n",
    .options = OPT_VERBOSE | OPT_QUIET | OPT_JSON | OPT_FLEET | OPT_FAIL_ON,
    .check = fleet_check,
};
