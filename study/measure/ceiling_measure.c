/* Measures what a device can do at most: the ceiling kernels among the probes, each judged
 * on a small problem and then timed on a large one, once for the devices of a study. */
#include "study/measure/ceiling.h"
#include "study/measure/measure.h"
#include "study/measure/timing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WAYS = 4, TRIAL = 100, REPEAT = 1024, SAMPLES = 40, LEAST_SAMPLES = 3, PATTERN_BYTES = 1 << 22 };

static const double budget_ns = 30e6; /* of the samples of one ceiling */
static const double steady = 1.05;    /* the median of a measurement that nothing disturbed, over its least */
static const double sample_ns = 1e6;

/* A way of a processor's kernels: see kernels/probe/host.c. */
typedef struct way {
    int64_t stride, offset;
} way;

/* A ceiling's kernel on its device. */
typedef struct benchmark {
    plx_backend *backend;
    plx_problem problem; /* the one that is timed */
    plx_plan *plan;
    plx_operand_buffers operands; /* one set */
    plx_timed_queues queue;       /* one */
    double overhead_ns;           /* of a batch on the host's clock */
    bool was_steady;
    plx_telemetry state; /* while the last batch ran */
} benchmark;

/* ---- the problem ------------------------------------------------------------------ */

static const struct pattern_of_kind {
    plx_probe_pattern pattern;
    plx_dtype dtype;
} patterns[PLX_CEILING_COUNT] = {
    [PLX_CEILING_COPY] = {PLX_PROBE_COPY, PLX_I32},
    [PLX_CEILING_READ] = {PLX_PROBE_READ, PLX_I32},
    [PLX_CEILING_FMA_F32] = {PLX_PROBE_FMA, PLX_F32},
    [PLX_CEILING_FMA_F64] = {PLX_PROBE_FMA, PLX_F64},
    [PLX_CEILING_LAUNCH] = {PLX_PROBE_LAUNCH, PLX_I32},
    [PLX_CEILING_UNITS_F16] = {PLX_PROBE_UNITS_F16, PLX_F32},
    [PLX_CEILING_UNITS_BF16] = {PLX_PROBE_UNITS_BF16, PLX_F32},
    [PLX_CEILING_UNITS_TF32] = {PLX_PROBE_UNITS_TF32, PLX_F32},
    [PLX_CEILING_UNITS_F64] = {PLX_PROBE_UNITS_F64, PLX_F64},
    [PLX_CEILING_UNITS_I8] = {PLX_PROBE_UNITS_I8, PLX_F32},
};

/* What a processor reads, or reads and writes: three times its cache, where it tells one.  Its memory is the user's:
 * no more than 176 MB, which leaves a driver its part of 200. */
static uint64_t stream_of_processor(const plx_device_info *device, plx_ceiling_kind kind)
{
    enum { LEAST_MB = 64, MOST_MB = 176, PAST_CACHE = 3 };
    const uint64_t least = UINT64_C(1) << 20, wanted = PAST_CACHE * device->l2_bytes;
    const uint64_t bytes = device->l2_bytes == 0 || wanted > MOST_MB * least ? MOST_MB * least
                           : wanted < LEAST_MB * least                       ? LEAST_MB * least
                                                                             : wanted;
    return kind == PLX_CEILING_COPY ? bytes / 2 : bytes;
}

/* Far past the cache, and within an eighth of the memory. */
static uint64_t stream_bytes(const plx_backend *backend, plx_ceiling_kind kind)
{
    const plx_device_info *device = plx_backend_device(backend);
    const bool processor = (device->features & PLX_FEATURE_CPU) != 0;
    uint64_t bytes = processor ? stream_of_processor(device, kind) : UINT64_C(1) << 31;

    while (bytes > PATTERN_BYTES && ((device->memory_bytes > 0 && bytes > device->memory_bytes / 8) ||
                                     (device->max_alloc_bytes > 0 && bytes > device->max_alloc_bytes)))
        bytes /= 2;
    return bytes;
}

/* As many threads as fill every unit several times. */
static int64_t fma_threads(const plx_backend *backend)
{
    const plx_device_info *device = plx_backend_device(backend);
    return (int64_t)(device->units > 0 ? device->units : 1) *
           ((device->features & PLX_FEATURE_CPU) != 0 ? 16384 : 8192);
}

