/* The host backend: the processor as a device, its memory, queues and events.  It
 * knows no operation.  The functions that have the shape of a slot of plx_plugin can
 * be put there by any plugin that computes on the processor. */
#ifndef PLX_BACKENDS_HOST_HOST_H
#define PLX_BACKENDS_HOST_HOST_H

#include <parallax/plugin.h>

#include <time.h>

struct plx_session {
    plx_device_info device;
};

struct plx_memory {
    char *data;
    uint64_t bytes;
};

struct plx_plugin_queue {
    plx_session *session;
};

struct plx_plugin_event {
    bool recorded;
    struct timespec when;
};

/* ---- slots of plx_plugin --------------------------------------------- */

plx_status plx_host_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);
plx_status plx_host_open(size_t device, plx_session **session, plx_error *error);
void plx_host_close(plx_session *session);

plx_status plx_host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void plx_host_free(plx_session *session, plx_memory *memory);

plx_status plx_host_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error);
void plx_host_queue_destroy(plx_plugin_queue *queue);
plx_status plx_host_synchronize(plx_plugin_queue *queue, plx_error *error);

plx_status plx_host_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                           uint64_t bytes, plx_error *error);
plx_status plx_host_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                             uint64_t bytes, plx_error *error);
plx_status plx_host_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                         uint64_t bytes, plx_error *error);
plx_status plx_host_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                         uint64_t from_offset, uint64_t bytes, plx_error *error);

plx_status plx_host_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void plx_host_event_destroy(plx_plugin_event *event);
plx_status plx_host_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status plx_host_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                  plx_error *error);

/* ---- for the plugins -------------------------------------------------- */

/* Where an operand starts; NULL for one without memory. */
static inline void *plx_host_address(const plx_operand *operand)
{
    return operand->memory != NULL ? operand->memory->data + operand->offset : NULL;
}

/* Describes the processor. */
void plx_host_describe(plx_device_info *info);

/* Calls body(data, index) for every index below count, on several threads when
 * there are any.  The calls must not depend on each other's order. */
void plx_host_each(int64_t count, void (*body)(void *data, int64_t index), void *data);
/* How many threads plx_host_each() may use. */
uint32_t plx_host_threads(void);

#endif
