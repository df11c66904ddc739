/* Times the arms of a study on one problem: batches between two events, buffers
 * rotated past the cache, arms in random order, until each one's interval is narrow. */
#define _POSIX_C_SOURCE 200809L
#include "core/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SETS = 64, MIN_SAMPLES = 12, MAX_SAMPLES = 600, MAX_BATCH = 20000 };

static const double sample_ns = 250e3;    /* a sample lasts at least this long */
static const double settled_width = 0.01; /* of the interval, relative to the median */

/* The operands on one backend, several times over, so that a launch finds nothing of
 * its own in the cache.  Shared by the arms of that backend. */
typedef struct buffer_pool {
    plx_backend *backend;
    const plx_inputs *inputs;
    size_t sets, next;
    plx_buffer *buffers[MAX_SETS][PLX_MAX_OPERANDS];
    struct buffer_pool *other; /* the next backend's */
} buffer_pool;

/* An arm being timed. */
typedef struct runner {
    plx_arm *arm;
    size_t operand_count;
    buffer_pool *pool;
    plx_event *from, *to;
    size_t batch, count;
    bool device_clock, done;
    double spent_ns; /* on the host's clock */
    double samples[MAX_SAMPLES];
} runner;

static double now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- buffers ------------------------------------------------------------------------ */

static uint64_t operand_bytes(const plx_inputs *inputs, size_t operand)
{
    uint64_t bytes = (uint64_t)inputs->elements[operand] * plx_dtype_size(inputs->problem.dtype);
    return (bytes + 3) / 4 * 4;
}

static uint64_t footprint(const plx_inputs *inputs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < inputs->operation->operand_count; ++i)
        sum += operand_bytes(inputs, i);
    return sum;
}

/* Past twice the cache, but within a quarter of the memory. */
static size_t sets_wanted(const plx_inputs *inputs, const plx_device_info *device)
{
    uint64_t bytes = footprint(inputs), cache = 2 * device->l2_bytes, sets;

    if ((device->features & PLX_FEATURE_CPU) != 0 || bytes == 0 || cache == 0)
        return 1;
    sets = cache / bytes + 2;
    if (bytes > cache && sets > 1)
        sets = 2;
    if (device->memory_bytes > 0 && sets > device->memory_bytes / 4 / bytes)
        sets = device->memory_bytes / 4 / bytes;
    return sets < 1 ? 1 : sets > MAX_SETS ? MAX_SETS : (size_t)sets;
}

static void pool_free(buffer_pool *pool)
{
    for (size_t set = 0; set < MAX_SETS; ++set)
        for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
            plx_buffer_destroy(pool->buffers[set][i]);
    free(pool);
}

/* The first set comes from the host, the others from the first. */
static plx_status fill_operand(buffer_pool *pool, size_t set, const plx_inputs *inputs, size_t operand)
{
    plx_buffer **buffer = &pool->buffers[set][operand];
    uint64_t bytes = operand_bytes(inputs, operand);
    plx_status status = plx_buffer_create(pool->backend, bytes, buffer);

    if (status != PLX_OK || bytes == 0)
        return status;
    if (set > 0)
        return plx_copy(NULL, *buffer, 0, pool->buffers[0][operand], 0, bytes);
    status = plx_fill(NULL, *buffer, 0, 0, bytes); /* touched, whatever the driver defers */
    if (status == PLX_OK && inputs->data[operand] != NULL)
        status = plx_upload(NULL, *buffer, 0, inputs->data[operand],
                            (uint64_t)inputs->elements[operand] * plx_dtype_size(inputs->problem.dtype));
    return status;
}

static plx_status fill_set(buffer_pool *pool, size_t set, const plx_inputs *inputs)
{
    plx_status status = PLX_OK;
    for (size_t i = 0; status == PLX_OK && i < inputs->operation->operand_count; ++i)
        status = fill_operand(pool, set, inputs, i);
    return status;
}

/* Fewer sets than wanted are better than none. */
static plx_status pool_fill(buffer_pool *pool, const plx_inputs *inputs)
{
    size_t wanted = sets_wanted(inputs, plx_backend_device(pool->backend));
    plx_status status = PLX_OK;

    while (status == PLX_OK && pool->sets < wanted) {
        status = fill_set(pool, pool->sets, inputs);
        if (status == PLX_OK)
            ++pool->sets;
    }
    if (status == PLX_NO_MEMORY && pool->sets > 0)
        status = PLX_OK;
    if (status == PLX_OK)
        status = plx_synchronize(pool->backend, NULL);
    return status;
}

