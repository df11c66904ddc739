/* Memory, streams and contexts of others in CUDA, and ours for them. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>

static bool is_cuda(plx_native_api api, const char *what, plx_error *error)
{
    if (api != PLX_NATIVE_CUDA)
        (void)plx_fail(error, PLX_INVALID, "it is no %s of CUDA (PLX_NATIVE_CUDA)", what);
    return api == PLX_NATIVE_CUDA;
}

/* ---- memory --------------------------------------------------------------- */

/* What the driver knows of a pointer; all 0 for one that it does not know. */
typedef struct pointer_facts {
    CUcontext context; /* NULL: of no one context, as that of pools */
    unsigned int type; /* a CUmemorytype */
    CUdeviceptr on_device;
    bool managed;
    int device;
    CUdeviceptr start;
    size_t length;
} pointer_facts;

static plx_status ask(plx_session *session, CUdeviceptr pointer, pointer_facts *facts, plx_error *error)
{
    CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_CONTEXT,        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                    CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                    CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned int managed = 0; /* as wide as any answer */
    *facts = (pointer_facts){.device = -1};
    void *answers[] = {&facts->context, &facts->type,  &facts->on_device, &managed,
                       &facts->device,  &facts->start, &facts->length};
    const plx_status status =
        PLX_CUDA(session, error, PointerGetAttributes, sizeof wanted / sizeof wanted[0], wanted, answers, pointer);
    facts->managed = (managed & 1) != 0;
    return status;
}

bool plx_cuda_is_page_locked(plx_session *session, const void *host)
{
    plx_error ignored;
    pointer_facts facts;
    return ask(session, (CUdeviceptr)(uintptr_t)host, &facts, &ignored) == PLX_OK && facts.type == CU_MEMORYTYPE_HOST;
}

/* Whether kernels of this context can reach it. */
static plx_status check_reach(const plx_session *session, CUdeviceptr pointer, const pointer_facts *facts,
                              plx_error *error)
{
    const unsigned long long shown = (unsigned long long)pointer;
    if (facts->type == 0)
        return plx_fail(error, PLX_INVALID,
                        "CUDA knows of no memory at 0x%llx: it was freed, or is memory of the host that "
                        "is not page-locked",
                        shown);
    if (facts->type == CU_MEMORYTYPE_ARRAY)
        return plx_fail(error, PLX_INVALID, "at 0x%llx is an array of CUDA, which has no addresses", shown);
    if (facts->managed)
        return PLX_OK;
    if (facts->type == CU_MEMORYTYPE_HOST)
        return facts->on_device != 0 ? PLX_OK
                                     : plx_fail(error, PLX_INVALID,
                                                "the memory of the host at 0x%llx is not mapped for "
                                                "this device",
                                                shown);
    if (facts->device != session->device)
        return plx_fail(error, PLX_INVALID, "0x%llx lies on device %d, and the backend is device %d", shown,
                        facts->device, (int)session->device);
    if (facts->context != NULL && facts->context != session->context)
        return plx_fail(error, PLX_INVALID,
                        "0x%llx is memory of another context of this device: plx_open_on() opens a "
                        "backend in that one",
                        shown);
    return PLX_OK;
}

/* The driver may not know how long what comes from pools and from mapped pieces is. */
static plx_status check_length(CUdeviceptr pointer, uint64_t bytes, const pointer_facts *facts, plx_error *error)
{
    if (facts->context == NULL || facts->length == 0 || pointer < facts->start ||
        pointer - facts->start > facts->length)
        return PLX_OK;
    const uint64_t left = facts->length - (pointer - facts->start);
    return bytes <= left ? PLX_OK
                         : plx_fail(error, PLX_INVALID, "0x%llx is in an allocation that ends %llu bytes from there",
                                    (unsigned long long)pointer, (unsigned long long)left);
}

/* Sets *address to where byte 0 of the handle lies on the device. */
static plx_status check_memory(plx_session *session, const plx_native_memory *native, CUdeviceptr *address,
                               plx_error *error)
{
    pointer_facts facts;
    const CUdeviceptr first = (CUdeviceptr)(uintptr_t)native->handle + native->offset;
    plx_status status = ask(session, first, &facts, error);
    if (status == PLX_OK)
        status = check_reach(session, first, &facts, error);
    if (status == PLX_OK)
        status = check_length(first, native->bytes, &facts, error);
    if (status != PLX_OK)
        return status;
    const bool on_host = facts.type == CU_MEMORYTYPE_HOST && !facts.managed;
    *address = (on_host ? facts.on_device : first) - native->offset;
    return PLX_OK;
}

plx_status plx_cuda_memory_import(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                  plx_error *error)
{
    plx_cuda_thread thread;
    CUdeviceptr address = 0;
    if (!is_cuda(native->api, "memory", error))
        return PLX_INVALID;
    if ((native->flags & ~(uint32_t)PLX_NATIVE_READ_ONLY) != 0)
        return plx_fail(error, PLX_INVALID, "memory of CUDA has no flag but PLX_NATIVE_READ_ONLY");
    plx_status status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK)
        status = check_memory(session, native, &address, error);
    plx_cuda_leave(&thread);
    if (status != PLX_OK)
        return status;
    plx_memory *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a buffer");
    *made = (plx_memory){.address = address, .bytes = native->offset + native->bytes, .borrowed = true};
    *memory = made;
    return PLX_OK;
}

plx_status plx_cuda_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native, plx_error *error)
{
    (void)session;
    (void)error;
    native->api = PLX_NATIVE_CUDA;
    native->handle = memory != NULL ? (void *)(uintptr_t)memory->address : NULL;
    return PLX_OK;
}

