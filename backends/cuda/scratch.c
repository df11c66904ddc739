/* Scratch memory of queues: how it grows, also while a stream is captured into a graph, and what becomes of
 * the old. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>

/* ---- captures --------------------------------------------------------------- */

plx_status plx_cuda_capturing(plx_plugin_queue *queue, bool *capturing, plx_error *error)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    *capturing = false;
    if (!queue->shared) /* nobody knows the stream */
        return PLX_OK;
    const CUresult result = plx_cuda.StreamIsCapturing(queue->stream, &status);
    if (result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
        return plx_fail(error, PLX_INVALID,
                        "the legacy default stream can't be used while another stream is being captured");
    if (result != CUDA_SUCCESS)
        return plx_cuda_explain(queue->session, error, result, "cuStreamIsCapturing");
    if (status == CU_STREAM_CAPTURE_STATUS_INVALIDATED)
        return plx_fail(error, PLX_INVALID,
                        "the capture of the stream was broken before, by another call: end it, and begin "
                        "anew");
    *capturing = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return PLX_OK;
}

plx_status plx_cuda_refuse_capture(plx_plugin_queue *queue, const char *remedy, plx_error *error)
{
    bool capturing = false;
    const plx_status status = plx_cuda_capturing(queue, &capturing, error);
    if (status != PLX_OK || !capturing)
        return status;
    return plx_fail(error, PLX_INVALID, "the stream is being captured, which this would end: %s", remedy);
}

/* ---- memory that nothing new uses -------------------------------------------- */

struct plx_cuda_retired {
    plx_cuda_retired *next;
    CUdeviceptr address;
    CUevent passed; /* behind the last that may use it; NULL: there is no telling */
};

static void release(plx_cuda_retired *old)
{
    (void)plx_cuda.MemFree(old->address);
    if (old->passed != NULL)
        (void)plx_cuda.EventDestroy(old->passed);
    free(old);
}

static void release_all(plx_cuda_retired **list)
{
    while (*list != NULL) {
        plx_cuda_retired *old = *list;
        *list = old->next;
        if (old->passed != NULL)
            (void)plx_cuda.EventSynchronize(old->passed);
        release(old);
    }
}

static void forget_all(plx_cuda_retired **list)
{
    while (*list != NULL) {
        plx_cuda_retired *old = *list;
        *list = old->next;
        free(old);
    }
}

void plx_cuda_sweep(plx_session *session)
{
    (void)pthread_mutex_lock(&session->lock);
    for (plx_cuda_retired **link = &session->retired; *link != NULL;) {
        plx_cuda_retired *old = *link;
        if (old->passed != NULL && plx_cuda.EventQuery(old->passed) == CUDA_SUCCESS) {
            *link = old->next;
            release(old);
        } else {
            link = &old->next;
        }
    }
    (void)pthread_mutex_unlock(&session->lock);
}

void plx_cuda_sweep_all(plx_session *session)
{
    if (atomic_load(&session->lost))
        forget_all(&session->retired);
    else
        release_all(&session->retired);
}

/* Puts the queue's own scratch memory aside, in a node that is there; lent memory is its owner's. */
static void retire(plx_plugin_queue *queue, plx_cuda_retired *node)
{
    if (queue->scratch == 0 || queue->lent) {
        free(node);
    } else {
        *node = (plx_cuda_retired){.next = queue->retired, .address = queue->scratch};
        queue->retired = node;
    }
    queue->scratch = 0;
    queue->scratch_bytes = 0;
    queue->lent = false;
}

/* ---- growth ------------------------------------------------------------------- */

static plx_status allocate(plx_session *session, uint64_t bytes, CUdeviceptr *address, plx_error *error)
{
    const plx_status status = PLX_CUDA(session, error, MemAlloc, address, bytes);
    return status != PLX_NO_MEMORY ? status
                                   : plx_fail(error, status, "%s has no %llu bytes left for scratch memory",
                                              session->info.name, (unsigned long long)bytes);
}