/* Problems of one sweep may share their data, and then need it on the device once. */
static bool same_operands(const plx_inputs *a, const plx_inputs *b)
{
    if (a == b)
        return true;
    if (plx_dtype_size(a->problem.dtype) != plx_dtype_size(b->problem.dtype))
        return false;
    for (size_t i = 0; i < PLX_MAX_OPERANDS; ++i)
        if (a->data[i] != b->data[i] || a->elements[i] != b->elements[i])
            return false;
    return true;
}

/* *found stays NULL, with the reason in the arm's message, when there is no room. */
static plx_status pool_for(buffer_pool **pools, plx_backend *backend, const plx_inputs *inputs,
                           buffer_pool **found)
{
    plx_status status;

    for (*found = *pools; *found != NULL; *found = (*found)->other)
        if ((*found)->backend == backend && same_operands((*found)->inputs, inputs))
            return PLX_OK;
    *found = calloc(1, sizeof **found);
    if (*found == NULL)
        return PLX_NO_MEMORY;
    (*found)->backend = backend;
    (*found)->inputs = inputs;
    status = pool_fill(*found, inputs);
    if (status != PLX_OK) {
        pool_free(*found);
        *found = NULL;
        return status;
    }
    (*found)->other = *pools;
    *pools = *found;
    return PLX_OK;
}

/* ---- one sample ------------------------------------------------------------------------ */

static plx_status launch_batch(runner *r)
{
    plx_status status = PLX_OK;

    for (size_t i = 0; status == PLX_OK && i < r->batch; ++i) {
        plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
        buffer_pool *p = r->pool;
        for (size_t operand = 0; operand < r->operand_count; ++operand)
            views[operand].buffer = p->buffers[p->next][operand];
        p->next = p->next + 1 < p->sets ? p->next + 1 : 0;
        status = plx_execute(r->arm->plan, NULL, views, r->operand_count);
    }
    return status;
}

/* The time of one batch on both clocks. */
static plx_status time_batch(runner *r, double *device_ns, double *host_ns)
{
    double start = now_ns();
    plx_status status = plx_event_record(NULL, r->from);

    if (status == PLX_OK)
        status = launch_batch(r);
    if (status == PLX_OK)
        status = plx_event_record(NULL, r->to);
    if (status == PLX_OK)
        status = plx_synchronize(r->arm->backend, NULL);
    *host_ns = now_ns() - start;
    if (status == PLX_OK)
        status = plx_event_elapsed(r->from, r->to, device_ns);
    r->spent_ns += *host_ns;
    return status;
}

/* A device's clock is believed when it says something that the host's allows. */
static bool credible(double device_ns, double host_ns)
{
    return isfinite(device_ns) && device_ns > 0.0 && device_ns <= host_ns * 1.05 + 2e4;
}

/* One batch: the time on the clock that is believed, and on the host's. */
static plx_status try_batch(runner *r, double *elapsed, double *host_ns)
{
    double device_ns = 0.0;
    plx_status status = time_batch(r, &device_ns, host_ns);

    r->device_clock = credible(device_ns, *host_ns);
    *elapsed = r->device_clock ? device_ns : *host_ns;
    return status;
}

/* Warms up, chooses the clock, and doubles the batch until a sample lasts long enough.
 * What takes all the time there is in one go is not run again for that. */
static plx_status calibrate(runner *r, double limit_ns)
{
    double elapsed = 0.0, host_ns = 0.0;
    plx_status status;

    r->batch = 1;
    status = try_batch(r, &elapsed, &host_ns);
    if (elapsed > limit_ns)
        return status;
    while (status == PLX_OK) {
        status = try_batch(r, &elapsed, &host_ns);
        if (status != PLX_OK || elapsed >= sample_ns || host_ns > limit_ns || r->batch >= MAX_BATCH)
            break;
        r->batch *= elapsed * 8.0 < sample_ns ? 4 : 2;
    }
    return status;
}

static bool narrow(const runner *r)
{
    double sorted[MAX_SAMPLES];
    plx_timing timing = {.measured = false};

    if (r->count < MIN_SAMPLES)
        return false;
    memcpy(sorted, r->samples, r->count * sizeof *sorted);
    plx_timing_of(sorted, r->count, &timing);
    return timing.high_ns - timing.low_ns <= settled_width * timing.median_ns;
}

static plx_status take_sample(runner *r, double limit_ns, bool together)
{
    double device_ns = 0.0, host_ns = 0.0;
    plx_status status = time_batch(r, &device_ns, &host_ns);

    if (status != PLX_OK)
        return status;
    r->samples[r->count++] = (r->device_clock ? device_ns : host_ns) / (double)r->batch;
    r->arm->time.settled = narrow(r);
    r->done = (r->arm->time.settled && !together) || r->count == MAX_SAMPLES ||
              (r->spent_ns > limit_ns && r->count >= 3);
    return PLX_OK;
}

