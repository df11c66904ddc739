/* Memory, queues and contexts of others in OpenCL, and ours for them.  What is theirs is retained while it is
 * used. */
#define _POSIX_C_SOURCE 200809L
#include "backends/opencl/session.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of OpenCL 2.0: whether, and how, pointers are shared. */
#define DEVICE_SVM_CAPABILITIES 0x1053

/* The loader has had all of these since OpenCL 1.2, but need not be one. */
static plx_status can_do(plx_native_api api, const char *what, plx_error *error)
{
    if (api != PLX_NATIVE_OPENCL)
        return plx_fail(error, PLX_INVALID, "it is no %s of OpenCL (PLX_NATIVE_OPENCL)", what);
    return plx_cl_has_native_functions()
               ? PLX_OK
               : plx_fail(error, PLX_UNSUPPORTED, "libOpenCL.so.1 lacks functions to take a %s of others", what);
}

/* ---- memory ----------------------------------------------------------------- */

static plx_status ask(cl_mem buffer, cl_mem_info what, size_t size, void *answer, plx_error *error)
{
    return PLX_CL(error, GetMemObjectInfo, buffer, what, size, answer, NULL);
}

static plx_status check_memory(const plx_session *session, cl_mem buffer, uint64_t bytes, plx_error *error)
{
    cl_mem_object_type type = 0;
    cl_context context = NULL;
    size_t length = 0;
    plx_status status = ask(buffer, CL_MEM_TYPE, sizeof type, &type, error);
    if (status == PLX_OK)
        status = ask(buffer, CL_MEM_CONTEXT, sizeof(cl_context), &context, error);
    if (status == PLX_OK)
        status = ask(buffer, CL_MEM_SIZE, sizeof length, &length, error);
    if (status != PLX_OK)
        return status;
    if (type != CL_MEM_OBJECT_BUFFER)
        return plx_fail(error, PLX_INVALID, "the memory object is an image or a pipe, and no buffer");
    if (context != session->context)
        return plx_fail(error, PLX_INVALID,
                        "the buffer is of another context: open the backend on that, by plx_open_on()");
    if (bytes > length)
        return plx_fail(error, PLX_INVALID, "the buffer ends at byte %zu, and its use at byte %" PRIu64, length, bytes);
    return PLX_OK;
}

/* A buffer that shares the allocation: what takes buffers takes it. */
static plx_status share_pointer(const plx_session *session, const plx_native_memory *native, plx_memory *made,
                                plx_error *error)
{
    cl_bitfield ways = 0;
    cl_int code;
    if (plx_cl.GetDeviceInfo(session->device, DEVICE_SVM_CAPABILITIES, sizeof ways, &ways, NULL) != CL_SUCCESS ||
        ways == 0)
        return plx_fail(error, PLX_UNSUPPORTED, "%s has no shared virtual memory", session->info.name);
    if (native->offset + native->bytes > SIZE_MAX)
        return plx_fail(error, PLX_INVALID, "the memory is more than can be addressed");
    made->buffer = plx_cl.CreateBuffer(session->context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_WRITE,
                                       (size_t)(native->offset + native->bytes), native->handle, &code);
    made->pointer = native->handle;
    return plx_cl_check(code, "clCreateBuffer", error);
}

static plx_status take(const plx_session *session, const plx_native_memory *native, plx_memory *made, plx_error *error)
{
    if ((native->flags & PLX_NATIVE_SVM) != 0)
        return share_pointer(session, native, made, error);
    made->buffer = native->handle;
    plx_status status = check_memory(session, made->buffer, native->offset + native->bytes, error);
    return status == PLX_OK ? PLX_CL(error, RetainMemObject, made->buffer) : status;
}

