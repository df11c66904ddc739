/* The functions of the dummy plugins. */
#include "dummy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

PLX_PLUGIN_EXPORT dummy_state dummy_control;

struct plx_session {
    size_t device;
};
struct plx_memory {
    uint64_t bytes;
    unsigned char data[];
};
struct plx_plugin_queue {
    atomic_flag busy;
    uint64_t done; /* calls */
};
struct plx_plugin_event {
    uint64_t at;
};
struct plx_plugin_plan {
    plx_problem problem;
    size_t kernel;
};

static plx_status told_to_fail(plx_error *error)
{
    const int status = atomic_exchange(&dummy_control.fail, 0);
    return status == 0 ? PLX_OK : plx_fail(error, (plx_status)status, "it was told to fail");
}

/* The core must never let two threads into one queue. */
static plx_status enter(plx_plugin_queue *queue, plx_error *error)
{
    const plx_status status = told_to_fail(error);
    if (status != PLX_OK)
        return status;
    if (atomic_flag_test_and_set(&queue->busy))
        return plx_fail(error, PLX_FAILED, "two threads in one queue");
    queue->done++;
    return PLX_OK;
}

static plx_status leave(plx_plugin_queue *queue)
{
    atomic_flag_clear(&queue->busy);
    return PLX_OK;
}

/* ---- devices, memory, queues, events ----------------------------------- */

void dummy_describe(plx_device_info *device, const char *name)
{
    *device = (plx_device_info){
        .api = "dummy",
        .units = 1,
        .warp = 1,
        .max_block_threads = 1024,
        .max_grid = {INT32_MAX, INT32_MAX, INT32_MAX},
        .max_block = {1024, 1024, 1024},
        .memory_bytes = UINT64_C(4) << 30,
        .l2_bytes =
            UINT64_C(1) << 18, /* else a timing fills half a gigabyte, to get past the largest cache that there is */
        .max_alloc_bytes = UINT64_C(4) << 30,
    };
    (void)snprintf(device->name, sizeof device->name, "%s", name);
}

/* More than most have, so that the core has to ask twice.  The last but one has
 * a score that no real device has. */
enum { DEVICES = 11, BEST = 9 };

plx_status dummy_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    plx_status status = told_to_fail(error);
    if (status != PLX_OK)
        return status;
    for (size_t i = 0; i < DEVICES && i < capacity; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "dummy device %zu", i);
        dummy_describe(&devices[i], name);
        devices[i].score = i == BEST ? 1000000000 : 1;
    }
    if (capacity >= DEVICES)
        atomic_fetch_add(&dummy_control.probes, 1);
    *count = DEVICES;
    return PLX_OK;
}

plx_status dummy_open(size_t device, plx_session **session, plx_error *error)
{
    plx_session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    const plx_status status = told_to_fail(error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    made->device = device;
    atomic_fetch_add(&dummy_control.sessions, 1);
    *session = made;
    return PLX_OK;
}

void dummy_close(plx_session *session)
{
    atomic_fetch_sub(&dummy_control.sessions, 1);
    free(session);
}

plx_status dummy_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    plx_memory *made = NULL;
    (void)session;
    plx_status status = told_to_fail(error);
    if (status != PLX_OK)
        return status;
    if (bytes < UINT64_C(1) << 32)
        made = malloc(sizeof *made + (size_t)bytes);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "this device has 4 GiB");
    made->bytes = bytes;
    atomic_fetch_add(&dummy_control.memories, 1);
    *memory = made;
    return PLX_OK;
}

void dummy_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    atomic_fetch_sub(&dummy_control.memories, 1);
    free(memory);
}

plx_status dummy_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    (void)session;
    plx_status status = told_to_fail(error);
    if (status != PLX_OK)
        return status;
    plx_plugin_queue *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    atomic_flag_clear(&made->busy);
    atomic_fetch_add(&dummy_control.queues, 1);
    *queue = made;
    return PLX_OK;
}

void dummy_queue_destroy(plx_plugin_queue *queue)
{
    atomic_fetch_sub(&dummy_control.queues, 1);
    free(queue);
}

plx_status dummy_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    atomic_fetch_add(&dummy_control.synchronized, 1);
    const plx_status status = enter(queue, error);
    return status == PLX_OK ? leave(queue) : status;
}

plx_status dummy_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                        plx_error *error)
{
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    memcpy(to->data + offset, from, (size_t)bytes);
    return leave(queue);
}

plx_status dummy_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                          plx_error *error)
{
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    memcpy(to, from->data + offset, (size_t)bytes);
    return leave(queue);
}

plx_status dummy_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                      plx_error *error)
{
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    for (uint64_t i = 0; i < bytes && i < sizeof pattern; i++)
        memory->data[offset + i] = ((const unsigned char *)&pattern)[i];
    for (uint64_t done = sizeof pattern; done < bytes; done *= 2) /* what is filled is copied behind itself */
        memcpy(memory->data + offset + done, memory->data + offset,
               (size_t)(done < bytes - done ? done : bytes - done));
    return leave(queue);
}

