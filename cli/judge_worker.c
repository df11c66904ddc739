/* The process in which a kernel from a file is compiled, or run: what it finds lies in memory that outlives it. */
#define _POSIX_C_SOURCE 200809L

#include "judged.h"

#include "base/format.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct worker {
    cli_options *options;
    judged *to;
    plx_context *context;
    cli_device *devices;
    size_t device_count;
    const char *labels[JUDGED_PEERS]; /* to->peers: the kernel's device first, then others of the same chip */
    size_t label_count;
    judged_backends open; /* from one study to the next */
} worker;

static void say(judged *to, judged_status status, const char *format, ...) PLX_PRINTF(3, 4);
static void say(judged *to, judged_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(to->why, sizeof to->why, format, arguments);
    va_end(arguments);
    plx_text_clean(to->why, sizeof to->why);
    to->status = status;
    to->ended = true;
}

static void go_on(judged *to, const char *what)
{
    (void)snprintf(to->doing, sizeof to->doing, "%s", what);
    atomic_fetch_add(&to->beat, 1);
}

static void progress(void *data, size_t done, size_t total, const char *what)
{
    (void)done;
    (void)total;
    judged_turn_by(data, what);
    go_on(data, what);
}

static judged_status status_of(plx_status status)
{
    switch (status) {
    case PLX_BUILD_FAILED:
        return JUDGED_COMPILE_ERROR;
    case PLX_INVALID:
    case PLX_IO:
        return JUDGED_BAD_RECIPE;
    case PLX_UNSUPPORTED:
        return JUDGED_NOT_JUDGED;
    case PLX_NO_DEVICE:
    case PLX_NOT_FOUND:
        return JUDGED_UNSUPPORTED;
    case PLX_DEVICE_LOST:
        return JUDGED_DEVICE_LOST;
    default:
        return JUDGED_FAILED;
    }
}

/* ---- devices --------------------------------------------------------------------------------- */

/* "opencl" is "opencl:0". */
static bool is_label(const char *label, const char *wanted)
{
    const size_t length = strlen(wanted);
    return strcmp(label, wanted) == 0 ||
           (strchr(wanted, ':') == NULL && strncmp(label, wanted, length) == 0 && strcmp(label + length, ":0") == 0);
}

static bool open_context(worker *w)
{
    (void)judged_turn(w->to, w->to->facts.is_function ? JUDGED_FUNCTION : JUDGED_DEVICES);
    const int opened = cli_open_context(&cli_judge_verb, w->options, &w->context);
    (void)judged_turn(w->to, JUDGED_DEVICES);
    return opened == CLI_OK;
}

static void take_peer(worker *w, const char *label)
{
    judged *to = w->to;
    (void)snprintf(to->peers[to->peer_count++], sizeof to->peers[0], "%s", label);
}

static void take_labels(worker *w)
{
    for (w->label_count = 0; w->label_count < w->to->peer_count; w->label_count++)
        w->labels[w->label_count] = w->to->peers[w->label_count];
}

static bool find_device(worker *w)
{
    const char *wanted = w->options->backends.count > 0 ? w->options->backends.at[0] : w->to->facts.api;
    size_t own = 0;
    if (!open_context(w) || cli_find_devices(w->context, &w->devices, &w->device_count) != CLI_OK) {
        say(w->to, JUDGED_UNSUPPORTED, "there is no device for %s", w->to->facts.language);
        return false;
    }
    while (own < w->device_count && !is_label(w->devices[own].label, wanted))
        own++;
    if (own == w->device_count) {
        say(w->to, JUDGED_UNSUPPORTED, "there is no device \"%.40s\", on which %s would run; parallax doctor says why",
            wanted, w->to->facts.language);
        return false;
    }
    w->to->device = w->devices[own].info;
    w->to->has_device = true;
    (void)snprintf(w->to->label, sizeof w->to->label, "%s", w->devices[own].label);
    w->to->peer_count = 0;
    take_peer(w, w->to->label);
    for (size_t i = 0; i < w->device_count && w->to->peer_count < JUDGED_PEERS; i++)
        if (i != own && w->devices[i].physical == w->devices[own].physical)
            take_peer(w, w->devices[i].label);
    take_labels(w);
    return true;
}

