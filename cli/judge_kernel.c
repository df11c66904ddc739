/* judge --source: a kernel in a file.  It is compiled, and then run, in processes of their own; this one waits, and
 * says what became of it, whatever that was. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "judged.h"

#include "base/coverage.h"
#include "base/secret.h"
#include "base/text.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds without a sign of life, and what compiling may take. */
enum { COMPILE_SECONDS = 60, STILL_SECONDS = 180 };
static const rlim_t most_memory = (rlim_t)4 << 30, most_file = (rlim_t)64 << 20;

/* ---- the process ---------------------------------------------------------------------------- */

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
    (void)number;
    stopped = 1;
}

static void take_signals(struct sigaction before[3])
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_stop};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < 3; i++)
        (void)sigaction(numbers[i], &action, &before[i]);
}

static void give_signals_back(const struct sigaction before[3])
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < 3; i++)
        (void)sigaction(numbers[i], &before[i], NULL);
}

static void limit(int which, rlim_t most)
{
    struct rlimit is;
    if (getrlimit(which, &is) == 0 && (is.rlim_cur == RLIM_INFINITY || is.rlim_cur > most)) {
        is.rlim_cur = most;
        (void)setrlimit(which, &is);
    }
}

typedef void worker_function(cli_options *options, judged *to);

/* It ends with its parent, and with it what it has started. */
static void work(worker_function *what, cli_options *options, judged *to, pid_t parent, bool compiles)
{
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGHUP, SIG_DFL);
    limit(RLIMIT_CORE, 0);
    (void)setenv("PLX_CALL_SECONDS", "100000", 1); /* it is the parent that looks at the clock */
    if (compiles) {
        limit(RLIMIT_DATA, most_memory);
        limit(RLIMIT_FSIZE, most_file);
        limit(RLIMIT_CPU, 2 * COMPILE_SECONDS);
    }
    what(options, to);
    plx_coverage_write();
    _exit(0);
}

/* $PLX_CALL_SECONDS where that is less. */
static double seconds_allowed(bool compiles)
{
    const char *text = getenv("PLX_CALL_SECONDS");
    const double wanted = text != NULL ? strtod(text, NULL) : 0.0;
    const double most = compiles ? COMPILE_SECONDS : STILL_SECONDS;
    return wanted > 0.0 && wanted < most ? wanted : most;
}

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void end_it(judged *to, judged_status status, const char *why)
{
    to->status = status;
    (void)snprintf(to->why, sizeof to->why, "%s", why);
}

/* Whether it is still running; with what ended it. */
static bool is_running(pid_t child, int *status)
{
    const pid_t found = waitpid(child, status, WNOHANG);
    return found == 0 || (found < 0 && errno == EINTR);
}

static void kill_all(pid_t child)
{
    int status;
    (void)kill(-child, SIGKILL);
    (void)kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
}

/* Waits as long as it gets on. */
static void wait_for(pid_t child, judged *to, bool compiles)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    const double allowed = seconds_allowed(compiles);
    double since = now();
    unsigned long beat = 0;
    char why[400];
    int status = 0;
    while (is_running(child, &status)) {
        const unsigned long is = atomic_load(&to->beat);
        if (is != beat && !compiles)
            since = now();
        beat = is;
        if (stopped) {
            kill_all(child);
            end_it(to, JUDGED_INTERRUPTED, "interrupted");
            return;
        }
        if (now() - since > allowed) {
            kill_all(child);
            (void)snprintf(why, sizeof why, "it did not come back within %.0f seconds, while %.200s", allowed,
                           to->doing);
            end_it(to, JUDGED_TIMEOUT, why);
            return;
        }
        (void)nanosleep(&pause, NULL);
    }
    if (to->ended && WIFEXITED(status))
        return;
    if (WIFSIGNALED(status))
        (void)snprintf(why, sizeof why, "its process was ended by signal %d, while %.200s", WTERMSIG(status),
                       to->doing);
    else
        (void)snprintf(why, sizeof why, "its process ended with status %d, while %.200s", WEXITSTATUS(status),
                       to->doing);
    end_it(to, JUDGED_CRASHED, why);
}

