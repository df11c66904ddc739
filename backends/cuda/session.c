/* An opened device and its memory. */
#include "backends/cuda/cuda.h"

#include <stdlib.h>
#include <string.h>

static plx_status device_of(size_t number, CUdevice *device, plx_error *error)
{
    int count = 0;
    plx_status status = plx_cuda_driver_load(error);
    if (status == PLX_OK)
        status = PLX_CUDA(NULL, error, DeviceGetCount, &count);
    if (status != PLX_OK)
        return status;
    if (count <= 0 || number >= (size_t)count)
        return plx_fail(error, PLX_NOT_FOUND, "there is no CUDA device %zu; the driver lists %d", number, count);
    return PLX_CUDA(NULL, error, DeviceGet, device, (int)number);
}

/* The context that a session is in; the primary one is retained. */
static plx_status take_context(plx_session *opened, CUcontext context, plx_error *error)
{
    opened->borrowed = context != NULL;
    opened->context = context;
    return context != NULL ? PLX_OK : PLX_CUDA(NULL, error, DevicePrimaryCtxRetain, &opened->context, opened->device);
}

static void release_context(const plx_session *session)
{
    if (!session->borrowed)
        (void)plx_cuda.DevicePrimaryCtxRelease(session->device);
}

plx_status plx_cuda_open_in(CUdevice device, CUcontext context, plx_session **session, plx_error *error)
{
    plx_session *opened = calloc(1, sizeof *opened);
    if (opened == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a CUDA session");
    atomic_init(&opened->lost, false);
    opened->device = device;
    plx_status status = plx_cuda_describe(device, &opened->info, error);
    if (status == PLX_OK)
        status = take_context(opened, context, error);
    if (status != PLX_OK)
        goto free_session;
    if (pthread_mutex_init(&opened->lock, NULL) != 0) {
        status = plx_fail(error, PLX_FAILED, "no lock for a CUDA session");
        goto release_context;
    }
    *session = opened;
    return PLX_OK;

release_context:
    release_context(opened);
free_session:
    free(opened);
    return status;
}

plx_status plx_cuda_open(size_t device, plx_session **session, plx_error *error)
{
    CUdevice found = 0;
    const plx_status status = device_of(device, &found, error);
    return status == PLX_OK ? plx_cuda_open_in(found, NULL, session, error) : status;
}

/* ---- whose thread it is -------------------------------------------------- */

plx_status plx_cuda_enter_other(plx_session *session, plx_cuda_thread *thread, plx_error *error)
{
    const plx_status status = PLX_CUDA(session, error, CtxSetCurrent, session->context);
    thread->changed = status == PLX_OK;
    return status;
}

plx_status plx_cuda_enter_relaxed(plx_session *session, plx_cuda_thread *thread, plx_error *error)
{
    const plx_status status = plx_cuda_enter(session, thread, error);
    thread->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (status == PLX_OK && plx_cuda.ThreadExchangeStreamCaptureMode != NULL)
        thread->relaxed = plx_cuda.ThreadExchangeStreamCaptureMode(&thread->mode) == CUDA_SUCCESS;
    return status;
}

void plx_cuda_put_back(const plx_cuda_thread *thread)
{
    CUstreamCaptureMode mode = thread->mode;
    if (thread->relaxed)
        (void)plx_cuda.ThreadExchangeStreamCaptureMode(&mode);
    if (thread->changed)
        (void)plx_cuda.CtxSetCurrent(thread->before);
}

void plx_cuda_close(plx_session *session)
{
    plx_error ignored;
    plx_cuda_thread thread;
    (void)plx_cuda_enter_relaxed(session, &thread, &ignored);
    plx_cuda_programs_unload(session);
    plx_cuda_shared_unload(session);
    plx_cuda_sweep_all(session);
    plx_cuda_leave(&thread);
    release_context(session);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* The driver puts small pieces into blocks of so many bytes, which other processes could reach as a whole alone. */
enum { BLOCK = 2 << 20 };

plx_status plx_cuda_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    plx_cuda_thread thread;
    plx_memory *allocated = calloc(1, sizeof *allocated);
    if (allocated == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a buffer of %llu bytes", (unsigned long long)bytes);
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        plx_cuda_sweep(session);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemAlloc, &allocated->address,
                          session->shares ? (bytes + BLOCK - 1) / BLOCK * BLOCK : bytes);
    plx_cuda_leave(&thread);
    if (status == PLX_NO_MEMORY)
        (void)plx_fail(error, status, "%s has no %llu bytes left for a buffer", session->info.name,
                       (unsigned long long)bytes);
    if (status != PLX_OK) {
        free(allocated);
        return status;
    }
    static atomic_uint_fast64_t serials;
    allocated->bytes = bytes;
    allocated->serial = atomic_fetch_add(&serials, 1) + 1;
    *memory = allocated;
    return PLX_OK;
}

void plx_cuda_free(plx_session *session, plx_memory *memory)
{
    plx_error ignored;
    plx_cuda_thread thread;
    if (memory == NULL)
        return;
    if (!memory->borrowed) {
        if (plx_cuda_enter_relaxed(session, &thread, &ignored) == PLX_OK)
            (void)plx_cuda.MemFree(memory->address);
        plx_cuda_leave(&thread);
    }
    free(memory->handle);
    free(memory);
}

/* ---- memory for other processes -------------------------------------------- */

plx_status plx_cuda_share_memory(plx_session *session, plx_error *error)
{
    if (plx_cuda.IpcGetMemHandle == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "this driver shares no memory with other processes");
    session->shares = true;
    return PLX_OK;
}

static plx_status make_handle(plx_session *session, plx_memory *memory, plx_error *error)
{
    plx_cuda_thread thread;
    CUipcMemHandle *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for a handle");
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, IpcGetMemHandle, made, memory->address);
    plx_cuda_leave(&thread);
    if (status == PLX_OK)
        memory->handle = made;
    else
        free(made);
    return status;
}

