/* One process for each device that is screened: what it found so far arrives as a sequence of JSON, whatever becomes of
 * it; one that does not end in time is ended. */
#define _GNU_SOURCE /* pipe2 */

#include "cli.h"
#include "command.h"

#include "base/clock.h"
#include "base/signal_name.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ERRORS = 4096, RECORD = 0x1e, LOOK_MS = 200 };

typedef struct child {
    pid_t process; /* 0: none */
    int out, err;  /* -1: closed */
    char *text;    /* from the last but one record on */
    size_t length;
    char said[MOST_ERRORS]; /* the end of what it wrote to standard error */
    size_t said_length;
    bool ended, late, told; /* told: it was told to end */
    int status;
} child;

/* ---- the command ------------------------------------------------------------------------- */

static void add_option(cli_command *to, const char *name, const char *value)
{
    cli_command_add(to, "%s", name);
    cli_command_add(to, "%s", value);
}

static cli_command begin_command(const cli_options *options)
{
    cli_command made = {.count = 0};
    cli_command_add_self(&made);
    cli_command_add(&made, "screen");
    cli_command_add(&made, "--in-process");
    add_option(&made, "--json", "-");
    cli_command_add(&made, "--budget=%.6f", options->budget);
    cli_command_add(&made, "--begun=%.6f", options->begun);
    cli_command_add(&made, "--seed=%llu", (unsigned long long)options->seed);
    for (size_t i = 0; i < options->plugin_dirs.count; i++)
        add_option(&made, "--plugin-dir", options->plugin_dirs.at[i]);
    return made;
}

static cli_command command_of(const cli_options *options, const cli_chip *chip, bool proof_only)
{
    cli_command made = begin_command(options);
    for (size_t i = 0; i < chip->label_count; i++)
        add_option(&made, "--backend", chip->labels[i]);
    for (size_t i = 0; i < options->kernels.count; i++)
        add_option(&made, "--kernel", options->kernels.at[i]);
    for (size_t i = 0; i < options->dtype_count; i++)
        add_option(&made, "--dtype", plx_dtype_name(options->dtypes[i]));
    if (options->against != NULL)
        add_option(&made, "--against", options->against);
    if (options->self_test)
        cli_command_add(&made, "--self-test");
    if (proof_only)
        cli_command_add(&made, "--format=seal");
    return made;
}

/* ---- its beginning ---------------------------------------------------------------------------- */

static void become(const cli_command *run, int out, int err, size_t beside)
{
    char threads[24];
    sigset_t none;
    const long all = sysconf(_SC_NPROCESSORS_ONLN);
    (void)snprintf(threads, sizeof threads, "%ld", all / (long)beside > 0 ? all / (long)beside : 1);
    if (beside > 1)
        (void)setenv("OMP_NUM_THREADS", threads, 0);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)dup2(out, STDOUT_FILENO);
    (void)dup2(err, STDERR_FILENO);
    (void)execv(run->words[0], run->words);
    _exit(127);
}

static bool begin(child *one, const cli_command *run, size_t beside)
{
    int out[2], err[2];
    *one = (child){.out = -1, .err = -1};
    if (run->failed || pipe2(out, O_CLOEXEC) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC) != 0) {
        (void)close(out[0]);
        (void)close(out[1]);
        return false;
    }
    one->process = fork();
    if (one->process == 0)
        become(run, out[1], err[1], beside);
    (void)close(out[1]);
    (void)close(err[1]);
    one->out = out[0];
    one->err = err[0];
    (void)fcntl(one->out, F_SETFL, O_NONBLOCK);
    (void)fcntl(one->err, F_SETFL, O_NONBLOCK);
    return one->process > 0;
}

/* ---- what it says ---------------------------------------------------------------------------------- */

/* Where the record before the last begins. */
static size_t first_kept(const char *text, size_t length)
{
    size_t found = 0;
    for (size_t at = length, records = 0; at-- > 0;)
        if (text[at] == RECORD && ++records == 2)
            return at;
    return found;
}

static void take_out(child *one)
{
    char block[65536];
    ssize_t got;
    while ((got = read(one->out, block, sizeof block)) > 0) {
        char *grown = realloc(one->text, one->length + (size_t)got + 1);
        if (grown == NULL)
            return;
        one->text = grown;
        memcpy(grown + one->length, block, (size_t)got);
        one->length += (size_t)got;
        const size_t keep = first_kept(grown, one->length);
        memmove(grown, grown + keep, one->length - keep);
        one->length -= keep;
    }
    if (got == 0) {
        (void)close(one->out);
        one->out = -1;
    }
}

static void take_err(child *one)
{
    char block[1024];
    ssize_t got;
    while ((got = read(one->err, block, sizeof block)) > 0) {
        const size_t length = (size_t)got, room = sizeof one->said - 1;
        if (one->said_length + length > room) {
            const size_t drop = one->said_length + length - room;
            memmove(one->said, one->said + drop, one->said_length - drop);
            one->said_length -= drop;
        }
        memcpy(one->said + one->said_length, block, length);
        one->said_length += length;
    }
    if (got == 0) {
        (void)close(one->err);
        one->err = -1;
    }
}