/* All memory of a process has addresses of its own. */
void plx_cuda_memory_place(plx_session *session, plx_memory *memory, plx_place *place)
{
    (void)session;
    place->root = 0;
    place->begin = memory->address;
}

/* ---- streams ---------------------------------------------------------------- */

/* Which of a plan's launches is the first that may begin before what is before it in the stream has ended.
 * Kernels of others need not have waited for those before them, so the first is none, unless they say so. The
 * legacy stream is ordered with others by its end alone.  In a graph such launches exist from CUDA 12.3 on,
 * and a stream may be captured at any time. */
static size_t first_dependent(const plx_native_queue *native)
{
    enum { GRAPHS_KNOW_IT = 12030 };
    int version = 0;
    if (native->handle == CU_STREAM_LEGACY || plx_cuda.DriverGetVersion(&version) != CUDA_SUCCESS ||
        version < GRAPHS_KNOW_IT)
        return SIZE_MAX;
    return (native->flags & PLX_NATIVE_OVERLAPS) != 0 ? 0 : 1;
}

static plx_status check_stream(plx_session *session, CUstream stream, plx_error *error)
{
    CUcontext context = NULL;
    if (stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) /* of whatever context is current */
        return PLX_OK;
    const plx_status status = PLX_CUDA(session, error, StreamGetCtx, stream, &context);
    if (status != PLX_OK || context == session->context)
        return status;
    return plx_fail(error, PLX_INVALID, "the stream is of another context: plx_open_on() opens a backend in that one");
}

plx_status plx_cuda_queue_import(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                                 plx_error *error)
{
    plx_cuda_thread thread;
    if (!is_cuda(native->api, "stream", error))
        return PLX_INVALID;
    if (native->handle == NULL)
        return plx_fail(error, PLX_INVALID,
                        "the stream is NULL: say CU_STREAM_LEGACY or CU_STREAM_PER_THREAD, for NULL is one "
                        "or the other by how the caller was compiled");
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = check_stream(session, native->handle, error);
    if (status == PLX_OK)
        plx_cuda_sweep(session);
    plx_cuda_leave(&thread);
    if (status != PLX_OK)
        return status;
    plx_plugin_queue *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a queue");
    *made = (plx_plugin_queue){.session = session,
                               .stream = native->handle,
                               .borrowed = true,
                               .shared = true,
                               .first_dependent = first_dependent(native)};
    *queue = made;
    return PLX_OK;
}

/* From now on others may put kernels into it, and capture it. */
plx_status plx_cuda_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error)
{
    (void)error;
    native->api = PLX_NATIVE_CUDA;
    native->handle = queue->stream;
    if (!queue->shared)
        queue->first_dependent = first_dependent(native);
    queue->shared = true;
    return PLX_OK;
}

/* Each queue has one event for it, whose last record is what counts. */
static plx_status wait_for(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error)
{
    plx_session *session = later->session;
    plx_status status = PLX_OK;
    if (earlier->order == NULL)
        status = PLX_CUDA(session, error, EventCreate, &earlier->order, CU_EVENT_DISABLE_TIMING);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, EventRecord, earlier->order, earlier->stream);
    return status == PLX_OK ? PLX_CUDA(session, error, StreamWaitEvent, later->stream, earlier->order, 0) : status;
}

plx_status plx_cuda_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error)
{
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(later->session, &thread, error);
    if (status == PLX_OK)
        status = wait_for(later, earlier, error);
    plx_cuda_leave(&thread);
    return status;
}

/* ---- devices ------------------------------------------------------------------ */

/* The device that a context is on. */
static plx_status device_of_context(CUcontext context, CUdevice *device, plx_error *error)
{
    CUcontext before = NULL;
    plx_status status = PLX_CUDA(NULL, error, CtxGetCurrent, &before);
    if (status == PLX_OK)
        status = PLX_CUDA(NULL, error, CtxSetCurrent, context);
    if (status != PLX_OK)
        return status;
    status = PLX_CUDA(NULL, error, CtxGetDevice, device);
    (void)plx_cuda.CtxSetCurrent(before);
    return status;
}

/* Its number in the driver's list. */
static plx_status number_of(CUdevice device, size_t *number, plx_error *error)
{
    int count = 0;
    plx_status status = PLX_CUDA(NULL, error, DeviceGetCount, &count);
    for (int i = 0; i < count && status == PLX_OK; i++) {
        CUdevice listed = -1;
        status = PLX_CUDA(NULL, error, DeviceGet, &listed, i);
        if (status != PLX_OK || listed != device)
            continue;
        *number = (size_t)i;
        return PLX_OK;
    }
    return status == PLX_OK
               ? plx_fail(error, PLX_NOT_FOUND, "there is no CUDA device %d; the driver lists %d", (int)device, count)
               : status;
}

plx_status plx_cuda_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error)
{
    CUdevice found = (CUdevice)(intptr_t)native->device;
    size_t number = 0;
    if (!is_cuda(native->api, "device", error))
        return PLX_INVALID;
    plx_status status = plx_cuda_driver_load(error);
    if (status == PLX_OK && native->context != NULL)
        status = device_of_context(native->context, &found, error);
    if (status == PLX_OK)
        status = number_of(found, &number, error);
    if (status == PLX_OK)
        status = plx_cuda_open_in(found, native->context, session, error);
    if (status == PLX_OK)
        *device = number;
    return status;
}

plx_status plx_cuda_session_native(plx_session *session, plx_native_device *native, plx_error *error)
{
    (void)error;
    native->api = PLX_NATIVE_CUDA;
    native->context = session->context;
    native->device = (void *)(intptr_t)session->device;
    return PLX_OK;
}