static bool is_arithmetic(plx_ceiling_kind kind)
{
    return kind == PLX_CEILING_FMA_F32 || kind == PLX_CEILING_FMA_F64;
}

/* Products for each multiprocessor: a multiple of as many as may run on one together, and all of them in 200 MB. */
static int64_t units_elements(const plx_backend *backend, const plx_problem *problem)
{
    enum { EACH = 12, MOST_MB = 192 };
    const plx_device_info *device = plx_backend_device(backend);
    const int64_t one = problem->of.probe.pattern == PLX_PROBE_UNITS_F64 ? 1 << 12 : 1 << 14; /* as types.h has it */
    const int64_t most = ((int64_t)MOST_MB << 20) / (one * (int64_t)plx_dtype_size(problem->dtype));
    const int64_t wanted = (device->units > 0 ? (int64_t)device->units : 1) * EACH;
    return one * (wanted < most ? wanted : most);
}

static plx_problem problem_of(const plx_backend *backend, plx_ceiling_kind kind, way by, bool large)
{
    plx_problem problem = plx_probe_of(patterns[kind].dtype, patterns[kind].pattern, large ? 1 : TRIAL);

    if (is_arithmetic(kind) || plx_ceiling_is_of_units(kind))
        problem.of.probe.repeat = large ? REPEAT : 10;
    problem.of.probe.stride = by.stride;
    problem.of.probe.offset = by.offset;
    if (!large)
        return problem;
    if (kind == PLX_CEILING_COPY)
        problem.of.probe.n = (int64_t)(stream_bytes(backend, kind) / plx_dtype_size(problem.dtype));
    else if (kind == PLX_CEILING_READ) /* bytes of one chunk and its sum are what one element moves */
        problem.of.probe.n =
            (int64_t)((double)stream_bytes(backend, kind) / plx_operation_of(PLX_PROBE)->bytes(&problem));
    else if (plx_ceiling_is_of_units(kind))
        problem.of.probe.n = units_elements(backend, &problem);
    else if (kind != PLX_CEILING_LAUNCH)
        problem.of.probe.n = fma_threads(backend);
    return problem;
}

/* ---- right first ------------------------------------------------------------------- */

static bool is_right(plx_backend *backend, plx_ceiling_kind kind, way by)
{
    const plx_problem problem = problem_of(backend, kind, by, false);
    const plx_trial_effort effort = {.shift = 0};
    plx_candidate candidate = {.backend = backend};
    plx_references references = {.has_copy = false};
    plx_error error = {.text = ""};
    plx_inputs inputs;

    if (plx_inputs_generate(&problem, PLX_INPUT_UNIFORM, 1, &inputs, &error) != PLX_OK)
        return false;
    plx_candidate_run(&candidate, &inputs, &references, &effort);
    plx_candidate_clear(&candidate);
    plx_references_free(&references);
    plx_inputs_free(&inputs);
    return candidate.outcome == PLX_OUTCOME_OK;
}

/* ---- then fast ---------------------------------------------------------------------- */

/* Random numbers: zeros cost less power, and the clock then rises. */
static plx_status fill_input(const benchmark *g)
{
    const uint64_t bytes = g->operands.bytes[0], have = bytes < PATTERN_BYTES ? bytes : PATTERN_BYTES;
    const size_t words = (size_t)have / sizeof(uint32_t);
    uint32_t *pattern = malloc((size_t)have > 0 ? (size_t)have : 1);
    plx_status status;

    if (pattern == NULL)
        return PLX_NO_MEMORY;
    for (size_t i = 0; i < words; ++i)
        pattern[i] = (uint32_t)(plx_random(1, 513, i) >> 32);
    if (plx_is_floating(g->problem.dtype)) /* small numbers of either type, none of them special */
        for (size_t i = 0; i < words; ++i)
            pattern[i] &= 0x3fffffffu;
    status = plx_upload(NULL, g->operands.buffer[0], 0, pattern, have);
    free(pattern);
    return status == PLX_OK ? plx_buffer_double(g->operands.buffer[0], have, bytes) : status;
}

