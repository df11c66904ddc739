/* Memory, queues and devices of others, and ours for others. */
#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>

/* What is the same for all three structs: a caller that was compiled with newer ones may ask for what is not
 * known here. */
static plx_status check_known(const plx_context *context, const char *what, plx_native_api api, uint32_t flags,
                              uint32_t known, const uint64_t *reserved, size_t count)
{
    uint64_t used = flags & ~known;
    for (size_t i = 0; i < count; i++)
        used |= reserved[i];
    if ((unsigned)api >= PLX_NATIVE_API_COUNT || api == PLX_NATIVE_NONE)
        return plx_context_fail(context, PLX_INVALID, "%s is of no API (%d); set api to one of plx_native_api", what,
                                (int)api);
    if (used != 0)
        return plx_context_fail(context, PLX_INVALID,
                                "%s has a flag or a reserved member that this version does not know; set them to 0",
                                what);
    return PLX_OK;
}

/* ---- memory ---------------------------------------------------------------- */

static plx_status check_memory(const plx_backend *backend, const plx_native_memory *memory)
{
    const plx_context *context = backend->context;
    const plx_status status =
        check_known(context, "the memory", memory->api, memory->flags, PLX_NATIVE_READ_ONLY | PLX_NATIVE_SVM,
                    memory->reserved, sizeof memory->reserved / sizeof memory->reserved[0]);
    if (status != PLX_OK)
        return status;
    if (memory->handle == NULL && memory->bytes > 0)
        return plx_context_fail(context, PLX_INVALID, "%s: %" PRIu64 " bytes of memory are at NULL", backend->label,
                                memory->bytes);
    if (memory->bytes > UINT64_MAX - memory->offset)
        return plx_context_fail(context, PLX_INVALID,
                                "%s: %" PRIu64 " bytes of memory from byte %" PRIu64 " on are more than can be",
                                backend->label, memory->bytes, memory->offset);
    return PLX_OK;
}

void plx_buffer_place(plx_buffer *buffer)
{
    plx_place place = {.root = (uintptr_t)buffer};
    const plx_plugin *plugin = buffer->backend->plugin;
    if (buffer->memory != NULL && plugin->memory_place != NULL) {
        plx_entered call = plx_backend_enter(buffer->backend, PLX_CALL_MEMORY_PLACE);
        plugin->memory_place(buffer->backend->session, buffer->memory, &place);
        plx_leave(&call);
    }
    buffer->root = place.root;
    buffer->begin = place.begin + buffer->base;
    if (place.never_written)
        buffer->limits |= PLX_BUFFER_NEVER_WRITTEN;
    if (place.never_read)
        buffer->limits |= PLX_BUFFER_NEVER_READ;
}

static plx_status import(plx_buffer *made, const plx_native_memory *memory)
{
    plx_error error = {.text = ""};
    plx_backend *backend = made->backend;
    if (memory->bytes == 0)
        return PLX_OK;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_IMPORTING);
    plx_status status = backend->plugin->memory_import(backend->session, memory, &made->memory, &error);
    plx_leave(&call);
    status = plx_answered(status, made->memory, &error);
    return status == PLX_OK ? PLX_OK
                            : plx_backend_failed(backend, status, &error, "import of %" PRIu64 " bytes", memory->bytes);
}

plx_status plx_buffer_import(plx_backend *backend, const plx_native_memory *memory, plx_buffer **buffer)
{
    plx_status status = plx_backend_usable(backend);
    if (status == PLX_OK)
        status = check_memory(backend, memory);
    if (status != PLX_OK)
        return status;
    plx_buffer *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(backend->context, "a buffer");
    made->backend = backend;
    made->bytes = memory->bytes;
    atomic_init(&made->references, 1);
    status = import(made, memory);
    if (status != PLX_OK) {
        free(made);
        return status;
    }
    made->base = memory->offset;
    made->release = memory->release;
    made->owner = memory->owner;
    if ((memory->flags & PLX_NATIVE_READ_ONLY) != 0)
        made->limits |= PLX_BUFFER_NEVER_WRITTEN;
    plx_buffer_place(made);
    plx_backend_hold(backend);
    *buffer = made;
    return PLX_OK;
}

