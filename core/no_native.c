/* The stand-ins for slots of plugins that were built before memory and queues of others could be used, or
 * have none. */
#include "core/core.h"

static plx_status lacks(const char *what, plx_error *error)
{
    return plx_fail(error, PLX_UNSUPPORTED, "its plugin can't take or give %s: it has no slot for that", what);
}

static plx_status no_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error)
{
    (void)native;
    (void)device;
    (void)session;
    return lacks("devices of others", error);
}

static plx_status no_session_native(plx_session *session, plx_native_device *native, plx_error *error)
{
    (void)session;
    (void)native;
    return lacks("devices of others", error);
}

static plx_status no_memory_import(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                   plx_error *error)
{
    (void)session;
    (void)native;
    (void)memory;
    return lacks("memory of others", error);
}

static plx_status no_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native,
                                   plx_error *error)
{
    (void)session;
    (void)memory;
    (void)native;
    return lacks("memory of others", error);
}

static plx_status no_queue_import(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                                  plx_error *error)
{
    (void)session;
    (void)native;
    (void)queue;
    return lacks("queues of others", error);
}

static plx_status no_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error)
{
    (void)queue;
    (void)native;
    return lacks("queues of others", error);
}

static plx_status no_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error)
{
    (void)later;
    (void)earlier;
    return plx_fail(error, PLX_UNSUPPORTED, "its plugin can't order two queues: call plx_synchronize() between them");
}

/* Memory has no place without the slot: each buffer is its own. */
void plx_module_fill_native(plx_plugin *plugin)
{
    if (plugin->open_on == NULL)
        plugin->open_on = no_open_on;
    if (plugin->session_native == NULL)
        plugin->session_native = no_session_native;
    if (plugin->memory_import == NULL || plugin->memory_place == NULL) /* overlap could not be told */
        plugin->memory_import = no_memory_import;
    if (plugin->memory_native == NULL)
        plugin->memory_native = no_memory_native;
    if (plugin->queue_import == NULL)
        plugin->queue_import = no_queue_import;
    if (plugin->queue_native == NULL)
        plugin->queue_native = no_queue_native;
    if (plugin->wait == NULL)
        plugin->wait = no_wait;
    if (plugin->upload_async == NULL)
        plugin->upload_async = plugin->upload;
}
