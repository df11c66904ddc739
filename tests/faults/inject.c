/* Every fault, one after the other, under every command: counts the calls of a run without any, and then
 * runs the command once for each call that can fail, and each way in which it can.
 *
 * inject DIRECTORY WORKERS short|full [WORD...]: with those commands alone that have all the words.  "cuda"
 * and "opencl" are words of commands with that driver, "plain" of those without any; "memory", "system" and
 * "driver" say which faults. The directory has the program, its libraries and plugins, and `start`, what each
 * run begins with (test_faults.sh). */
#define _GNU_SOURCE

#include "tests/faults/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* FEW: so many faults of a kind the short form tries of each command, at least, and twice as many of a
 * driver's. */
enum { DEADLINE = 60, MOST_WORKERS = 16, FEW = 3 };

static void die(const char *what)
{
    perror(what);
    exit(99);
}

/* ---- the command's surroundings -------------------------------------------------------- */

static void set(worker *this, size_t *count, const char *name, const char *value)
{
    (void)snprintf(this->variables[*count], sizeof this->variables[0], "%s=%s", name, value);
    this->environment[*count] = this->variables[*count];
    (*count)++;
}

static void set_environment(worker *this)
{
    static const char *const kept[] = {"ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"};
    char text[2200], driver[1060] = "";
    size_t count = 0;
    if (this->command->driver != NULL)
        (void)snprintf(driver, sizeof driver, ":%s/%s", this->directory, this->command->driver);
    (void)snprintf(text, sizeof text, "%s/lib%s", this->directory, driver);
    set(this, &count, "LD_LIBRARY_PATH", text);
    (void)snprintf(text, sizeof text, "%s/lib/faults.so", this->directory);
    set(this, &count, "LD_PRELOAD", text);
    set(this, &count, "FAULTS", this->plan_file);
    (void)snprintf(text, sizeof text, "%s/plugins%s", this->directory, driver);
    set(this, &count, "PLX_PLUGIN_PATH", text);
    (void)snprintf(text, sizeof text, "%s/cache", this->box);
    set(this, &count, "XDG_CACHE_HOME", text);
    set(this, &count, "HOME", this->box);
    (void)snprintf(text, sizeof text, "%s/lib/fake-cuda.so", this->directory);
    set(this, &count, "PLX_CUDA_LIBRARY", text);
    set(this, &count, "PLX_NVML_LIBRARY", "/nowhere"); /* nor those that may be there besides a driver */
    set(this, &count, "PLX_CUPTI_LIBRARY", "/nowhere");
    set(this, &count, "FAKE_COMPUTES", "1");
    set(this, &count, "OCL_ICD_VENDORS", "/nowhere"); /* no real driver in place of the fake one */
    set(this, &count, "PATH", "/nowhere");            /* no plots: gnuplot's faults are its own */
    set(this, &count, "OMP_NUM_THREADS", "1");
    set(this, &count, "LC_ALL", "C");
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (getenv(kept[i]) != NULL)
            set(this, &count, kept[i], getenv(kept[i]));
    bool told = false;
    for (size_t i = 0; i < 4 && this->command->environment[i] != NULL; i++) {
        this->environment[count++] = (char *)(uintptr_t)this->command->environment[i];
        told |= strncmp(this->command->environment[i], "PLX_PROBE=", 10) == 0;
    }
    if (!told)
        set(this, &count, "PLX_PROBE", "inline"); /* no other process counts */
    this->deadline_at = count;
    this->environment[count] = this->environment[count + 1] = NULL;
}

static void set_words(worker *this)
{
    static char program[1100];
    size_t count = 0;
    (void)snprintf(program, sizeof program, "%s/parallax", this->directory);
    this->words[count++] = program;
    for (size_t i = 0; i < MOST_WORDS && this->command->words[i] != NULL; i++)
        this->words[count++] = (char *)(uintptr_t)this->command->words[i];
    this->words[count] = NULL;
}

/* ---- running -------------------------------------------------------------------------------------- */

