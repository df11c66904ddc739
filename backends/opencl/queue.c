/* Queues, transfers, events and launches. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/session.h"

#include <inttypes.h>
#include <stdlib.h>

/* One command's share of a long fill or copy; some drivers hold a command's
 * length in 32 bits. */
#define PIECE (UINT64_C(1) << 30)

/* NVIDIA's driver breaks the context when it fills what lies beyond 4 GiB of a buffer
 * (seen with 580.159): what ends there is written from the host. */
#define FILL_END (UINT64_C(1) << 32)

struct plx_plugin_event {
    plx_session *session;
    cl_event event; /* NULL until it is recorded */
    bool has_no_time;
};

/* ---- a device that is lost ------------------------------------------------- */

/* After a kernel went wrong NVIDIA's driver answers every wait with one of these,
 * and nothing runs in that context again. */
static bool is_sticky(const plx_session *session, cl_int code)
{
    if (!(session->info.features & PLX_FEATURE_NVIDIA_PTX))
        return false;
    return code == CL_OUT_OF_RESOURCES || code == CL_INVALID_COMMAND_QUEUE ||
           code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST || code == -9999;
}

static plx_status check_wait(plx_session *session, cl_int code, const char *function, plx_error *error)
{
    if (!is_sticky(session, code))
        return plx_cl_check(code, function, error);
    atomic_store(&session->lost, true);
    char name[32];
    return plx_fail(error, PLX_DEVICE_LOST, "%s failed: %s: a kernel broke the context of %s", function,
                    plx_cl_error_name(code, name), session->info.name);
}

/* ---- queues ------------------------------------------------------------------ */

plx_status plx_cl_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    plx_plugin_queue *made = calloc(1, sizeof *made);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL queue");
    cl_int code;
    made->session = session;
    made->queue = plx_cl.CreateCommandQueue(session->context, session->device, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code != CL_SUCCESS) {
        free(made);
        return plx_cl_check(code, "clCreateCommandQueue", error);
    }
    *queue = made;
    return PLX_OK;
}

void plx_cl_queue_destroy(plx_plugin_queue *queue)
{
    if (!queue)
        return;
    if (!queue->theirs)
        (void)plx_cl.Finish(queue->queue);
    if (queue->scratch.buffer)
        (void)plx_cl.ReleaseMemObject(queue->scratch.buffer);
    (void)plx_cl.ReleaseCommandQueue(queue->queue);
    free(queue);
}

plx_status plx_cl_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status != PLX_OK)
        return status;
    return check_wait(queue->session, plx_cl.Finish(queue->queue), "clFinish", error);
}

/* ---- scratch ----------------------------------------------------------------- */

plx_status plx_cl_scratch(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, plx_error *error)
{
    if (queue->scratch.bytes >= bytes)
        return PLX_OK;
    plx_status status = queue->theirs ? plx_cl_alive(queue->session, error) : plx_cl_synchronize(queue, error);
    if (status != PLX_OK)
        return status;
    plx_memory made;
    status = plx_cl_create_buffer(queue->session, bytes < 65536 ? 65536 : bytes, &made, error);
    if (status == PLX_OK && zeroed > 0) {
        status = plx_cl_fill(queue, &made, 0, 0, zeroed, error);
        if (status != PLX_OK)
            (void)plx_cl.ReleaseMemObject(made.buffer);
    }
    if (status != PLX_OK)
        return status;
    if (queue->scratch.buffer)
        (void)plx_cl.ReleaseMemObject(queue->scratch.buffer);
    queue->scratch = made;
    return PLX_OK;
}

/* Buffers are told whole, so that scratch memory begins where one does. */
plx_status plx_cl_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                               uint64_t zeroed, plx_error *error)
{
    plx_memory lent = {.buffer = NULL};
    plx_status status = plx_cl_alive(queue->session, error);
    if (status != PLX_OK)
        return status;
    if (memory != NULL && offset != 0)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "scratch memory of OpenCL begins where a buffer does, and this at byte %" PRIu64, offset);
    if (memory != NULL && bytes < zeroed)
        return plx_fail(error, PLX_INVALID, "scratch memory has at least %" PRIu64 " bytes", zeroed);
    if (memory != NULL) {
        status = PLX_CL(error, RetainMemObject, memory->buffer);
        lent = (plx_memory){.buffer = memory->buffer, .bytes = bytes, .serial = memory->serial};
    }
    if (status == PLX_OK && memory != NULL && zeroed > 0) {
        status = plx_cl_fill(queue, &lent, 0, 0, zeroed, error);
        if (status != PLX_OK)
            (void)plx_cl.ReleaseMemObject(lent.buffer);
    }
    if (status == PLX_OK && !queue->theirs)
        status = plx_cl_synchronize(queue, error);
    if (status != PLX_OK)
        return status;
    if (queue->scratch.buffer)
        (void)plx_cl.ReleaseMemObject(queue->scratch.buffer);
    queue->scratch = lent;
    return PLX_OK;
}

/* ---- transfers ----------------------------------------------------------------- */

static plx_status check_range(const char *what, const plx_memory *memory, uint64_t offset, uint64_t bytes,
                              plx_error *error)
{
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: %" PRIu64 " bytes at %" PRIu64 " lie outside a buffer of %" PRIu64 " bytes", what, bytes,
                    offset, memory->bytes);
}

/* Blocking: the caller may change `from` at once. */
static plx_status write_pieces(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, cl_bool blocking, plx_error *error)
{
    plx_status status = PLX_OK;
    for (uint64_t done = 0; status == PLX_OK && done < bytes; done += PIECE) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        cl_int code = plx_cl.EnqueueWriteBuffer(queue->queue, to->buffer, blocking, (size_t)(offset + done),
                                                (size_t)piece, (const char *)from + done, 0, NULL, NULL);
        status = check_wait(queue->session, code, "clEnqueueWriteBuffer", error);
    }
    return status;
}

