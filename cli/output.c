/* Where results go: files that are whole or not there, standard output whose errors are told. */
#define _XOPEN_SOURCE 700

#include "cli.h"

#include "base/cache_dir.h"
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_stdout(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

bool cli_stdout_is_taken(const cli_options *options)
{
    return cli_is_stdout(options->json) || cli_is_stdout(options->csv) || cli_is_stdout(options->junit) ||
           (options->given & OPT_MARKDOWN) != 0;
}

/* Opens and discards: a wrong directory is found out before the work, not after it. */
static int check_path(const char *path)
{
    struct stat about;
    plx_output *output;
    plx_error error;
    if (path == NULL || cli_is_stdout(path))
        return CLI_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return CLI_OK; /* opening a pipe has consequences */
    if (plx_output_open(path, &output, &error) != PLX_OK)
        return cli_wrong_usage("%s", error.text);
    plx_output_discard(output);
    return CLI_OK;
}

/* Where the file lies; malloc'ed, NULL where that can't be said. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return realpath(".", NULL);
    char *directory = strndup(path, (size_t)(slash + 1 - path));
    char *found = directory != NULL ? realpath(directory, NULL) : NULL;
    free(directory);
    return found;
}

/* "/dir/file" of a file that may not be there yet; malloc'ed, NULL where that can't be said. */
static char *place_of(const char *path)
{
    char *found = realpath(path, NULL);
    if (found != NULL)
        return found;
    const char *slash = strrchr(path, '/');
    char *directory = directory_of(path);
    char *made = directory != NULL ? plx_text("%s/%s", directory, slash != NULL ? slash + 1 : path) : NULL;
    free(directory);
    return made;
}

/* Of two outputs under one name the second would replace the first. */
static bool is_same_file(const char *one, const char *other)
{
    struct stat about;
    if (one == NULL || other == NULL || cli_is_stdout(one) || cli_is_stdout(other) ||
        (stat(one, &about) == 0 && !S_ISREG(about.st_mode)))
        return false;
    char *first = place_of(one), *second = place_of(other);
    const bool same = first != NULL && second != NULL && strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

static int check_names(const cli_options *options)
{
    if (is_same_file(options->json, options->csv))
        return cli_wrong_usage("--json and --csv name one file: %s", options->csv);
    if (is_same_file(options->out, options->json) || is_same_file(options->out, options->csv))
        return cli_wrong_usage("--out and %s name one file: %s",
                               is_same_file(options->out, options->json) ? "--json" : "--csv", options->out);
    if (is_same_file(options->json, options->junit))
        return cli_wrong_usage("--json and --junit name one file: %s", options->junit);
    return CLI_OK;
}

/* Of two commands that write one file the second would undo what the first did. */
static int claim(const char *path)
{
    struct stat about;
    long holder = 0;
    if (path == NULL || cli_is_stdout(path) || (stat(path, &about) == 0 && !S_ISREG(about.st_mode)))
        return CLI_OK;
    char *place = place_of(path);
    const bool claimed = place == NULL || plx_cache_claim(place, &holder);
    free(place);
    return claimed ? CLI_OK
                   : cli_wrong_usage("%s: another parallax, process %ld, is going to write it; wait for that one, or "
                                     "choose another name",
                                     path, holder);
}

static int claim_outputs(const cli_options *options)
{
    int status = claim(options->json);
    if (status == CLI_OK)
        status = claim(options->csv);
    if (status == CLI_OK)
        status = claim(options->junit);
    return status == CLI_OK ? claim(options->out) : status;
}

int cli_outputs_check(const cli_options *options)
{
    int status = check_names(options);
    if (status == CLI_OK)
        status = check_path(options->json);
    if (status == CLI_OK)
        status = check_path(options->draft);
    if (status == CLI_OK)
        status = check_path(options->csv);
    if (status == CLI_OK)
        status = check_path(options->junit);
    if (status == CLI_OK && cli_is_stdout(options->out))
        status = cli_wrong_usage("--out: a .npy file can't go to standard output");
    if (status == CLI_OK)
        status = check_path(options->out);
    return status == CLI_OK ? claim_outputs(options) : status;
}

/* Of what was written to standard output; cli_stdout_close() tells what the stream could not take. */
static int written_to_stdout(plx_status status, const plx_error *error)
{
    return status == PLX_OK || ferror(cli_out()) ? CLI_OK : cli_wrong_usage("%s", error->text);
}

int cli_write(const char *path, cli_writer *write, const void *what)
{
    plx_output *output;
    plx_error error = {""};
    if (path == NULL)
        return CLI_OK;
    cli_keep_end();
    cli_process_put_back(); /* the directory, the umask, the locale */
    if (cli_is_stdout(path)) {
        cli_out_verbatim(true);
        const int written = written_to_stdout(write(what, cli_out(), &error), &error);
        cli_out_verbatim(false);
        return written;
    }
    plx_status status = plx_output_open(path, &output, &error);
    if (status == PLX_OK) {
        status = write(what, plx_output_stream(output), &error);
        if (status == PLX_OK)
            status = plx_output_close(output, &error);
        else
            plx_output_discard(output);
    }
    return status == PLX_OK ? CLI_OK : cli_wrong_usage("%s", error.text);
}

int cli_show(cli_writer *write, const void *what)
{
    plx_error error = {""};
    return written_to_stdout(write(what, cli_out(), &error), &error);
}

typedef struct results_writing {
    cli_results_writer *write;
    const plx_results *results;
} results_writing;

static plx_status write_results(const void *what, FILE *to, plx_error *error)
{
    const results_writing *this = what;
    return this->write(this->results, to, error);
}

int cli_results_write(const char *path, cli_results_writer *write, const plx_results *results)
{
    return cli_write(path, write_results, &(results_writing){write, results});
}

int cli_outputs_write(const cli_options *options, const plx_results *results)
{
    int json = cli_results_write(options->json, plx_results_write_json, results);
    int csv = cli_results_write(options->csv, plx_results_write_csv, results);
    return json != CLI_OK ? json : csv;
}

/* ---- what the table does not say ------------------------------------------- */

static bool is_told(const plx_results *results, size_t which)
{
    const plx_record *record = &results->records[which];
    for (size_t i = 0; i < which; i++) {
        const plx_record *other = &results->records[i];
        if (other->outcome == PLX_OUTCOME_WRONG && other->problem.op == record->problem.op &&
            strcmp(other->backend, record->backend) == 0 && strcmp(other->kernel, record->kernel) == 0)
            return true;
    }
    return false;
}

static void tell_undecided(const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        if (record->outcome == PLX_OUTCOME_WRONG && !plx_results_decides(results, i) && !is_told(results, i))
            cli_say("WRONG: %s/%s of the library behind %s; nobody asked for it by name, so it does not decide "
                    "the exit status; 'parallax doctor' may know what helps",
                    plx_op_name(record->problem.op), record->kernel, record->backend);
    }
}

/* How many devices have nothing to show. */
static size_t tell_idle(const plx_results *results)
{
    size_t idle = 0;
    for (size_t i = 0; i < results->device_count; i++) {
        const char *reason = plx_results_idle(results, i);
        if (reason != NULL)
            cli_say("%s: nothing was compared: %s", results->devices[i].label, reason);
        idle += reason != NULL;
    }
    for (size_t i = 0; results->check != NULL && i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        if (record->named && record->outcome == PLX_OUTCOME_NOT_RUN)
            cli_say("%s: %s/%s was not run: %s", record->backend, plx_op_name(record->problem.op), record->kernel,
                    record->reason);
    }
    return idle;
}

/* What the status "nothing could be compared" is due to: a result that was not judged, or else. */
static const char *why_nothing(const plx_results *results, const char *otherwise)
{
    for (size_t i = 0; i < results->record_count; i++)
        if (results->records[i].outcome == PLX_OUTCOME_NOT_JUDGED)
            return "a result could not be judged: no bound on its error tells it from zero";
    return otherwise;
}

int cli_results_status(const plx_results *results, const char *nothing)
{
    int status = plx_results_status(results);
    (void)fflush(cli_out()); /* what follows comes after the table */
    tell_undecided(results);
    if (status != CLI_NOTHING)
        return status;
    size_t idle = tell_idle(results);
    if (idle == 0 || idle == results->device_count)
        cli_say("%s", why_nothing(results, nothing));
    return status;
}

/* ---- for people ------------------------------------------------------------ */

static bool has_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    bool refused = no_colour != NULL && no_colour[0] != '\0';
    bool dumb = term == NULL || strcmp(term, "dumb") == 0;
    return !refused && !dumb && isatty(cli_out_descriptor());
}