/* Those that an earlier process has found: plugins that are not needed are not loaded again. */
static bool find_device_again(worker *w)
{
    go_on(w->to, "opening devices");
    take_labels(w);
    return open_context(w);
}

/* For what takes the time from then on. */
static void open_backends(worker *w, size_t count, judged_phase phase)
{
    (void)judged_turn(w->to, JUDGED_BACKENDS);
    judged_backends_open(&w->open, w->context, w->labels, count);
    (void)judged_turn(w->to, phase);
}

static void end(worker *w)
{
    (void)judged_turn(w->to, JUDGED_PROCESS);
    free(w->devices);
    judged_backends_close(&w->open);
    if (w->context != NULL)
        plx_context_destroy(w->context);
}

/* ---- which shapes are taken ------------------------------------------------------------------------ */

static size_t take_shapes(const cli_options *options, const plx_device_info *device, judged *to)
{
    size_t taken = 0;
    for (size_t i = 0; i < to->shape_count; i++) {
        judged_shape *shape = &to->shapes[i];
        plx_error error = {""};
        const plx_status status = plx_kernel_file_takes(options->kernel, &shape->problem, device, &error);
        if (status != PLX_OK && status != PLX_UNSUPPORTED) {
            say(to, status_of(status), "%s", error.text);
            return 0;
        }
        shape->taken = status == PLX_OK;
        (void)snprintf(shape->reason, sizeof shape->reason, "%.250s", error.text);
        taken += shape->taken;
    }
    return taken;
}

/* ---- compiling --------------------------------------------------------------------------------------- */

/* What a backend's driver compiles is compiled by making a plan. */
static plx_status plan_on(const worker *w, plx_backend *backend, const plx_problem *problem, plx_error *error)
{
    plx_plan *plan = NULL;
    const plx_status status = plx_plan_create(backend, problem, w->to->facts.name, &plan);
    if (status != PLX_OK)
        return plx_fail(error, status, "%s", plx_message(w->context));
    plx_plan_destroy(plan);
    return PLX_OK;
}

static void compile_by_driver(worker *w)
{
    plx_backend *backend = NULL;
    plx_error error = {""};
    if (!find_device(w))
        return;
    if (take_shapes(w->options, &w->to->device, w->to) == 0) {
        if (!w->to->ended)
            say(w->to, JUDGED_NOT_JUDGED, "it takes none of the shapes: %.300s", w->to->shapes[0].reason);
        return;
    }
    (void)judged_turn(w->to, JUDGED_BACKENDS);
    plx_status status = plx_open(w->context, w->to->label, &backend);
    (void)judged_turn(w->to, JUDGED_COMPILE);
    if (status != PLX_OK)
        say(w->to, JUDGED_UNSUPPORTED, "%s", plx_message(w->context));
    for (size_t i = 0; i < w->to->shape_count && status == PLX_OK; i++) {
        go_on(w->to, "compiling");
        if (w->to->shapes[i].taken)
            status = plan_on(w, backend, &w->to->shapes[i].problem, &error);
        if (status != PLX_OK)
            say(w->to, status_of(status), "%s", error.text);
    }
    if (backend != NULL)
        plx_close(backend);
}

/* By a compiler that needs no device; the one that is described, or the one that is there. */
static void compile_alone(worker *w)
{
    plx_error error = {""};
    const bool is_host = w->to->facts.is_function && strcmp(w->to->facts.api, "host") == 0;
    const char *words = w->options->device != NULL ? w->options->device : is_host ? "processor" : "h100";
    plx_status status = plx_described_device(words, &w->to->device, &error);
    if (status != PLX_OK) {
        say(w->to, JUDGED_BAD_RECIPE, "--device: %s", error.text);
        return;
    }
    if (take_shapes(w->options, &w->to->device, w->to) == 0 && !w->to->ended)
        say(w->to, JUDGED_NOT_JUDGED, "it takes none of the shapes: %.300s", w->to->shapes[0].reason);
    for (size_t i = 0; i < w->to->shape_count && !w->to->ended; i++) {
        go_on(w->to, "compiling");
        if (!w->to->shapes[i].taken)
            continue;
        status = plx_kernel_file_compile(w->options->kernel, &w->to->shapes[i].problem, &w->to->device, &error);
        if (status == PLX_DEVICE_LOST) /* a function ended its process when it was loaded */
            say(w->to, JUDGED_CRASHED, "%s", error.text);
        else if (status != PLX_OK)
            say(w->to, status_of(status), "%s", error.text);
    }
}

