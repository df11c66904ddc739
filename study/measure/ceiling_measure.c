/* Measures what a device can do at most: the ceiling kernels among the probes, each judged
 * on a small problem and then timed on a large one, once for the devices of a study. */
#include "study/measure/ceiling.h"
#include "study/measure/timing.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL = 100, REPEAT = 1024, SAMPLES = 40, LEAST_SAMPLES = 3, PATTERN_BYTES = 1 << 22 };

static const double budget_ns = 30e6; /* of the samples of one ceiling */
static const double sample_ns = 1e6;

/* A ceiling's kernel on its device. */
typedef struct benchmark {
    plx_backend *backend;
    plx_problem problem; /* the one that is timed */
    plx_plan *plan;
    plx_operand_buffers operands; /* one set */
    plx_timed_queues queue; /* one */
    double overhead_ns;     /* of a batch on the host's clock */
} benchmark;

/* ---- the problem ------------------------------------------------------------------ */

static const struct pattern_of_kind {
    plx_probe_pattern pattern;
    plx_dtype dtype;
} patterns[PLX_CEILING_COUNT] = {
    [PLX_CEILING_COPY] = {PLX_PROBE_COPY, PLX_I32},       [PLX_CEILING_READ] = {PLX_PROBE_READ, PLX_I32},
    [PLX_CEILING_FMA_F32] = {PLX_PROBE_FMA, PLX_F32},     [PLX_CEILING_FMA_F64] = {PLX_PROBE_FMA, PLX_F64},
    [PLX_CEILING_LAUNCH] = {PLX_PROBE_LAUNCH, PLX_I32},
};

