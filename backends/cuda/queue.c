/* Queues: streams with what is enqueued on them, and events with their times.  What waits is done outside of captures
 * that the calling thread may have begun on other streams, which a wait would end. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>

plx_status plx_cuda_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    plx_cuda_thread thread;
    plx_plugin_queue *created = calloc(1, sizeof *created);
    if (created == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a queue");
    /* Non-blocking: other libraries' work on the legacy stream must not order ours. */
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, StreamCreate, &created->stream, CU_STREAM_NON_BLOCKING);
    plx_cuda_leave(&thread);
    if (status != PLX_OK) {
        free(created);
        return status;
    }
    created->session = session;
    *queue = created;
    return PLX_OK;
}

void plx_cuda_queue_destroy(plx_plugin_queue *queue)
{
    plx_error ignored;
    plx_cuda_thread thread;
    if (queue == NULL)
        return;
    const bool alive = plx_cuda_enter_relaxed(queue->session, &thread, &ignored) == PLX_OK;
    if (alive && !queue->borrowed)
        (void)plx_cuda.StreamSynchronize(queue->stream);
    plx_cuda_scratch_end(queue, alive);
    if (alive && queue->order != NULL)
        (void)plx_cuda.EventDestroy(queue->order);
    if (alive && !queue->borrowed)
        (void)plx_cuda.StreamDestroy(queue->stream);
    plx_cuda_leave(&thread);
    free(queue);
}

plx_status plx_cuda_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(queue->session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_refuse_capture(queue, "wait when the graph has been launched", error);
    if (status == PLX_OK)
        status = PLX_CUDA(queue->session, error, StreamSynchronize, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- transfers ------------------------------------------------------- */

/* Where a piece of memory starts. */
plx_status plx_cuda_locate(const plx_memory *memory, uint64_t offset, uint64_t bytes, CUdeviceptr *address,
                           plx_error *error)
{
    if (offset > memory->bytes || bytes > memory->bytes - offset)
        return plx_fail(error, PLX_INVALID, "%llu bytes at offset %llu do not lie in a buffer of %llu",
                        (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)memory->bytes);
    *address = memory->address + offset;
    return PLX_OK;
}

plx_status plx_cuda_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                           plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(to, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_refuse_capture(queue, "plx_upload_async() from page-locked memory does not wait", error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyHtoDAsync, address, from, bytes, queue->stream);
    /* The caller may reuse `from` now.  Pageable memory has been staged already,
     * but page-locked memory is still being read. */
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, StreamSynchronize, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

/* A graph that copies to or from memory of the host needs it to be page-locked: to any other it would be another copy.
 */
static plx_status check_host_side(plx_plugin_queue *queue, const void *host, plx_error *error)
{
    bool capturing = false;
    const plx_status status = plx_cuda_capturing(queue, &capturing, error);
    if (status != PLX_OK || !capturing || plx_cuda_is_page_locked(queue->session, host))
        return status;
    return plx_fail(error, PLX_INVALID,
                    "the stream is being captured, and 0x%llx is no page-locked memory: "
                    "plx_pinned_create() makes some",
                    (unsigned long long)(uintptr_t)host);
}

plx_status plx_cuda_upload_async(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                                 uint64_t bytes, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(to, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = check_host_side(queue, from, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyHtoDAsync, address, from, bytes, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                             plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(from, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = check_host_side(queue, to, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyDtoHAsync, to, address, bytes, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                         plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(memory, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    if (offset % 4 != 0 || bytes % 4 != 0)
        return plx_fail(error, PLX_INVALID, "a fill of %llu bytes at offset %llu is no multiple of 4",
                        (unsigned long long)bytes, (unsigned long long)offset);
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemsetD32Async, address, pattern, bytes / 4, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                         uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    CUdeviceptr target = 0, source = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(to, to_offset, bytes, &target, error);
    if (status == PLX_OK)
        status = plx_cuda_locate(from, from_offset, bytes, &source, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyDtoDAsync, target, source, bytes, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- events ---------------------------------------------------------- */

plx_status plx_cuda_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    plx_cuda_thread thread;
    plx_plugin_event *created = calloc(1, sizeof *created);
    if (created == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for an event");
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, EventCreate, &created->event, CU_EVENT_DEFAULT);
    plx_cuda_leave(&thread);
    if (status != PLX_OK) {
        free(created);
        return status;
    }
    created->session = session;
    *event = created;
    return PLX_OK;
}

void plx_cuda_event_destroy(plx_plugin_event *event)
{
    plx_error ignored;
    plx_cuda_thread thread;
    if (event == NULL)
        return;
    if (plx_cuda_enter_relaxed(event->session, &thread, &ignored) == PLX_OK)
        (void)plx_cuda.EventDestroy(event->event);
    plx_cuda_leave(&thread);
    free(event);
}

plx_status plx_cuda_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    plx_cuda_thread thread;
    bool capturing = false;
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_capturing(queue, &capturing, error);
    if (status == PLX_OK)
        status = PLX_CUDA(queue->session, error, EventRecord, event->event, queue->stream);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        event->captured = capturing;
    return status;
}

plx_status plx_cuda_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error)
{
    float milliseconds = 0.0f;
    plx_session *session = to->session;
    plx_cuda_thread thread;
    if (from->captured || to->captured)
        return plx_fail(error, PLX_INVALID, "an event was recorded while its stream was captured, and so has no time");
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, EventSynchronize, to->event);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, EventElapsedTime, &milliseconds, from->event, to->event);
    plx_cuda_leave(&thread);
    if (status != PLX_OK)
        return status;
    *nanoseconds = (double)milliseconds * 1e6;
    return PLX_OK;
}
