/* Streams, events and captures of the fake CUDA driver (fake_cuda.c). */
#include "fake_cuda_inside.h"

#include <stdlib.h>

/* Never freed: a handle that comes back would hide faults. */
typedef struct fake_stream {
    void *context;
    CUstreamCaptureStatus capture;
    CUstreamCaptureMode mode;
    struct fake_stream *next;
} fake_stream;
static fake_stream *streams;

static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
static _Thread_local fake_stream legacy, per_thread;

static fake_stream *stream_of(CUstream handle)
{
    if (handle == NULL || handle == CU_STREAM_LEGACY)
        return &legacy;
    return handle == CU_STREAM_PER_THREAD ? &per_thread : (fake_stream *)(void *)handle;
}

static int is_capturing(void)
{
    for (const fake_stream *stream = streams; stream != NULL; stream = stream->next)
        if (stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE)
            return 1;
    return 0;
}

/* Not for relaxed threads and captures.  This one does not tell the captures of other threads apart. */
int fake_ends_captures(void)
{
    int ended = 0;
    for (fake_stream *stream = streams; stream != NULL && thread_mode != CU_STREAM_CAPTURE_MODE_RELAXED;
         stream = stream->next)
        if (stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE && stream->mode != CU_STREAM_CAPTURE_MODE_RELAXED) {
            stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
            ended = 1;
        }
    return ended;
}

/* For what is put into a stream. */
CUresult fake_enter_stream(CUstream handle)
{
    const fake_stream *stream = stream_of(handle);
    if (stream == &legacy && is_capturing())
        return fake_ends_captures() ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
    if (stream->context != NULL && stream->context != fake_current())
        return CUDA_ERROR_INVALID_CONTEXT;
    fake_cuda.captured += stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return stream->capture == CU_STREAM_CAPTURE_STATUS_INVALIDATED ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                                                                   : CUDA_SUCCESS;
}

/* For what waits for a stream, which is no part of a graph. */
static CUresult wait_for(CUstream handle)
{
    fake_stream *stream = stream_of(handle);
    if (stream->capture == CU_STREAM_CAPTURE_STATUS_NONE)
        return CUDA_SUCCESS;
    stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags)
{
    ENTER(fake_enter_context, "cuStreamCreate");
    if (flags != CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    fake_stream *made = calloc(1, sizeof *made);
    if (made == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    made->context = fake_current();
    made->next = streams;
    streams = made;
    fake_cuda.streams++;
    *stream = fake_handle(made);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy(CUstream stream)
{
    ENTER(fake_enter_context, "cuStreamDestroy");
    (void)stream;
    fake_cuda.streams--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    ENTER(fake_enter_unsafe, "cuStreamSynchronize"); /* as an H100's driver (580.159) did */
    fake_cuda.waits++;
    return wait_for(stream);
}

EXPORT CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    ENTER(fake_enter_context, "cuStreamGetCtx");
    void *made_in = stream_of(stream)->context;
    *context = fake_handle(made_in != NULL ? made_in : fake_current());
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    ENTER(fake_enter_context, "cuStreamWaitEvent");
    ENTER(fake_enter_stream, stream);
    fake_cuda.last_wait = stream;
    return event != NULL && flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- captures ------------------------------------------------------------- */

EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    ENTER(fake_enter, "cuThreadExchangeStreamCaptureMode");
    const CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode)
{
    ENTER(fake_enter_context, "cuStreamBeginCapture");
    fake_stream *stream = stream_of(handle);
    if (stream == &legacy || stream->capture != CU_STREAM_CAPTURE_STATUS_NONE)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    stream->capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->mode = mode;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    ENTER(fake_enter_context, "cuStreamIsCapturing");
    if (stream_of(stream) == &legacy && is_capturing())
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = stream_of(stream)->capture;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    ENTER(fake_enter_context, "cuStreamEndCapture");
    fake_stream *stream = stream_of(handle);
    const CUstreamCaptureStatus status = stream->capture;
    stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    *graph = NULL;
    return status == CU_STREAM_CAPTURE_STATUS_ACTIVE ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

/* ---- events ---------------------------------------------------------------- */

static int the_event;

EXPORT CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    ENTER(fake_enter_context, "cuEventCreate");
    (void)flags;
    fake_cuda.events++;
    *event = fake_handle(&the_event);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventDestroy(CUevent event)
{
    ENTER(fake_enter_context, "cuEventDestroy");
    (void)event;
    fake_cuda.events--;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    ENTER(fake_enter_context, "cuEventRecord");
    ENTER(fake_enter_stream, stream);
    (void)event;
    fake_cuda.last_recorded = stream;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventQuery(CUevent event)
{
    ENTER(fake_enter_context, "cuEventQuery");
    (void)event;
    return fake_cuda.work_is_pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    ENTER(fake_enter_unsafe, "cuEventSynchronize");
    (void)event;
    fake_cuda.work_is_pending = 0;
    return CUDA_SUCCESS;
}

#undef cuEventElapsedTime
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to);
EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    ENTER(fake_enter_context, "cuEventElapsedTime");
    (void)from;
    (void)to;
    *milliseconds = (float)fake_real(fake_cuda.elapsed_ms > 0 ? fake_cuda.elapsed_ms : 1.5);
    return CUDA_SUCCESS;
}
