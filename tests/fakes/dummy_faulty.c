/* A plugin without hardware whose kernels go wrong, each in its own way: it shows
 * what the program says and how it ends when something does.  $FAULTY_BEST names
 * the kernel that it offers as its best, $FAULTY_OP "transpose" the operation that it has
 * instead of reduce, then with a baseline, "probe" that it has what `probe shared` compares; $FAULTY_CLOCK
 * what its events tell: "true" or a way to lie; $FAULTY_THROTTLE how many of its answers say that it is
 * throttled.  $FAULTY_LOST: "first", the device is lost before any kernel runs; a number, when a reduction of
 * so many elements does.  $FAULTY_EMPTY: problems with elements are unsupported.  $FAULTY_PROCESSOR: its device
 * is a processor.  $FAULTY_UNSTEADY names a kernel that takes 30 and 90 ms in turn. */
#define _POSIX_C_SOURCE 200809L
#include "dummy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum fault {
    FAULT_NONE,
    FAULT_WRONG,
    FAULT_FAILS,
    FAULT_UNSUPPORTED,
    FAULT_NONE_AGAIN,
    FAULT_SLOW,
    FAULT_FIRST,
    FAULT_REPLAYS,
    FAULT_STOPS,
    FAULT_MULTIPLIES, /* a transpose of f32 that multiplies by 1: NaN that signal become quiet */
    FAULT_BEGINS,     /* a sum of f32 that begins with its first term: -0 may remain */
    FAULT_YARDSTICK,  /* of transposes alone */
    FAULT_COUNT
} fault;

typedef struct faulty_plan {
    plx_problem problem;
    fault kernel;
    long calls;
    int32_t first; /* result */
} faulty_plan;

/* $FAULTY_VENDOR: there is one kernel, a vendor's library's, and it is wrong. */
static bool is_library(void)
{
    return getenv("FAULTY_VENDOR") != NULL;
}

/* $FAULTY_DEVICE names what the device says wrongly of itself. */
static void spoil(plx_device_info *device)
{
    const char *what = getenv("FAULTY_DEVICE");
    if (what == NULL)
        return;
    if (strcmp(what, "name") == 0)
        memset(device->name, 'x', sizeof device->name);
    else if (strcmp(what, "nameless") == 0)
        device->name[0] = '\0';
    else if (strcmp(what, "units") == 0)
        device->units = 0;
    else if (strcmp(what, "warp") == 0)
        device->warp = 0;
    else if (strcmp(what, "wide") == 0)
        device->warp = device->max_block_threads + 1;
    else if (strcmp(what, "threads") == 0)
        device->max_block_threads = 0;
    else if (strcmp(what, "memory") == 0)
        device->memory_bytes = 0;
}

static plx_op faulty_op(void)
{
    const char *op = getenv("FAULTY_OP");
    if (op != NULL && strcmp(op, "probe") == 0)
        return PLX_PROBE;
    return op != NULL && strcmp(op, "transpose") == 0 ? PLX_TRANSPOSE : PLX_REDUCE;
}

static plx_status faulty_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    error->text[0] = '\0';
    if (is_library())
        (void)plx_fail(error, PLX_OK, "its sums are wrong; take a newer library");
    if (capacity > 0) {
        dummy_describe(&devices[0], "faulty device");
        if (faulty_op() == PLX_PROBE || getenv("FAULTY_PROCESSOR") != NULL)
            devices[0].features |= PLX_FEATURE_CPU; /* which is probed by less */
        spoil(&devices[0]);
    }
    *count = 1;
    return PLX_OK;
}

static int64_t no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

static int64_t depth_of_f32(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->op == PLX_REDUCE ? problem->of.reduce.n : 0;
}

#define ABOUT                                                                                \
    .idea = "an idea", .gain = "a gain", .limit = "a limit", .needs = "", .depth = no_depth, \
    .dtypes = PLX_DTYPE_BIT(PLX_I32), .reproducibility = PLX_R0
#define ABOUT_F32                                                                                \
    .idea = "an idea", .gain = "a gain", .limit = "a limit", .needs = "", .depth = depth_of_f32, \
    .dtypes = PLX_DTYPE_BIT(PLX_F32), .accumulator_f32 = PLX_F32, .reproducibility = PLX_R0

/* What `probe shared` compares. */
static const plx_kernel reversals[] = {{.name = "static", ABOUT}, {.name = "dynamic", ABOUT}};

static const plx_kernel library[] = {{.name = "wrong", .flags = PLX_KERNEL_VENDOR, ABOUT}};

