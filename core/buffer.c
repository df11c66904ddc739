/* Device memory, and the transfers to, from and within it. */
#include "core/core.h"

#include <inttypes.h>
#include <stdlib.h>

plx_status plx_buffer_create(plx_backend *backend, uint64_t bytes, plx_buffer **buffer)
{
    plx_error error = {.text = ""};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_buffer *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(backend->context, "a buffer");
    made->backend = backend;
    made->bytes = bytes;
    atomic_init(&made->references, 1);
    if (bytes > 0) {
        plx_entered call = plx_backend_enter(backend, PLX_CALL_ALLOCATION);
        status = backend->plugin->alloc(backend->session, bytes, &made->memory, &error);
        plx_leave(&call);
        status = plx_answered(status, made->memory, &error);
    }
    if (status != PLX_OK) {
        free(made);
        return plx_backend_failed(backend, status, &error, "allocation of %" PRIu64 " bytes", bytes);
    }
    plx_buffer_place(made);
    plx_backend_hold(backend);
    *buffer = made;
    return PLX_OK;
}

void plx_buffer_destroy(plx_buffer *buffer)
{
    if (buffer == NULL || plx_is_forked() || atomic_fetch_sub(&buffer->references, 1) > 1)
        return;
    if (buffer->memory != NULL) {
        plx_entered call = plx_backend_enter(buffer->backend, PLX_CALL_FREEING);
        buffer->backend->plugin->free(buffer->backend->session, buffer->memory);
        plx_leave(&call);
    }
    plx_backend_release(buffer->backend);
    void (*release)(void *) = buffer->release;
    void *owner = buffer->owner;
    free(buffer);
    if (release != NULL) /* it may call us, and take locks of its own */
        release(owner);
}

uint64_t plx_buffer_bytes(const plx_buffer *buffer)
{
    return buffer->bytes;
}

plx_backend *plx_buffer_backend(const plx_buffer *buffer)
{
    return buffer->backend;
}

/* ---- transfers --------------------------------------------------------- */

/* Written so that no sum can overflow. */
static plx_status check_range(const plx_buffer *buffer, uint64_t offset, uint64_t bytes, const char *what)
{
    const plx_backend *backend = buffer->backend;
    if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
        return PLX_OK;
    return plx_context_fail(backend->context, PLX_INVALID,
                            "%s: %s of %" PRIu64 " bytes from byte %" PRIu64
                            " on runs past the end of a buffer of %" PRIu64 " bytes",
                            backend->label, what, bytes, offset, buffer->bytes);
}

/* What is to be written. */
static plx_status check_target(const plx_buffer *buffer, const char *what)
{
    const plx_backend *backend = buffer->backend;
    if ((buffer->limits & PLX_BUFFER_NEVER_WRITTEN) == 0)
        return PLX_OK;
    return plx_context_fail(backend->context, PLX_INVALID, "%s: %s into a buffer that may only be read", backend->label,
                            what);
}

static plx_status check_host(const plx_backend *backend, const void *host, uint64_t bytes, const char *what)
{
    if (host == NULL)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: %s without a place in host memory", backend->label,
                                what);
    if (bytes > SIZE_MAX)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: %s of %" PRIu64 " bytes is more than the host can address", backend->label, what,
                                bytes);
    return PLX_OK;
}

/* Whether work of this buffer's backend may go into *queue, which becomes the backend's own when it is
 * NULL, and the range lies in the buffer. */
static plx_status check_transfer(plx_queue **queue, const plx_buffer *buffer, uint64_t offset, uint64_t bytes,
                                 const char *what)
{
    *queue = plx_queue_or_own(*queue, buffer->backend);
    const plx_status status = plx_queue_check(buffer->backend, *queue);
    return status == PLX_OK ? check_range(buffer, offset, bytes, what) : status;
}

/* What the plugin said of a transfer that was enqueued; gives the queue back. */
static plx_status end_transfer(plx_queue *queue, plx_status status, const plx_error *error, const char *what,
                               uint64_t bytes)
{
    plx_queue_leave(queue);
    return status == PLX_OK ? PLX_OK
                            : plx_backend_failed(queue->backend, status, error, "%s of %" PRIu64 " bytes", what, bytes);
}

/* By either slot. */
static plx_status upload(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes, bool wait)
{
    plx_error error = {.text = ""};
    plx_backend *backend = to->backend;
    plx_status status = check_transfer(&queue, to, offset, bytes, "upload");
    if (status != PLX_OK || bytes == 0)
        return status;
    status = check_host(backend, from, bytes, "upload");
    if (status == PLX_OK)
        status = check_target(to, "upload");
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_UPLOAD);
    status = (wait ? backend->plugin->upload : backend->plugin->upload_async)(queue->queue, to->memory,
                                                                              to->base + offset, from, bytes, &error);
    plx_leave(&call);
    return end_transfer(queue, status, &error, "upload", bytes);
}

plx_status plx_upload(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes)
{
    return upload(queue, to, offset, from, bytes, true);
}

plx_status plx_upload_async(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes)
{
    return upload(queue, to, offset, from, bytes, false);
}