void judged_compile(cli_options *options, judged *to)
{
    worker w = {.options = options, .to = to};
    (void)judged_turn(to, to->facts.is_function ? JUDGED_FUNCTION : JUDGED_COMPILE);
    go_on(to, "compiling");
    if (strcmp(to->facts.language, "OpenCL C") == 0 || strcmp(to->facts.language, "SPIR-V") == 0)
        compile_by_driver(&w);
    else
        compile_alone(&w);
    to->facts = *plx_kernel_file_facts(options->kernel);
    (void)snprintf(to->log, sizeof to->log, "%s", plx_kernel_file_log(options->kernel));
    (void)snprintf(to->fence, sizeof to->fence, "%s", plx_kernel_file_fence(options->kernel));
    if (!to->ended)
        say(to, JUDGED_RIGHT, "%s", "");
    end(&w);
}

/* ---- judging --------------------------------------------------------------------------------------------- */

static void keep_wrong(judged *to, const plx_record *record, const char *command)
{
    if (to->found_wrong)
        return;
    to->found_wrong = true;
    to->first_wrong = *record;
    (void)snprintf(to->command, sizeof to->command, "%s", command != NULL ? command : "");
}

static void on_failure(void *data, const plx_record *record, const char *command)
{
    keep_wrong(data, record, command);
}

/* What a refusal is about, by what it says. */
static judged_status fault_of(const plx_record *record)
{
    if (record->outcome == PLX_OUTCOME_FAILED)
        return JUDGED_FAILED;
    if (strstr(record->reason, "follow work") != NULL)
        return JUDGED_TIME_NOT_BELIEVED;
    return strstr(record->reason, "wrote ") != NULL || strstr(record->reason, "changed its input") != NULL
               ? JUDGED_WROTE_ELSEWHERE
               : JUDGED_WRONG;
}

static bool check_cases(worker *w)
{
    judged *to = w->to;
    open_backends(w, 1, JUDGED_CASES);
    const char *names[] = {to->facts.name};
    const plx_op op = plx_kernel_file_op(w->options->kernel);
    plx_results results;
    plx_error error = {""};
    const plx_check_options wanted = {
        .backends = w->labels,
        .backend_count = 1,
        .kernels = names,
        .kernel_count = 1,
        .ops = &op,
        .op_count = 1,
        .dtypes = w->options->dtypes,
        .dtype_count = w->options->dtype_count,
        .effort = w->options->effort,
        .seed = to->seed,
        .save_failure = w->options->save_failure,
        .progress = progress,
        .progress_data = to,
        .failure = on_failure,
        .opened = w->open.at,
        .opened_count = w->open.count,
    };
    const plx_status status = plx_check(w->context, &wanted, &to->counts, &results, &error);
    if (status != PLX_OK) {
        say(to, status_of(status), "%s", error.text);
        return false;
    }
    plx_results_free(&results);
    return true;
}

static void count_drawn(judged *to, const plx_results *results)
{
    for (size_t i = 0; i < results->record_count; i++) {
        const plx_record *record = &results->records[i];
        if (record->outcome == PLX_OUTCOME_UNSUPPORTED)
            continue;
        to->drawn++;
        to->drawn_ok += record->outcome == PLX_OUTCOME_OK;
        to->drawn_not_judged += record->outcome == PLX_OUTCOME_NOT_JUDGED;
        to->drawn_wrong += record->outcome == PLX_OUTCOME_WRONG;
        to->drawn_failed += record->outcome == PLX_OUTCOME_FAILED;
        if (record->outcome == PLX_OUTCOME_WRONG || record->outcome == PLX_OUTCOME_FAILED)
            keep_wrong(to, record, NULL);
    }
}

