/* Plots: a script is handed to gnuplot, and what it draws becomes a file. */
#define _GNU_SOURCE /* open_memstream, strcasecmp */

#include "cli.h"

#include "base/text.h"

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
        return cli_wrong_usage("--plot: gnuplot is not installed, or not in PATH; install it, or leave --plot out");
    if (plx_output_open(path, &output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    plx_output_discard(output);
    return CLI_OK;
}

/* ---- gnuplot --------------------------------------------------------------------- */

/* *text is the caller's in any case. */
static plx_status make_script(const plx_results *results, const char *terminal, char **text, plx_error *error)
{
    size_t length;
    FILE *script = open_memstream(text, &length);
    if (script == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    plx_status status = plx_probe_write_gnuplot(results, script, terminal, error);
    return plx_text_whole(script) ? status : plx_fail(error, PLX_NO_MEMORY, "no memory");
}

static plx_status draw(const plx_results *results, const char *terminal, FILE *picture, plx_error *error)
{
    char *script = NULL;
    plx_status status = make_script(results, terminal, &script, error);
    if (status == PLX_OK)
        status = plx_gnuplot_draw(script, picture, error);
    free(script);
    return status;
}

static plx_status draw_svg(const plx_results *results, FILE *picture, plx_error *error)
{
    return draw(results, "svg", picture, error);
}

static plx_status draw_png(const plx_results *results, FILE *picture, plx_error *error)
{
    return draw(results, "png", picture, error);
}

int cli_plot_write(const char *path, const plx_results *results)
{
    const char *terminal = terminal_of(path);
    const bool svg = terminal != NULL && strcmp(terminal, "svg") == 0;
    return cli_results_write(path, svg ? draw_svg : draw_png, results);
}