/* What it has left running, wherever it belongs by now: it is this process's child since its parent ended. */
static void end_orphans(void)
{
    for (int tries = 0; tries < 1000; tries++) {
        char line[256] = "";
        FILE *file = fopen("/proc/thread-self/children", "re");
        const bool any = file != NULL && fgets(line, sizeof line, file) != NULL;
        if (file != NULL)
            (void)fclose(file);
        const pid_t orphan = any ? (pid_t)strtol(line, NULL, 10) : 0;
        if (orphan <= 0)
            return;
        (void)kill(orphan, SIGKILL);
        while (waitpid(orphan, NULL, 0) < 0 && errno == EINTR)
            ;
    }
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    (void)remove(path);
    return 0;
}

/* A place for temporary files, also those of compilers: what is ended in the middle removes none.  "": there is none.
 */
static void make_place(char *place, size_t capacity)
{
    const char *in = getenv("TMPDIR");
    (void)snprintf(place, capacity, "%.400s/parallax-judge-XXXXXX", in != NULL && in[0] != '\0' ? in : "/tmp");
    if (mkdtemp(place) == NULL)
        place[0] = '\0';
}

static void remove_place(const char *place)
{
    enum { OPEN = 8 };
    if (place[0] != '\0')
        (void)nftw(place, remove_one, OPEN, FTW_DEPTH | FTW_PHYS);
}

static void run_apart(worker_function *what, cli_options *options, judged *to, bool compiles)
{
    const pid_t parent = getpid();
    char place[512];
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    to->ended = false;
    (void)judged_turn(to, JUDGED_PROCESS);
    make_place(place, sizeof place);
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (place[0] != '\0')
            (void)setenv("TMPDIR", place, 1);
        work(what, options, to, parent, compiles);
    }
    if (child > 0) {
        (void)setpgid(child, child);
        wait_for(child, to, compiles);
        (void)kill(-child, SIGKILL);
        end_orphans();
    } else
        end_it(to, JUDGED_FAILED, "no process could be made");
    remove_place(place);
    (void)judged_turn(to, JUDGED_OTHER);
}

/* ---- what is asked for ------------------------------------------------------------------------ */

static int check_options(const cli_options *options)
{
    if (options->in.count + options->results.count > 0)
        return cli_wrong_usage("--source is about a kernel, --in and --result about a result; one at a time");
    if (options->given & (OPT_PROMISE | OPT_JUNIT | OPT_MARKDOWN))
        return cli_wrong_usage(
            "--source: of options for outputs it takes --json alone, and promises are the recipe's claims");
    if (options->device != NULL && (options->given & OPT_COMPILE_ONLY) == 0)
        return cli_wrong_usage(
            "--device describes a device for --compile-only and --print; --backend names one that is here");
    if (options->backends.count > 1)
        return cli_wrong_usage("--backend: one device at a time");
    if (options->sanitize && (options->given & OPT_COMPILE_ONLY) != 0)
        return cli_wrong_usage("--sanitize: with --compile-only nothing is run");
    return CLI_OK;
}

static int take_operation(cli_options *options)
{
    const char *name = plx_op_name(plx_kernel_file_op(options->kernel));
    if (options->operands.count == 0)
        return cli_list_add(&options->operands, name) ? CLI_OK : cli_wrong_usage("no memory");
    plx_op op;
    const int status = cli_op_of(options->operands.at[0], &op);
    if (status == CLI_OK && op != plx_kernel_file_op(options->kernel))
        return cli_wrong_usage("%s: its operation is %s, not %s", options->source, name, options->operands.at[0]);
    return status;
}

/* Without --dtype those that the recipe takes; of a function without a recipe f32. */
static void take_dtypes(cli_options *options)
{
    const plx_kernel_facts *facts = plx_kernel_file_facts(options->kernel);
    if (facts->is_function && !facts->has_recipe && (options->given & OPT_DTYPE) == 0) {
        options->dtypes[options->dtype_count++] = PLX_F32;
        return;
    }
    const uint32_t dtypes = plx_kernel_file_facts(options->kernel)->dtypes;
    for (unsigned i = 0; i < PLX_DTYPE_COUNT && (options->given & OPT_DTYPE) == 0; i++)
        if (dtypes & PLX_DTYPE_BIT(i))
            options->dtypes[options->dtype_count++] = (plx_dtype)i;
}

static int take_shapes(const cli_options *options, judged *to)
{
    if (options->work.problem_count > JUDGED_PROBLEMS)
        return cli_wrong_usage("more than %d shapes and types", JUDGED_PROBLEMS);
    for (size_t i = 0; i < options->work.problem_count; i++)
        to->shapes[to->shape_count++].problem = options->work.problems[i];
    to->seed = (options->given & OPT_SEED) != 0 ? options->seed : plx_secret();
    to->facts = *plx_kernel_file_facts(options->kernel);
    return CLI_OK;
}