plx_status plx_cuda_reach(plx_session *session, const plx_operand *operand, bool written, plx_reached *reached,
                          plx_error *error)
{
    plx_memory *memory = operand->memory;
    *reached = (plx_reached){.descriptor = -1, .written = written};
    if (memory == NULL || memory->bytes == 0)
        return PLX_OK;
    if (memory->serial == 0 || !session->shares)
        return plx_fail(error, PLX_UNSUPPORTED, "the function's process can't reach this memory");
    const plx_status status = memory->handle != NULL ? PLX_OK : make_handle(session, memory, error);
    if (status != PLX_OK)
        return status;
    _Static_assert(sizeof(CUipcMemHandle) == sizeof reached->handle, "a handle is copied as a whole");
    memcpy(reached->handle, memory->handle, sizeof reached->handle);
    reached->serial = memory->serial;
    reached->bytes = memory->bytes;
    reached->offset = operand->offset;
    return PLX_OK;
}

/* ---- memory of the host -------------------------------------------------- */

plx_status plx_cuda_pinned_alloc(plx_session *session, uint64_t bytes, void **host, plx_error *error)
{
    plx_cuda_thread thread;
    plx_status status = plx_cuda_enter_relaxed(session, &thread, error);
    if (status == PLX_OK)
        status = PLX_CUDA(session, error, MemHostAlloc, host, bytes, CU_MEMHOSTALLOC_PORTABLE);
    plx_cuda_leave(&thread);
    return status;
}

void plx_cuda_pinned_free(plx_session *session, void *host)
{
    plx_error ignored;
    plx_cuda_thread thread;
    if (plx_cuda_enter_relaxed(session, &thread, &ignored) == PLX_OK)
        (void)plx_cuda.MemFreeHost(host);
    plx_cuda_leave(&thread);
}

/* ---- errors ------------------------------------------------------------------------------------ */

plx_status plx_cuda_explain(plx_session *session, plx_error *error, CUresult result, const char *function)
{
    const plx_status status = plx_cuda_tell(error, result, function);
    if (status == PLX_DEVICE_LOST && session != NULL)
        atomic_store(&session->lost, true);
    return status;
}

plx_status plx_cuda_refuse(plx_error *error)
{
    return plx_fail(error, PLX_DEVICE_LOST,
                    "an earlier error has killed the device's context; restart the program to use "
                    "the device again");
}
