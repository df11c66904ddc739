/* Queues: streams with what is enqueued on them, their scratch memory, and
 * events with their times. */
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
    if (plx_cuda_enter_relaxed(queue->session, &thread, &ignored) == PLX_OK) {
        (void)plx_cuda.StreamSynchronize(queue->stream);
        if (queue->scratch != 0)
            (void)plx_cuda.MemFree(queue->scratch);
        (void)plx_cuda.StreamDestroy(queue->stream);
    }
    plx_cuda_leave(&thread);
    free(queue);
}

plx_status plx_cuda_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(queue->session, error, StreamSynchronize, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- transfers ------------------------------------------------------- */

/* Where a piece of memory starts. */
static plx_status locate(const plx_memory *memory, uint64_t offset, uint64_t bytes, CUdeviceptr *address,
                         plx_error *error)
{
    if (offset > memory->bytes || bytes > memory->bytes - offset)
        return plx_fail(error, PLX_INVALID, "%llu bytes at offset %llu do not lie in a buffer of %llu",
                        (unsigned long long)bytes, (unsigned long long)offset,
                        (unsigned long long)memory->bytes);
    *address = memory->address + offset;
    return PLX_OK;
}

plx_status plx_cuda_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                           uint64_t bytes, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = locate(to, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyHtoDAsync, address, from, bytes, queue->stream);
    /* The caller may reuse `from` now.  Pageable memory has been staged already,
     * but page-locked memory is still being read. */
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, StreamSynchronize, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                             uint64_t bytes, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = locate(from, offset, bytes, &address, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyDtoHAsync, to, address, bytes, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset,
                         uint32_t pattern, uint64_t bytes, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = locate(memory, offset, bytes, &address, error);
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

plx_status plx_cuda_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset,
                         plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    CUdeviceptr target = 0, source = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = locate(to, to_offset, bytes, &target, error);
    if (status == PLX_OK)
        status = locate(from, from_offset, bytes, &source, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemcpyDtoDAsync, target, source, bytes, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- scratch memory -------------------------------------------------- */

/* What is enqueued may still use the old scratch memory: it is waited for. */
static plx_status scratch_release(plx_plugin_queue *queue, plx_error *error)
{
    CUdeviceptr old = queue->scratch;
    plx_status status = PLX_CUDA(queue->session, error, StreamSynchronize, queue->stream);
    if (status != PLX_OK)
        return status;
    queue->scratch = 0;
    queue->scratch_bytes = 0;
    return old != 0 ? PLX_CUDA(queue->session, error, MemFree, old) : PLX_OK;
}

/* With the thread relaxed. */
static plx_status grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_session *session = queue->session;
    plx_status status = scratch_release(queue, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemAlloc, &address, bytes);
    if (status == PLX_NO_MEMORY)
        (void)plx_fail(error, status, "%s has no %llu bytes left for scratch memory",
                       session->info.name, (unsigned long long)bytes);
    if (status != PLX_OK)
        return status;
    status = PLX_CUDA(session, error, MemsetD32Async, address, 0, zeroed / 4, queue->stream);
    if (status != PLX_OK) {
        (void)plx_cuda.MemFree(address);
        return status;
    }
    queue->scratch = address;
    queue->scratch_bytes = bytes;
    return PLX_OK;
}

plx_status plx_cuda_scratch_grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed,
                                 plx_error *error)
{
    plx_cuda_thread thread;
    if (bytes < zeroed)
        bytes = zeroed;
    if (bytes <= queue->scratch_bytes)
        return PLX_OK;
    plx_status status = plx_cuda_enter_relaxed(queue->session, &thread, error);
    if (status == PLX_OK)
        status = grow(queue, bytes, zeroed, error);
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
    plx_status status = plx_cuda_enter(queue->session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(queue->session, error, EventRecord, event->event, queue->stream);
    plx_cuda_leave(&thread);
    return status;
}

plx_status plx_cuda_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                  plx_error *error)
{
    float milliseconds = 0.0f;
    plx_session *session = to->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter(session, &thread, error);
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