plx_status dummy_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                      uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    memcpy(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    return leave(queue);
}

plx_status dummy_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    plx_status status = told_to_fail(error);
    if (status != PLX_OK)
        return status;
    plx_plugin_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    atomic_fetch_add(&dummy_control.events, 1);
    *event = made;
    return PLX_OK;
}

void dummy_event_destroy(plx_plugin_event *event)
{
    atomic_fetch_sub(&dummy_control.events, 1);
    free(event);
}

plx_status dummy_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    event->at = queue->done;
    return leave(queue);
}

/* A call takes one nanosecond. */
plx_status dummy_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error)
{
    const plx_status status = told_to_fail(error);
    if (status == PLX_OK)
        *nanoseconds = (double)to->at - (double)from->at;
    return status;
}

/* ---- kernels ----------------------------------------------------------- */

static int64_t no_depth(const plx_problem *problem, const plx_device_info *device)
{
    (void)problem;
    (void)device;
    return 0;
}

enum { TWICE = 9 };

/* As deep as the number of its configuration. */
static int64_t depth_of_config(const plx_problem *problem, const plx_device_info *device)
{
    (void)device;
    return problem->config;
}

#define TEXTS .idea = "", .gain = "", .limit = "", .needs = ""
#define ABOUT TEXTS, .depth = no_depth

static const plx_kernel reduce_kernels[] = {
    {.name = "one-by-one", .dtypes = PLX_DTYPE_BIT(PLX_I32), ABOUT},
};

static const plx_kernel gemm_kernels[] = {
    /* Exact enough for TF32, which headers of before had no word for. */
    {.name = "naive", .dtypes = PLX_DTYPE_BIT(PLX_F32), TEXTS, .depth = depth_of_config, .flags = 1u << 7},
    {.name = "wide", .dtypes = PLX_DTYPE_BIT(PLX_F64), ABOUT},
    {.name = "rounded", .dtypes = PLX_DTYPE_BIT(PLX_F32), .compute = PLX_COMPUTE_TF32, ABOUT},
    /* Takes batches, but for those of one B. */
    {.name = "batched", .dtypes = PLX_DTYPE_BIT(PLX_F32), .flags = PLX_KERNEL_BATCHED, ABOUT},
};

const plx_kernel *dummy_kernel(plx_op op, size_t index)
{
    if (op == PLX_REDUCE && index < sizeof reduce_kernels / sizeof reduce_kernels[0])
        return &reduce_kernels[index];
    if (op == PLX_GEMM && index < sizeof gemm_kernels / sizeof gemm_kernels[0])
        return &gemm_kernels[index];
    return NULL;
}

/* Nobody is to be asked for types that were not there yet when it was compiled. */
static void expect_known(const plx_problem *problem)
{
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT || (unsigned)problem->compute >= PLX_COMPUTE_COUNT)
        abort();
}

plx_status dummy_choose(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error)
{
    (void)session;
    expect_known(problem);
    if (dummy_kernel(problem->op, 0) == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "there is no kernel for it");
    *kernel = problem->op == PLX_GEMM && problem->dtype == PLX_F64 ? 1 : 0;
    return PLX_OK;
}

static plx_status serves(const plx_problem *problem, plx_error *error)
{
    if (problem->op == PLX_REDUCE && problem->of.reduce.n == 131313)
        return plx_fail(error, PLX_UNSUPPORTED, "it brings bad luck");
    return PLX_OK;
}

plx_status dummy_configs(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                         size_t capacity, size_t *count, plx_error *error)
{
    static const plx_config all[] = {{.name = "once", .number = 7},
                                     {.name = "twice", .number = TWICE, .expected_us = 3}};
    (void)session;
    (void)error;
    *count = problem->op == PLX_GEMM && kernel == 0 ? 2 : 0;
    for (size_t i = 0; i < *count && i < capacity; i++)
        configs[i] = all[i];
    return PLX_OK;
}

plx_status dummy_supports(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error)
{
    (void)session;
    if (problem->op == PLX_GEMM && kernel == 3 && problem->batch.batched && problem->batch.stride[1] == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "each problem has its B");
    return serves(problem, error);
}

