/* Plots: a script is handed to gnuplot, and what it draws becomes a file. */
#define _GNU_SOURCE /* pipe2, strcasecmp */

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

static bool is_program(const char *folder, size_t length, const char *name)
{
    char path[4096];
    struct stat about;
    int written = length == 0 ? snprintf(path, sizeof path, "./%s", name)
                              : snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    if (written < 0 || (size_t)written >= sizeof path)
        return false;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static bool is_in_path(const char *name)
{
    const char *at = getenv("PATH");
    while (at != NULL) {
        const char *colon = strchr(at, ':');
        size_t length = colon != NULL ? (size_t)(colon - at) : strlen(at);
        if (length < 4000 && is_program(at, length, name))
            return true;
        at = colon != NULL ? colon + 1 : NULL;
    }
    return false;
}

int cli_plot_check(const char *path)
{
    plx_output *output;
    plx_error error = {""};
    if (terminal_of(path) == NULL)
        return cli_wrong_usage("--plot %s: the name must end in .svg or .png", path);
    if (!is_in_path("gnuplot"))
        return cli_wrong_usage(
            "--plot: gnuplot is not installed, or not in PATH; install it, or leave --plot out");
    if (plx_output_open(path, &output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    plx_output_discard(output);
    return CLI_OK;
}

/* ---- gnuplot --------------------------------------------------------------------- */

/* In the child: its standard input is the script, its standard output the picture. */
static void become_gnuplot(int script, int picture)
{
    char *const words[] = {"gnuplot", NULL};
    if (dup2(script, STDIN_FILENO) < 0 || dup2(picture, STDOUT_FILENO) < 0)
        _exit(126);
    (void)unsetenv("GNUTERM");
    (void)execvp(words[0], words);
    _exit(127);
}

/* -1 when it could not be started; else *script is a stream to its standard input. */
static pid_t start_gnuplot(int picture, FILE **script)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_gnuplot(ends[0], picture);
    (void)close(ends[0]);
    *script = child > 0 ? fdopen(ends[1], "w") : NULL;
    if (*script == NULL)
        (void)close(ends[1]);
    return child;
}

static bool ended_well(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int draw(const plx_probe_results *results, const char *terminal, FILE *picture)
{
    FILE *script = NULL;
    plx_error error = {""};
    struct stat about;
    pid_t child = start_gnuplot(fileno(picture), &script);
    if (child < 0)
        return cli_wrong_usage("--plot: can't start gnuplot: %s", strerror(errno));
    plx_status status = PLX_IO;
    if (script != NULL) {
        status = plx_probe_write_gnuplot(results, script, terminal, &error);
        if (fclose(script) != 0 && status == PLX_OK)
            status = PLX_IO;
    }
    bool well = ended_well(child);
    if (status == PLX_INVALID)
        return cli_wrong_usage("--plot: %s", error.text);
    if (!well || status != PLX_OK || fstat(fileno(picture), &about) != 0 || about.st_size == 0)
        return cli_wrong_usage("--plot: gnuplot failed%s",
                               error.text[0] != '\0' ? ", it did not take the script" : "");
    return CLI_OK;
}

int cli_plot_write(const char *path, const plx_probe_results *results)
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
