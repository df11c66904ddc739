/* An opened device. */
#include "core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- open and close ---------------------------------------------------- */

static void set_device(plx_backend *backend, size_t device)
{
    const plx_entry *entry = &backend->context->entries[backend->plugin_index];
    backend->device = entry->devices[device];
    (void)snprintf(backend->label, sizeof backend->label, "%s:%zu", entry->module->name, device);
}

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
    atomic_fetch_add(&context->holders, 1);
    atomic_init(&backend->holders, 1);
    backend->module = entry->module;
    backend->plugin = &entry->module->slots;
    backend->plugin_index = plugin;
    atomic_init(&backend->lost, false);
    atomic_init(&backend->most_work, 0.0);
    set_device(backend, device);
    return backend;
}

static plx_status check_barred(const plx_backend *backend)
{
    const char *reason = plx_barred_reason(backend->context, backend->label);
    return reason == NULL ? PLX_OK : plx_context_fail(backend->context, PLX_FAILED, "%s: %s", backend->label, reason);
}

static void backend_free(plx_backend *backend)
{
    plx_plan_cache_destroy(backend->plans);
    (void)pthread_mutex_destroy(&backend->lock);
    plx_context *context = backend->context;
    plx_calls_hold();
    free(backend);
    plx_calls_release();
    plx_context_release(context);
}

static void close_session_of(plx_backend *backend)
{
    plx_entered call = plx_backend_enter(backend, PLX_CALL_CLOSING);
    backend->plugin->close(backend->session);
    plx_leave(&call);
}

/* Opens the session.  On a device of the application's its number is known only then. */
static plx_status open_session(plx_backend *made, const plx_native_device *native, size_t device, plx_error *error)
{
    const plx_entry *entry = &made->context->entries[made->plugin_index];
    plx_entered call = plx_backend_enter(made, PLX_CALL_OPENING);
    plx_status status = native == NULL ? made->plugin->open(device, &made->session, error)
                                       : made->plugin->open_on(native, &device, &made->session, error);
    plx_leave(&call);
    made->context->loaded();
    status = plx_answered(status, made->session, error);
    if (status != PLX_OK || native == NULL)
        return status;
    if (device >= entry->device_count) {
        close_session_of(made);
        return plx_fail(error, PLX_FAILED, "it says that this is its device %zu, and lists %zu", device,
                        entry->device_count);
    }
    set_device(made, device);
    return PLX_OK;
}

/* What probe() can't know. */
static void complete_device(plx_backend *made)
{
    plx_device_info known = made->device;
    if (made->plugin->opened == NULL)
        return;
    plx_entered call = plx_backend_enter(made, PLX_CALL_OPENING);
    made->plugin->opened(made->session, &known);
    plx_leave(&call);
    memcpy(made->device.clusters, known.clusters, sizeof known.clusters);
}

/* For functions in other processes, where there are such and the plugin can. */
static plx_status share_memory(plx_backend *made, plx_error *error)
{
    if (made->plugin->share_memory == NULL || !plx_added_functions(made->context))
        return PLX_OK;
    plx_entered call = plx_backend_enter(made, PLX_CALL_OPENING);
    const plx_status status = made->plugin->share_memory(made->session, error);
    plx_leave(&call);
    return status == PLX_OK ? PLX_OK : plx_backend_failed(made, status, error, "opening the device");
}

plx_status plx_backend_open(plx_context *context, size_t plugin, size_t device, const plx_native_device *native,
                            plx_backend **backend)
{
    plx_error error = {.text = ""};
    plx_backend *made = backend_alloc(context, plugin, device);
    if (made == NULL)
        return plx_out_of_memory(context, "a backend");
    plx_status status = check_barred(made);
    if (status != PLX_OK)
        goto free_backend;
    status = open_session(made, native, device, &error);
    if (status != PLX_OK) {
        status = plx_backend_failed(made, status, &error, "opening the device");
        goto free_backend;
    }
    complete_device(made);
    if (native != NULL)
        status = check_barred(made);
    if (status == PLX_OK)
        status = share_memory(made, &error);
    if (status == PLX_OK)
        status = plx_queue_make(made, NULL, true, &made->own_queue);
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

void plx_backend_release(plx_backend *backend)
{
    if (atomic_fetch_sub(&backend->holders, 1) > 1)
        return;
    plx_queue_destroy(backend->own_queue);
    close_session_of(backend);
    backend_free(backend);
}

/* Cached plans may still be at work in the backend's own queue. */
void plx_close(plx_backend *backend)
{
    plx_error error = {.text = ""};
    if (backend == NULL)
        return;
    plx_fork_remove(backend);
    if (plx_is_forked()) { /* what is left is the parent's */
        plx_context_release(backend->context);
        return;
    }
    plx_entered call = plx_queue_call(backend->own_queue, PLX_CALL_WAITING);
    (void)backend->plugin->synchronize(backend->own_queue->queue, &error);
    plx_leave(&call);
    plx_plan_cache_destroy(backend->plans);
    backend->plans = NULL;
    plx_backend_mark_lost(backend, "it was closed before what had been made from it was destroyed");
    plx_backend_release(backend);
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
    plx_entered call = plx_backend_enter(backend, PLX_CALL_TELEMETRY);
    status = backend->plugin->telemetry(backend->session, &said, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = plx_reserved_check(backend->plugin, "plx_telemetry", said.reserved, sizeof said.reserved, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "telemetry");
    plx_telemetry_clean(&said);
    *telemetry = said;
    return PLX_OK;
}

plx_status plx_backend_health(plx_backend *backend, plx_health *health)
{
    plx_error error = {.text = ""};
    plx_health said = {.known = 0};
    plx_status status = plx_backend_usable(backend);
    if (status != PLX_OK)
        return status;
    plx_entered call = plx_backend_enter(backend, PLX_CALL_HEALTH);
    status = backend->plugin->health(backend->session, &said, &error);
    plx_leave(&call);
    if (status == PLX_OK)
        status = plx_reserved_check(backend->plugin, "plx_health", said.reserved, sizeof said.reserved, &error);
    if (status != PLX_OK)
        return plx_backend_failed(backend, status, &error, "health");
    plx_health_clean(&said);
    *health = said;
    return PLX_OK;
}
