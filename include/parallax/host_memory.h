/* What a plugin that computes on the processor needs besides its kernels: the processor as
 * device 0, its memory, and queues and events that do at once, in the caller's thread,
 * what they are told.  Installed; for plugins alone, header-only.
 *
 * Include it before any header of the system, or define _POSIX_C_SOURCE 200809L: it needs
 * a clock that C11 does not have.  Then write PLX_HOST_MEMORY_SLOTS into the descriptor, and
 * find where operands lie by plx_host_address(). */
#ifndef PARALLAX_HOST_MEMORY_H
#define PARALLAX_HOST_MEMORY_H

#if !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <parallax/host_limits.h>
#include <parallax/plugin.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "include <parallax/host_memory.h> before other headers, or define _POSIX_C_SOURCE 200809L"
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct plx_session {
    uint64_t most_bytes; /* of one piece of memory; 0: not known */
};

struct plx_memory {
    char *data; /* aligned to PLX_HOST_ALIGNMENT, unless it is borrowed */
    uint64_t bytes;
    bool borrowed; /* the application's */
};

struct plx_plugin_queue {
    plx_session *session;
};

struct plx_plugin_event {
    bool recorded;
    struct timespec when;
};

/* From PLX_HOST_MUCH bytes on it is worth a look at what is left. */
enum { PLX_HOST_ALIGNMENT = 256, PLX_HOST_MUCH = 1 << 26 };

/* Where an operand starts; NULL for one without memory. */
static inline void *plx_host_address(const plx_operand *operand)
{
    return operand->memory != NULL ? operand->memory->data + operand->offset : NULL;
}

/* ---- device ------------------------------------------------------------ */

/* What the machine has, or the least limit of a control group that this process is in; 0: not known. */
static inline uint64_t plx_host_memory_bytes(void)
{
    plx_host_limits limits;
    plx_host_limits_now(&limits);
    return limits.memory_bytes;
}

/* Describes the processor as a device of one unit, for probe(): its score is 0, so that
 * nobody gets it without asking for it. */
static inline void plx_host_device(plx_device_info *info, const char *name)
{
    memset(info, 0, sizeof *info);
    (void)snprintf(info->name, sizeof info->name, "%s", name);
    (void)snprintf(info->api, sizeof info->api, "C11");
    info->features = PLX_FEATURE_F64 | PLX_FEATURE_CPU;
    info->units = info->warp = 1;
    info->max_block_threads = UINT32_C(1) << 16;
    for (int axis = 0; axis < 3; axis++) {
        info->max_grid[axis] = INT64_MAX;
        info->max_block[axis] = info->max_block_threads;
    }
    info->max_shared_bytes = UINT64_C(1) << 20;
    info->memory_bytes = info->max_alloc_bytes = plx_host_memory_bytes();
}

static inline plx_status plx_host_open(size_t device, plx_session **session, plx_error *error)
{
    plx_session *made;
    if (device != 0)
        return plx_fail(error, PLX_NOT_FOUND, "the processor is one device, number 0; there is no %zu", device);
    made = (plx_session *)malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a session");
    made->most_bytes = plx_host_memory_bytes();
    *session = made;
    return PLX_OK;
}

static inline void plx_host_close(plx_session *session)
{
    free(session);
}

/* ---- memory ------------------------------------------------------------ */

/* More than there is would be granted, and end the process as soon as it is written to. */
static inline plx_status plx_host_has_room(const plx_session *session, uint64_t bytes, plx_error *error)
{
    plx_host_limits limits;
    if (session->most_bytes > 0 && bytes > session->most_bytes)
        return plx_fail(error, PLX_NO_MEMORY, "%" PRIu64 " bytes are more than the %" PRIu64 " that there may be",
                        bytes, session->most_bytes);
    if (bytes < PLX_HOST_MUCH)
        return PLX_OK;
    plx_host_limits_now(&limits);
    if (limits.memory_bytes == 0 || bytes <= limits.memory_left)
        return PLX_OK;
    return plx_fail(error, PLX_NO_MEMORY,
                    "%" PRIu64 " bytes of host memory are wanted, and of %" PRIu64 "%s%s %" PRIu64 " are left", bytes,
                    limits.memory_bytes, limits.memory_by[0] != '\0' ? " by " : "", limits.memory_by,
                    limits.memory_left);
}