unsigned cli_table_flags(void)
{
    return has_colour() ? PLX_TABLE_COLOUR : 0u;
}

int cli_width_of(int descriptor)
{
    struct winsize size;
    if (!isatty(descriptor) || ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

int cli_terminal_width(void)
{
    return cli_width_of(cli_out_descriptor());
}

/* A table that could not be made: the output is not whole, whatever the verb says in the end. */
static bool table_is_missing;

static bool is_timed(const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; i++)
        if (results->records[i].time.measured)
            return true;
    return false;
}

/* Once: what others take of the machine is missing to what is timed. */
static void tell_busy(const plx_results *results)
{
    static bool is_told;
    char load[64];
    if (is_told || !is_timed(results) || !plx_environment_is_busy(&results->environment, load, sizeof load))
        return;
    is_told = true;
    (void)fprintf(cli_out(), "this machine is busy (%s)\n", load);
}

int cli_table_write(const cli_options *options, const plx_results *results)
{
    plx_error error = {""};
    if (cli_stdout_is_taken(options) || (options->given & OPT_QUIET))
        return CLI_OK;
    tell_busy(results);
    unsigned flags = cli_table_flags() |
                     ((options->given & OPT_VERBOSE) ? PLX_TABLE_ALL_PAIRS | PLX_TABLE_CONFIGS | PLX_TABLE_LEGEND : 0u);
    const int status =
        written_to_stdout(plx_results_write_table(results, cli_out(), cli_terminal_width(), flags, &error), &error);
    table_is_missing |= status != CLI_OK;
    return status;
}

int cli_types_write(const cli_options *options, const plx_results *results)
{
    plx_error error = {""};
    if (cli_stdout_is_taken(options) || (options->given & OPT_QUIET))
        return CLI_OK;
    return written_to_stdout(plx_results_write_types(results, cli_out(), &error), &error);
}

void cli_table_fit(plx_table *table, const size_t *order, size_t count)
{
    table->width = cli_terminal_width();
    plx_table_fit(table, order, count);
}

void cli_table_finish(plx_table *table)
{
    table->width = cli_terminal_width();
    plx_error error = {""};
    if (plx_table_finish(table, cli_out(), &error) == PLX_OK)
        return;
    cli_say("%s", error.text);
    table_is_missing = true;
}

/* Why a write failed before is not kept: the next one meets it again.  0: it does not. */
static int reason_again(void)
{
    clearerr(cli_out());
    return fputc('\n', cli_out()) == EOF || fflush(cli_out()) != 0 ? errno : 0;
}

int cli_stdout_close(void)
{
    bool failed = ferror(cli_out()) != 0;
    int reason = 0;
    if (fflush(cli_out()) != 0) {
        failed = true;
        reason = errno;
    } else if (failed)
        reason = reason_again();
    /* A descriptor that was closed before we started only matters if we used it. */
    if (fclose(cli_out()) != 0 && errno != EBADF && !failed) {
        failed = true;
        reason = errno;
    }
    if (!failed)
        return table_is_missing ? CLI_USAGE : CLI_OK;
    if (reason == EPIPE) /* whoever read it had enough */
        return CLI_OK;
    return cli_wrong_usage("can't write to standard output: %s", reason != 0 ? strerror(reason) : "write error");
}
