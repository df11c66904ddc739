/* Queues, which carry everything out at once, in the caller's thread; and events. */
#define _POSIX_C_SOURCE 200809L
#include "backends/host/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- queue ------------------------------------------------------------- */

plx_status plx_host_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    plx_plugin_queue *made = malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a queue");
    made->session = session;
    *queue = made;
    return PLX_OK;
}

void plx_host_queue_destroy(plx_plugin_queue *queue)
{
    free(queue);
}

plx_status plx_host_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    (void)queue;
    (void)error;
    return PLX_OK;
}

static plx_status check_range(const char *what, const plx_memory *memory, uint64_t offset, uint64_t bytes,
                              plx_error *error)
{
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: %" PRIu64 " bytes at %" PRIu64 " lie outside a buffer of %" PRIu64 " bytes", what,
                    bytes, offset, memory->bytes);
}

plx_status plx_host_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                           uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("upload", to, offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memcpy(to->data + offset, from, (size_t)bytes);
    return status;
}

plx_status plx_host_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                             uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("download", from, offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memcpy(to, from->data + offset, (size_t)bytes);
    return status;
}

plx_status plx_host_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                         uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("fill", memory, offset, bytes, error);
    if (status == PLX_OK && (offset % sizeof pattern != 0 || bytes % sizeof pattern != 0))
        status =
            plx_fail(error, PLX_INVALID, "fill: offset and length must be multiples of %zu", sizeof pattern);
    if (status != PLX_OK)
        return status;
    for (uint64_t i = 0; i < bytes; i += sizeof pattern)
        memcpy(memory->data + offset + i, &pattern, sizeof pattern);
    return PLX_OK;
}

plx_status plx_host_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                         uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    (void)queue;
    plx_status status = check_range("copy", to, to_offset, bytes, error);
    if (status == PLX_OK)
        status = check_range("copy", from, from_offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memmove(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    return status;
}

/* ---- events ------------------------------------------------------------ */

plx_status plx_host_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    (void)session;
    plx_plugin_event *made = calloc(1, sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an event");
    *event = made;
    return PLX_OK;
}

void plx_host_event_destroy(plx_plugin_event *event)
{
    free(event);
}

plx_status plx_host_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    (void)queue;
    if (clock_gettime(CLOCK_MONOTONIC, &event->when) != 0)
        return plx_fail(error, PLX_FAILED, "the monotonic clock can't be read");
    event->recorded = true;
    return PLX_OK;
}

plx_status plx_host_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                  plx_error *error)
{
    if (!from->recorded || !to->recorded)
        return plx_fail(error, PLX_INVALID, "an event was not recorded");
    *nanoseconds =
        (double)(to->when.tv_sec - from->when.tv_sec) * 1e9 + (double)(to->when.tv_nsec - from->when.tv_nsec);
    return PLX_OK;
}