/* In the box as it is. */
static box_files run_here(worker *this, call_faults *calls, run_ending *end)
{
    atomic_store(&this->plan->calls, 0);
    atomic_store(&this->plan->injected, 0);
    this->plan->where[0] = '\0';
    if (calls != NULL)
        calls->made = calls->injected = 0;
    *end = process_run(this->words, this->environment, this->box, calls, DEADLINE);
    return files_read(this->box);
}

static box_files run_once(worker *this, call_faults *calls, run_ending *end)
{
    files_restore(&this->before, this->box);
    return run_here(this, calls, end);
}

static bool prepare(worker *this)
{
    this->plan->at = 0;
    files_free(&this->before);
    files_free(&this->clean);
    files_free(&this->again);
    files_restore(&this->start, this->box);
    for (size_t i = 0; this->command->has_rest && i < MOST_OUTPUTS && this->command->outputs[i] != NULL; i++) {
        char path[1200];
        (void)snprintf(path, sizeof path, "%s/%s", this->box, this->command->outputs[i]);
        FILE *old = fopen(path, "w");
        if (old == NULL || fputs("old\n", old) == EOF || fclose(old) != 0)
            die(path);
    }
    this->before = files_read(this->box);
    if (this->command->keeps_cache) {
        box_files warm = run_once(this, NULL, &this->good);
        files_free(&this->before);
        this->before = warm;
    }
    this->clean = run_once(this, NULL, &this->good);
    this->again = run_once(this, NULL, &this->good);
    const trial nothing = {.fault = "none", .end = this->good, .after = this->clean};
    for (size_t i = 0; i < MOST_OUTPUTS && this->command->outputs[i] != NULL; i++)
        if (files_find(&this->clean, this->command->outputs[i]) == NULL) {
            fail(this, &nothing, &this->totals->failures, "the output is not written without any fault");
            return false;
        }
    if (this->good.signal == 0 && !this->good.was_late && this->good.status <= 5 &&
        (this->good.status != 2 && this->good.status != 3))
        return true;
    fail(this, &nothing, &this->totals->failures, "it does not work without any fault");
    return false;
}

static part *part_of(worker *this, fault_kind kind)
{
    return &this->totals->parts[this->command - commands][kind];
}

/* How many there are of a kind in all; the first worker says it. */
static void expect(worker *this, fault_kind kind, size_t count)
{
    if (this->number == 0)
        part_of(this, kind)->faults += count;
}

static void try(worker *this, fault_kind kind, trial *run, call_faults *calls)
{
    count_one(&part_of(this, kind)->tried);
    run->after = run_once(this, calls, &run->end);
    run->injected = calls != NULL ? calls->injected : atomic_load(&this->plan->injected);
    if (this->plan->where[0] != '\0')
        (void)snprintf(run->fault + strlen(run->fault), sizeof run->fault - strlen(run->fault), " at %s",
                       this->plan->where);
    this->must_look_again = false;
    if (run->injected > 0)
        judge(this, run);
    else
        count_one(&this->totals->silent);
    if (this->must_look_again)
        files_restore_but(&this->before, &run->after, "cache/", this->box);
    files_free(&run->after);
    if (!this->must_look_again)
        return;
    this->plan->at = 0;
    run->after = run_here(this, NULL, &run->end);
    (void)snprintf(run->fault + strlen(run->fault), sizeof run->fault - strlen(run->fault), ", in the run before");
    if (run->end.status != this->good.status || run->end.signal != 0)
        fail(this, run, &this->totals->left, "the cache was damaged");
    else
        judge_good(this, run);
    files_free(&run->after);
}

/* Whether this worker takes the fault.  In the short form only some are tried, spread over all. */
static bool is_mine(const worker *this, size_t number, size_t total, size_t some)
{
    const size_t step = this->full || total <= some ? 1 : total / some + (total / some) % 2 + 1;
    return number % step == 0 && number / step % this->count == this->number;
}

/* ---- memory ------------------------------------------------------------------------------------------- */