static plx_status benchmark_open(benchmark *g)
{
    plx_error error;
    plx_inputs inputs;
    plx_status status = plx_inputs_describe(&g->problem, &inputs, &error);

    if (status == PLX_OK)
        status = plx_plan_create(g->backend, &g->problem, NULL, &g->plan);
    if (status != PLX_OK)
        return status;
    g->operands = plx_operand_buffers_of(g->backend, &inputs, 0, 0);
    status = plx_operand_buffers_make(&g->operands, 1);
    if (status == PLX_OK)
        status = plx_fill(NULL, g->operands.buffer[1], 0, 0, g->operands.stride[1]);
    if (status == PLX_OK)
        status = fill_input(g);
    if (status == PLX_OK)
        status = plx_timed_queues_open(&g->queue, g->backend, 1);
    return status == PLX_OK ? plx_clock_overhead(&g->queue, &g->overhead_ns) : status;
}

static void benchmark_close(benchmark *g)
{
    (void)plx_synchronize(g->backend, NULL);
    plx_timed_queues_close(&g->queue);
    plx_plan_destroy(g->plan);
    plx_operand_buffers_free(&g->operands);
}

static plx_status start_batch(benchmark *g, size_t batch)
{
    plx_view views[PLX_MAX_OPERANDS];
    plx_status status = plx_timed_queues_start(&g->queue);

    plx_operand_views(&g->operands, 0, views);
    for (size_t i = 0; status == PLX_OK && i < batch; ++i)
        status = plx_execute(g->plan, NULL, views, g->operands.count);
    return status == PLX_OK ? plx_timed_queues_stop(&g->queue) : status;
}

/* One batch on the device's clock, or the host's where that one is not believed. */
static plx_status time_batch(benchmark *g, size_t batch, double *elapsed)
{
    double device_ns = 0.0, host_ns, start = plx_now_ns();
    plx_status status = start_batch(g, batch);

    if (status == PLX_OK)
        status = plx_timed_queues_wait(&g->queue);
    host_ns = plx_now_ns() - start;
    if (status == PLX_OK)
        status = plx_timed_queues_elapsed(&g->queue, &device_ns);
    *elapsed = plx_clock_fit_of(device_ns, host_ns, plx_clock_overhead_idle(g->overhead_ns)) == PLX_CLOCK_FITS
                   ? device_ns
                   : host_ns;
    return status;
}

static bool is_processor(const plx_backend *backend)
{
    return (plx_backend_device(backend)->features & PLX_FEATURE_CPU) != 0;
}

/* How the device runs behind the samples, while it does the same: one more batch, which is not timed. */
static void ask_state(benchmark *g, size_t batch)
{
    if (is_processor(g->backend))
        return;
    if (start_batch(g, batch) != PLX_OK || plx_backend_telemetry(g->backend, &g->state) != PLX_OK)
        g->state = (plx_telemetry){.known = 0};
    (void)plx_timed_queues_wait(&g->queue);
}

/* The lower quartile of a few samples, on a processor, whose other work takes its turns, the least: what disturbs only
 * ever adds.  0: none. */
static double best_time(benchmark *g)
{
    double samples[SAMPLES], elapsed = 0.0, spent = 0.0;
    size_t batch = 1, count = 0;
    plx_interval interval;
    plx_status status = time_batch(g, 1, &elapsed);

    for (status = status == PLX_OK ? time_batch(g, 1, &elapsed) : status;
         status == PLX_OK && elapsed < sample_ns && batch < 4096; batch *= 2)
        status = time_batch(g, batch, &elapsed);
    while (status == PLX_OK && count < SAMPLES && (spent < budget_ns || count < LEAST_SAMPLES)) {
        status = time_batch(g, batch, &elapsed);
        spent += elapsed;
        samples[count++] = elapsed / (double)batch;
    }
    if (status != PLX_OK)
        return 0.0;
    plx_interval_of(samples, count, &interval); /* sorts them */
    g->was_steady = samples[count / 2] <= steady * samples[0];
    ask_state(g, batch);
    return samples[is_processor(g->backend) ? 0 : count / 4];
}