static const plx_kernel kernels[FAULT_COUNT] = {
    [FAULT_NONE] = {.name = "right", ABOUT},
    [FAULT_WRONG] = {.name = "wrong", ABOUT},
    [FAULT_FAILS] = {.name = "fails", ABOUT},
    [FAULT_UNSUPPORTED] = {.name = "unsupported", ABOUT},
    [FAULT_NONE_AGAIN] = {.name = "same", ABOUT},
    [FAULT_MULTIPLIES] = {.name = "multiplies", ABOUT_F32},
    [FAULT_BEGINS] = {.name = "begins", ABOUT_F32},
    [FAULT_SLOW] = {.name = "slow", ABOUT},
    [FAULT_FIRST] = {.name = "computes-once", ABOUT},
    [FAULT_REPLAYS] = {.name = "replays", ABOUT},
    [FAULT_STOPS] = {.name = "stops", ABOUT},
    [FAULT_YARDSTICK] = {.name = "copy", .flags = PLX_KERNEL_BASELINE, ABOUT},
};

static const plx_kernel *faulty_kernel(plx_op op, size_t index)
{
    if (is_library())
        return op == faulty_op() && index == 0 ? library : NULL;
    if (op == PLX_PROBE)
        return op == faulty_op() && index < 2 ? &reversals[index] : NULL;
    size_t count = op == PLX_TRANSPOSE ? FAULT_COUNT : FAULT_YARDSTICK;
    return op == faulty_op() && index < count ? &kernels[index] : NULL;
}

static plx_status faulty_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    const char *best = getenv("FAULTY_BEST"), *lost = getenv("FAULTY_LOST");
    (void)session;
    if (lost != NULL && strcmp(lost, "first") == 0)
        return plx_fail(error, PLX_DEVICE_LOST, "it fell off the bus");
    if (problem->op != faulty_op() || problem->dtype != PLX_I32)
        return plx_fail(error, PLX_UNSUPPORTED, "there is no kernel for it");
    *kernel = FAULT_NONE;
    for (size_t i = 0; best != NULL && i < FAULT_COUNT; i++) {
        if (strcmp(kernels[i].name, best) == 0)
            *kernel = i;
    }
    return PLX_OK;
}

static bool has_elements(const plx_problem *problem)
{
    return problem->op != PLX_TRANSPOSE || (problem->of.transpose.rows > 0 && problem->of.transpose.cols > 0);
}

static plx_status faulty_plan_make(plx_session *session, const plx_problem *problem, size_t kernel,
                                   plx_plugin_plan **plan, plx_error *error)
{
    (void)session;
    if (problem->op == PLX_PROBE && problem->of.probe.pattern != PLX_PROBE_REVERSE)
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel has reversals alone");
    if (kernel == FAULT_BEGINS && (problem->op != PLX_REDUCE || problem->of.reduce.reduction != PLX_SUM))
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel has sums alone");
    if (kernel == FAULT_MULTIPLIES && problem->op != PLX_TRANSPOSE)
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel has transposes alone");
    if (kernel == FAULT_UNSUPPORTED)
        return plx_fail(error, PLX_UNSUPPORTED, "this kernel needs a blue moon");
    if (getenv("FAULTY_EMPTY") != NULL && has_elements(problem))
        return plx_fail(error, PLX_UNSUPPORTED, "there is no room for an element");
    faulty_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    made->problem = *problem;
    made->kernel = is_library() ? FAULT_WRONG : problem->op == PLX_PROBE ? FAULT_NONE : (fault)kernel;
    *plan = (plx_plugin_plan *)(void *)made;
    return PLX_OK;
}

static void faulty_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

static int32_t of_nothing(plx_reduction reduction)
{
    return reduction == PLX_SUM ? 0 : reduction == PLX_MIN ? INT32_MAX : INT32_MIN;
}

static int32_t join(plx_reduction reduction, int32_t a, int32_t b)
{
    if (reduction == PLX_SUM)
        return (int32_t)((uint32_t)a + (uint32_t)b);
    return (reduction == PLX_MIN) == (a < b) ? a : b;
}

static plx_status reduce(plx_plugin_queue *queue, const plx_operand *x, const plx_reduce_problem *problem,
                         int32_t *result, plx_error *error)
{
    enum { PIECE = 1024 };
    int32_t elements[PIECE];
    *result = of_nothing(problem->reduction);
    for (int64_t i = 0; i < problem->n; i += PIECE) {
        const int64_t count = problem->n - i < PIECE ? problem->n - i : PIECE;
        plx_status status =
            dummy_download(queue, elements, x->memory, x->offset + (uint64_t)i * 4, (uint64_t)count * 4, error);
        if (status != PLX_OK)
            return status;
        for (int64_t k = 0; k < count; k++)
            *result = join(problem->reduction, *result, elements[k]);
    }
    return PLX_OK;
}

