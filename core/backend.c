/* An opened device. */
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- open and close ---------------------------------------------------- */

/* What can be made without the plugin; NULL when memory is exhausted. */
static plx_backend *backend_alloc(plx_context *context, size_t plugin, size_t device)
{
    const plx_entry *entry = &context->entries[plugin];
    plx_backend *backend = calloc(1, sizeof *backend);
    if (backend == NULL)
        return NULL;
    backend->plans = plx_plan_cache_create();
    if (backend->plans == NULL || pthread_mutex_init(&backend->lock, NULL) != 0) {
        plx_plan_cache_destroy(backend->plans);
        free(backend);
        return NULL;
    }
    backend->context = context;
    backend->module = entry->module;
    backend->plugin = &entry->module->slots;
    backend->plugin_index = plugin;
    backend->device = entry->devices[device];
    atomic_init(&backend->lost, false);
    atomic_init(&backend->most_work, 0.0);
    (void)snprintf(backend->label, sizeof backend->label, "%s:%zu", entry->module->name, device);
    return backend;
}

static void backend_free(plx_backend *backend)
{
    plx_plan_cache_destroy(backend->plans);
    (void)pthread_mutex_destroy(&backend->lock);
    plx_calls_hold();
    free(backend);
    plx_calls_release();
}

static void close_session_of(plx_backend *backend)
{
    plx_call_slot *call = plx_backend_enter(backend, "closing");
    backend->plugin->close(backend->session);
    plx_leave(call);
}

plx_status plx_backend_open(plx_context *context, size_t plugin, size_t device, plx_backend **backend)
{
    plx_error error = {.text = ""};
    plx_backend *made = backend_alloc(context, plugin, device);
    if (made == NULL)
        return plx_out_of_memory(context, "a backend");
    const char *barred = plx_barred_reason(context, made->label);
    if (barred != NULL) {
        const plx_status status = plx_context_fail(context, PLX_FAILED, "%s: %s", made->label, barred);
        backend_free(made);
        return status;
    }
    plx_call_slot *call = plx_backend_enter(made, "opening");
    plx_status status = made->plugin->open(device, &made->session, &error);
    plx_leave(call);
    context->loaded();
    status = plx_answered(status, made->session, &error);
    if (status != PLX_OK) {
        status = plx_backend_failed(made, status, &error, "opening the device");
        goto free_backend;
    }
    status = plx_queue_make(made, true, &made->own_queue);
    if (status != PLX_OK)
        goto close_session;
    plx_fork_add(made);
    *backend = made;
    return PLX_OK;

close_session:
    close_session_of(made);
free_backend:
    backend_free(made);
    return status;
}

/* Cached plans may still be at work in the backend's own queue. */
void plx_close(plx_backend *backend)
{
    plx_error error = {.text = ""};
    if (backend == NULL)
        return;
    plx_fork_remove(backend);
    if (plx_is_forked()) /* what is left is the parent's */
        return;
    plx_call_slot *call = plx_queue_call(backend->own_queue, "waiting for its work");
    (void)backend->plugin->synchronize(backend->own_queue->queue, &error);
    plx_leave(call);
    plx_plan_cache_destroy(backend->plans);
    backend->plans = NULL;
    plx_queue_destroy(backend->own_queue);
    close_session_of(backend);
    backend_free(backend);
}

/* ---- what it says of itself -------------------------------------------- */

plx_context *plx_backend_context(const plx_backend *backend)
{
    return backend->context;
}

const char *plx_backend_name(const plx_backend *backend)
{
    return backend->plugin->name;
}

const char *plx_backend_label(const plx_backend *backend)
{
    return backend->label;
}

size_t plx_backend_plugin(const plx_backend *backend)
{
    return backend->plugin_index;
}

const plx_device_info *plx_backend_device(const plx_backend *backend)
{
    return &backend->device;
}

plx_status plx_backend_telemetry(plx_backend *backend, plx_telemetry *telemetry)
{
    plx_error error = {.text = ""};
    plx_telemetry said = {.known = 0};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_call_slot *call = plx_backend_enter(backend, "telemetry");
    status = backend->plugin->telemetry(backend->session, &said, &error);
    plx_leave(call);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "telemetry");
    plx_telemetry_clean(&said);
    *telemetry = said;
    return PLX_OK;
}