plx_status plx_download(plx_queue *queue, void *to, plx_buffer *from, uint64_t offset, uint64_t bytes)
{
    plx_error error = {.text = ""};
    plx_backend *backend = from->backend;
    plx_status status = check_transfer(&queue, from, offset, bytes, "download");
    if (status != PLX_OK || bytes == 0)
        return status;
    status = check_host(backend, to, bytes, "download");
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_DOWNLOAD);
    status = backend->plugin->download(queue->queue, to, from->memory, from->base + offset, bytes, &error);
    plx_leave(&call);
    return end_transfer(queue, status, &error, "download", bytes);
}

plx_status plx_fill(plx_queue *queue, plx_buffer *buffer, uint64_t offset, uint32_t pattern, uint64_t bytes)
{
    plx_error error = {.text = ""};
    plx_backend *backend = buffer->backend;
    plx_status status = check_transfer(&queue, buffer, offset, bytes, "fill");
    if (status == PLX_OK)
        status = check_target(buffer, "fill");
    if (status == PLX_OK && bytes > 0 && offset % 4 == 0 && (buffer->begin + offset) % 4 != 0)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: fill from the address 0x%" PRIx64 " on, which is no multiple of 4", backend->label,
                                buffer->begin + offset);
    if (status == PLX_OK && (offset % 4 != 0 || bytes % 4 != 0))
        status = plx_context_fail(backend->context, PLX_INVALID,
                                  "%s: fill of %" PRIu64 " bytes from byte %" PRIu64 " on: both must be multiples of 4",
                                  backend->label, bytes, offset);
    if (status != PLX_OK || bytes == 0)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_FILL);
    status = backend->plugin->fill(queue->queue, buffer->memory, buffer->base + offset, pattern, bytes, &error);
    plx_leave(&call);
    return end_transfer(queue, status, &error, "fill", bytes);
}

static plx_status check_copy(const plx_buffer *to, uint64_t to_offset, const plx_buffer *from, uint64_t from_offset,
                             uint64_t bytes)
{
    const plx_backend *backend = to->backend;
    if (from->backend != backend)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "copy from a buffer of %s to one of %s: download and upload instead",
                                from->backend->label, backend->label);
    plx_status status = check_range(to, to_offset, bytes, "copy");
    if (status == PLX_OK)
        status = check_range(from, from_offset, bytes, "copy");
    if (status != PLX_OK)
        return status;
    status = check_target(to, "copy");
    if (status != PLX_OK)
        return status;
    if (plx_buffers_overlap(to, to_offset, bytes, from, from_offset, bytes))
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: copy of %" PRIu64 " bytes within a buffer: the two ranges overlap", backend->label,
                                bytes);
    return PLX_OK;
}

plx_status plx_copy(plx_queue *queue, plx_buffer *to, uint64_t to_offset, plx_buffer *from, uint64_t from_offset,
                    uint64_t bytes)
{
    plx_error error = {.text = ""};
    plx_backend *backend = to->backend;
    queue = plx_queue_or_own(queue, backend);
    plx_status status = plx_queue_check(backend, queue);
    if (status == PLX_OK)
        status = check_copy(to, to_offset, from, from_offset, bytes);
    if (status != PLX_OK || bytes == 0)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_COPY);
    status = backend->plugin->copy(queue->queue, to->memory, to->base + to_offset, from->memory,
                                   from->base + from_offset, bytes, &error);
    plx_leave(&call);
    return end_transfer(queue, status, &error, "copy", bytes);
}

static plx_status check_between(const plx_buffer *to, uint64_t to_offset, const plx_buffer *from, uint64_t from_offset,
                                uint64_t bytes)
{
    const plx_backend *backend = to->backend;
    if (from->backend == backend)
        return check_copy(to, to_offset, from, from_offset, bytes);
    if (from->backend->plugin != backend->plugin)
        return plx_context_fail(
            backend->context, PLX_UNSUPPORTED,
            "copy from a buffer of %s to one of %s, which are no devices of one plugin: download and "
            "upload instead",
            from->backend->label, backend->label);
    plx_status status = check_range(to, to_offset, bytes, "copy");
    if (status == PLX_OK)
        status = check_range(from, from_offset, bytes, "copy");
    return status == PLX_OK ? check_target(to, "copy") : status;
}

plx_status plx_copy_between(plx_queue *queue, plx_buffer *to, uint64_t to_offset, plx_buffer *from,
                            uint64_t from_offset, uint64_t bytes)
{
    plx_error error = {.text = ""};
    plx_backend *backend = to->backend;
    queue = plx_queue_or_own(queue, backend);
    plx_status status = plx_queue_check(backend, queue);
    if (status == PLX_OK)
        status = check_between(to, to_offset, from, from_offset, bytes);
    if (status != PLX_OK || bytes == 0)
        return status;
    if (from->backend == backend)
        return plx_copy(queue, to, to_offset, from, from_offset, bytes);
    status = plx_synchronize(from->backend, NULL);
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_COPY_BETWEEN);
    status = backend->plugin->copy_between(queue->queue, to->memory, to->base + to_offset, from->backend->session,
                                           from->memory, from->base + from_offset, bytes, &error);
    plx_leave(&call);
    return end_transfer(queue, status, &error, "copy from another device", bytes);
}