/* ---- what is told --------------------------------------------------------------------------------- */

static int tell(const cli_options *options, judged *to)
{
    int status = CLI_OK;
    (void)judged_turn(to, JUDGED_OTHER);
    if (!cli_is_stdout(options->json) && !(options->given & OPT_QUIET))
        status = cli_show(judged_write_text, to);
    if (status == CLI_OK)
        status = cli_write(options->json, judged_write_json, to);
    if (options->given & OPT_VERBOSE)
        judged_say_phases(to);
    if (judged_exit(to->status) > CLI_WRONG)
        cli_say("%s: %s", judged_words[to->status], to->why);
    return status == CLI_OK ? judged_exit(to->status) : status;
}

/* The record is read before anything is done: a wrong one is found out then. */
static int read_earlier(const cli_options *options, judged *to)
{
    for (size_t i = 0; i < to->shape_count && options->against != NULL; i++) {
        plx_error error = {""};
        const plx_status status = plx_kernel_record_time(options->against, &to->shapes[i].problem,
                                                         &to->shapes[i].earlier, &to->shapes[i].has_earlier, &error);
        if (status != PLX_OK)
            return cli_failed(status, &error);
    }
    return CLI_OK;
}

/* Fewer where that many were asked for. */
static size_t processes_of(const cli_options *options)
{
    return options->processes > 0 ? (size_t)options->processes : JUDGED_PROCESSES;
}

static bool is_timed(const judged *to)
{
    for (size_t i = 0; i < to->shape_count; i++)
        if (to->shapes[i].record.time.measured)
            return true;
    return false;
}

static judged_shape *copy_shapes(const judged *to)
{
    judged_shape *copy = malloc((to->shape_count + 1) * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, to->shapes, to->shape_count * sizeof *copy);
    return copy;
}

/* Times that hold from one process to the next. */
static void time_in_turn(cli_options *options, judged *to)
{
    const size_t wanted = processes_of(options);
    judged_shape *lists[32] = {NULL};
    size_t count = 0;
    while (to->status == JUDGED_RIGHT && !stopped && is_timed(to) && (lists[count] = copy_shapes(to)) != NULL &&
           ++count < wanted)
        run_apart(judged_time, options, to, false);
    if (to->status == JUDGED_RIGHT && count > 0)
        judged_merge(to, (const judged_shape *const *)lists, count);
    for (size_t i = 0; i < count; i++)
        free(lists[i]);
}

/* Of the best of many the time is partly luck: what counts is another one. */
static void measure_claim(cli_options *options, judged *to)
{
    judged_shape *before = NULL;
    const size_t claimed = to->shape_count;
    if (options->best_of < 2 || to->status != JUDGED_RIGHT || !is_timed(to) || (before = copy_shapes(to)) == NULL)
        return;
    to->claimed_seed = to->seed;
    to->seed = plx_secret();
    run_apart(judged_time_anew, options, to, false);
    time_in_turn(options, to);
    for (size_t i = 0; i < claimed; i++) {
        const plx_timing *time = &before[i].record.time;
        to->shapes[i].claimed =
            (plx_interval){.median_ns = time->median_ns, .low_ns = time->low_ns, .high_ns = time->high_ns};
    }
    free(before);
}

/* Of two measurements that know nothing of each other the difference has both their errors: as far apart as the root of
 * the sum of their squares, by the sides of the intervals that face each other. */
static bool is_slower(const plx_timing *time, const plx_interval *earlier)
{
    const double below = time->median_ns - time->low_ns, above = earlier->high_ns - earlier->median_ns;
    return time->median_ns - earlier->median_ns > hypot(below, above);
}

static void compare_earlier(judged *to)
{
    for (size_t i = 0; i < to->shape_count && to->status == JUDGED_RIGHT; i++) {
        const judged_shape *shape = &to->shapes[i];
        const plx_timing *time = &shape->record.time;
        if (!shape->has_earlier || !shape->ran || !time->measured || !is_slower(time, &shape->earlier))
            continue;
        char problem[160], why[300];
        plx_problem_text(&shape->problem, 0, problem, sizeof problem);
        (void)snprintf(why, sizeof why, "%s: %.3g times the earlier time", problem,
                       time->median_ns / shape->earlier.median_ns);
        end_it(to, JUDGED_SLOWER, why);
    }
}