static inline plx_status plx_host_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error)
{
    void *data = NULL;
    plx_memory *made = NULL;
    const plx_status room = plx_host_has_room(session, bytes, error);
    if (room != PLX_OK)
        return room;
    if (bytes <= SIZE_MAX - PLX_HOST_ALIGNMENT)
        made = (plx_memory *)malloc(sizeof *made);
    if (made == NULL || posix_memalign(&data, PLX_HOST_ALIGNMENT, bytes > 0 ? (size_t)bytes : 1) != 0) {
        free(made);
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %" PRIu64 " bytes", bytes);
    }
    made->data = (char *)data;
    made->bytes = bytes;
    made->borrowed = false;
    *memory = made;
    return PLX_OK;
}

static inline void plx_host_free(plx_session *session, plx_memory *memory)
{
    (void)session;
    if (memory != NULL && !memory->borrowed)
        free(memory->data);
    free(memory);
}

/* ---- memory and queues of others ----------------------------------------- */

static inline plx_status plx_host_memory_import(plx_session *session, const plx_native_memory *native,
                                                plx_memory **memory, plx_error *error)
{
    plx_memory *made;
    const uint64_t bytes = native->offset + native->bytes;
    (void)session;
    if (native->api != PLX_NATIVE_HOST)
        return plx_fail(error, PLX_INVALID, "it is no memory of the host (PLX_NATIVE_HOST)");
    if ((native->flags & ~(uint32_t)PLX_NATIVE_READ_ONLY) != 0)
        return plx_fail(error, PLX_INVALID, "memory of the host has no flag but PLX_NATIVE_READ_ONLY");
    if (bytes > UINTPTR_MAX - (uintptr_t)native->handle)
        return plx_fail(error, PLX_INVALID, "from there to the end of all addresses there are fewer");
    made = (plx_memory *)malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a buffer");
    made->data = (char *)native->handle;
    made->bytes = bytes;
    made->borrowed = true;
    *memory = made;
    return PLX_OK;
}

static inline plx_status plx_host_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native,
                                                plx_error *error)
{
    (void)session;
    (void)error;
    native->api = PLX_NATIVE_HOST;
    native->handle = memory != NULL ? memory->data : NULL;
    return PLX_OK;
}

static inline void plx_host_memory_place(plx_session *session, plx_memory *memory, plx_place *place)
{
    (void)session;
    place->root = 0;
    place->begin = (uint64_t)(uintptr_t)memory->data;
}

static inline plx_status plx_host_queue_import(plx_session *session, const plx_native_queue *native,
                                               plx_plugin_queue **queue, plx_error *error)
{
    (void)session;
    (void)native;
    (void)queue;
    return plx_fail(error, PLX_UNSUPPORTED, "the host has no queues of others: work is done when a call returns");
}

static inline plx_status plx_host_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error)
{
    (void)queue;
    (void)error;
    native->api = PLX_NATIVE_HOST;
    return PLX_OK;
}

/* What was told to either queue has been done. */
static inline plx_status plx_host_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error)
{
    (void)later;
    (void)earlier;
    (void)error;
    return PLX_OK;
}

static inline plx_status plx_host_session_native(plx_session *session, plx_native_device *native, plx_error *error)
{
    (void)session;
    (void)error;
    native->api = PLX_NATIVE_HOST;
    return PLX_OK;
}

/* The processor is what it is, so that there is nothing to be taken. */
static inline plx_status plx_host_open_on(const plx_native_device *native, size_t *device, plx_session **session,
                                          plx_error *error)
{
    if (native->api != PLX_NATIVE_HOST)
        return plx_fail(error, PLX_INVALID, "it is not the host (PLX_NATIVE_HOST)");
    if (native->context != NULL || native->device != NULL)
        return plx_fail(error, PLX_INVALID, "the host has neither contexts nor devices: leave them NULL");
    *device = 0;
    return plx_host_open(0, session, error);
}

/* Kernels of the host take none. */
static inline plx_status plx_host_reserve(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes,
                                          plx_error *error)
{
    (void)plan;
    (void)queue;
    (void)error;
    *bytes = 0;
    return PLX_OK;
}

static inline plx_status plx_host_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset,
                                               uint64_t bytes, plx_error *error)
{
    (void)queue;
    (void)memory;
    (void)offset;
    (void)bytes;
    (void)error;
    return PLX_OK;
}