plx_status dummy_plan(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                      plx_error *error)
{
    (void)session;
    plx_status status = told_to_fail(error);
    if (status == PLX_OK)
        status = serves(problem, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory");
    made->problem = *problem;
    made->kernel = kernel;
    atomic_store(&dummy_control.config, problem->config);
    atomic_fetch_add(&dummy_control.plans, 1);
    atomic_fetch_add(&dummy_control.plans_made, 1);
    *plan = made;
    return PLX_OK;
}

void dummy_plan_destroy(plx_plugin_plan *plan)
{
    atomic_fetch_sub(&dummy_control.plans, 1);
    memset(plan, 0xdd, sizeof *plan); /* whoever still uses it shall notice */
    free(plan);
}

/* Sums wrap. */
static int32_t combined(plx_reduction reduction, int32_t first, int32_t second)
{
    switch (reduction) {
    case PLX_MIN:
        return first < second ? first : second;
    case PLX_MAX:
        return first > second ? first : second;
    default:
        return (int32_t)((uint32_t)first + (uint32_t)second);
    }
}

static void reduce_i32(const plx_reduce_problem *problem, const plx_operand *operands)
{
    int32_t result = problem->reduction == PLX_MIN ? INT32_MAX : problem->reduction == PLX_MAX ? INT32_MIN : 0, element;
    for (int64_t i = 0; i < problem->n; i++) {
        memcpy(&element, operands[0].memory->data + operands[0].offset + (uint64_t)i * 4, 4);
        result = combined(problem->reduction, result, element);
    }
    memcpy(operands[1].memory->data + operands[1].offset, &result, 4);
}

static float element_of(const plx_operand *operand, int64_t index)
{
    float element;
    memcpy(&element, operand->memory->data + operand->offset + (uint64_t)index * 4, 4);
    return element;
}

static void gemm_f32(const plx_gemm_problem *problem, const plx_operand *operands)
{
    for (int64_t i = 0; i < problem->m; i++) {
        for (int64_t j = 0; j < problem->n; j++) {
            float sum = 0.0F;
            for (int64_t k = 0; k < problem->k; k++)
                sum += element_of(&operands[0], problem->trans_a ? k * problem->lda + i : i * problem->lda + k) *
                       element_of(&operands[1], problem->trans_b ? j * problem->ldb + k : k * problem->ldb + j);
            sum *= (float)problem->alpha;
            if (problem->beta != 0)
                sum += (float)problem->beta * element_of(&operands[2], i * problem->ldc + j);
            memcpy(operands[2].memory->data + operands[2].offset + (uint64_t)(i * problem->ldc + j) * 4, &sum, 4);
        }
    }
}

/* All of a batch that it is given. */
static void gemms_f32(const plx_problem *problem, const plx_operand *operands)
{
    const int64_t count = problem->batch.batched ? problem->batch.count : 1;
    plx_operand at[] = {operands[0], operands[1], operands[2]};
    for (int64_t which = 0; which < count; which++) {
        gemm_f32(&problem->of.gemm, at);
        for (int i = 0; i < 3; i++)
            at[i].offset += (uint64_t)problem->batch.stride[i] * sizeof(float);
    }
}

/* $DUMMY_PAUSE=FILE: execution $DUMMY_PAUSE_AT of products of 70 x 300 x 33 with nothing transposed, which check tries
 * in all configurations, makes that file, and waits until it is gone. */
static void pause_if_wanted(const plx_problem *problem)
{
    static long executions;
    const plx_gemm_problem *gemm = &problem->of.gemm;
    const char *file = getenv("DUMMY_PAUSE"), *number = getenv("DUMMY_PAUSE_AT");
    if (file == NULL || number == NULL || problem->op != PLX_GEMM || gemm->m != 70 || gemm->n != 300 || gemm->k != 33 ||
        gemm->trans_a || gemm->trans_b || ++executions != strtol(number, NULL, 10))
        return;
    FILE *mark = fopen(file, "w");
    while (mark != NULL) {
        (void)fclose(mark);
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        mark = fopen(file, "r");
    }
}

plx_status dummy_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                         plx_error *error)
{
    (void)count;
    const plx_status status = enter(queue, error);
    if (status != PLX_OK)
        return status;
    pause_if_wanted(&plan->problem);
    if (plan->problem.op == PLX_REDUCE)
        reduce_i32(&plan->problem.of.reduce, operands);
    else if (plan->problem.dtype == PLX_F32)
        gemms_f32(&plan->problem, operands);
    atomic_fetch_add(&dummy_control.executions, 1);
    if (plan->problem.config == TWICE)
        (void)plx_fail(error, PLX_OK, "it ran but once");
    return leave(queue);
}

plx_status dummy_count(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                       plx_counters *counters, plx_error *error)
{
    const double none = (double)NAN;
    const plx_status status = dummy_execute(plan, queue, operands, count, error);
    if (status != PLX_OK)
        return status;
    *counters = (plx_counters){
        .global_load_sectors = 64,
        .global_load_requests = none,
        .global_store_sectors = none,
        .global_store_requests = none,
        .shared_load_conflicts = none,
        .shared_store_conflicts = none,
        .achieved_occupancy = none,
        .dram_read_bytes = none,
        .dram_write_bytes = none,
        .duration_ns = none,
    };
    return PLX_OK;
}

plx_status dummy_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error)
{
    (void)session;
    (void)error;
    *telemetry = (plx_telemetry){.known = PLX_KNOWS_SM_CLOCK, .sm_clock_mhz = 1000.0};
    return PLX_OK;
}