static void try_memory(worker *this)
{
    run_ending end;
    this->plan->of = FAULT_OF_MEMORY;
    this->plan->at = 0;
    box_files unused = run_once(this, NULL, &end);
    files_free(&unused);
    const size_t total = (size_t)atomic_load(&this->plan->calls);
    expect(this, KIND_MEMORY, 2 * total);
    for (size_t i = 0; i < 2 * total; i++) {
        if (!is_mine(this, i, 2 * total, FEW))
            continue;
        trial made = {.injected = 0};
        this->plan->at = i / 2 + 1;
        this->plan->from_then_on = i % 2 != 0;
        (void)snprintf(made.fault, sizeof made.fault, "allocation %zu of %zu%s fails", i / 2 + 1, total,
                       i % 2 != 0 ? ", and all behind it," : "");
        try(this, KIND_MEMORY, &made, NULL);
    }
    this->plan->of = FAULT_OF_NOTHING;
}

/* ---- system calls ----------------------------------------------------------------- */

typedef struct way {
    const system_call *call;
    size_t at;
    int error;
    bool from_then_on;
} way;

/* All ways in which each call of a run can fail; each error once, and the first one from then on. */
static size_t ways_of(const call_faults *calls, way *ways, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < calls->made && i < MOST_CALLS; i++) {
        const system_call *call = calls_at(calls->which[i]);
        for (size_t j = 0; call->errors[j] != 0 && count + 2 < most; j++)
            ways[count++] = (way){call, i + 1, call->errors[j], false};
        ways[count++] = (way){call, i + 1, call->errors[0], true};
    }
    return count;
}

static void try_calls(worker *this)
{
    enum { MOST = 8 * MOST_CALLS };
    static way ways[MOST];
    run_ending end;
    this->calls = (call_faults){.box = this->box};
    box_files unused = run_once(this, &this->calls, &end);
    files_free(&unused);
    const size_t total = ways_of(&this->calls, ways, MOST);
    expect(this, KIND_SYSTEM, total);
    for (size_t i = 0; i < total; i++) {
        if (!is_mine(this, i, total, FEW))
            continue;
        trial made = {.injected = 0};
        this->calls.at = ways[i].at;
        this->calls.error = ways[i].error;
        this->calls.from_then_on = ways[i].from_then_on;
        (void)snprintf(made.fault, sizeof made.fault, "system call %zu, %s: %s%s", ways[i].at, ways[i].call->name,
                       ways[i].error == SHORT_COUNT ? "half of it" : strerror(ways[i].error),
                       ways[i].from_then_on ? " from then on" : "");
        try(this, KIND_SYSTEM, &made, &this->calls);
    }
    this->calls.at = 0;
}

/* ---- drivers ---------------------------------------------------------------------- */

static const struct how {
    fault_how how;
    const char *words;
} hows[] = {
    {FAULT_NO_MEMORY, "an error: no memory"},
    {FAULT_LOST, "an error: the device is lost"},
    {FAULT_UNKNOWN, "an error that nobody knows"},
    {FAULT_ZERO, "nothing, and success"},
    {FAULT_HUGE, "2^63"},
    {FAULT_MILLION, "10^6"},
    {FAULT_NEGATIVE, "-1"},
    {FAULT_ENDLESS, "text without an end"},
};
enum { HOWS = sizeof hows / sizeof hows[0], FROM_THEN_ON = 2 };

static void fail_call(worker *this, size_t number, fault_how how, const char *words, bool from_then_on)
{
    trial made = {.injected = 0};
    this->plan->at = number;
    this->plan->how = how;
    this->plan->from_then_on = from_then_on;
    (void)snprintf(made.fault, sizeof made.fault, "call %zu of the driver: %s%s:", number, words,
                   from_then_on ? ", from then on" : "");
    try(this, KIND_DRIVER, &made, NULL);
}

/* Each function hangs where it is first called: by the names of a run without faults. */
static bool is_first(const faults *plan, size_t number)
{
    for (size_t i = 0; i + 1 < number; i++)
        if (strcmp(plan->names[i], plan->names[number - 1]) == 0)
            return false;
    return true;
}

static size_t first_calls(const faults *plan, size_t total, size_t *numbers)
{
    size_t count = 0;
    for (size_t i = 1; i <= total && i <= FAULT_MOST_NAMES; i++)
        if (is_first(plan, i))
            numbers[count++] = i;
    return count;
}