static double value_of(const plx_problem *problem, plx_ceiling_kind kind, double time_ns)
{
    const plx_operation *operation = plx_operation_of(PLX_PROBE);

    if (!(time_ns > 0.0) || kind == PLX_CEILING_LAUNCH)
        return time_ns;
    return (kind == PLX_CEILING_COPY || kind == PLX_CEILING_READ ? operation->bytes(problem)
                                                                 : plx_problem_flops(problem)) /
           time_ns;
}

/* What was measured; 0: nothing. */
typedef struct measured {
    double value;
    bool was_steady;
    double clock_mhz; /* that was held; 0: nobody tells */
    bool at_power_limit;
} measured;

static measured measured_of(const benchmark *g, double value)
{
    const plx_telemetry *state = &g->state;
    return (measured){.value = value,
                      .was_steady = g->was_steady,
                      .clock_mhz = (state->known & PLX_KNOWS_SM_CLOCK) != 0 ? state->sm_clock_mhz : 0.0,
                      .at_power_limit =
                          (state->known & PLX_KNOWS_THROTTLE) != 0 && (state->throttle & PLX_THROTTLE_POWER) != 0};
}

static measured measure_by(plx_backend *backend, plx_ceiling_kind kind, way by)
{
    benchmark g = {.backend = backend, .problem = problem_of(backend, kind, by, true)};
    measured found = {.value = 0.0};

    if (!is_right(backend, kind, by))
        return found;
    if (benchmark_open(&g) == PLX_OK)
        found = measured_of(&g, value_of(&g.problem, kind, best_time(&g)));
    benchmark_close(&g);
    return found;
}

static bool is_better(plx_ceiling_kind kind, double value, double than)
{
    return value > 0.0 && (!(than > 0.0) || (kind == PLX_CEILING_LAUNCH ? value < than : value > than));
}

/* The best of those that there are, from `from` on while they are there. */
static measured best_by(plx_backend *backend, plx_ceiling_kind kind, way from)
{
    measured best = {.value = 0.0};

    for (measured found = {.value = 1.0}; found.value > 0.0 && from.offset < MOST_WAYS; ++from.offset) {
        found = measure_by(backend, kind, from);
        if (is_better(kind, found.value, best.value))
            best = found;
    }
    return best;
}

/* A processor without multiply-adds in one instruction has them in two. */
static measured measure(plx_backend *backend, plx_ceiling_kind kind)
{
    measured found;

    if (!is_processor(backend) || plx_ceiling_is_of_units(kind))
        return measure_by(backend, kind, (way){0, 0});
    found = best_by(backend, kind, (way){0, 0});
    return found.value > 0.0 || !is_arithmetic(kind) ? found : best_by(backend, kind, (way){1, 0});
}

/* ---- whose ceilings ------------------------------------------------------------------- */

static bool has_ceilings(const plx_context *context, size_t plugin)
{
    const plx_kernel *kernel;
    for (size_t i = 0; (kernel = plx_kernel_at(context, plugin, PLX_PROBE, i)) != NULL; ++i)
        if ((kernel->flags & PLX_KERNEL_CEILING) != 0)
            return true;
    return false;
}

typedef struct best_way {
    plx_backend *backend;
    plx_ceiling_kind kind;
    bool compiling;     /* now asked: backends that compile their kernels, or the others */
    measured own, best; /* own: by the same API */
} best_way;

static bool compiles(const plx_device_info *device)
{
    return (device->features & PLX_FEATURE_COMPILES) != 0;
}

/* What is compiled for a processor reaches no more than machine code for each of its vector units, and the compiler
 * alone takes more time and memory than all ceilings: there one way is enough.  Only the launch of an API that compiles
 * is that API's. */
static bool is_enough(const best_way *found)
{
    return is_processor(found->backend) && found->best.value > 0.0 &&
           !(found->compiling && found->kind == PLX_CEILING_LAUNCH && compiles(plx_backend_device(found->backend)));
}

static bool is_way(const best_way *found, const plx_device_info *through)
{
    const char *api = plx_backend_device(found->backend)->api;
    const bool of_others = is_processor(found->backend) && found->best.value > 0.0 && strcmp(through->api, api) != 0;

    return compiles(through) == found->compiling && !of_others &&
           plx_same_device(through, plx_backend_device(found->backend));
}