plx_status plx_cl_memory_import(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                plx_error *error)
{
    plx_status status = can_do(native->api, "buffer", error);
    if (status == PLX_OK)
        status = plx_cl_alive(session, error);
    if (status != PLX_OK)
        return status;
    plx_memory *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL buffer");
    status = take(session, native, made, error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    made->bytes = native->offset + native->bytes;
    made->serial = plx_cl_new_serial(); /* its handle may have been another's before */
    made->theirs = true;
    *memory = made;
    return PLX_OK;
}

plx_status plx_cl_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native, plx_error *error)
{
    (void)session;
    (void)error;
    native->api = PLX_NATIVE_OPENCL;
    if (memory == NULL)
        return PLX_OK;
    native->handle = memory->pointer != NULL ? memory->pointer : (void *)memory->buffer;
    if (memory->pointer != NULL)
        native->flags = PLX_NATIVE_SVM;
    return PLX_OK;
}

/* Sub-buffers lie in their parents, which may lie in memory of the host. */
static void find_place(cl_mem buffer, plx_place *place)
{
    plx_error ignored;
    cl_mem parent = NULL;
    size_t offset = 0;
    cl_mem_flags flags = 0;
    void *host = NULL;
    if (ask(buffer, CL_MEM_FLAGS, sizeof flags, &flags, &ignored) == PLX_OK) {
        place->never_written = (flags & CL_MEM_READ_ONLY) != 0;
        place->never_read = (flags & CL_MEM_WRITE_ONLY) != 0;
    }
    if (ask(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &parent, &ignored) == PLX_OK && parent != NULL &&
        ask(buffer, CL_MEM_OFFSET, sizeof offset, &offset, &ignored) == PLX_OK)
        buffer = parent;
    place->root = (uint64_t)(uintptr_t)buffer;
    place->begin = offset;
    if (ask(buffer, CL_MEM_FLAGS, sizeof flags, &flags, &ignored) == PLX_OK && (flags & CL_MEM_USE_HOST_PTR) != 0 &&
        ask(buffer, CL_MEM_HOST_PTR, sizeof host, &host, &ignored) == PLX_OK && host != NULL) {
        place->root = 0;
        place->begin = (uint64_t)(uintptr_t)host + offset;
    }
}

void plx_cl_memory_place(plx_session *session, plx_memory *memory, plx_place *place)
{
    (void)session;
    place->root = (uint64_t)(uintptr_t)memory->buffer;
    place->begin = 0;
    if (memory->theirs)
        find_place(memory->buffer, place);
}

/* ---- queues -------------------------------------------------------------------- */

static plx_status check_queue(const plx_session *session, cl_command_queue queue,
                              cl_command_queue_properties *properties, plx_error *error)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    plx_status status = PLX_CL(error, GetCommandQueueInfo, queue, CL_QUEUE_CONTEXT, sizeof(cl_context), &context, NULL);
    if (status == PLX_OK)
        status = PLX_CL(error, GetCommandQueueInfo, queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, NULL);
    if (status == PLX_OK)
        status = PLX_CL(error, GetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES, sizeof *properties, properties, NULL);
    if (status != PLX_OK)
        return status;
    if (context != session->context || device != session->device)
        return plx_fail(error, PLX_INVALID, "the queue is of another %s: open the backend on that, by plx_open_on()",
                        context != session->context ? "context" : "device");
    if ((*properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
        return plx_fail(error, PLX_UNSUPPORTED,
                        "the queue is out of order: create one without "
                        "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, and order them by plx_queue_wait()");
    return PLX_OK;
}

plx_status plx_cl_queue_import(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                               plx_error *error)
{
    cl_command_queue_properties properties = 0;
    plx_status status = can_do(native->api, "queue", error);
    if (status == PLX_OK && native->flags != 0)
        status = plx_fail(error, PLX_INVALID, "PLX_NATIVE_OVERLAPS is for queues of CUDA");
    if (status == PLX_OK && native->handle == NULL)
        status = plx_fail(error, PLX_INVALID, "the queue is NULL");
    if (status == PLX_OK)
        status = check_queue(session, native->handle, &properties, error);
    if (status != PLX_OK)
        return status;
    plx_plugin_queue *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an OpenCL queue");
    *made = (plx_plugin_queue){.session = session,
                               .queue = native->handle,
                               .theirs = true,
                               .has_no_times = (properties & CL_QUEUE_PROFILING_ENABLE) == 0};
    status = PLX_CL(error, RetainCommandQueue, made->queue);
    if (status == PLX_OK)
        *queue = made;
    else
        free(made);
    return status;
}

plx_status plx_cl_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error)
{
    (void)error;
    native->api = PLX_NATIVE_OPENCL;
    native->handle = queue->queue;
    return PLX_OK;
}