/* All memory of the host is what its kernels reach. */
static inline plx_status plx_host_pinned_alloc(plx_session *session, uint64_t bytes, void **host, plx_error *error)
{
    if (session->most_bytes > 0 && bytes > session->most_bytes)
        return plx_fail(error, PLX_NO_MEMORY, "%" PRIu64 " bytes are more than the machine's %" PRIu64, bytes,
                        session->most_bytes);
    if (bytes > SIZE_MAX || posix_memalign(host, PLX_HOST_ALIGNMENT, (size_t)bytes) != 0)
        return plx_fail(error, PLX_NO_MEMORY, "no host memory for %" PRIu64 " bytes", bytes);
    return PLX_OK;
}

static inline void plx_host_pinned_free(plx_session *session, void *host)
{
    (void)session;
    free(host);
}

/* ---- queues ------------------------------------------------------------ */

static inline plx_status plx_host_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error)
{
    plx_plugin_queue *made = (plx_plugin_queue *)malloc(sizeof *made);
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for a queue");
    made->session = session;
    *queue = made;
    return PLX_OK;
}

static inline void plx_host_queue_destroy(plx_plugin_queue *queue)
{
    free(queue);
}

static inline plx_status plx_host_synchronize(plx_plugin_queue *queue, plx_error *error)
{
    (void)queue;
    (void)error;
    return PLX_OK;
}

static inline plx_status plx_host_check_range(const char *what, const plx_memory *memory, uint64_t offset,
                                              uint64_t bytes, plx_error *error)
{
    if (offset <= memory->bytes && bytes <= memory->bytes - offset)
        return PLX_OK;
    return plx_fail(error, PLX_INVALID,
                    "%s: %" PRIu64 " bytes at %" PRIu64 " lie outside a buffer of %" PRIu64 " bytes", what, bytes,
                    offset, memory->bytes);
}

static inline plx_status plx_host_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                                         uint64_t bytes, plx_error *error)
{
    const plx_status status = plx_host_check_range("upload", to, offset, bytes, error);
    (void)queue;
    if (status == PLX_OK && bytes > 0)
        memcpy(to->data + offset, from, (size_t)bytes);
    return status;
}

static inline plx_status plx_host_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                                           uint64_t bytes, plx_error *error)
{
    const plx_status status = plx_host_check_range("download", from, offset, bytes, error);
    (void)queue;
    if (status == PLX_OK && bytes > 0)
        memcpy(to, from->data + offset, (size_t)bytes);
    return status;
}

static inline plx_status plx_host_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern,
                                       uint64_t bytes, plx_error *error)
{
    const plx_status status = plx_host_check_range("fill", memory, offset, bytes, error);
    (void)queue;
    if (status != PLX_OK)
        return status;
    if (offset % sizeof pattern != 0 || bytes % sizeof pattern != 0)
        return plx_fail(error, PLX_INVALID, "fill: offset and length must be multiples of %zu", sizeof pattern);
    char *to = memory->data + offset;
    const uint64_t block = bytes < 4096 ? bytes : 4096; /* word by word, a large one takes several times as long */
    for (uint64_t i = 0; i < block; i += sizeof pattern)
        memcpy(to + i, &pattern, sizeof pattern);
    for (uint64_t i = block; i < bytes; i += block)
        memcpy(to + i, to, (size_t)(block < bytes - i ? block : bytes - i));
    return PLX_OK;
}

static inline plx_status plx_host_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                                       uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    plx_status status = plx_host_check_range("copy", to, to_offset, bytes, error);
    (void)queue;
    if (status == PLX_OK)
        status = plx_host_check_range("copy", from, from_offset, bytes, error);
    if (status == PLX_OK && bytes > 0)
        memmove(to->data + to_offset, from->data + from_offset, (size_t)bytes);
    return status;
}

/* ---- events ------------------------------------------------------------ */

static inline plx_status plx_host_event_create(plx_session *session, plx_plugin_event **event, plx_error *error)
{
    plx_plugin_event *made = (plx_plugin_event *)calloc(1, sizeof *made);
    (void)session;
    if (made == NULL)
        return plx_fail(error, PLX_NO_MEMORY, "no memory for an event");
    *event = made;
    return PLX_OK;
}