/* Problems that nobody chose, in the domain of the recipe, with all classes of inputs. */
static bool check_drawn(worker *w, const plx_problem *like, uint64_t seed)
{
    enum { DRAWN = 6 };
    judged *to = w->to;
    const char *names[] = {to->facts.name};
    plx_problem problems[DRAWN];
    const double work = (to->device.features & PLX_FEATURE_CPU) != 0 ? 4e6 : 1e9;
    const size_t count = plx_kernel_file_draw(w->options->kernel, like, &to->device, seed, work, problems, DRAWN);
    for (unsigned input = 0; input < PLX_INPUT_COUNT && count > 0; input++) {
        plx_results results;
        plx_error error = {""};
        if (input == PLX_INPUT_SPECIAL && to->facts.finite_only)
            continue;
        open_backends(w, 1, JUDGED_DRAW);
        const plx_compare_options wanted = {
            .backends = w->labels,
            .backend_count = 1,
            .kernels = names,
            .kernel_count = 1,
            .problems = problems,
            .problem_count = count,
            .input = (plx_input)input,
            .seed = seed + input,
            .no_timing = true,
            .progress = progress,
            .progress_data = to,
            .opened = w->open.at,
            .opened_count = w->open.count,
        };
        const plx_status status = plx_compare(w->context, &wanted, &results, &error);
        if (status != PLX_OK) {
            say(to, status_of(status), "%s", error.text);
            return false;
        }
        count_drawn(to, &results);
        plx_results_free(&results);
    }
    return true;
}

static bool check_all(worker *w)
{
    judged *to = w->to;
    uint32_t seen = 0;
    /* the cases of check have NaN and infinities among them */
    if (!to->facts.finite_only && !check_cases(w))
        return false;
    for (size_t i = 0; i < to->shape_count; i++) {
        const uint32_t bit = UINT32_C(1) << to->shapes[i].problem.dtype;
        if ((seen & bit) == 0 && !check_drawn(w, &to->shapes[i].problem, to->seed + 1000 * (i + 1)))
            return false;
        seen |= bit;
    }
    return true;
}

/* ---- timing ---------------------------------------------------------------------------------------------- */

static bool is_mine(const judged *to, const plx_record *record)
{
    return strcmp(record->kernel, to->facts.name) == 0 && strcmp(record->backend, to->label) == 0;
}

static void set_beside(judged_shape *shape, const plx_record *mine, const plx_record *other)
{
    judged_beside *beside = &shape->beside[shape->beside_count++];
    *beside = (judged_beside){
        .vendor = (other->kernel_flags & PLX_KERNEL_VENDOR) != 0,
        .ratio = other->time.median_ns / mine->time.median_ns,
        .low = other->time.low_ns / mine->time.high_ns,
        .high = other->time.high_ns / mine->time.low_ns,
    };
    (void)snprintf(beside->backend, sizeof beside->backend, "%s", other->backend);
    (void)snprintf(beside->kernel, sizeof beside->kernel, "%s", other->kernel);
}

/* A function's calls take time by themselves, which is known and not its own; what is hardly more is no time. */
static void take_off_call(const cli_options *options, judged_shape *shape)
{
    plx_timing *time = &shape->record.time;
    const double empty_ns = time->measured ? plx_kernel_file_empty_ns(options->kernel) : 0.0;
    shape->call_ns = empty_ns;
    if (empty_ns <= 0.0)
        return;
    if (time->median_ns < 2.0 * empty_ns) {
        char all[32], own[32];
        plx_duration_text(time->median_ns, plx_micro(), all, sizeof all);
        plx_duration_text(empty_ns, plx_micro(), own, sizeof own);
        time->measured = false;
        (void)snprintf(shape->record.reason, sizeof shape->record.reason,
                       "too short to be timed: a call takes %s, of which %s are the call's own", all, own);
        return;
    }
    time->median_ns -= empty_ns;
    time->low_ns = time->low_ns > empty_ns ? time->low_ns - empty_ns : 0.0;
    time->high_ns -= empty_ns;
}

static void take_results(const cli_options *options, judged *to, judged_shape *shape, const plx_results *results)
{
    const plx_record *mine = NULL;
    for (size_t i = 0; i < results->record_count; i++)
        if (is_mine(to, &results->records[i]))
            mine = &results->records[i];
    if (mine == NULL)
        return;
    shape->record = *mine;
    shape->ran = true;
    take_off_call(options, shape);
    if (mine->outcome == PLX_OUTCOME_WRONG || mine->outcome == PLX_OUTCOME_FAILED)
        keep_wrong(to, mine, NULL);
    for (size_t i = 0; i < results->record_count && plx_timing_counts(&shape->record.time); i++) {
        const plx_record *other = &results->records[i];
        if (other != mine && other->outcome == PLX_OUTCOME_OK && plx_timing_counts(&other->time) &&
            (other->kernel_flags & PLX_KERNEL_BASELINE) == 0 && shape->beside_count < JUDGED_PEERS)
            set_beside(shape, &shape->record, other);
    }
}