/* Without the flush the earlier queue might never begin. */
plx_status plx_cl_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error)
{
    cl_event passed = NULL;
    plx_status status = plx_cl_alive(later->session, error);
    if (status == PLX_OK)
        status = can_do(PLX_NATIVE_OPENCL, "queue", error);
    if (status == PLX_OK)
        status = PLX_CL(error, EnqueueMarkerWithWaitList, earlier->queue, 0, NULL, &passed);
    if (status != PLX_OK)
        return status;
    status = PLX_CL(error, Flush, earlier->queue);
    if (status == PLX_OK)
        status = PLX_CL(error, EnqueueBarrierWithWaitList, later->queue, 1, &passed, NULL);
    (void)plx_cl.ReleaseEvent(passed);
    return status;
}

/* ---- memory of the host ------------------------------------------------------------ */

/* A buffer of the driver's own host memory, mapped as long as it is there. */
struct plx_cl_pinned {
    plx_cl_pinned *next;
    cl_mem buffer;
    void *host;
};

static plx_status map(plx_session *session, uint64_t bytes, plx_cl_pinned *made, plx_error *error)
{
    cl_int code = CL_INVALID_BUFFER_SIZE;
    if (bytes <= SIZE_MAX)
        made->buffer = plx_cl.CreateBuffer(session->context, CL_MEM_ALLOC_HOST_PTR | CL_MEM_READ_WRITE, (size_t)bytes,
                                           NULL, &code);
    if (code == CL_INVALID_BUFFER_SIZE)
        return plx_fail(error, PLX_NO_MEMORY, "the device has no room for it");
    plx_status status = plx_cl_check(code, "clCreateBuffer", error);
    if (status != PLX_OK)
        return status;
    made->host = plx_cl.EnqueueMapBuffer(session->touch, made->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                         (size_t)bytes, 0, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        (void)plx_cl.ReleaseMemObject(made->buffer);
    return plx_cl_check(code, "clEnqueueMapBuffer", error);
}

plx_status plx_cl_pinned_alloc(plx_session *session, uint64_t bytes, void **host, plx_error *error)
{
    plx_status status = can_do(PLX_NATIVE_OPENCL, "buffer", error);
    if (status != PLX_OK)
        return status;
    plx_cl_pinned *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for page-locked memory");
    status = map(session, bytes, made, error);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    (void)pthread_mutex_lock(&session->pinned_lock);
    made->next = session->pinned;
    session->pinned = made;
    (void)pthread_mutex_unlock(&session->pinned_lock);
    *host = made->host;
    return PLX_OK;
}

static plx_cl_pinned *unlink_pinned(plx_session *session, const void *host)
{
    (void)pthread_mutex_lock(&session->pinned_lock);
    plx_cl_pinned **link = &session->pinned;
    while (*link != NULL && (*link)->host != host)
        link = &(*link)->next;
    plx_cl_pinned *found = *link;
    if (found != NULL)
        *link = found->next;
    (void)pthread_mutex_unlock(&session->pinned_lock);
    return found;
}

void plx_cl_pinned_free(plx_session *session, void *host)
{
    plx_cl_pinned *found = unlink_pinned(session, host);
    if (found == NULL)
        return;
    if (plx_cl.EnqueueUnmapMemObject(session->touch, found->buffer, host, 0, NULL, NULL) == CL_SUCCESS)
        (void)plx_cl.Finish(session->touch);
    (void)plx_cl.ReleaseMemObject(found->buffer);
    free(found);
}

/* ---- contexts -------------------------------------------------------------------------- */

/* Handles of one loader lead into nothing in another. */
static plx_status check_loader(void *library, plx_error *error)
{
    void *theirs = library != NULL ? dlsym(library, "clGetPlatformIDs") : NULL, *ours = NULL;
    memcpy(&ours, &plx_cl.GetPlatformIDs, sizeof ours);
    if (library == NULL || theirs == ours)
        return PLX_OK;
    return plx_fail(error, PLX_UNSUPPORTED,
                    "the context was made by another loader than libOpenCL.so.1, which is in use: load "
                    "that with RTLD_GLOBAL before a backend is opened, or use the system's for both");
}

enum { MOST_DEVICES = 64 };

static plx_status devices_of(cl_context context, cl_device_id devices[MOST_DEVICES], size_t *count, plx_error *error)
{
    size_t bytes = 0;
    const size_t room = MOST_DEVICES * sizeof(cl_device_id);
    plx_status status = PLX_CL(error, GetContextInfo, context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (status == PLX_OK && (bytes == 0 || bytes > room))
        status = plx_fail(error, PLX_INVALID, "the context has %zu devices", bytes / sizeof(cl_device_id));
    if (status == PLX_OK)
        status = PLX_CL(error, GetContextInfo, context, CL_CONTEXT_DEVICES, room, (void *)devices, NULL);
    *count = bytes / sizeof(cl_device_id);
    return status;
}

static plx_status name_devices(const cl_device_id *devices, size_t count, plx_error *error)
{
    char names[320] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof names; i++) {
        char name[64];
        plx_cl_device_text(devices[i], CL_DEVICE_NAME, name, sizeof name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", name);
    }
    return plx_fail(error, PLX_INVALID, "the context has %zu devices; say which: %s", count, names);
}

static plx_status choose_device(const plx_native_device *native, cl_device_id *device, plx_error *error)
{
    cl_device_id devices[MOST_DEVICES];
    size_t count = 0;
    const plx_status status = devices_of(native->context, devices, &count, error);
    if (status != PLX_OK)
        return status;
    if (native->device == NULL && count > 1)
        return name_devices(devices, count, error);
    *device = native->device != NULL ? (cl_device_id)native->device : devices[0];
    for (size_t i = 0; i < count; i++)
        if (devices[i] == *device)
            return PLX_OK;
    return plx_fail(error, PLX_INVALID, "the device is not one of the context's");
}

static plx_status number_of(cl_device_id device, size_t *number, const plx_cl_device_entry **entry, plx_error *error)
{
    const plx_cl_device_entry *entries;
    size_t count = 0;
    const plx_status status = plx_cl_list(&entries, &count, error);
    for (size_t i = 0; i < count && status == PLX_OK; i++)
        if (entries[i].device == device) {
            *number = i;
            *entry = &entries[i];
            return PLX_OK;
        }
    return status == PLX_OK ? plx_fail(error, PLX_NOT_FOUND,
                                       "the device is none of those that libOpenCL.so.1 lists here: it is "
                                       "a part of one, can't run OpenCL C 1.2, or another loader listed it")
                            : status;
}

plx_status plx_cl_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error)
{
    cl_device_id chosen = NULL;
    const plx_cl_device_entry *entry = NULL;
    size_t number = 0;
    plx_status status = plx_cl_load(error);
    if (status == PLX_OK)
        status = can_do(native->api, "context", error);
    if (status == PLX_OK && native->context == NULL)
        status = plx_fail(error, PLX_INVALID, "the context is NULL");
    if (status == PLX_OK)
        status = check_loader(native->library, error);
    if (status == PLX_OK)
        status = choose_device(native, &chosen, error);
    if (status == PLX_OK)
        status = number_of(chosen, &number, &entry, error);
    if (status == PLX_OK)
        status = plx_cl_open_in(entry, native->context, session, error);
    if (status == PLX_OK)
        *device = number;
    return status;
}

plx_status plx_cl_session_native(plx_session *session, plx_native_device *native, plx_error *error)
{
    (void)error;
    native->api = PLX_NATIVE_OPENCL;
    native->context = session->context;
    native->device = session->device;
    return PLX_OK;
}
