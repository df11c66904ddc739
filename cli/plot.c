/* Plots: a script is handed to gnuplot, and what it draws becomes a file. */
#define _GNU_SOURCE /* open_memstream, strcasecmp */

#include "cli.h"

#include "page/page.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- before the work ------------------------------------------------------------ */

/* "svg" or "png", by the name of the file; NULL for neither. */
static const char *terminal_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot != NULL && strcasecmp(dot, ".svg") == 0)
        return "svg";
    if (dot != NULL && strcasecmp(dot, ".png") == 0)
        return "png";
    return NULL;
}

int cli_plot_check(const char *path)
{
    plx_output *output;
    plx_error error = {""};
    if (terminal_of(path) == NULL)
        return cli_wrong_usage("--plot %s: the name must end in .svg or .png", path);
    if (!plx_gnuplot_found())
        return cli_wrong_usage(
            "--plot: gnuplot is not installed, or not in PATH; install it, or leave --plot out");
    if (plx_output_open(path, &output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    plx_output_discard(output);
    return CLI_OK;
}

/* ---- gnuplot --------------------------------------------------------------------- */

/* malloc'ed; NULL after a message. */
static char *script_of(const plx_results *results, const char *terminal)
{
    char *text = NULL;
    size_t length;
    plx_error error = {"no memory"};
    FILE *script = open_memstream(&text, &length);
    plx_status status =
        script != NULL ? plx_probe_write_gnuplot(results, script, terminal, &error) : PLX_NO_MEMORY;
    if (script != NULL && fclose(script) != 0)
        status = PLX_NO_MEMORY;
    if (status == PLX_OK)
        return text;
    (void)cli_wrong_usage("--plot: %s", error.text);
    free(text);
    return NULL;
}

static int draw(const plx_results *results, const char *terminal, FILE *picture)
{
    plx_error error = {""};
    char *script = script_of(results, terminal);
    if (script == NULL)
        return CLI_USAGE;
    plx_status status = plx_gnuplot_draw(script, picture, &error);
    free(script);
    return status == PLX_OK ? CLI_OK : cli_wrong_usage("--plot: %s", error.text);
}

int cli_plot_write(const char *path, const plx_results *results)
{
    plx_output *output;
    plx_error error = {""};
    if (plx_output_open(path, &output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    int status = draw(results, terminal_of(path), plx_output_stream(output));
    if (status != CLI_OK)
        plx_output_discard(output);
    else if (plx_output_close(output, &error) != PLX_OK)
        status = cli_wrong_usage("%s", error.text);
    return status;
}