static void look_after(child *one)
{
    if (one->process <= 0 || one->ended)
        return;
    if (one->out >= 0)
        take_out(one);
    if (one->err >= 0)
        take_err(one);
    if (waitpid(one->process, &one->status, WNOHANG) != one->process)
        return;
    one->ended = true;
    if (one->out >= 0)
        take_out(one);
    if (one->err >= 0)
        take_err(one);
}

static void wait_for_any(const child *children, size_t count)
{
    struct pollfd *all = calloc(2 * count + 1, sizeof *all);
    nfds_t used = 0;
    for (size_t i = 0; all != NULL && i < count; i++) {
        if (children[i].out >= 0)
            all[used++] = (struct pollfd){.fd = children[i].out, .events = POLLIN};
        if (children[i].err >= 0)
            all[used++] = (struct pollfd){.fd = children[i].err, .events = POLLIN};
    }
    if (used > 0)
        (void)poll(all, used, LOOK_MS);
    else
        plx_pause_ns(1e7);
    free(all);
}

/* A moment for what it is at, then it is ended. */
static void end_late(child *one, double late)
{
    static const double moment = 2;
    if (one->process <= 0 || one->ended || late < 0)
        return;
    if (!one->told)
        (void)kill(one->process, SIGTERM);
    one->told = true;
    if (late < moment)
        return;
    one->late = true;
    (void)kill(one->process, SIGKILL);
}

/* A fifth of the budget, but three seconds at least, for what is begun and for a slow start. */
static double deadline_of(const cli_options *options)
{
    const double grace = options->budget / 5;
    return options->begun + options->budget + (grace < 3 ? 3 : grace > 60 ? 60 : grace);
}

static void watch(const cli_options *options, child *children, size_t count)
{
    double deadline = deadline_of(options);
    for (size_t left = count; left > 0;) {
        const double now = plx_now_ns() * 1e-9;
        if (plx_studies_stopped() && deadline > now + 1)
            deadline = now; /* whoever stopped this stops them */
        wait_for_any(children, count);
        left = 0;
        for (size_t i = 0; i < count; i++) {
            end_late(&children[i], now - deadline);
            look_after(&children[i]);
            left += children[i].process > 0 && !children[i].ended;
        }
    }
}

static void drop_child(child *one)
{
    if (one->out >= 0)
        (void)close(one->out);
    if (one->err >= 0)
        (void)close(one->err);
    free(one->text);
}

/* ---- what becomes of it ------------------------------------------------------------------------------- */

/* The last record that is whole. */
static bool read_record(const child *one, plx_screen *screen)
{
    plx_error error;
    for (size_t end = one->length; end > 0;) {
        size_t at = end;
        while (at > 0 && one->text[at - 1] != RECORD)
            at--;
        if (at == 0)
            return false;
        if (plx_screen_read_text(one->text + at, end - at, screen, &error) == PLX_OK)
            return true;
        end = at - 1;
    }
    return false;
}

static void last_line(child *one, char *text, size_t capacity)
{
    size_t end = one->said_length;
    while (end > 0 && (one->said[end - 1] == '\n' || one->said[end - 1] == '\r'))
        end--;
    one->said[end] = '\0';
    const char *line = strrchr(one->said, '\n');
    (void)snprintf(text, capacity, "%.*s", (int)capacity - 1, line != NULL ? line + 1 : one->said);
    plx_text_clean(text, capacity);
}

/* "" where it ended as it should. */
static void put_ending(child *one, char *text, size_t capacity)
{
    char line[300], name[32];
    last_line(one, line, sizeof line);
    text[0] = '\0';
    if (one->process <= 0)
        (void)snprintf(text, capacity, "no process could be started for it");
    else if (one->late)
        (void)snprintf(text, capacity, "it did not come back in time and was ended%s%s", line[0] != '\0' ? ": " : "",
                       line);
    else if (WIFSIGNALED(one->status)) {
        plx_signal_name(WTERMSIG(one->status), name, sizeof name);
        (void)snprintf(text, capacity, "its process was ended by %s%s%s", name, line[0] != '\0' ? ": " : "", line);
    } else if (WEXITSTATUS(one->status) != 0)
        (void)snprintf(text, capacity, "its process ended with status %d%s%s", WEXITSTATUS(one->status),
                       line[0] != '\0' ? ": " : "", line);
}

static void set_labels(const cli_chip *chip, plx_screened_device *device)
{
    device->info = chip->info;
    device->backend_count = chip->label_count;
    memcpy(device->backends, chip->labels, sizeof device->backends);
}

/* What a compiler takes is not the device's fault; a launch that does not come back is.  A processor that is late is
 * busy, or compiles at the first launch: it runs this program as well. */