static void see_way(best_way *found, plx_backend *through)
{
    const plx_device_info *one = plx_backend_device(through), *other = plx_backend_device(found->backend);
    const measured seen = measure(through, found->kind);

    if (is_better(found->kind, seen.value, found->best.value))
        found->best = seen;
    if (strcmp(one->api, other->api) == 0 && is_better(found->kind, seen.value, found->own.value))
        found->own = seen;
}

/* By the device of that label: the backend itself, or another one, which is opened for it. */
static void see_through(best_way *found, const char *label)
{
    plx_backend *through;

    if (strcmp(plx_backend_label(found->backend), label) == 0) {
        see_way(found, found->backend);
        return;
    }
    if (plx_open(plx_backend_context(found->backend), label, &through) != PLX_OK)
        return;
    see_way(found, through);
    plx_close(through);
}

/* Measures by each device of the plugin that is this chip. */
static void each_device(best_way *found, size_t plugin)
{
    plx_context *context = plx_backend_context(found->backend);
    plx_plugin_report report;
    plx_device_info info;
    char label[48];

    if (plx_plugin_at(context, plugin, &report) != PLX_OK)
        return;
    for (size_t device = 0; device < report.device_count && !is_enough(found); ++device) {
        (void)snprintf(label, sizeof label, "%.36s:%u", report.name, (unsigned)device);
        if (plx_device_at(context, plugin, device, &info) == PLX_OK && is_way(found, &info))
            see_through(found, label);
    }
}

/* The kernels are asked for first: a plugin without any need not list its devices, for which drivers are loaded. */
static void each_way(best_way *found, bool compiling)
{
    plx_context *context = plx_backend_context(found->backend);
    const size_t count = plx_plugin_count(context);

    found->compiling = compiling;
    for (size_t plugin = 0; plugin < count && !is_enough(found); ++plugin)
        if (has_ceilings(context, plugin))
            each_device(found, plugin);
}

static void note(plx_ceilings *ceilings, plx_ceiling_kind kind, measured found)
{
    const uint32_t bit = UINT32_C(1) << kind;

    ceilings->value[kind] = found.value;
    ceilings->clock_mhz[kind] = found.clock_mhz;
    ceilings->at_power_limit = (ceilings->at_power_limit & ~bit) | (found.at_power_limit ? bit : 0);
    ceilings->tried |= bit;
}

static measured kept_of(const plx_ceilings *ceilings, plx_ceiling_kind kind)
{
    return (measured){.value = ceilings->value[kind],
                      .clock_mhz = ceilings->clock_mhz[kind],
                      .at_power_limit = (ceilings->at_power_limit >> kind & 1) != 0};
}

/* A device of which nothing tells the chip has its own kernels alone. */
static measured measure_somewhere(plx_backend *backend, plx_ceiling_kind kind)
{
    best_way found = {.backend = backend, .kind = kind};
    plx_ceilings kept = {.tried = 0};
    const bool has = has_ceilings(plx_backend_context(backend), plx_backend_plugin(backend));
    const plx_device_info *device = plx_backend_device(backend);
    const bool machine_code = is_processor(backend) && !compiles(device);
    const bool alone = has && (kind == PLX_CEILING_LAUNCH || machine_code || !plx_same_device(device, device));

    if (alone)
        found.own = found.best = measure(backend, kind);
    for (int compiling = 0; compiling < 2 && (machine_code || !alone); ++compiling)
        each_way(&found, compiling == 1);
    if (kind == PLX_CEILING_LAUNCH && found.own.value > 0.0)
        found.best = found.own;
    note(&kept, kind, found.best);
    plx_ceiling_write(backend, kind, &kept, found.best.was_steady);
    return found.best;
}

/* ---- what the context has learnt --------------------------------------------------------- */

enum { MOST_KNOWN = 64 };

typedef struct known_ceilings {
    size_t count;
    struct {
        char label[48];
        plx_device_info device;
        plx_ceilings ceilings;
    } of[MOST_KNOWN];
} known_ceilings;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is known */