/* Or a copy, its rows one behind the other. */
static plx_status transpose(plx_plugin_queue *queue, const plx_operand *operands, const plx_transpose_problem *problem,
                            bool copies, plx_error *error)
{
    plx_status status = PLX_OK;
    for (int64_t i = 0; status == PLX_OK && i < problem->rows * problem->cols; i++) {
        int64_t row = i / problem->cols, col = i % problem->cols;
        uint64_t from = (uint64_t)(row * problem->ld_in + col) * 4,
                 to = (uint64_t)(copies ? i : col * problem->ld_out + row) * 4;
        status = dummy_copy(queue, operands[1].memory, operands[1].offset + to, operands[0].memory,
                            operands[0].offset + from, 4, error);
    }
    return status;
}

/* Runs of 64 elements, each backwards. */
static plx_status reverse(plx_plugin_queue *queue, const plx_operand *operands, int64_t n, plx_error *error)
{
    enum { RUN = 64 };
    int32_t run[RUN], backwards[RUN];
    plx_status status = PLX_OK;
    for (int64_t at = 0; status == PLX_OK && at < n; at += RUN) {
        const size_t length = n - at < RUN ? (size_t)(n - at) : RUN;
        const uint64_t offset = (uint64_t)at * sizeof run[0];
        status =
            dummy_download(queue, run, operands[0].memory, operands[0].offset + offset, length * sizeof run[0], error);
        for (size_t i = 0; i < length; i++)
            backwards[i] = run[length - 1 - i];
        if (status == PLX_OK)
            status = dummy_upload(queue, operands[1].memory, operands[1].offset + offset, backwards,
                                  length * sizeof run[0], error);
    }
    return status;
}

/* What lies at the output of a transpose, each times 1. */
static plx_status multiply(plx_plugin_queue *queue, const plx_operand *out, const plx_transpose_problem *problem,
                           plx_error *error)
{
    static const volatile float one = 1.0F;
    plx_status status = PLX_OK;
    for (int64_t i = 0; status == PLX_OK && i < problem->rows * problem->cols; i++) {
        uint64_t at = out->offset + (uint64_t)(i / problem->rows * problem->ld_out + i % problem->rows) * 4;
        float element;
        status = dummy_download(queue, &element, out->memory, at, 4, error);
        element *= one;
        if (status == PLX_OK)
            status = dummy_upload(queue, out->memory, at, &element, 4, error);
    }
    return status;
}

static plx_status sum_from_first(plx_plugin_queue *queue, const plx_operand *operands, int64_t n, plx_error *error)
{
    float sum = 0;
    for (int64_t i = 0; i < n; i++) {
        float element;
        plx_status status =
            dummy_download(queue, &element, operands[0].memory, operands[0].offset + (uint64_t)i * 4, 4, error);
        if (status != PLX_OK)
            return status;
        sum = i == 0 ? element : sum + element;
    }
    return dummy_upload(queue, operands[1].memory, operands[1].offset, &sum, sizeof sum, error);
}

static plx_status execute_f32(const faulty_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                              plx_error *error)
{
    if (plan->problem.op == PLX_REDUCE)
        return sum_from_first(queue, operands, plan->problem.of.reduce.n, error);
    plx_status status = transpose(queue, operands, &plan->problem.of.transpose, false, error);
    if (status != PLX_OK)
        return status;
    return multiply(queue, &operands[1], &plan->problem.of.transpose, error);
}

/* $FAULTY_DELAY: every execution takes so many milliseconds longer.  $FAULTY_HANG: that of
 * a reduction of so many elements never ends.  $FAULTY_PAUSE: the first execution of the process makes that file, and
 * waits until it is gone. */
