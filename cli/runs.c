/* bench --runs: the same bench in several processes, one after the other, and one file of what all of them found. */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* "FILE.run2": it can be taken up again like any file of bench, and goes when all are done. */
static char *name_of(const char *json, size_t run)
{
    return plx_text("%s.run%zu", json, run + 1);
}

/* The process of one run goes on as a bench of its own. */
static int be_run(cli_options *options, char *json, size_t run)
{
    if (!cli_list_add(&options->own, json))
        return cli_wrong_usage("no memory");
    options->json = json;
    options->csv = NULL;
    options->given &= ~OPT_RUNS;
    options->given |= run > 0 ? OPT_QUIET : 0; /* of tables one is enough */
    return CLI_OK;
}

/* CLI_INTERRUPTED where Ctrl-C ended it, which is for the run and not for us. */
static int wait_for(pid_t process)
{
    int status;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_BACKEND_FAILED;
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGINT ? CLI_INTERRUPTED : CLI_BACKEND_FAILED;
    return WEXITSTATUS(status);
}

/* Half the interval between runs, as a part of the median, of the typical record. */
static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static double typical_spread(const plx_results *results)
{
    double *spreads = calloc(results->record_count + 1, sizeof *spreads), typical = 0;
    size_t count = 0;
    for (size_t i = 0; spreads != NULL && i < results->record_count; i++) {
        const plx_timing *time = &results->records[i].time;
        if (results->records[i].outcome == PLX_OUTCOME_OK && time->measured && time->median_ns > 0)
            spreads[count++] = (time->high_ns - time->low_ns) / 2 / time->median_ns;
    }
    if (count > 0) {
        qsort(spreads, count, sizeof *spreads, by_size);
        typical = spreads[count / 2];
    }
    free(spreads);
    return typical;
}

static int write_all(const cli_options *options, const plx_results *results, size_t runs)
{
    plx_error error = {""};
    int status = cli_outputs_write(options, results);
    if (status != CLI_OK || (options->given & OPT_QUIET) != 0)
        return status;
    (void)fprintf(cli_out(), "%zu runs: from one to another times differ by %.1f %%, typically\n", runs,
                  100 * typical_spread(results));
    return plx_results_write_standings(results, cli_out(), &error) == PLX_OK ? CLI_OK
                                                                             : cli_wrong_usage("%s", error.text);
}

static int merge(const cli_options *options, char **names, size_t runs)
{
    plx_results results;
    plx_error error = {""};
    const plx_status status = plx_runs_read((const char *const *)names, runs, &results, &error);
    if (status != PLX_OK)
        return cli_failed(status, &error);
    const int written = write_all(options, &results, runs);
    plx_results_free(&results);
    for (size_t i = 0; i < runs && written == CLI_OK; i++)
        (void)unlink(names[i]);
    return written;
}

/* What is wrong is told and compared; what keeps a bench from its end keeps the others, too. */
static bool goes_on(int status)
{
    return status == CLI_OK || status == CLI_WRONG || status == CLI_NOTHING;
}

static int run_all(cli_options *options, char **names, size_t runs)
{
    int status = CLI_OK;
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    for (size_t i = 0; i < runs && goes_on(status); i++) {
        if ((options->given & OPT_QUIET) == 0)
            cli_say("run %zu of %zu", i + 1, runs);
        (void)fflush(cli_out());
        const pid_t process = fork();
        if (process == 0) {
            (void)signal(SIGINT, before);
            return be_run(options, names[i], i) == CLI_OK ? CLI_OK : CLI_BACKEND_FAILED;
        }
        const int ended = process > 0 ? wait_for(process) : cli_wrong_usage("no process for a run");
        status = status == CLI_OK || !goes_on(ended) ? ended : status;
    }
    (void)signal(SIGINT, before);
    if (!goes_on(status))
        return status;
    const int merged = merge(options, names, runs);
    return merged != CLI_OK ? merged : status != CLI_OK ? status : CLI_DONE;
}

int cli_runs(cli_options *options)
{
    const size_t runs = (size_t)options->runs;
    if ((options->given & OPT_RUNS) == 0 || runs < 2)
        return CLI_OK;
    if (options->json == NULL || cli_is_stdout(options->json))
        return cli_wrong_usage("--runs needs --json FILE, where what all of them found goes");
    int status = cli_outputs_check(options);
    char **names = status == CLI_OK ? calloc(runs, sizeof *names) : NULL;
    bool made = names != NULL;
    for (size_t i = 0; made && i < runs; i++)
        made = (names[i] = name_of(options->json, i)) != NULL;
    if (status == CLI_OK)
        status = made ? run_all(options, names, runs) : cli_wrong_usage("no memory");
    for (size_t i = 0; names != NULL && i < runs; i++)
        if (names[i] != options->json) /* the run's own lives on in it */
            free(names[i]);
    free(names);
    return status;
}
