/* The plugin "host": memory, queues and events of the CPU, and its descriptor.
 * A queue carries everything out at once, in the caller's thread. */
#define _POSIX_C_SOURCE 200809L
#include "host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_CONFIG_H
#include <config.h>
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unversioned"
#endif

enum { ALIGNMENT = 256 };

struct plx_session {
    plx_device_info device;
};

struct plx_memory {
    char *data;
    uint64_t bytes;
};

struct plx_plugin_queue {
    plx_session *session;
};

struct plx_plugin_event {
    bool recorded;
    struct timespec when;
};

struct plx_plugin_plan {
    plx_problem problem;
    const host_kernel *kernel;
};

/* ---- device ------------------------------------------------------------ */

static plx_status host_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    error->text[0] = '\0';
    if (capacity > 0)
        host_describe(&devices[0]);
    *count = 1;
    return PLX_OK;
}

static plx_status host_open(size_t device, plx_session **session, plx_error *error)
{
    if (device != 0)
        return plx_fail(error, PLX_NOT_FOUND, "host has one device, number 0; there is no %zu", device);
    plx_session *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a session");
    host_describe(&made->device);
    *session = made;
    return PLX_OK;
}

static void host_close(plx_session *session)
{
    free(session);
}

/* ---- memory ------------------------------------------------------------ */

static plx_status host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    void *data = NULL;
    plx_memory *made = NULL;
    uint64_t most = session->device.max_alloc_bytes; /* more would be granted, and end the process later */
    if (most > 0 && bytes > most)
        return plx_fail(error, PLX_NO_MEMORY, "%" PRIu64 " bytes are more than the machine's %" PRIu64, bytes,
                        most);
    if (bytes > SIZE_MAX - ALIGNMENT || (made = malloc(sizeof *made)) == NULL ||
        posix_memalign(&data, ALIGNMENT, bytes > 0 ? (size_t)bytes : 1) != 0) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %" PRIu64 " bytes", bytes);
    }
    *made = (plx_memory){.data = data, .bytes = bytes};
    *memory = made;
    return PLX_OK;
}

static void host_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    if (memory != NULL)
        free(memory->data);
    free(memory);
}

/* ---- queue ------------------------------------------------------------- */

static plx_status host_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    plx_plugin_queue *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a queue");
    made->session = session;
    *queue = made;
    return PLX_OK;
}

static void host_queue_destroy(plx_plugin_queue *queue)
{
    free(queue);
}

static plx_status host_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    (void)queue;
    (void)error;
    return PLX_OK;
}

static plx_status check_range(const char *what, const plx_memory *memory, uint64_t offset, uint64_t bytes,
                              plx_error *error)
{
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: %" PRIu64 " bytes at %" PRIu64 " lie outside a buffer of %" PRIu64 " bytes", what,
                    bytes, offset, memory->bytes);
}

static plx_status host_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                              uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("upload", to, offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memcpy(to->data + offset, from, (size_t)bytes);
    return status;
}

static plx_status host_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                                uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("download", from, offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memcpy(to, from->data + offset, (size_t)bytes);
    return status;
}

static plx_status host_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                            uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("fill", memory, offset, bytes, error);
    if (status == PLX_OK && (offset % sizeof pattern != 0 || bytes % sizeof pattern != 0))
        status =
            plx_fail(error, PLX_INVALID, "fill: offset and length must be multiples of %zu", sizeof pattern);
    if (status != PLX_OK)
        return status;
    for (uint64_t i = 0; i < bytes; i += sizeof pattern)
        memcpy(memory->data + offset + i, &pattern, sizeof pattern);
    return PLX_OK;
}

static plx_status host_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                            uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("copy", to, to_offset, bytes, error);
    if (status == PLX_OK)
        status = check_range("copy", from, from_offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memmove(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    return status;
}

/* ---- events ------------------------------------------------------------ */

static plx_status host_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    plx_plugin_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an event");
    *event = made;
    return PLX_OK;
}

static void host_event_destroy(plx_plugin_event *event)
{
    free(event);
}