static plx_status upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                         cl_bool blocking, plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status == PLX_OK)
        status = check_range("upload", to, offset, bytes, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    return write_pieces(queue, to, offset, from, bytes, blocking, error);
}

plx_status plx_cl_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                         plx_error *error)
{
    return upload(queue, to, offset, from, bytes, CL_TRUE, error);
}

plx_status plx_cl_upload_async(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, plx_error *error)
{
    return upload(queue, to, offset, from, bytes, CL_FALSE, error);
}

plx_status plx_cl_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                           plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status == PLX_OK)
        status = check_range("download", from, offset, bytes, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    for (uint64_t done = 0; status == PLX_OK && done < bytes; done += PIECE) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        status = PLX_CL(error, EnqueueReadBuffer, queue->queue, from->buffer, CL_FALSE, (size_t)(offset + done),
                        (size_t)piece, (char *)to + done, 0, NULL, NULL);
    }
    return status;
}

/* Repeats the pattern from the host. */
static plx_status fill_from_host(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                                 uint64_t bytes, plx_error *error)
{
    const uint64_t most = UINT64_C(64) << 20, block = bytes < most ? bytes : most;
    plx_status status = PLX_OK;
    uint32_t *repeated = malloc((size_t)block);
    if (!repeated)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory to fill from");
    for (uint64_t i = 0; i < block / sizeof pattern; i++)
        repeated[i] = pattern;
    for (uint64_t done = 0; status == PLX_OK && done < bytes; done += block)
        status = write_pieces(queue, memory, offset + done, repeated, bytes - done < block ? bytes - done : block,
                              CL_TRUE, error);
    free(repeated);
    return status;
}

plx_status plx_cl_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                       plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status == PLX_OK)
        status = check_range("fill", memory, offset, bytes, error);
    if (status == PLX_OK && offset + bytes > FILL_END && !(queue->session->info.features & PLX_FEATURE_CPU))
        return fill_from_host(queue, memory, offset, pattern, bytes, error);
    for (uint64_t done = 0; status == PLX_OK && done < bytes; done += PIECE) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        status = PLX_CL(error, EnqueueFillBuffer, queue->queue, memory->buffer, &pattern, sizeof pattern,
                        (size_t)(offset + done), (size_t)piece, 0, NULL, NULL);
    }
    return status;
}

plx_status plx_cl_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                       uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status == PLX_OK)
        status = check_range("copy to", to, to_offset, bytes, error);
    if (status == PLX_OK)
        status = check_range("copy from", from, from_offset, bytes, error);
    for (uint64_t done = 0; status == PLX_OK && done < bytes; done += PIECE) {
        uint64_t piece = bytes - done < PIECE ? bytes - done : PIECE;
        status = PLX_CL(error, EnqueueCopyBuffer, queue->queue, from->buffer, to->buffer, (size_t)(from_offset + done),
                        (size_t)(to_offset + done), (size_t)piece, 0, NULL, NULL);
    }
    return status;
}

/* ---- events -------------------------------------------------------------------- */

plx_status plx_cl_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    plx_plugin_event *made = calloc(1, sizeof *made);
    if (!made)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL event");
    made->session = session;
    *event = made;
    return PLX_OK;
}

void plx_cl_event_destroy(plx_plugin_event *event)
{
    if (!event)
        return;
    if (event->event)
        (void)plx_cl.ReleaseEvent(event->event);
    free(event);
}

/* A marker ends when all that was enqueued before it has ended. */
plx_status plx_cl_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    plx_status status = plx_cl_alive(queue->session, error);
    if (status != PLX_OK)
        return status;
    cl_event marker = NULL;
    status = PLX_CL(error, EnqueueMarkerWithWaitList, queue->queue, 0, NULL, &marker);
    if (status != PLX_OK)
        return status;
    if (event->event)
        (void)plx_cl.ReleaseEvent(event->event);
    event->event = marker;
    event->has_no_time = queue->has_no_times;
    return PLX_CL(error, Flush, queue->queue);
}

static plx_status end_of(cl_event event, cl_ulong *nanoseconds, plx_error *error)
{
    return PLX_CL(error, GetEventProfilingInfo, event, CL_PROFILING_COMMAND_END, sizeof *nanoseconds, nanoseconds,
                  NULL);
}

plx_status plx_cl_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error)
{
    if (!from->event || !to->event)
        return plx_fail(error, PLX_INVALID, "elapsed time between events that were not both recorded");
    if (from->has_no_time || to->has_no_time)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the queue has no times: it was created without CL_QUEUE_PROFILING_ENABLE");
    const cl_event both[] = {from->event, to->event};
    cl_ulong start = 0, end = 0;
    plx_status status = check_wait(to->session, plx_cl.WaitForEvents(2, both), "clWaitForEvents", error);
    if (status == PLX_OK)
        status = end_of(from->event, &start, error);
    if (status == PLX_OK)
        status = end_of(to->event, &end, error);
    if (status != PLX_OK)
        return status;
    *nanoseconds = end >= start ? (double)(end - start) : -(double)(start - end);
    return PLX_OK;
}

/* ---- launches -------------------------------------------------------------------- */

plx_status plx_cl_launch(plx_plugin_queue *queue, cl_kernel kernel, const size_t global[3], const size_t local[3],
                         plx_error *error)
{
    return PLX_CL(error, EnqueueNDRangeKernel, queue->queue, kernel, 3, NULL, global, local, 0, NULL, NULL);
}