static known_ceilings *known_of(plx_backend *backend)
{
    return plx_context_memory(plx_backend_context(backend), "ceilings", sizeof(known_ceilings));
}

/* NULL: nothing can be kept of it. */
static plx_ceilings *place_of(known_ceilings *known, plx_backend *backend)
{
    size_t i = 0;

    while (i < known->count && strcmp(known->of[i].label, plx_backend_label(backend)) != 0)
        ++i;
    if (i == MOST_KNOWN)
        return NULL;
    if (i == known->count) {
        (void)snprintf(known->of[i].label, sizeof known->of[i].label, "%s", plx_backend_label(backend));
        known->of[known->count++].device = *plx_backend_device(backend);
    }
    return &known->of[i].ceilings;
}

static void take(plx_ceilings *to, const plx_ceilings *from, int kind)
{
    if ((from->tried >> kind & 1) == 0)
        return;
    if (is_better((plx_ceiling_kind)kind, from->value[kind], to->value[kind]))
        note(to, (plx_ceiling_kind)kind, kept_of(from, (plx_ceiling_kind)kind));
    to->tried |= UINT32_C(1) << kind;
}

void plx_ceilings_forget(plx_backend *backend)
{
    (void)pthread_mutex_lock(&lock);
    known_ceilings *known = known_of(backend);
    if (known != NULL)
        known->count = 0;
    (void)pthread_mutex_unlock(&lock);
}

/* What is known of the backend, and of its chip through any other. */
static void recall(plx_backend *backend, plx_ceilings *ceilings)
{
    (void)pthread_mutex_lock(&lock);
    const known_ceilings *known = known_of(backend);
    for (size_t i = 0; known != NULL && i < known->count; ++i) {
        const bool own = strcmp(known->of[i].label, plx_backend_label(backend)) == 0;
        const bool chip = own || plx_same_device(&known->of[i].device, plx_backend_device(backend));
        for (int kind = 0; kind < PLX_CEILING_COUNT; ++kind)
            if (kind == PLX_CEILING_LAUNCH ? own : chip)
                take(ceilings, &known->of[i].ceilings, kind);
    }
    (void)pthread_mutex_unlock(&lock);
}

static void remember(plx_backend *backend, const plx_ceilings *ceilings)
{
    (void)pthread_mutex_lock(&lock);
    known_ceilings *known = known_of(backend);
    plx_ceilings *place = known != NULL ? place_of(known, backend) : NULL;
    if (place != NULL)
        *place = *ceilings;
    (void)pthread_mutex_unlock(&lock);
}

/* What is missing of the kinds is taken from the user's cache, and else measured. */
void plx_ceilings_measure(plx_backend *backend, uint32_t kinds, bool anew, plx_ceilings *ceilings)
{
    recall(backend, ceilings);
    if (!anew && (kinds & ~ceilings->tried) != 0) {
        plx_ceilings kept = {.tried = 0};
        plx_ceilings_read(backend, &kept);
        for (int kind = 0; kind < PLX_CEILING_COUNT; ++kind)
            take(ceilings, &kept, kind);
    }
    for (int kind = 0; kind < PLX_CEILING_COUNT; ++kind)
        if ((kinds & ~ceilings->tried) >> kind & 1)
            note(ceilings, (plx_ceiling_kind)kind, measure_somewhere(backend, (plx_ceiling_kind)kind));
    remember(backend, ceilings);
}

static void raise_to(plx_backend *backend, plx_ceiling_kind kind, measured found, plx_ceilings *ceilings)
{
    recall(backend, ceilings);
    if (is_better(kind, found.value, ceilings->value[kind])) {
        note(ceilings, kind, found);
        plx_ceiling_write(backend, kind, ceilings, true);
    }
    remember(backend, ceilings);
}

void plx_ceiling_renew(plx_backend *backend, plx_ceiling_kind kind, plx_ceilings *ceilings)
{
    raise_to(backend, kind, measure_somewhere(backend, kind), ceilings);
}

/* Nobody knows at which clock. */
void plx_ceiling_raise(plx_backend *backend, plx_ceiling_kind kind, double value, plx_ceilings *ceilings)
{
    raise_to(backend, kind, (measured){.value = value}, ceilings);
}