/* So that there is one, whatever ends this process.  Ahead of the signals: writing a file puts handlers back. */
static void begin_record(const cli_options *options, judged *to)
{
    if (options->json == NULL || cli_is_stdout(options->json))
        return;
    end_it(to, JUDGED_INTERRUPTED, "it has not come to its end");
    (void)cli_write(options->json, judged_write_json, to);
    end_it(to, JUDGED_RIGHT, "");
}

/* Whatever came of it. */
static bool was_run(const judged *to)
{
    switch (to->status) {
    case JUDGED_COMPILE_ERROR:
    case JUDGED_BAD_RECIPE:
    case JUDGED_UNSUPPORTED:
    case JUDGED_NOT_JUDGED:
    case JUDGED_DEVICE_LOST:
    case JUDGED_INTERRUPTED:
        return false;
    default:
        return to->has_device;
    }
}

/* What kind of code it is, besides the verdict, which is left as it is. */
static void capture(cli_options *options, judged *to)
{
    char why[sizeof to->why];
    if (to->status != JUDGED_RIGHT || stopped || !to->facts.is_function || strcmp(to->facts.api, "host") == 0)
        return;
    memcpy(why, to->why, sizeof why);
    run_apart(judged_capture, options, to, false);
    for (size_t i = 0; i < to->shape_count; i++) {
        plx_captured *captured = &to->shapes[i].captured;
        if (to->shapes[i].ran && !captured->tried && !to->shapes[i].is_drawn)
            (void)snprintf(captured->why, sizeof captured->why, "%.370s",
                           to->status != JUDGED_RIGHT ? to->why : "it was not tried");
    }
    end_it(to, JUDGED_RIGHT, why);
}

/* Compiling decides whether there is anything to be run; a function is compiled already. */
static void compile_and_judge(cli_options *options, judged *to)
{
    const bool only = (options->given & OPT_COMPILE_ONLY) != 0;
    if (to->facts.is_function && !only) {
        run_apart(judged_load_and_judge, options, to, false);
        return;
    }
    run_apart(judged_compile, options, to, true);
    if (to->status == JUDGED_RIGHT && only)
        end_it(to, JUDGED_COMPILED, "nothing was run");
    else if (to->status == JUDGED_RIGHT || (to->status == JUDGED_NOT_JUDGED && !only && !stopped))
        run_apart(judged_judge, options, to, false); /* its own domain may have cases */
}

static void judge(cli_options *options, judged *to)
{
    struct sigaction before[3];
    begin_record(options, to);
    take_signals(before);
    compile_and_judge(options, to);
    time_in_turn(options, to);
    measure_claim(options, to);
    capture(options, to);
    if (options->sanitize && !stopped && was_run(to)) {
        (void)judged_turn(to, JUDGED_SANITIZE);
        judged_sanitize(options, to, &stopped);
    }
    if (stopped)
        end_it(to, JUDGED_INTERRUPTED, "interrupted");
    give_signals_back(before);
}

/* A recipe or source that is none has a record, too. */
static int refused(const cli_options *options, judged *to, int status)
{
    if (status == CLI_USAGE && options->json != NULL && options->kernel == NULL) {
        end_it(to, JUDGED_BAD_RECIPE, "the source or its recipe can't be used");
        (void)cli_write(options->json, judged_write_json, to);
    }
    return status;
}

int cli_judge_kernel(cli_options *options)
{
    judged *to = mmap(NULL, sizeof *to, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED)
        return cli_wrong_usage("no memory");
    judged_begin(to);
    int status = check_options(options);
    if (status == CLI_OK)
        status = cli_outputs_check(options);
    if (status == CLI_OK)
        status = refused(options, to, cli_kernel_read(options));
    to->options = options;
    if (status == CLI_OK)
        status = cli_judge_unchanged(options);
    if (status == CLI_OK && options->sanitize && plx_kernel_file_facts(options->kernel)->is_function)
        status = cli_wrong_usage("--sanitize is for device code, %s is a function; run your own program under the tool",
                                 options->source);
    if (status == CLI_OK)
        status = take_operation(options);
    if (status == CLI_OK) {
        take_dtypes(options);
        status = cli_work_read(options);
    }
    if (status == CLI_OK)
        status = take_shapes(options, to);
    if (status == CLI_OK)
        status = read_earlier(options, to);
    if (status == CLI_OK) {
        judge(options, to);
        compare_earlier(to);
        status = tell(options, to);
    }
    (void)munmap(to, sizeof *to);
    return status;
}