/* A queue that nobody else knows: what is enqueued may still use the old memory, and is waited for. */
static plx_status release_own(plx_plugin_queue *queue, plx_error *error)
{
    const CUdeviceptr old = queue->lent ? 0 : queue->scratch;
    const plx_status status = PLX_CUDA(queue->session, error, StreamSynchronize, queue->stream);
    if (status != PLX_OK)
        return status;
    queue->scratch = 0;
    queue->scratch_bytes = 0;
    queue->lent = false;
    return old != 0 ? PLX_CUDA(queue->session, error, MemFree, old) : PLX_OK;
}

/* Zeroes it by a stream of its own, which is waited for: of a capture it must not become a part. */
static plx_status zero_apart(plx_session *session, CUdeviceptr address, uint64_t bytes, plx_error *error)
{
    CUstream stream = NULL;
    plx_status status = PLX_CUDA(session, error, StreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    if (status != PLX_OK)
        return status;
    status = PLX_CUDA(session, error, MemsetD32Async, address, 0, bytes / 4, stream);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, StreamSynchronize, stream);
    (void)plx_cuda.StreamDestroy(stream);
    return status;
}

static plx_status zero(plx_plugin_queue *queue, CUdeviceptr address, uint64_t bytes, bool apart, plx_error *error)
{
    if (bytes == 0)
        return PLX_OK;
    return apart ? zero_apart(queue->session, address, bytes, error)
                 : PLX_CUDA(queue->session, error, MemsetD32Async, address, 0, bytes / 4, queue->stream);
}

/* Memory that others' graphs may have seen is kept, so it grows by a factor, that what is kept stays less
 * than what is used; where there is no room for that, by what is needed. */
static plx_status allocate_more(plx_plugin_queue *queue, uint64_t *bytes, CUdeviceptr *address, plx_error *error)
{
    const uint64_t twice = 2 * queue->scratch_bytes;
    if (queue->shared && !queue->lent && twice > *bytes && allocate(queue->session, twice, address, error) == PLX_OK) {
        *bytes = twice;
        return PLX_OK;
    }
    return allocate(queue->session, *bytes, address, error);
}