/* Beside the best that each backend of the same chip has. */
static bool run_shape(worker *w, judged_shape *shape)
{
    judged *to = w->to;
    const char *names[] = {to->facts.name, "best"};
    plx_results results;
    plx_error error = {""};
    const bool no_timing = (w->options->given & OPT_NO_TIMING) != 0;
    const size_t backend_count = no_timing ? 1 : w->label_count;
    open_backends(w, backend_count, JUDGED_SHAPES);
    const plx_compare_options wanted = {
        .backends = w->labels,
        .backend_count = backend_count,
        .kernels = names,
        .kernel_count = no_timing ? 1 : 2,
        .problems = &shape->problem,
        .problem_count = 1,
        .input = w->options->input,
        .seed = to->seed,
        .no_timing = no_timing,
        .seconds_per_kernel = w->options->seconds,
        .progress = progress,
        .progress_data = to,
        .opened = w->open.at,
        .opened_count = w->open.count,
    };
    const plx_status status = plx_compare(w->context, &wanted, &results, &error);
    if (status != PLX_OK) {
        say(to, status_of(status), "%s", error.text);
        return false;
    }
    take_results(w->options, to, shape, &results);
    plx_results_free(&results);
    return true;
}

/* What a block of each launch takes. */
static void find_launches(const worker *w, judged_shape *shape)
{
    plx_backend *backend = judged_backend(&w->open, w->to->label);
    plx_plan *plan = NULL;
    if (backend != NULL && plx_plan_create(backend, &shape->problem, w->to->facts.name, &plan) == PLX_OK &&
        plx_plan_launches(plan, shape->launches, JUDGED_LAUNCHES, &shape->launch_count) != PLX_OK)
        shape->launch_count = 0;
    if (shape->launch_count > JUDGED_LAUNCHES)
        shape->launch_count = JUDGED_LAUNCHES;
    if (plan != NULL)
        plx_plan_destroy(plan);
}

/* Of a function: its process has ended. */
static bool has_ended(const cli_options *options, judged *to)
{
    bool wrote = false;
    const char *why = plx_kernel_file_ended(options->kernel, &wrote);
    if (why == NULL)
        return false;
    say(to, wrote ? JUDGED_WROTE_ELSEWHERE : JUDGED_CRASHED, "%s", why);
    return true;
}

static void conclude(judged *to)
{
    size_t judged_well = to->counts.ok + to->drawn_ok;
    for (size_t i = 0; i < to->shape_count; i++)
        judged_well += to->shapes[i].ran && to->shapes[i].record.outcome == PLX_OUTCOME_OK;
    if (to->found_wrong)
        say(to, fault_of(&to->first_wrong), "%s", to->first_wrong.reason);
    else if (judged_well == 0)
        say(to, JUDGED_NOT_JUDGED, "nothing judged: %.400s",
            to->counts.reason_count > 0 ? to->counts.reasons[0].text
            : to->shape_count > 0       ? to->shapes[0].reason
                                        : "no case lies in its domain");
    else
        say(to, JUDGED_RIGHT, "in %zu cases%s", judged_well, to->counts.unsupported > 0 ? " of its domain" : "");
}

void judged_judge(cli_options *options, judged *to)
{
    worker w = {.options = options, .to = to};
    to->ended = false;
    go_on(to, "finding devices");
    bool good = find_device(&w);
    if (good)
        (void)take_shapes(options, &to->device, to);
    good = good && !to->ended && check_all(&w);
    for (size_t i = 0; i < to->shape_count && good && !to->found_wrong; i++)
        if (to->shapes[i].taken) {
            good = run_shape(&w, &to->shapes[i]);
            if (good && !to->facts.is_function)
                find_launches(&w, &to->shapes[i]);
        }
    if (!has_ended(options, to) && good)
        conclude(to);
    (void)snprintf(to->fence, sizeof to->fence, "%s", plx_kernel_file_fence(options->kernel));
    to->facts = *plx_kernel_file_facts(options->kernel);
    end(&w);
}

/* Its domain may have cases where it takes none of the shapes. */
void judged_load_and_judge(cli_options *options, judged *to)
{
    judged_compile(options, to);
    if (to->status == JUDGED_RIGHT || to->status == JUDGED_NOT_JUDGED)
        judged_judge(options, to);
}

