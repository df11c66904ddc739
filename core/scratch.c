/* Scratch memory that is given ahead or lent, and memory of the host that devices reach by themselves. */
#include "core/core.h"

#include <inttypes.h>

/* queue NULL: only tells how much it is. */
static plx_status reserve(plx_plan *plan, plx_queue *queue, uint64_t *bytes)
{
    plx_error error = {.text = ""};
    uint64_t said = 0;
    plx_backend *backend = plan->backend;
    if (backend->plugin->reserve == NULL) {
        (void)plx_fail(&error, PLX_UNSUPPORTED, "its plugin has no slot for that");
        return plx_backend_failed(backend, PLX_UNSUPPORTED, &error, "scratch memory ahead of its use");
    }
    plx_entered call = plx_plan_call(plan, PLX_CALL_RESERVING);
    const plx_status status = backend->plugin->reserve(plan->plan, queue != NULL ? queue->queue : NULL, &said, &error);
    plx_leave(&call);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "scratch memory for %s/%s", plan->operation->name,
                                  plan->kernel->name);
    *bytes = said;
    return PLX_OK;
}

/* Of the plan, and of the one that turns its input: the larger. */
static plx_status reserve_both(plx_plan *plan, plx_queue *queue, uint64_t *bytes)
{
    uint64_t turning = 0;
    plx_status status = reserve(plan, queue, bytes);
    if (status == PLX_OK && plan->loop.turn != NULL)
        status = reserve(plan->loop.turn, queue, &turning);
    if (status == PLX_OK && turning > *bytes)
        *bytes = turning;
    return status;
}

plx_status plx_plan_scratch(plx_plan *plan, uint64_t *bytes)
{
    uint64_t said = 0;
    plx_status status = plx_backend_usable(plan->backend);
    if (status == PLX_OK)
        status = reserve_both(plan, NULL, &said);
    if (status == PLX_OK)
        *bytes = said;
    return status;
}

plx_status plx_queue_reserve(plx_queue *queue, plx_plan *plan)
{
    uint64_t bytes;
    queue = plx_queue_or_own(queue, plan->backend);
    plx_status status = plx_queue_check(plan->backend, queue);
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    status = reserve_both(plan, queue, &bytes);
    if (status == PLX_OK)
        status = plx_batch_reserve(plan, queue);
    plx_queue_leave(queue);
    return status;
}

static plx_status check_lent(const plx_backend *backend, plx_view scratch, uint64_t bytes)
{
    const plx_buffer *buffer = scratch.buffer;
    if (buffer->backend != backend)
        return plx_context_fail(backend->context, PLX_INVALID, "scratch memory on %s was lent to a queue of %s",
                                buffer->backend->label, backend->label);
    if (scratch.offset > buffer->bytes || bytes > buffer->bytes - scratch.offset)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: %" PRIu64 " bytes of scratch memory from byte %" PRIu64
                                " on run past the end of a buffer of %" PRIu64 " bytes",
                                backend->label, bytes, scratch.offset, buffer->bytes);
    if (buffer->limits != 0)
        return plx_context_fail(backend->context, PLX_INVALID,
                                "%s: scratch memory is read and written, and the buffer may not be", backend->label);
    return PLX_OK;
}

plx_status plx_queue_lend_scratch(plx_queue *queue, plx_view scratch, uint64_t bytes)
{
    plx_error error = {.text = ""};
    plx_backend *backend = queue->backend;
    const bool takes_back = scratch.buffer == NULL || bytes == 0;
    plx_status status = plx_queue_check(backend, queue);
    if (status == PLX_OK && !takes_back)
        status = check_lent(backend, scratch, bytes);
    if (status != PLX_OK)
        return status;
    if (backend->plugin->lend_scratch == NULL) {
        (void)plx_fail(&error, PLX_UNSUPPORTED, "its plugin has no slot for that");
        return plx_backend_failed(backend, PLX_UNSUPPORTED, &error, "lent scratch memory");
    }
    plx_queue_enter(queue);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_LENDING);
    status = takes_back ? backend->plugin->lend_scratch(queue->queue, NULL, 0, 0, &error)
                        : backend->plugin->lend_scratch(queue->queue, scratch.buffer->memory,
                                                        scratch.buffer->base + scratch.offset, bytes, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    return status == PLX_OK ? PLX_OK : plx_backend_failed(backend, status, &error, "lent scratch memory");
}

/* ---- memory of the host --------------------------------------------------------- */

plx_status plx_pinned_create(plx_backend *backend, uint64_t bytes, void **host)
{
    plx_error error = {.text = ""};
    void *made = NULL;
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    if (bytes == 0)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: no bytes of page-locked memory were asked for",
                                backend->label);
    if (backend->plugin->pinned_alloc == NULL || backend->plugin->pinned_free == NULL)
        status = plx_fail(&error, PLX_UNSUPPORTED, "its plugin has no slot for that");
    else {
        plx_entered call = plx_backend_enter(backend, PLX_CALL_PINNING);
        status = backend->plugin->pinned_alloc(backend->session, bytes, &made, &error);
        plx_leave(&call);
        status = plx_answered(status, made, &error);
    }
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "%" PRIu64 " bytes of page-locked memory", bytes);
    plx_backend_hold(backend);
    *host = made;
    return PLX_OK;
}

void plx_pinned_destroy(plx_backend *backend, void *host)
{
    if (host == NULL || plx_is_forked())
        return;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_UNPINNING);
    backend->plugin->pinned_free(backend->session, host);
    plx_leave(&call);
    plx_backend_release(backend);
}
