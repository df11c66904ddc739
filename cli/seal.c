/* seal: digests of proven results, to hold a device against later. */
#include "cli.h"

#include "base/clock.h"

#include <stdlib.h>

static plx_status write_seal(const void *what, FILE *to, plx_error *error)
{
    return plx_seal_write_json(what, to, error);
}

static size_t count_proven(const plx_screen *screen)
{
    size_t count = 0;
    for (size_t i = 0; i < screen->device_count; i++)
        for (size_t k = 0; k < screen->devices[i].case_count; k++)
            count +=
                screen->devices[i].cases[k].outcome == PLX_OUTCOME_OK && screen->devices[i].cases[k].digest[0] != '\0';
    return count;
}

/* What is wrong, or was not run, is no measure for anything. */
static int write_proven(const cli_options *options, const plx_screen *screen)
{
    plx_error error = {""};
    const plx_health_verdict verdict = plx_screen_verdict(screen);
    const size_t proven = count_proven(screen);
    if (verdict == PLX_FAULTY || verdict == PLX_MISCONFIGURED || proven == 0) {
        if (plx_screen_write_table(screen, stderr, 0, &error) != PLX_OK)
            cli_say("%s", error.text);
        cli_say("nothing is sealed: only devices whose results are right can be");
        return verdict == PLX_HEALTHY ? cli_health_status(options, PLX_UNTESTED) : cli_health_status(options, verdict);
    }
    const int status = cli_write(options->out, write_seal, screen);
    if (status == CLI_OK && !cli_is_stdout(options->out) && !(options->given & OPT_QUIET))
        (void)fprintf(cli_out(), "%zu proven results of %zu device%s are sealed; later: parallax screen --against %s\n",
                      proven, screen->device_count, screen->device_count == 1 ? "" : "s", options->out);
    return status;
}

static int seal_chips(const cli_options *options, const cli_chip *chips, size_t count)
{
    plx_screen screen = {.budget = options->budget, .seed = options->seed};
    screen.devices = calloc(count, sizeof *screen.devices);
    screen.device_count = screen.devices != NULL ? count : 0;
    int status = screen.devices != NULL ? cli_screen_children(options, chips, count, true, &screen)
                                        : cli_wrong_usage("no memory");
    for (size_t i = 0; i < screen.device_count; i++) /* that nothing was launched again is as it should be */
        if (screen.devices[i].verdict == PLX_UNTESTED && screen.devices[i].case_count > 0)
            screen.devices[i].verdict = PLX_HEALTHY;
    plx_screen_vote(&screen);
    if (status == CLI_OK)
        status = write_proven(options, &screen);
    plx_screen_free(&screen);
    return status;
}

static int seal_run(plx_context *context, cli_options *options)
{
    static const double usual_budget = 300;
    cli_chip *chips = NULL;
    size_t count;
    if (options->budget <= 0)
        options->budget = usual_budget;
    options->begun = plx_now_ns() * 1e-9;
    int status = cli_find_chips(context, options, &chips, &count);
    if (status == CLI_OK)
        status = seal_chips(options, chips, count);
    free(chips);
    return status;
}

static int seal_check(cli_options *options)
{
    if (options->operands.count != 1)
        return cli_wrong_usage("takes the name of the file that is to be written, and no other operand");
    if (options->device != NULL && options->backends.count > 0)
        return cli_wrong_usage("--device and --backend contradict each other");
    options->out = options->operands.at[0];
    return CLI_OK;
}

const cli_verb cli_seal_verb = {
    .name = "seal",
    .summary = "digests of proven results, to hold devices against later",
    .usage = "seal FILE [options]",
    .help = "Proves the cases of 'parallax screen' on the devices of this machine, each result against its bound, and\n"
            "writes digests of the operands and of those results that are the same each time.\n"
            "'parallax screen --against FILE' computes them again, after a new driver or on another device of the\n"
            "model, and needs no reference: each is identical, changed but within the bound, or wrong.\n"
            "A seal is of a model, its number of units, and the kernels of one version of parallax.\n"
            "\n"
            "Exit status: 0 it is written; else as that of 'parallax screen', and nothing is written.\n"
            "\n"
            "Examples:\n"
            "  parallax seal h200.json\n"
            "  parallax screen --against h200.json --budget 2m\n",
    .options = OPT_COMMON | OPT_BACKEND | OPT_KERNEL | OPT_DTYPE | OPT_SEED | OPT_SEAL,
    .stops = true,
    .terminates = true,
    .check = seal_check,
    .run = seal_run,
};