static plx_status host_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    (void)queue;
    if (clock_gettime(CLOCK_MONOTONIC, &event->when) != 0)
        return plx_fail(error, PLX_FAILED, "the monotonic clock can't be read");
    event->recorded = true;
    return PLX_OK;
}

static plx_status host_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                     plx_error *error)
{
    if (!from->recorded || !to->recorded)
        return plx_fail(error, PLX_INVALID, "an event was not recorded");
    *nanoseconds =
        (double)(to->when.tv_sec - from->when.tv_sec) * 1e9 + (double)(to->when.tv_nsec - from->when.tv_nsec);
    return PLX_OK;
}

/* ---- kernels ----------------------------------------------------------- */

static const host_kernel *const kernels[PLX_OP_COUNT] = {
    [PLX_REDUCE] = &host_reduce,
    [PLX_TRANSPOSE] = &host_transpose,
    [PLX_MATVEC] = &host_matvec,
    [PLX_GEMM] = &host_gemm,
};

static const plx_kernel *host_kernel_at(plx_op op, size_t index)
{
    if ((unsigned)op >= PLX_OP_COUNT || kernels[op] == NULL || index > 0)
        return NULL;
    return &kernels[op]->about;
}

static plx_status host_choose(plx_session *session, const plx_problem *problem, size_t *kernel,
                              plx_error *error)
{
    (void)session;
    const plx_kernel *only = host_kernel_at(problem->op, 0);
    if (only == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "host has no kernel for operation %d", (int)problem->op);
    if ((unsigned)problem->dtype >= PLX_DTYPE_COUNT || (only->dtypes & PLX_DTYPE_BIT(problem->dtype)) == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "the host kernel does not take this element type");
    *kernel = 0;
    return PLX_OK;
}

static plx_status host_plan(plx_session *session, const plx_problem *problem, size_t kernel,
                            plx_plugin_plan **plan, plx_error *error)
{
    size_t only = 0;
    plx_status status = host_choose(session, problem, &only, error);
    if (status != PLX_OK)
        return status;
    if (kernel != only)
        return plx_fail(error, PLX_NOT_FOUND, "host has one kernel for each operation");
    plx_plugin_plan *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a plan");
    *made = (plx_plugin_plan){.problem = *problem, .kernel = kernels[problem->op]};
    *plan = made;
    return PLX_OK;
}

static void host_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

static plx_status host_execute(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands,
                               size_t count, plx_error *error)
{
    (void)queue;
    void *at[PLX_MAX_OPERANDS] = {NULL};
    if (count > PLX_MAX_OPERANDS)
        return plx_fail(error, PLX_INVALID, "%zu operands are more than any operation has", count);
    for (size_t i = 0; i < count; i++)
        if (operands[i].memory != NULL)
            at[i] = operands[i].memory->data + operands[i].offset;
    return plan->kernel->run(&plan->problem, at, error);
}

static const plx_plugin host_plugin = {
    .abi = PLX_PLUGIN_ABI,
    .size = sizeof(plx_plugin),
    .name = "host",
    .version = PACKAGE_VERSION,
    .summary = "reference kernels on the CPU",
    .probe = host_probe,
    .open = host_open,
    .close = host_close,
    .alloc = host_alloc,
    .free = host_free,
    .queue_create = host_queue_create,
    .queue_destroy = host_queue_destroy,
    .synchronize = host_synchronize,
    .upload = host_upload,
    .download = host_download,
    .fill = host_fill,
    .copy = host_copy,
    .event_create = host_event_create,
    .event_destroy = host_event_destroy,
    .event_record = host_event_record,
    .event_elapsed = host_event_elapsed,
    .kernel = host_kernel_at,
    .choose = host_choose,
    .plan = host_plan,
    .plan_destroy = host_plan_destroy,
    .execute = host_execute,
    .count = plx_no_counters,
    .telemetry = plx_no_telemetry,
};

const plx_plugin *plx_plugin_entry(void)
{
    return &host_plugin;
}