static plx_status import_all(plx_backend *backend, const plx_native_memory *operands, size_t count, plx_view *views)
{
    for (size_t i = 0; i < count; i++) {
        const plx_status status = operands[i].release == NULL
                                      ? plx_buffer_import(backend, &operands[i], &views[i].buffer)
                                      : plx_context_fail(backend->context, PLX_INVALID,
                                                         "memory of one call has a release callback: import it");
        if (status != PLX_OK)
            return status;
    }
    return PLX_OK;
}

plx_status plx_execute_native(plx_plan *plan, plx_queue *queue, const plx_native_memory *operands, size_t count)
{
    plx_view views[PLX_MAX_OPERANDS] = {{NULL, 0}};
    const size_t imported = count <= PLX_MAX_OPERANDS ? count : 0; /* else plx_execute() says what is wrong */
    plx_status status = import_all(plan->backend, operands, imported, views);
    if (status == PLX_OK)
        status = plx_execute(plan, queue, views, count);
    for (size_t i = 0; i < imported; i++)
        plx_buffer_destroy(views[i].buffer);
    return status;
}

plx_status plx_buffer_native(plx_buffer *buffer, plx_native_memory *memory)
{
    plx_error error = {.text = ""};
    plx_backend *backend = buffer->backend;
    plx_native_memory said = {.api = PLX_NATIVE_NONE};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_TELLING_MEMORY);
    status = backend->plugin->memory_native(backend->session, buffer->memory, &said, &error);
    plx_leave(&call);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "telling of memory");
    *memory = (plx_native_memory){
        .api = said.api, .flags = said.flags, .handle = said.handle, .offset = buffer->base, .bytes = buffer->bytes};
    if ((buffer->limits & PLX_BUFFER_NEVER_WRITTEN) != 0)
        memory->flags |= PLX_NATIVE_READ_ONLY;
    return PLX_OK;
}

/* ---- queues ----------------------------------------------------------------- */

plx_status plx_queue_import(plx_backend *backend, const plx_native_queue *native, plx_queue **queue)
{
    plx_status status = plx_backend_usable(backend);
    if (status == PLX_OK)
        status = check_known(backend->context, "the queue", native->api, native->flags, PLX_NATIVE_OVERLAPS,
                             native->reserved, sizeof native->reserved / sizeof native->reserved[0]);
    return status == PLX_OK ? plx_queue_make(backend, native, false, queue) : status;
}

plx_status plx_queue_native(plx_backend *backend, plx_queue *queue, plx_native_queue *native)
{
    plx_error error = {.text = ""};
    plx_native_queue said = {.api = PLX_NATIVE_NONE};
    queue = plx_queue_or_own(queue, backend);
    plx_status status = plx_queue_check(backend, queue);
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_TELLING_QUEUE);
    status = backend->plugin->queue_native(queue->queue, &said, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "telling of a queue");
    *native = said;
    return PLX_OK;
}

/* The locks of own queues are of one backend and there is one of them: no order among locks can matter. */
plx_status plx_queue_wait(plx_queue *later, plx_queue *earlier)
{
    plx_error error = {.text = ""};
    if (later == earlier) /* it is in order by itself */
        return PLX_OK;
    plx_backend *backend = later != NULL ? later->backend : earlier->backend;
    later = plx_queue_or_own(later, backend);
    earlier = plx_queue_or_own(earlier, backend);
    plx_status status = plx_queue_check(backend, earlier);
    if (status != PLX_OK || later == earlier)
        return status;
    plx_queue_enter(later);
    plx_queue_enter(earlier);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_ORDERING);
    status = backend->plugin->wait(later->queue, earlier->queue, &error);
    plx_leave(&call);
    plx_queue_leave(earlier);
    plx_queue_leave(later);
    return status == PLX_OK ? PLX_OK : plx_backend_failed(backend, status, &error, "ordering two queues");
}

/* ---- devices ----------------------------------------------------------------- */

plx_status plx_native_device_check(const plx_context *context, const plx_native_device *device)
{
    return check_known(context, "the device", device->api, device->flags, 0, device->reserved,
                       sizeof device->reserved / sizeof device->reserved[0]);
}

plx_status plx_backend_native(plx_backend *backend, plx_native_device *device)
{
    plx_error error = {.text = ""};
    plx_native_device said = {.api = PLX_NATIVE_NONE};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_TELLING_DEVICE);
    status = backend->plugin->session_native(backend->session, &said, &error);
    plx_leave(&call);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "telling of the device");
    *device = said;
    return PLX_OK;
}