/* ---- all arms ------------------------------------------------------------------------------ */

static void runner_fail(runner *r, plx_status status)
{
    r->done = true;
    r->count = 0;
    if (status == PLX_NO_MEMORY) { /* right, but there is no room to time it */
        (void)snprintf(r->arm->reason, sizeof r->arm->reason, "not timed: %s",
                       plx_message(plx_backend_context(r->arm->backend)));
        return;
    }
    r->arm->outcome = PLX_OUTCOME_FAILED;
    (void)snprintf(r->arm->reason, sizeof r->arm->reason, "while it was timed: %s",
                   plx_message(plx_backend_context(r->arm->backend)));
}

static void runner_start(runner *r, plx_arm *arm, buffer_pool **pools, const plx_inputs *inputs,
                         double limit_ns)
{
    plx_status status;

    r->arm = arm;
    r->operand_count = inputs->operation->operand_count;
    status = pool_for(pools, arm->backend, inputs, &r->pool);
    if (status == PLX_OK)
        status = plx_event_create(arm->backend, &r->from);
    if (status == PLX_OK)
        status = plx_event_create(arm->backend, &r->to);
    if (status == PLX_OK)
        status = calibrate(r, limit_ns);
    if (status != PLX_OK)
        runner_fail(r, status);
}

static void runner_finish(runner *r)
{
    plx_timing *timing = &r->arm->time;

    if (r->count > 0) {
        timing->device_clock = r->device_clock;
        plx_timing_of(r->samples, r->count, timing);
    }
    plx_event_destroy(r->from);
    plx_event_destroy(r->to);
}

/* Fisher-Yates; what comes before what must not decide who is faster. */
static void shuffle(size_t *order, size_t count, uint64_t round)
{
    for (size_t i = count; i > 1; --i) {
        size_t j = (size_t)(plx_random(round, 512, i) % i), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static bool all_settled(const runner *runners, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (!runners[i].done && !runners[i].arm->time.settled)
            return false;
    return true;
}

/* Together, all go on until the last one has settled: what disturbs the machine for a
 * while then disturbs all of them. */
static void run_rounds(runner *runners, size_t *order, size_t count, double limit_ns, bool together)
{
    bool busy = true;

    for (uint64_t round = 0; busy; ++round) {
        busy = false;
        shuffle(order, count, round);
        for (size_t i = 0; i < count; ++i) {
            runner *r = &runners[order[i]];
            plx_status status;
            if (r->done)
                continue;
            status = take_sample(r, limit_ns, together);
            if (status != PLX_OK)
                runner_fail(r, status);
            busy = busy || !r->done;
        }
        busy = busy && !(together && all_settled(runners, count));
    }
}

static bool worth_timing(const plx_arm *arm, const plx_inputs *inputs)
{
    const size_t output = inputs->operation->output;
    return arm->outcome == PLX_OUTCOME_OK && arm->plan != NULL && inputs->elements[output] > 0;
}

/* Arm i meets inputs[i * stride]. */
static plx_status measure(plx_arm *arms, size_t count, const plx_inputs *inputs, size_t stride,
                          double seconds, plx_error *error)
{
    runner *runners = calloc(count > 0 ? count : 1, sizeof *runners);
    size_t *order = calloc(count > 0 ? count : 1, sizeof *order), timed = 0;
    buffer_pool *pools = NULL;

    if (runners == NULL || order == NULL) {
        free(runners);
        free(order);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for samples");
    }
    for (size_t i = 0; i < count; ++i)
        if (worth_timing(&arms[i], &inputs[i * stride])) {
            order[timed] = timed;
            runner_start(&runners[timed++], &arms[i], &pools, &inputs[i * stride], seconds * 1e9);
        }
    run_rounds(runners, order, timed, seconds * 1e9, stride > 0);
    for (size_t i = 0; i < timed; ++i)
        runner_finish(&runners[i]);
    while (pools != NULL) {
        buffer_pool *next = pools->other;
        pool_free(pools);
        pools = next;
    }
    free(order);
    free(runners);
    return PLX_OK;
}

plx_status plx_measure_arms(plx_arm *arms, size_t count, const plx_inputs *inputs, double seconds,
                            plx_error *error)
{
    return measure(arms, count, inputs, 0, seconds, error);
}

plx_status plx_measure_sweep(plx_arm *arms, size_t count, const plx_inputs *inputs, double seconds,
                             plx_error *error)
{
    return measure(arms, count, inputs, 1, seconds, error);
}
