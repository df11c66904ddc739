/* Queues, and events in them. */
#include "core/core.h"

#include <stdlib.h>

static atomic_uint_least64_t last_serial;

/* What the plugin makes of it. */
static plx_status make(plx_backend *backend, const plx_native_queue *native, plx_plugin_queue **queue, plx_error *error)
{
    const plx_plugin *plugin = backend->plugin;
    plx_entered call = plx_backend_enter(backend, native == NULL ? PLX_CALL_CREATING_QUEUE : PLX_CALL_IMPORTING_QUEUE);
    const plx_status status = native == NULL ? plugin->queue_create(backend->session, queue, error)
                                             : plugin->queue_import(backend->session, native, queue, error);
    plx_leave(&call);
    return plx_answered(status, *queue, error);
}

plx_status plx_queue_make(plx_backend *backend, const plx_native_queue *native, bool shared, plx_queue **queue)
{
    plx_error error = {.text = ""};
    plx_queue *made = calloc(1, sizeof *made);
    if (made == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        return plx_out_of_memory(backend->context, "a queue");
    }
    made->backend = backend;
    made->shared = shared;
    made->serial = atomic_fetch_add(&last_serial, 1) + 1;
    const plx_status status = make(backend, native, &made->queue, &error);
    if (status != PLX_OK) {
        (void)pthread_mutex_destroy(&made->lock);
        free(made);
        return plx_backend_failed(backend, status, &error,
                                  native == NULL ? "creation of a queue" : "import of a queue");
    }
    if (!shared)
        plx_backend_hold(backend);
    *queue = made;
    return PLX_OK;
}

plx_status plx_queue_create(plx_backend *backend, plx_queue **queue)
{
    const plx_status status = plx_backend_usable(backend);
    return status == PLX_OK ? plx_queue_make(backend, NULL, false, queue) : status;
}

void plx_queue_destroy(plx_queue *queue)
{
    if (queue == NULL || plx_is_forked())
        return;
    plx_backend *holds = queue->shared ? NULL : queue->backend;
    plx_entered call = plx_queue_call(queue, PLX_CALL_DESTROYING_QUEUE);
    queue->backend->plugin->queue_destroy(queue->queue);
    plx_leave(&call);
    plx_batch_queue_end(queue);
    (void)pthread_mutex_destroy(&queue->lock);
    free(queue);
    if (holds != NULL)
        plx_backend_release(holds);
}

plx_status plx_queue_check(const plx_backend *backend, const plx_queue *queue)
{
    if (queue->backend == backend)
        return plx_backend_usable(backend);
    return plx_context_fail(backend->context, PLX_INVALID, "a queue of %s was given for work on %s",
                            queue->backend->label, backend->label);
}

plx_status plx_synchronize(plx_backend *backend, plx_queue *queue)
{
    plx_error error = {.text = ""};
    queue = plx_queue_or_own(queue, backend);
    plx_status status = plx_queue_check(backend, queue);
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_queue_call(queue, PLX_CALL_WAITING);
    status = backend->plugin->synchronize(queue->queue, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "work in a queue");
    return PLX_OK;
}

/* ---- events ------------------------------------------------------------ */

plx_status plx_event_create(plx_backend *backend, plx_event **event)
{
    plx_error error = {.text = ""};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_out_of_memory(backend->context, "an event");
    made->backend = backend;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_CREATING_EVENT);
    status = backend->plugin->event_create(backend->session, &made->event, &error);
    plx_leave(&call);
    status = plx_answered(status, made->event, &error);
    if (status != PLX_OK) {
        free(made);
        return plx_backend_failed(backend, status, &error, "creation of an event");
    }
    plx_backend_hold(backend);
    *event = made;
    return PLX_OK;
}

void plx_event_destroy(plx_event *event)
{
    if (event == NULL || plx_is_forked())
        return;
    plx_entered call = plx_backend_enter(event->backend, PLX_CALL_DESTROYING_EVENT);
    event->backend->plugin->event_destroy(event->event);
    plx_leave(&call);
    plx_backend_release(event->backend);
    free(event);
}

plx_status plx_event_record(plx_queue *queue, plx_event *event)
{
    plx_error error = {.text = ""};
    plx_backend *backend = event->backend;
    queue = plx_queue_or_own(queue, backend);
    plx_status status = plx_queue_check(backend, queue);
    if (status != PLX_OK)
        return status;
    plx_queue_enter(queue);
    plx_entered call = plx_backend_enter(backend, PLX_CALL_RECORDING_EVENT);
    status = backend->plugin->event_record(queue->queue, event->event, &error);
    plx_leave(&call);
    plx_queue_leave(queue);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "recording an event");
    event->queue = queue->serial;
    return PLX_OK;
}

static plx_status check_events(const plx_event *from, const plx_event *to)
{
    const plx_backend *backend = from->backend;
    if (to->backend != backend)
        return plx_context_fail(backend->context, PLX_INVALID, "one event belongs to %s and the other to %s",
                                backend->label, to->backend->label);
    if (from->queue == 0 || to->queue == 0)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: an event was never recorded", backend->label);
    if (from->queue != to->queue)
        return plx_context_fail(backend->context, PLX_INVALID, "%s: the two events were recorded in different queues",
                                backend->label);
    return plx_backend_usable(backend);
}

plx_status plx_event_elapsed(plx_event *from, plx_event *to, double *nanoseconds)
{
    plx_error error = {.text = ""};
    plx_backend *backend = from->backend;
    double elapsed = 0.0;
    plx_status status = check_events(from, to);
    if (status != PLX_OK)
        return status;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_TIMING);
    status = backend->plugin->event_elapsed(from->event, to->event, &elapsed, &error);
    plx_leave(&call);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "the time between two events");
    *nanoseconds = elapsed;
    return PLX_OK;
}