static plx_status grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, bool capturing, plx_error *error)
{
    CUdeviceptr address = 0;
    plx_cuda_retired *node = malloc(sizeof *node);
    if (node == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for scratch memory");
    plx_status status = queue->shared ? PLX_OK : release_own(queue, error);
    if (status == PLX_OK)
        status = allocate_more(queue, &bytes, &address, error);
    if (status == PLX_OK) {
        status = zero(queue, address, zeroed, capturing, error);
        if (status != PLX_OK)
            (void)plx_cuda.MemFree(address);
    }
    if (status != PLX_OK) {
        free(node);
        return status;
    }
    retire(queue, node);
    queue->scratch = address;
    queue->scratch_bytes = bytes;
    return PLX_OK;
}

/* Allocations and waits of a relaxed thread are no part of a graph, and do not end it.  A kernel that needs
 * less memory is not taken in silence: it would stay in the graph for good. */
static plx_status grow_in_capture(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, bool relaxed,
                                  plx_error *error)
{
    static const char remedy[] = "call plx_queue_reserve() before";
    if (!relaxed)
        return plx_fail(error, PLX_INVALID,
                        "it needs %llu bytes of scratch memory, and the stream is being captured: %s",
                        (unsigned long long)bytes, remedy);
    const plx_status status = grow(queue, bytes, zeroed, true, error);
    if (status != PLX_NO_MEMORY)
        return status;
    const plx_error why = *error;
    return plx_fail(error, PLX_INVALID, "the stream is being captured, and %.300s: %s", why.text, remedy);
}

plx_status plx_cuda_scratch_grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, plx_error *error)
{
    plx_cuda_thread thread;
    bool capturing = false;
    if (bytes < zeroed)
        bytes = zeroed;
    if (bytes <= queue->scratch_bytes)
        return PLX_OK;
    plx_status status = plx_cuda_enter_relaxed(queue->session, &thread, error);
    if (status == PLX_OK)
        status = plx_cuda_capturing(queue, &capturing, error);
    if (status == PLX_OK && capturing)
        status = grow_in_capture(queue, bytes, zeroed, thread.relaxed, error);
    else if (status == PLX_OK)
        status = grow(queue, bytes, zeroed, false, error);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- lent memory ----------------------------------------------------------------- */

/* With the thread relaxed; address 0: what was lent goes back. */
static plx_status take_lent(plx_plugin_queue *queue, CUdeviceptr address, uint64_t bytes, uint64_t zeroed,
                            plx_error *error)
{
    bool capturing = false;
    plx_cuda_retired *node = malloc(sizeof *node);
    if (node == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for scratch memory");
    plx_status status = plx_cuda_capturing(queue, &capturing, error);
    if (status == PLX_OK && address != 0)
        status = zero(queue, address, zeroed, capturing, error);
    if (status == PLX_OK && !queue->shared)
        status = release_own(queue, error);
    if (status != PLX_OK) {
        free(node);
        return status;
    }
    retire(queue, node);
    queue->scratch = address;
    queue->scratch_bytes = address != 0 ? bytes : 0;
    queue->lent = address != 0;
    return PLX_OK;
}

plx_status plx_cuda_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                                 uint64_t zeroed, plx_error *error)
{
    enum { ALIGNMENT = 256 };
    plx_cuda_thread thread;
    const CUdeviceptr address = memory != NULL && bytes > 0 ? memory->address + offset : 0;
    if (address % ALIGNMENT != 0)
        return plx_fail(error, PLX_INVALID, "scratch memory begins at a multiple of %d bytes, and this at 0x%llx",
                        ALIGNMENT, (unsigned long long)address);
    if (address != 0 && bytes < zeroed)
        return plx_fail(error, PLX_INVALID, "scratch memory has at least %llu bytes", (unsigned long long)zeroed);
    plx_status status = plx_cuda_enter_relaxed(queue->session, &thread, error);
    if (status == PLX_OK)
        status = take_lent(queue, address, bytes, zeroed, error);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- the end of a queue ------------------------------------------------------------- */

/* Behind all that is in the stream now; NULL: there is no telling, as in a capture. */
static CUevent mark(plx_plugin_queue *queue)
{
    CUevent event = NULL;
    bool capturing = true;
    plx_error ignored;
    if (plx_cuda_capturing(queue, &capturing, &ignored) != PLX_OK || capturing ||
        plx_cuda.EventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS)
        return NULL;
    if (plx_cuda.EventRecord(event, queue->stream) == CUDA_SUCCESS)
        return event;
    (void)plx_cuda.EventDestroy(event);
    return NULL;
}

/* Nobody waits for a stream of others: its scratch memory goes when the work in it has. */
static void leave_to_session(plx_plugin_queue *queue)
{
    plx_session *session = queue->session;
    while (queue->retired != NULL) {
        plx_cuda_retired *old = queue->retired;
        queue->retired = old->next;
        old->passed = mark(queue);
        (void)pthread_mutex_lock(&session->lock);
        old->next = session->retired;
        session->retired = old;
        (void)pthread_mutex_unlock(&session->lock);
    }
}

void plx_cuda_scratch_end(plx_plugin_queue *queue, bool alive)
{
    plx_cuda_retired *node = malloc(sizeof *node);
    if (node != NULL)
        retire(queue, node);
    else if (alive && !queue->lent && queue->scratch != 0)
        (void)plx_cuda.MemFree(queue->scratch); /* which waits */
    if (!alive)
        forget_all(&queue->retired);
    else if (queue->borrowed)
        leave_to_session(queue);
    else
        release_all(&queue->retired);
}