/* The graph has to give what the call gives. */
static void judge_replay(const judged *to, const plx_results *results, plx_captured *captured)
{
    for (size_t i = 0; i < results->record_count && captured->captured; i++) {
        const plx_record *record = &results->records[i];
        if (!is_mine(to, record) || record->outcome == PLX_OUTCOME_OK || record->outcome == PLX_OUTCOME_NOT_JUDGED)
            continue;
        captured->captured = false;
        (void)snprintf(captured->why, sizeof captured->why, "%s: %.300s",
                       record->outcome == PLX_OUTCOME_WRONG ? "the captured graph gives another result than the call"
                                                            : "not every call is captured",
                       record->reason);
    }
}

static bool capture_shape(worker *w, judged_shape *shape)
{
    judged *to = w->to;
    const char *names[] = {to->facts.name};
    plx_results results;
    plx_error error = {""};
    open_backends(w, 1, JUDGED_CAPTURE);
    const plx_compare_options wanted = {
        .backends = w->labels,
        .backend_count = 1,
        .kernels = names,
        .kernel_count = 1,
        .problems = &shape->problem,
        .problem_count = 1,
        .input = w->options->input,
        .seed = to->seed,
        .no_timing = true,
        .progress = progress,
        .progress_data = to,
        .opened = w->open.at,
        .opened_count = w->open.count,
    };
    plx_kernel_file_capture(w->options->kernel, &shape->captured);
    const plx_status status = plx_compare(w->context, &wanted, &results, &error);
    plx_kernel_file_capture(w->options->kernel, NULL);
    if (status != PLX_OK)
        return false;
    judge_replay(to, &results, &shape->captured);
    plx_results_free(&results);
    return true;
}

/* What the verdict is about is over by now: a function that takes offence at it is none the worse for it. */
void judged_capture(cli_options *options, judged *to)
{
    worker w = {.options = options, .to = to};
    bool wrote;
    bool good = find_device_again(&w);
    for (size_t i = 0; i < to->shape_count && good; i++)
        if (to->shapes[i].taken && !to->shapes[i].is_drawn && to->shapes[i].record.outcome == PLX_OUTCOME_OK)
            good = capture_shape(&w, &to->shapes[i]) && plx_kernel_file_ended(options->kernel, &wrote) == NULL;
    to->ended = true;
    end(&w);
}

/* What was found of a shape before, but what it is. */
static void forget(judged_shape *shape)
{
    shape->ran = false;
    shape->call_ns = 0.0;
    shape->beside_count = 0;
    memset(&shape->record, 0, sizeof shape->record);
}

static void time_shapes(worker *w)
{
    judged *to = w->to;
    bool good = true;
    for (size_t i = 0; i < to->shape_count && good && !to->found_wrong; i++) {
        forget(&to->shapes[i]);
        if (to->shapes[i].taken)
            good = run_shape(w, &to->shapes[i]);
    }
    if (!has_ended(w->options, to) && good)
        conclude(to);
}

void judged_time(cli_options *options, judged *to)
{
    worker w = {.options = options, .to = to};
    to->ended = false;
    if (find_device_again(&w))
        time_shapes(&w);
    end(&w);
}

/* Shapes like each of the first ones. */
static void draw_shapes(worker *w)
{
    judged *to = w->to;
    const size_t asked = to->shape_count;
    const double most = (to->device.features & PLX_FEATURE_CPU) != 0 ? 1e8 : 1e11;
    for (size_t i = 0; i < asked && to->shape_count < asked + JUDGED_DRAWN; i++) {
        plx_problem drawn[2];
        const size_t count =
            plx_kernel_file_draw(w->options->kernel, &to->shapes[i].problem, &to->device, to->seed + i, most, drawn, 2);
        for (size_t j = 0; j < count && to->shape_count < asked + JUDGED_DRAWN; j++)
            to->shapes[to->shape_count++] = (judged_shape){.problem = drawn[j], .taken = true, .is_drawn = true};
    }
}

void judged_time_anew(cli_options *options, judged *to)
{
    worker w = {.options = options, .to = to};
    to->ended = false;
    if (find_device_again(&w)) {
        draw_shapes(&w);
        time_shapes(&w);
    }
    end(&w);
}
