/* The files of a study as they would be if it ended now.  A second Ctrl-C, while a call is waited for that may never
 * come back, leaves them: their bytes were put together where rows were finished, and a thread that does nothing else
 * writes them and ends the program. */
#define _GNU_SOURCE /* open_memstream */

#include "cli.h"

#include "base/coverage.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* One file. */
typedef struct kept {
    const char *path;
    cli_results_writer *write;
    char *bytes; /* malloc'ed; NULL: nothing is finished yet */
    size_t length;
} kept;

enum { MOST_FILES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the files */
static kept files[MOST_FILES];
static size_t file_count;
static const char *verb_name; /* of JUnit's XML */
static sem_t asked;
static volatile sig_atomic_t is_ready, was_asked;

static plx_status write_junit(const plx_results *results, FILE *to, plx_error *error)
{
    return plx_results_write_ci(results, PLX_CI_JUNIT, verb_name, to, error);
}

/* ---- the study's thread --------------------------------------------------------------------- */

static bool make_bytes(const kept *file, const plx_results *results, char **bytes, size_t *length)
{
    plx_error error;
    FILE *to = open_memstream(bytes, length);
    if (to == NULL)
        return false;
    const bool written = file->write(results, to, &error) == PLX_OK;
    if (fclose(to) == 0 && written)
        return true;
    free(*bytes);
    return false;
}

/* What was kept before is kept where there is no memory for more. */
static void keep(void *unused, const plx_results *so_far)
{
    (void)unused;
    for (size_t i = 0; i < file_count; i++) {
        char *bytes = NULL;
        size_t length = 0;
        if (!make_bytes(&files[i], so_far, &bytes, &length))
            continue;
        (void)pthread_mutex_lock(&lock);
        char *before = files[i].bytes;
        files[i].bytes = bytes;
        files[i].length = length;
        (void)pthread_mutex_unlock(&lock);
        free(before);
    }
}

/* ---- the other thread ------------------------------------------------------------------------ */

static void write_one(const kept *file)
{
    plx_output *output;
    plx_error error = {""};
    plx_status status = file->bytes != NULL ? plx_output_open(file->path, &output, &error) : PLX_OK;
    if (file->bytes == NULL || status != PLX_OK)
        return;
    if (fwrite(file->bytes, 1, file->length, plx_output_stream(output)) == file->length)
        status = plx_output_close(output, &error);
    else
        plx_output_discard(output);
    if (status != PLX_OK)
        cli_say("%s", error.text);
}

/* As the second Ctrl-C would have, had it not been put off. */
static void end_by_interrupt(void)
{
    sigset_t interrupt;
    (void)sigemptyset(&interrupt);
    (void)sigaddset(&interrupt, SIGINT);
    (void)signal(SIGINT, SIG_DFL);
    (void)pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
    (void)raise(SIGINT);
}

static void *wait_for_it(void *unused)
{
    (void)unused;
    while (sem_wait(&asked) != 0 && errno == EINTR)
        ;
    (void)pthread_mutex_lock(&lock);
    cli_process_put_back(); /* the directory */
    for (size_t i = 0; i < file_count; i++)
        write_one(&files[i]);
    plx_coverage_write();
    end_by_interrupt();
    return NULL;
}

static bool start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (sem_init(&asked, 0, 0) != 0 || pthread_attr_init(&attributes) != 0)
        return false;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, 1 << 18);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before); /* they are for the others */
    const bool started = pthread_create(&thread, &attributes, wait_for_it, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return started;
}

/* ---- beginning and end ------------------------------------------------------------------------- */

static void add(const char *path, cli_results_writer *write)
{
    if (path != NULL && !cli_is_stdout(path))
        files[file_count++] = (kept){.path = path, .write = write};
}

void cli_keep_begin(const cli_options *options, const char *verb, cli_results_writer *write_csv)
{
    static bool is_begun;
    if (is_begun)
        return;
    is_begun = true;
    verb_name = verb;
    add(options->json, plx_results_write_json);
    add(options->csv, write_csv);
    add(options->junit, write_junit);
    if (file_count == 0 || !start_thread())
        return;
    is_ready = 1;
    plx_studies_tell(keep, NULL);
}

bool cli_keep_ask(void)
{
    if (!is_ready || was_asked)
        return false;
    was_asked = 1;
    (void)sem_post(&asked);
    return true;
}

bool cli_keeps(void)
{
    return is_ready != 0;
}

void cli_keep_end(void)
{
    if (!is_ready)
        return;
    plx_studies_tell(NULL, NULL);
    (void)pthread_mutex_lock(&lock); /* for good, where they are being written: it ends */
    is_ready = 0;
    for (size_t i = 0; i < file_count; i++)
        free(files[i].bytes);
    file_count = 0;
    (void)pthread_mutex_unlock(&lock);
}