static inline void plx_host_event_destroy(plx_plugin_event *event)
{
    free(event);
}

static inline plx_status plx_host_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error)
{
    (void)queue;
    if (clock_gettime(CLOCK_MONOTONIC, &event->when) != 0)
        return plx_fail(error, PLX_FAILED, "the monotonic clock can't be read");
    event->recorded = true;
    return PLX_OK;
}

static inline plx_status plx_host_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                                plx_error *error)
{
    if (!from->recorded || !to->recorded)
        return plx_fail(error, PLX_INVALID, "an event was not recorded");
    *nanoseconds =
        (double)(to->when.tv_sec - from->when.tv_sec) * 1e9 + (double)(to->when.tv_nsec - from->when.tv_nsec);
    return PLX_OK;
}

/* For plans that are one piece of malloc(). */
static inline void plx_host_plan_destroy(plx_plugin_plan *plan)
{
    free(plan);
}

/* All but that, in a plx_plugin; probe, the kernels and the plans are the plugin's own.  In C, and in C++ from 20 on,
 * whose initialisers stand in the order of the members: behind .probe. */
#define PLX_HOST_OWN_SLOTS                                                                          \
    .open = plx_host_open, .close = plx_host_close, .alloc = plx_host_alloc, .free = plx_host_free, \
    .queue_create = plx_host_queue_create, .queue_destroy = plx_host_queue_destroy,                 \
    .synchronize = plx_host_synchronize, .upload = plx_host_upload, .download = plx_host_download,  \
    .fill = plx_host_fill, .copy = plx_host_copy, .event_create = plx_host_event_create,            \
    .event_destroy = plx_host_event_destroy, .event_record = plx_host_event_record,                 \
    .event_elapsed = plx_host_event_elapsed

/* Those for memory, queues and devices of others, which are among them; in C++ they stand behind .execute. */
#define PLX_HOST_NATIVE_SLOTS                                                                                        \
    .open_on = plx_host_open_on, .session_native = plx_host_session_native, .memory_import = plx_host_memory_import, \
    .memory_native = plx_host_memory_native, .memory_place = plx_host_memory_place,                                  \
    .queue_import = plx_host_queue_import, .queue_native = plx_host_queue_native, .wait = plx_host_wait,             \
    .reserve = plx_host_reserve, .lend_scratch = plx_host_lend_scratch, .pinned_alloc = plx_host_pinned_alloc,       \
    .pinned_free = plx_host_pinned_free

#ifdef __cplusplus
#define PLX_HOST_MEMORY_SLOTS PLX_HOST_OWN_SLOTS
#else
#define PLX_HOST_MEMORY_SLOTS PLX_HOST_OWN_SLOTS, PLX_HOST_NATIVE_SLOTS
#endif

/* The same for a descriptor that is filled by assignments. */
static inline void plx_host_memory_slots(plx_plugin *plugin)
{
    plugin->open = plx_host_open;
    plugin->close = plx_host_close;
    plugin->alloc = plx_host_alloc;
    plugin->free = plx_host_free;
    plugin->queue_create = plx_host_queue_create;
    plugin->queue_destroy = plx_host_queue_destroy;
    plugin->synchronize = plx_host_synchronize;
    plugin->upload = plx_host_upload;
    plugin->download = plx_host_download;
    plugin->fill = plx_host_fill;
    plugin->copy = plx_host_copy;
    plugin->event_create = plx_host_event_create;
    plugin->event_destroy = plx_host_event_destroy;
    plugin->event_record = plx_host_event_record;
    plugin->event_elapsed = plx_host_event_elapsed;
    plugin->open_on = plx_host_open_on;
    plugin->session_native = plx_host_session_native;
    plugin->memory_import = plx_host_memory_import;
    plugin->memory_native = plx_host_memory_native;
    plugin->memory_place = plx_host_memory_place;
    plugin->queue_import = plx_host_queue_import;
    plugin->queue_native = plx_host_queue_native;
    plugin->wait = plx_host_wait;
    plugin->reserve = plx_host_reserve;
    plugin->lend_scratch = plx_host_lend_scratch;
    plugin->pinned_alloc = plx_host_pinned_alloc;
    plugin->pinned_free = plx_host_pinned_free;
}

#ifdef __cplusplus
}
#endif

#endif