static bool hangs(const child *one, const cli_chip *chip)
{
    static const char *const of_device[] = {"execution", "waiting", "upload", "download", "fill", "copy"};
    if ((chip->info.features & PLX_FEATURE_CPU) != 0)
        return false;
    for (const char *late = strstr(one->said, "late: "); late != NULL; late = strstr(late + 1, "late: "))
        for (size_t i = 0; i < sizeof of_device / sizeof of_device[0]; i++)
            if (strncmp(late + 6, of_device[i], strlen(of_device[i])) == 0)
                return true;
    return false;
}

/* A signal that no fault of its own brings: somebody ends the job, or the machine has no memory left. */
static bool is_ended_by_others(const child *one)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGQUIT, SIGPIPE, SIGXCPU};
    for (size_t i = 0; WIFSIGNALED(one->status) && i < sizeof signals / sizeof signals[0]; i++)
        if (WTERMSIG(one->status) == signals[i])
            return true;
    return false;
}

/* What computed and did not come back is the device's fault until somebody shows otherwise; what never computed is
 * untested. */
static void conclude(child *one, const cli_chip *chip, plx_screened_device *device)
{
    plx_screen said;
    char ending[400];
    const bool heard = read_record(one, &said);
    put_ending(one, ending, sizeof ending);
    *device = (plx_screened_device){.utilisation = -1, .verdict = PLX_UNTESTED};
    if (heard && said.device_count == 1) {
        *device = said.devices[0];
        said.devices[0] = (plx_screened_device){.cases = NULL};
    }
    if (heard)
        plx_screen_free(&said);
    set_labels(chip, device);
    if (ending[0] == '\0' && heard)
        return;
    if (device->verdict == PLX_FAULTY && device->reason[0] != '\0')
        return;
    const bool faulty =
        one->late ? hangs(one, chip) : device->case_count > 0 && one->process > 0 && !is_ended_by_others(one);
    device->verdict = faulty ? PLX_FAULTY : PLX_UNTESTED;
    (void)snprintf(device->reason, sizeof device->reason, "%s%s",
                   ending[0] != '\0' ? ending : "its process said nothing",
                   faulty                   ? ", while it was computing"
                   : device->case_count > 0 ? "; screen it again, or give it more with --budget"
                                            : ", before anything was computed; more with --budget may help");
}

int cli_screen_children(const cli_options *options, const cli_chip *chips, size_t count, bool proof_only,
                        plx_screen *screen)
{
    child *children = calloc(count, sizeof *children);
    if (children == NULL)
        return cli_wrong_usage("no memory");
    (void)fflush(cli_out());
    for (size_t i = 0; i < count; i++) {
        cli_command run = command_of(options, &chips[i], proof_only);
        (void)begin(&children[i], &run, count);
        cli_command_free(&run);
    }
    watch(options, children, count);
    for (size_t i = 0; i < count; i++) {
        conclude(&children[i], &chips[i], &screen->devices[i]);
        drop_child(&children[i]);
    }
    free(children);
    return CLI_OK;
}

/* ---- copies -------------------------------------------------------------------------------------------- */

/* The chips' first labels of a plugin that reaches several; 0: there is none. */
static size_t peers_of(const cli_chip *chips, size_t count, const char **labels)
{
    size_t found = 0;
    for (size_t l = 0; found < 2 && count > 0 && l < chips[0].label_count; l++) {
        const size_t length = strcspn(chips[0].labels[l], ":");
        found = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < chips[i].label_count; k++)
                if (strncmp(chips[i].labels[k], chips[0].labels[l], length + 1) == 0) {
                    labels[found++] = chips[i].labels[k];
                    break;
                }
    }
    return found >= 2 ? found : 0;
}

static void conclude_copies(child *one, plx_screen *screen)
{
    plx_screen said;
    char ending[400];
    put_ending(one, ending, sizeof ending);
    if (read_record(one, &said)) {
        screen->copies = said.copies;
        screen->copy_count = said.copy_count;
        said.copies = NULL;
        said.copy_count = 0;
        plx_screen_free(&said);
    } else if ((screen->copies = calloc(1, sizeof *screen->copies)) != NULL) {
        screen->copy_count = 1;
        screen->copies[0].outcome = PLX_OUTCOME_FAILED;
        (void)snprintf(screen->copies[0].reason, sizeof screen->copies[0].reason, "%.255s",
                       ending[0] != '\0' ? ending : "its process said nothing");
    }
}

int cli_screen_copies(const cli_options *options, const cli_chip *chips, size_t count, plx_screen *screen)
{
    const char **labels = calloc(count + 1, sizeof *labels);
    const size_t peers = labels != NULL ? peers_of(chips, count, labels) : 0;
    if (peers > 0) {
        cli_options shorter = *options;
        child one;
        shorter.begun = plx_now_ns() * 1e-9;
        shorter.budget = options->budget < 30 ? options->budget : 30;
        cli_command run = begin_command(&shorter);
        cli_command_add(&run, "--copies");
        for (size_t i = 0; i < peers; i++)
            add_option(&run, "--backend", labels[i]);
        (void)begin(&one, &run, 1);
        cli_command_free(&run);
        watch(&shorter, &one, 1);
        conclude_copies(&one, screen);
        drop_child(&one);
    }
    free(labels);
    return CLI_OK;
}