static void try_hangs(worker *this, const size_t *numbers, size_t count)
{
    static char deadline[] = "PLX_DEADLINE=1";
    this->environment[this->deadline_at] = deadline;
    for (size_t i = 0; i < count; i++)
        if (is_mine(this, i, count, 2))
            fail_call(this, numbers[i], FAULT_HANG, "it hangs", false);
    this->environment[this->deadline_at] = NULL;
}

static void try_driver(worker *this)
{
    run_ending end;
    this->plan->of = FAULT_OF_DRIVER;
    this->plan->at = 0;
    box_files unused = run_once(this, NULL, &end);
    files_free(&unused);
    const size_t total = (size_t)atomic_load(&this->plan->calls);
    const size_t count = total * (HOWS + 1);
    static size_t firsts[FAULT_MOST_NAMES];
    const size_t functions = first_calls(this->plan, total, firsts);
    expect(this, KIND_DRIVER, count + functions);
    for (size_t i = 0; i < count; i++) {
        const size_t how = i % (HOWS + 1) == HOWS ? FROM_THEN_ON : i % (HOWS + 1);
        if (is_mine(this, i, count, 2 * FEW))
            fail_call(this, i / (HOWS + 1) + 1, hows[how].how, hows[how].words, i % (HOWS + 1) == HOWS);
    }
    try_hangs(this, firsts, functions);
    this->plan->of = FAULT_OF_NOTHING;
}

/* ---- all -------------------------------------------------------------------------- */

static const char *const kinds[KINDS] = {[KIND_MEMORY] = "memory", [KIND_SYSTEM] = "system", [KIND_DRIVER] = "driver"};

static bool has_word(const fault_command *command, const char *word)
{
    if (strcmp(command->driver != NULL ? command->driver : "plain", word) == 0)
        return true;
    for (size_t i = 0; i < MOST_WORDS && command->words[i] != NULL; i++)
        if (strcmp(command->words[i], word) == 0)
            return true;
    return false;
}

static bool is_kind(const char *word)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i], word) == 0)
            return true;
    return false;
}

static bool is_asked_for(const worker *this, char *const *words)
{
    const fault_command *command = this->command;
    if (command->is_timed && !this->full)
        return false;
    for (; *words != NULL; words++)
        if (!is_kind(*words) && !has_word(command, *words))
            return false;
    return true;
}

/* A build without the driver's API has no plugin for it. */
static bool has_driver(const worker *this)
{
    const char *driver = this->command->driver;
    char plugin[2200];
    if (driver == NULL)
        return true;
    (void)snprintf(plugin, sizeof plugin, "%s/%s/plx-%s.so", this->directory, driver, driver);
    return access(plugin, R_OK) == 0;
}

static bool is_wanted(const worker *this, char *const *words)
{
    return is_asked_for(this, words) && has_driver(this);
}

/* All of them, when none is among the words. */
static bool is_kind_wanted(fault_kind kind, char *const *words)
{
    bool any = false;
    for (; *words != NULL; words++) {
        if (strcmp(kinds[kind], *words) == 0)
            return true;
        any |= is_kind(*words);
    }
    return !any;
}

static faults *map_plan(worker *this)
{
    const int descriptor = open(this->plan_file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, sizeof(faults)) != 0)
        die(this->plan_file);
    void *mapped = mmap(NULL, sizeof(faults), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED)
        die("mmap");
    (void)close(descriptor);
    return mapped;
}

/* What was found so far is told, too. */
static volatile sig_atomic_t is_cut_short;

static void cut_short(int number)
{
    (void)number;
    is_cut_short = 1;
}

