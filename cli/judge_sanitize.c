/* judge --sanitize: the kernel once more under the tools that search a run for accesses out of bounds, races, values
 * that nobody wrote and barriers that not all threads reach.  Each runs the program's own `run`, which loads the same
 * file, on small problems.  What they find stands beside the verdict and changes nothing of it. */
#define _GNU_SOURCE /* prctl */

#include "command.h"
#include "judged.h"

#include "base/clock.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 300, OUTPUT = 1 << 18, FOUND = 86, NOT_THERE = 127 };

/* One search of one program. */
typedef struct tool {
    const char *api, *name; /* as the record has it */
    const char *program, *words[8];
    const char *from;  /* how the program comes to be here */
    const char *build; /* of Oclgrind's compiler: an optimiser chooses among values that nobody needs */
    const char *mark;  /* what lines of its own begin with; NULL: all that is on standard error is its */
    double work;       /* of the problems that it is given, which it runs so much slower */
} tool;

#define SANITIZER(search)                                                                       \
    {                                                                                           \
        .api = "cuda", .name = search, .program = "compute-sanitizer",                          \
        .words = {"--tool", search, "--error-exitcode", "86", NULL},                            \
        .from = "CUDA's toolkit has it, in its directory bin", .mark = "=========", .work = 1e6 \
    }
#define OCLGRIND(search)                                                                                \
    {                                                                                                   \
        .api = "opencl", .name = "oclgrind-" search, .program = "oclgrind",                             \
        .words = {"--local-mem-size", "65536", "--max-errors", "20", "--" search, NULL},                \
        .from = "distributions have it as a package, oclgrind", .build = "-cl-opt-disable", .work = 2e4 \
    }
static const tool tools[] = {SANITIZER("memcheck"),  SANITIZER("racecheck"), SANITIZER("initcheck"),
                             SANITIZER("synccheck"), OCLGRIND("data-races"), OCLGRIND("uninitialized")};
enum { TOOLS = sizeof tools / sizeof tools[0] };

/* ---- whether it is here --------------------------------------------------------------------- */

