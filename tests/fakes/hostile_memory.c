/* Devices, handles and queues of the hostile plugin. */
#define _GNU_SOURCE
#include "hostile.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* ---- devices ---------------------------------------------------------------------- */

static void spoil(plx_device_info *device)
{
    if (is("device-endless"))
        memset(device->name, 'd', sizeof device->name);
    if (is("device-endless-vendor"))
        memset(device->vendor, 'd', sizeof device->vendor);
    if (is("device-endless-api"))
        memset(device->api, 'd', sizeof device->api);
    if (is("device-endless-driver"))
        memset(device->driver, 'd', sizeof device->driver);
    if (is("device-endless-pci"))
        memset(device->pci, 'd', sizeof device->pci);
    if (is("device-capability"))
        device->compute_minor = UINT32_MAX;
    if (is("device-control"))
        (void)snprintf(device->name, sizeof device->name, "a\033]0;owned\007\033[31mb\nc\x80\xff");
    if (is("device-texts")) {
        (void)snprintf(device->vendor, sizeof device->vendor, "\033[31mv");
        (void)snprintf(device->api, sizeof device->api, "\033[31ma");
        (void)snprintf(device->driver, sizeof device->driver, "\033[31md\n");
        (void)snprintf(device->pci, sizeof device->pci, "\033[31mp");
    }
    if (is("device-bool"))
        memset(&device->has_uuid, 77, sizeof device->has_uuid);
    if (is("device-zero"))
        memset(device, 0, sizeof *device);
    if (is("device-ones"))
        memset(device, 0xff, sizeof *device);
    if (is("device-score"))
        device->score = INT32_MAX;
    if (is("device-cache"))
        device->l2_bytes = UINT64_MAX;
    if (is("device-reserved"))
        device->reserved[14] = UINT64_C(1) << 56;
    if (is("device-memory"))
        device->memory_bytes = device->max_alloc_bytes = UINT64_MAX;
}

plx_status h_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error)
{
    static size_t grown = 8;
    const plx_status lied = lie("probe", error);
    if (lied != PLX_OK)
        return lied;
    if (is("good-backend")) /* whoever tries it has read what it says of itself long before */
        (void)nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    if (is("probe-none"))
        return PLX_OK;
    *count = is("probe-million") ? (size_t)1000000 : is("probe-huge") ? SIZE_MAX / 2 : 1;
    if (is("probe-grows"))
        *count = ++grown;
    if (is("probe-warning"))
        memset(error->text, 'w', sizeof error->text);
    for (size_t i = 0; i < *count && i < capacity; i++) {
        dummy_describe(&devices[i], "hostile device");
        spoil(&devices[i]);
    }
    return PLX_OK;
}

/* ---- handles ------------------------------------------------------------------------ */

plx_status h_open(size_t device, plx_session **session, plx_error *error)
{
    const plx_status lied = lie("open", error);
    if (lied != PLX_OK || is("open-nothing"))
        return lied;
    return dummy_open(device, session, error);
}

void h_close(plx_session *session)
{
    at("close");
    dummy_close(session);
}

plx_status h_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    const plx_status lied = lie("alloc", error);
    return lied != PLX_OK || is("alloc-nothing") ? lied : dummy_alloc(session, bytes, memory, error);
}

void h_free(plx_session *session, plx_memory *memory)
{
    at("free");
    dummy_free(session, memory);
}

plx_status h_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    const plx_status lied = lie("queue", error);
    return lied != PLX_OK || is("queue-nothing") ? lied : dummy_queue_create(session, queue, error);
}

void h_queue_destroy(plx_plugin_queue *queue)
{
    at("queue-destroy");
    dummy_queue_destroy(queue);
}

plx_status h_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    const plx_status lied = lie("event", error);
    return lied != PLX_OK || is("event-nothing") ? lied : dummy_event_create(session, event, error);
}

void h_event_destroy(plx_plugin_event *event)
{
    at("event-destroy");
    dummy_event_destroy(event);
}

/* ---- work in queues ------------------------------------------------------------------- */

plx_status h_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    const plx_status lied = lie("synchronize", error);
    return lied != PLX_OK ? lied : dummy_synchronize(queue, error);
}

plx_status h_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                    plx_error *error)
{
    const plx_status lied = lie("upload", error);
    return lied != PLX_OK || is("upload-nothing") ? lied : dummy_upload(queue, to, offset, from, bytes, error);
}

plx_status h_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                      plx_error *error)
{
    const plx_status lied = lie("download", error);
    return lied != PLX_OK || is("download-nothing") ? lied : dummy_download(queue, to, from, offset, bytes, error);
}

plx_status h_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                  plx_error *error)
{
    const plx_status lied = lie("fill", error);
    return lied != PLX_OK || is("fill-nothing") ? lied : dummy_fill(queue, memory, offset, pattern, bytes, error);
}

plx_status h_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from, uint64_t from_offset,
                  uint64_t bytes, plx_error *error)
{
    const plx_status lied = lie("copy", error);
    return lied != PLX_OK || is("copy-nothing") ? lied
                                                : dummy_copy(queue, to, to_offset, from, from_offset, bytes, error);
}

plx_status h_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    const plx_status lied = lie("record", error);
    return lied != PLX_OK ? lied : dummy_event_record(queue, event, error);
}

plx_status h_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error)
{
    const plx_status lied = lie("elapsed", error);
    if (lied != PLX_OK)
        return lied;
    if (is("elapsed-nan"))
        *nanoseconds = (double)NAN;
    else if (is("elapsed-less"))
        *nanoseconds = -1e300;
    else
        return dummy_event_elapsed(from, to, nanoseconds, error);
    return PLX_OK;
}