static void work(worker *this, char *const *words)
{
    (void)signal(SIGTERM, SIG_DFL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    char start[1100];
    (void)snprintf(this->home, sizeof this->home, "%s/w%u", this->directory, this->number);
    (void)snprintf(this->box, sizeof this->box, "%s/box", this->home);
    (void)snprintf(this->plan_file, sizeof this->plan_file, "%s/plan", this->home);
    if ((mkdir(this->home, 0700) != 0 && errno != EEXIST) || (mkdir(this->box, 0700) != 0 && errno != EEXIST))
        die(this->home);
    (void)snprintf(start, sizeof start, "%s/start", this->directory);
    this->plan = map_plan(this);
    this->start = files_read(start);
    for (size_t i = 0; i < command_count; i++) {
        this->command = &commands[i];
        if (!is_wanted(this, words))
            continue;
        set_environment(this);
        set_words(this);
        if (!prepare(this))
            continue;
        if (this->number == 0)
            count_one(&this->totals->commands);
        if (this->command->driver != NULL && is_kind_wanted(KIND_DRIVER, words))
            try_driver(this);
        if (is_kind_wanted(KIND_MEMORY, words))
            try_memory(this);
        if (is_kind_wanted(KIND_SYSTEM, words))
            try_calls(this);
    }
}

/* Of each command, how many faults of each kind were tried, and of how many. */
static void print_parts(const totals *t)
{
    for (size_t i = 0; i < command_count; i++) {
        const char *before = "";
        for (size_t kind = 0; kind < KINDS; kind++) {
            const part *p = &t->parts[i][kind];
            if (p->faults == 0)
                continue;
            printf("%s%s %llu of %llu", before, kinds[kind], (unsigned long long)p->tried,
                   (unsigned long long)p->faults);
            before = ", ";
        }
        if (before[0] == '\0')
            continue;
        printf(": %s:", commands[i].driver != NULL ? commands[i].driver : "plain");
        for (size_t word = 0; word < MOST_WORDS && commands[i].words[word] != NULL; word++)
            printf(" %s", commands[i].words[word]);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 99;
    worker this = {
        .directory = argv[1], .count = (unsigned)strtoul(argv[2], NULL, 10), .full = strcmp(argv[3], "full") == 0};
    (void)sigaction(SIGTERM, &(struct sigaction){.sa_handler = cut_short}, NULL);
    if (command_count > MOST_COMMANDS)
        return 99;
    this.totals = mmap(NULL, sizeof *this.totals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (this.totals == MAP_FAILED)
        die("mmap");
    this.count = this.count < 1 ? 1 : this.count > MOST_WORKERS ? MOST_WORKERS : this.count;
    for (this.number = 0; this.number < this.count; this.number++)
        if (fork() == 0) {
            work(&this, argv + 4);
            exit(0);
        }
    int ended, bad = 0;
    while (wait(&ended) > 0 || (errno == EINTR && !is_cut_short))
        bad |= ended;
    size_t wanted = 0, left_out = 0;
    for (size_t i = 0; i < command_count; i++) {
        this.command = &commands[i];
        wanted += is_wanted(&this, argv + 4);
        left_out += is_asked_for(&this, argv + 4) && !has_driver(&this);
    }
    const totals *t = this.totals;
    if (this.full)
        print_parts(t);
    if (left_out > 0)
        printf("left out: %zu commands, for their backend is not in this build\n", left_out);
    if (is_cut_short)
        printf("cut short: ");
    printf("%llu of %zu commands, %llu faults: %llu passed by, %llu were told; %llu did not come up again\n"
           "%llu crashes, %llu hangs, %llu leaks, %llu files left over or not whole, %llu wrong answers, "
           "%llu without a "
           "word, %llu wrong statuses; %llu failures\n",
           (unsigned long long)t->commands, wanted, (unsigned long long)t->injections, (unsigned long long)t->passed_by,
           (unsigned long long)t->failed_well, (unsigned long long)t->silent, (unsigned long long)t->deaths,
           (unsigned long long)t->hangs, (unsigned long long)t->leaks, (unsigned long long)t->left,
           (unsigned long long)t->wrong, (unsigned long long)t->mute, (unsigned long long)t->statuses,
           (unsigned long long)t->failures);
    if (bad != 0)
        return 99;
    if (wanted == 0 && left_out > 0)
        return 77;
    return t->failures == 0 && t->injections > 0 ? 0 : 1;
}