static bool is_on_path(const char *program)
{
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        char path[PATH_MAX];
        const size_t length = strcspn(at, ":");
        (void)snprintf(path, sizeof path, "%.*s/%s", (int)length, at, program);
        if (length > 0 && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* ---- the command ------------------------------------------------------------------------------ */

static void add_problem(cli_command *to, const cli_options *options, const plx_problem *problem)
{
    char shape[96];
    plx_shape_text(problem, shape, sizeof shape);
    cli_command_add(to, "--shape=%s", shape);
    cli_command_add(to, "--dtype=%s", plx_dtype_name(problem->dtype));
    for (size_t i = 0; i + 1 < options->settings.count; i += 2)
        if (options->settings.at[i + 1] != NULL)
            cli_command_add(to, "--%s=%s", options->settings.at[i], options->settings.at[i + 1]);
        else
            cli_command_add(to, "--%s", options->settings.at[i]);
}

/* What the tool is to run: this program, on the same file. */
static cli_command command_of(const tool *by, const cli_options *options, const judged *of, const plx_problem *problem)
{
    cli_command made = {.count = 0};
    cli_command_add(&made, "%s", by->program);
    for (size_t i = 0; by->words[i] != NULL; i++)
        cli_command_add(&made, "%s", by->words[i]);
    cli_command_add_self(&made);
    cli_command_add(&made, "run");
    cli_command_add(&made, "%s", plx_op_name(problem->op));
    cli_command_add(&made, "--source=%s", options->source);
    if (options->recipe != NULL)
        cli_command_add(&made, "--recipe=%s", options->recipe);
    if (options->entry != NULL)
        cli_command_add(&made, "--entry=%s", options->entry);
    for (size_t i = 0; i < options->tunables.count; i++)
        cli_command_add(&made, "--tunable=%s", options->tunables.at[i]);
    for (size_t i = 0; i < options->plugin_dirs.count; i++)
        cli_command_add(&made, "--plugin-dir=%s", options->plugin_dirs.at[i]);
    add_problem(&made, options, problem);
    /* Oclgrind's device is the only one that there is then. */
    cli_command_add(&made, "--backend=%s", by->mark != NULL ? of->label : by->api);
    cli_command_add(&made, "--seed=%" PRIu64, of->seed);
    cli_command_add(&made, "--quiet");
    return made;
}

/* ---- its run ------------------------------------------------------------------------------------ */

static void become(const cli_command *what, const tool *by, const int ends[2], pid_t parent)
{
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    const int nothing = open("/dev/null", O_RDWR);
    (void)dup2(nothing, STDIN_FILENO);
    (void)dup2(by->mark != NULL ? ends[1] : nothing, STDOUT_FILENO);
    (void)dup2(ends[1], STDERR_FILENO);
    (void)close(nothing);
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGHUP, SIG_DFL);
    if (by->build != NULL) { /* which is no part of what a cache goes by */
        (void)setenv("OCLGRIND_BUILD_OPTIONS", by->build, 1);
        (void)setenv("PLX_NO_CACHE", "1", 1);
    }
    (void)execvp(what->words[0], what->words);
    _exit(NOT_THERE);
}

/* What it says, to its end or as far as there is room; false: its time is over, or the judge was stopped. */
static bool read_all(int from, char *text, volatile sig_atomic_t *stopped)
{
    const double end = plx_now_ns() + 1e9 * SECONDS;
    size_t length = 0;
    while (!*stopped && plx_now_ns() < end) {
        struct pollfd wait = {.fd = from, .events = POLLIN};
        char rest[4096];
        if (poll(&wait, 1, 50) <= 0)
            continue;
        const bool full = length + 1 >= OUTPUT;
        const ssize_t got = full ? read(from, rest, sizeof rest) : read(from, text + length, OUTPUT - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        length += full ? 0 : (size_t)got;
        text[length] = '\0';
    }
    return false;
}

/* Its exit status; -1: it did not come to its end. */
static int run_one(const cli_command *what, const tool *by, char *text, volatile sig_atomic_t *stopped)
{
    int ends[2], status = 0;
    const pid_t parent = getpid();
    text[0] = '\0';
    if (what->failed || pipe(ends) != 0)
        return -1;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        become(what, by, ends, parent);
    (void)close(ends[1]);
    const bool ended = child > 0 && read_all(ends[0], text, stopped);
    (void)close(ends[0]);
    if (child > 0) {
        (void)setpgid(child, child);
        if (!ended) {
            (void)kill(-child, SIGKILL);
            (void)kill(child, SIGKILL);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
    }
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- what it says ----------------------------------------------------------------------------------- */

/* Whether a line, without its mark, is about a fault: not a title, a sum, or how many more there are. */
static bool is_finding(const char *line, size_t length, bool marked)
{
    static const char *const others[] = {"COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY",
                                         "Target application", "LEAK SUMMARY"};
    if (length == 0 || line[0] == ' ' || line[0] == '\t')
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strncmp(line, others[i], strlen(others[i])) == 0)
            return false;
    if (marked)
        return true;
    static const char *const faults[] = {"Invalid",       "Read-write", "Write-write",
                                         "Uninitialized", "Unaligned",  "Work-group divergence",
                                         "OCLGRIND FATAL"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strncmp(line, faults[i], strlen(faults[i])) == 0)
            return true;
    return false;
}

/* Counts them, and keeps the first. */
static size_t find(const tool *by, const char *text, char *first, size_t capacity)
{
    const size_t mark = by->mark != NULL ? strlen(by->mark) : 0;
    size_t found = 0;
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        const bool marked = mark > 0 && strncmp(line, by->mark, mark) == 0;
        const char *said = marked ? line + mark + (line[mark] == ' ') : line;
        const size_t left = length - (size_t)(said - line < (long)length ? said - line : (long)length);
        if ((marked || mark == 0) && is_finding(said, left, marked) && found++ == 0)
            (void)snprintf(first, capacity, "%.*s", (int)left, said);
        line += length + (line[length] == '\n');
    }
    plx_text_clean(first, capacity);
    return found;
}

/* Why there is none: the last line that says something. */
static void keep_last(const char *text, char *to, size_t capacity)
{
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        if (length > 0 && strspn(line, "= \t") < length)
            (void)snprintf(to, capacity, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    plx_text_clean(to, capacity);
}

/* A sanitizer whose status is another than these two has searched nothing, whatever it says. */
static void conclude(judged_search *to, const tool *by, int status, const char *text, bool stopped)
{
    to->how = SEARCH_DONE;
    if (status == FOUND || status == 0) {
        to->findings = find(by, text, to->said, sizeof to->said);
        to->findings += status == FOUND && to->findings == 0;
        return;
    }
    if (by->mark == NULL && status != -1 && (to->findings = find(by, text, to->said, sizeof to->said)) > 0)
        return;
    to->how = SEARCH_FAILED;
    (void)snprintf(to->said, sizeof to->said, stopped ? "interrupted" : "it did not come to its end");
    if (status != -1) {
        (void)snprintf(to->said, sizeof to->said, "status %d", status);
        keep_last(text, to->said, sizeof to->said);
    }
}

/* ---- all of them --------------------------------------------------------------------------------------- */

/* Small ones that nobody chose, like the first that it takes; else that one. */
static size_t choose_problems(const cli_options *options, const judged *of, double work, plx_problem *problems)
{
    for (size_t i = 0; i < of->shape_count; i++) {
        const size_t drawn = plx_kernel_file_draw(options->kernel, &of->shapes[i].problem, &of->device, of->seed, work,
                                                  problems, JUDGED_SEARCHED);
        if (drawn > 0)
            return drawn;
    }
    for (size_t i = 0; i < of->shape_count; i++)
        if (of->shapes[i].taken) {
            problems[0] = of->shapes[i].problem;
            return 1;
        }
    return 0;
}

static void search(const tool *by, const cli_options *options, judged *to, char *text, volatile sig_atomic_t *stopped)
{
    plx_problem problems[JUDGED_SEARCHED];
    const size_t count = choose_problems(options, to, by->work, problems);
    for (size_t i = 0; i < count && !*stopped && to->search_count < JUDGED_SEARCHES; i++) {
        judged_search *one = &to->searches[to->search_count];
        cli_command what = command_of(by, options, to, &problems[i]);
        (void)snprintf(one->tool, sizeof one->tool, "%s", by->name);
        plx_problem_text(&problems[i], 0, one->problem, sizeof one->problem);
        conclude(one, by, run_one(&what, by, text, stopped), text, *stopped);
        cli_command_free(&what);
        to->search_count++;
    }
}

static void note_missing(const tool *by, judged *to)
{
    judged_search *one = &to->searches[to->search_count++];
    (void)snprintf(one->tool, sizeof one->tool, "%s", by->name);
    one->how = SEARCH_NOT_THERE;
    (void)snprintf(one->said, sizeof one->said, "%s is not on PATH: %s", by->program, by->from);
}

void judged_sanitize(const cli_options *options, judged *to, volatile sig_atomic_t *stopped)
{
    char *text = malloc(OUTPUT);
    for (size_t i = 0; i < TOOLS && text != NULL && to->has_device && !*stopped; i++) {
        if (strcmp(tools[i].api, to->facts.api) != 0 || to->search_count == JUDGED_SEARCHES)
            continue;
        if (is_on_path(tools[i].program))
            search(&tools[i], options, to, text, stopped);
        else
            note_missing(&tools[i], to);
    }
    free(text);
}