/* Far past the cache, and within an eighth of the memory. */
static uint64_t stream_bytes(const plx_backend *backend)
{
    const plx_device_info *device = plx_backend_device(backend);
    const bool processor = (device->features & PLX_FEATURE_CPU) != 0;
    uint64_t bytes = UINT64_C(1) << (processor ? 28 : 31);

    while (bytes > PATTERN_BYTES &&
           ((device->memory_bytes > 0 && bytes > device->memory_bytes / 8) ||
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

static plx_problem problem_of(const plx_backend *backend, plx_ceiling_kind kind, bool large)
{
    plx_problem problem = plx_probe_of(patterns[kind].dtype, patterns[kind].pattern, large ? 1 : TRIAL);

    if (kind == PLX_CEILING_FMA_F32 || kind == PLX_CEILING_FMA_F64)
        problem.of.probe.repeat = large ? REPEAT : 10;
    if (!large)
        return problem;
    if (kind == PLX_CEILING_COPY)
        problem.of.probe.n = (int64_t)(stream_bytes(backend) / plx_dtype_size(problem.dtype));
    else if (kind == PLX_CEILING_READ) /* bytes of one chunk and its sum are what one element moves */
        problem.of.probe.n =
            (int64_t)((double)stream_bytes(backend) / plx_operation_of(PLX_PROBE)->bytes(&problem));
    else if (kind != PLX_CEILING_LAUNCH)
        problem.of.probe.n = fma_threads(backend);
    return problem;
}

/* ---- right first ------------------------------------------------------------------- */

static bool is_right(plx_backend *backend, plx_ceiling_kind kind)
{
    const plx_problem problem = problem_of(backend, kind, false);
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

/* One batch on the device's clock, or the host's where that one is not believed. */
static plx_status time_batch(benchmark *g, size_t batch, double *elapsed)
{
    plx_view views[PLX_MAX_OPERANDS];
    double device_ns = 0.0, host_ns, start = plx_now_ns();
    plx_status status = plx_timed_queues_start(&g->queue);

    plx_operand_views(&g->operands, 0, views);
    for (size_t i = 0; status == PLX_OK && i < batch; ++i)
        status = plx_execute(g->plan, NULL, views, g->operands.count);
    if (status == PLX_OK)
        status = plx_timed_queues_stop(&g->queue);
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

/* The lower quartile of a few samples: what disturbs only ever adds.  0: none. */
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
    return samples[count / 4];
}

static double value_of(const plx_problem *problem, plx_ceiling_kind kind, double time_ns)
{
    const plx_operation *operation = plx_operation_of(PLX_PROBE);

    if (!(time_ns > 0.0) || kind == PLX_CEILING_LAUNCH)
        return time_ns;
    return (kind == PLX_CEILING_COPY || kind == PLX_CEILING_READ ? operation->bytes(problem)
                                                                 : operation->flops(problem)) /
           time_ns;
}

static double measure(plx_backend *backend, plx_ceiling_kind kind)
{
    benchmark g = {.backend = backend, .problem = problem_of(backend, kind, true)};
    double value = 0.0;

    if (!is_right(backend, kind))
        return 0.0;
    if (benchmark_open(&g) == PLX_OK)
        value = value_of(&g.problem, kind, best_time(&g));
    benchmark_close(&g);
    return value;
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

/* The same chip through the same API.  A processor has no number to know it by, and no
 * API between it and the code that runs there. */
static bool same_way(const plx_device_info *a, const plx_device_info *b)
{
    if ((a->features & b->features & PLX_FEATURE_CPU) != 0)
        return strcmp(a->name, b->name) == 0;
    return strcmp(a->api, b->api) == 0 && plx_same_device(a, b);
}

/* Another plugin's way to the same: one that calls a library has no kernels of ours. */
static plx_status open_twin(const plx_backend *backend, plx_backend **twin)
{
    plx_context *context = plx_backend_context(backend);
    plx_plugin_report report;
    plx_device_info info;
    char label[48];

    for (size_t plugin = 0; plx_plugin_at(context, plugin, &report) == PLX_OK; ++plugin)
        for (size_t device = 0; has_ceilings(context, plugin) && device < report.device_count; ++device)
            if (plx_device_at(context, plugin, device, &info) == PLX_OK &&
                same_way(&info, plx_backend_device(backend))) {
                (void)snprintf(label, sizeof label, "%.36s:%u", report.name, (unsigned)device);
                return plx_open(context, label, twin);
            }
    return PLX_NOT_FOUND;
}

static double measure_somewhere(plx_backend *backend, plx_ceiling_kind kind)
{
    plx_backend *twin;
    double value = 0.0;

    if (has_ceilings(plx_backend_context(backend), plx_backend_plugin(backend)))
        return measure(backend, kind);
    if (open_twin(backend, &twin) != PLX_OK)
        return 0.0;
    value = measure(twin, kind);
    plx_close(twin);
    return value;
}

/* ---- what the context has learnt --------------------------------------------------------- */

enum { MOST_KNOWN = 64 };

typedef struct known_ceilings {
    size_t count;
    struct {
        char label[48];
        plx_ceilings ceilings;
    } of[MOST_KNOWN];
} known_ceilings;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that is known */

/* NULL: nothing can be kept of it. */
static plx_ceilings *known_of(plx_backend *backend)
{
    known_ceilings *known = plx_context_memory(plx_backend_context(backend), "ceilings", sizeof *known);
    size_t i = 0;

    if (known == NULL)
        return NULL;
    while (i < known->count && strcmp(known->of[i].label, plx_backend_label(backend)) != 0)
        ++i;
    if (i == MOST_KNOWN)
        return NULL;
    if (i == known->count)
        (void)snprintf(known->of[known->count++].label, sizeof known->of[i].label, "%s",
                       plx_backend_label(backend));
    return &known->of[i].ceilings;
}

/* Takes from the context what these ceilings lack, and keeps there what they have. */
static void share(plx_backend *backend, plx_ceilings *ceilings)
{
    plx_ceilings *known;

    (void)pthread_mutex_lock(&lock);
    known = known_of(backend);
    for (int kind = 0; known != NULL && kind < PLX_CEILING_COUNT; ++kind) {
        const bool have = (ceilings->tried >> kind & 1) != 0;
        const plx_ceilings *from = have ? ceilings : known;
        plx_ceilings *to = have ? known : ceilings;
        to->value[kind] = from->value[kind];
        to->tried |= from->tried & UINT32_C(1) << kind;
    }
    (void)pthread_mutex_unlock(&lock);
}

void plx_ceilings_measure(plx_backend *backend, uint32_t kinds, bool anew, plx_ceilings *ceilings)
{
    if (!anew)
        share(backend, ceilings);
    for (int kind = 0; kind < PLX_CEILING_COUNT; ++kind)
        if ((kinds & ~ceilings->tried) >> kind & 1) {
            ceilings->value[kind] = measure_somewhere(backend, (plx_ceiling_kind)kind);
            ceilings->tried |= UINT32_C(1) << kind;
        }
    share(backend, ceilings);
}

void plx_ceiling_renew(plx_backend *backend, plx_ceiling_kind kind, plx_ceilings *ceilings)
{
    const double value = measure_somewhere(backend, kind), before = ceilings->value[kind];

    if (value > 0.0 && (kind == PLX_CEILING_LAUNCH ? value < before : value > before))
        ceilings->value[kind] = value;
    share(backend, ceilings);
}
