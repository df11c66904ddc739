/* Streams, events and captures of the fake CUDA driver (fake_cuda.c). */
#include "fake_cuda_inside.h"

#include <stdlib.h>
#include <string.h>

/* Never freed: a handle that comes back would hide faults. */
typedef struct fake_stream {
    void *context;
    CUstreamCaptureStatus capture;
    CUstreamCaptureMode mode;
    struct fake_graph *graph; /* that it is captured into */
    struct fake_stream *next;
} fake_stream;
typedef struct fake_graph {
    fake_node *first, **last;
    size_t count;
} fake_graph;
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

static void free_graph(fake_graph *graph)
{
    for (fake_node *node = graph != NULL ? graph->first : NULL, *next; node != NULL; node = next) {
        next = node->next;
        free(node);
    }
    free(graph);
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
    stream->graph = calloc(1, sizeof *stream->graph);
    if (stream->graph == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    stream->graph->last = &stream->graph->first;
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
    const int whole = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    stream->capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!whole)
        free_graph(stream->graph);
    *graph = whole ? fake_handle(stream->graph) : NULL;
    stream->graph = NULL;
    return whole ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

/* ---- graphs ---------------------------------------------------------------- */

int fake_keeps(CUstream handle, const fake_node *node)
{
    const fake_stream *stream = stream_of(handle);
    fake_node *kept = stream->capture == CU_STREAM_CAPTURE_STATUS_ACTIVE ? malloc(sizeof *kept) : NULL;
    if (kept == NULL)
        return 0;
    *kept = *node;
    kept->next = NULL;
    *stream->graph->last = kept;
    stream->graph->last = &kept->next;
    stream->graph->count++;
    return 1;
}

void fake_do(const fake_node *node)
{
    char *to = (char *)(uintptr_t)node->to;
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL)
        fake_do_kernel(node);
    else if (node->type == CU_GRAPH_NODE_TYPE_HOST)
        node->called(node->data);
    else if (node->type == CU_GRAPH_NODE_TYPE_MEMCPY)
        memcpy(to, node->host_from != NULL ? node->host_from : (const void *)(uintptr_t)node->from, node->bytes);
    else
        for (size_t i = 0; i < node->bytes; i += node->width)
            memcpy(to + i, &node->pattern, node->width);
}

EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn called, void *data)
{
    const fake_node node = {.type = CU_GRAPH_NODE_TYPE_HOST, .called = called, .data = data};
    ENTER(fake_enter_context, "cuLaunchHostFunc");
    ENTER(fake_enter_stream, stream);
    if (!fake_keeps(stream, &node))
        fake_do(&node);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    ENTER(fake_enter, "cuGraphGetNodes");
    const fake_graph *of = (const fake_graph *)(const void *)graph;
    size_t number = 0;
    for (fake_node *node = of->first; nodes != NULL && node != NULL && number < *count; node = node->next)
        nodes[number++] = (CUgraphNode)(void *)node;
    *count = nodes != NULL ? number : of->count;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    ENTER(fake_enter, "cuGraphNodeGetType");
    *type = ((const fake_node *)(const void *)node)->type;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *parameters)
{
    ENTER(fake_enter, "cuGraphKernelNodeGetParams");
    const fake_node *of = (const fake_node *)(const void *)node;
    *parameters = (CUDA_KERNEL_NODE_PARAMS){
        .func = of->function,
        .gridDimX = of->grid[0],
        .gridDimY = of->grid[1],
        .gridDimZ = of->grid[2],
        .blockDimX = of->block[0],
        .blockDimY = of->block[1],
        .blockDimZ = of->block[2],
        .sharedMemBytes = of->shared_bytes,
    };
    return of->type == CU_GRAPH_NODE_TYPE_KERNEL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* $FAKE_NAMELESS: of an older driver, which does not know. */
EXPORT CUresult cuFuncGetName(const char **name, CUfunction function)
{
    ENTER(fake_enter, "cuFuncGetName");
    *name = fake_entry(function);
    return getenv("FAKE_NAMELESS") == NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* What is ready to be launched is the graph itself. */
EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *ready, CUgraph graph, unsigned long long flags)
{
    ENTER(fake_enter_context, "cuGraphInstantiateWithFlags");
    *ready = (CUgraphExec)(void *)graph;
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGraphLaunch(CUgraphExec ready, CUstream stream)
{
    ENTER(fake_enter_context, "cuGraphLaunch");
    ENTER(fake_enter_stream, stream);
    for (const fake_node *node = ((const fake_graph *)(const void *)ready)->first; node != NULL; node = node->next)
        fake_do(node);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec ready)
{
    ENTER(fake_enter, "cuGraphExecDestroy");
    return ready != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGraphDestroy(CUgraph graph)
{
    ENTER(fake_enter, "cuGraphDestroy");
    free_graph((fake_graph *)(void *)graph);
    return CUDA_SUCCESS;
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