static void obey_test(const faulty_plan *plan)
{
    static bool has_paused;
    const char *pause = getenv("FAULTY_PAUSE");
    FILE *mark = pause != NULL && !has_paused ? fopen(pause, "w") : NULL;
    if (mark != NULL) {
        has_paused = true;
        (void)fclose(mark);
        while ((mark = fopen(pause, "r")) != NULL) {
            (void)fclose(mark);
            (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    }
    const char *hang = getenv("FAULTY_HANG"), *delay = getenv("FAULTY_DELAY");
    if (delay != NULL)
        (void)nanosleep(&(struct timespec){.tv_nsec = strtol(delay, NULL, 10) * 1000000}, NULL);
    while (hang != NULL && plan->problem.op == PLX_REDUCE && plan->problem.of.reduce.n == strtoll(hang, NULL, 10))
        (void)nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

/* What computes less once it has been believed: after the first run; after as few as are timed before the
 * last look on a machine that is held up (one to be judged, one to find the batch, two rounds). */
static bool is_idle(const faulty_plan *plan)
{
    return (plan->kernel == FAULT_FIRST && plan->calls > 1) || (plan->kernel == FAULT_STOPS && plan->calls > 4);
}

static plx_status faulty_execute(plx_plugin_plan *opaque, plx_plugin_queue *queue, const plx_operand *operands,
                                 size_t count, plx_error *error)
{
    faulty_plan *plan = (faulty_plan *)(void *)opaque;
    const char *lost = getenv("FAULTY_LOST");
    int32_t result;
    (void)count;
    plan->calls++;
    if (is_idle(plan))
        return PLX_OK;
    if (plan->kernel == FAULT_REPLAYS && plan->calls > 1)
        return dummy_upload(queue, operands[1].memory, operands[1].offset, &plan->first, sizeof plan->first, error);
    if (plan->kernel == FAULT_FAILS)
        return plx_fail(error, PLX_FAILED, "the device caught fire");
    if (lost != NULL && plan->problem.op == PLX_REDUCE && plan->problem.of.reduce.n == strtoll(lost, NULL, 10))
        return plx_fail(error, PLX_DEVICE_LOST, "it fell off the bus");
    obey_test(plan);
    if (plan->kernel == FAULT_SLOW)
        (void)nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    const char *unsteady = getenv("FAULTY_UNSTEADY");
    if (unsteady != NULL && strcmp(kernels[plan->kernel].name, unsteady) == 0)
        (void)nanosleep(&(struct timespec){.tv_nsec = plan->calls % 2 == 0 ? 30000000 : 90000000}, NULL);
    if (plan->problem.dtype == PLX_F32)
        return execute_f32(plan, queue, operands, error);
    if (plan->problem.op == PLX_TRANSPOSE)
        return transpose(queue, operands, &plan->problem.of.transpose, plan->kernel == FAULT_YARDSTICK, error);
    if (plan->problem.op == PLX_PROBE)
        return reverse(queue, operands, plan->problem.of.probe.n, error);
    plx_status status = reduce(queue, &operands[0], &plan->problem.of.reduce, &result, error);
    if (status != PLX_OK)
        return status;
    if (plan->kernel == FAULT_WRONG)
        result ^= 1;
    plan->first = result;
    return dummy_upload(queue, operands[1].memory, operands[1].offset, &result, sizeof result, error);
}

/* ---- clocks -------------------------------------------------------------------------- */

typedef struct faulty_event {
    double at_ns;
} faulty_event;

static plx_status faulty_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    faulty_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    *event = (plx_plugin_event *)(void *)made;
    return PLX_OK;
}

static void faulty_event_destroy(plx_plugin_event *event)
{
    free(event);
}

static plx_status faulty_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    struct timespec now;
    (void)queue;
    (void)error;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    ((faulty_event *)(void *)event)->at_ns = (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
    return PLX_OK;
}

/* Without $FAULTY_CLOCK its events tell no time: the host's clock is used. */
static plx_status faulty_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                       plx_error *error)
{
    const double passed = ((faulty_event *)(void *)to)->at_ns - ((faulty_event *)(void *)from)->at_ns;
    const struct clock_word {
        const char *name;
        double says;
    } clocks[] = {
        {"true", passed},       {"fast", passed / 1000}, {"third", passed / 3}, {"tiny", 2e-304},
        {"slow", passed * 1e3}, {"nan", (double)NAN},    {"negative", -passed}, {"infinite", (double)INFINITY},
    };
    const char *wanted = getenv("FAULTY_CLOCK");
    (void)error;
    *nanoseconds = 0;
    for (size_t i = 0; wanted != NULL && i < sizeof clocks / sizeof clocks[0]; i++)
        if (strcmp(clocks[i].name, wanted) == 0)
            *nanoseconds = clocks[i].says;
    return PLX_OK;
}

static plx_status faulty_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    static long answers;
    const char *throttled = getenv("FAULTY_THROTTLE");
    (void)session;
    if (throttled == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "nobody knows its state");
    *telemetry = (plx_telemetry){.known = PLX_KNOWS_THROTTLE};
    if (answers++ < strtol(throttled, NULL, 10))
        telemetry->throttle = PLX_THROTTLE_POWER;
    return PLX_OK;
}

static const plx_plugin faulty_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "faulty",
    .version = "1.0",
    .summary = "a plugin that goes wrong",
    .probe = faulty_probe,
    .open = dummy_open,
    .close = dummy_close,
    .alloc = dummy_alloc,
    .free = dummy_free,
    .queue_create = dummy_queue_create,
    .queue_destroy = dummy_queue_destroy,
    .synchronize = dummy_synchronize,
    .upload = dummy_upload,
    .download = dummy_download,
    .fill = dummy_fill,
    .copy = dummy_copy,
    .event_create = faulty_event_create,
    .event_destroy = faulty_event_destroy,
    .event_record = faulty_event_record,
    .event_elapsed = faulty_event_elapsed,
    .kernel = faulty_kernel,
    .choose = faulty_choose,
    .plan = faulty_plan_make,
    .plan_destroy = faulty_plan_destroy,
    .execute = faulty_execute,
    .telemetry = faulty_telemetry,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &faulty_plugin;
}
