/* The OpenCL backend: devices, memory, queues, events and programs, knowing
 * nothing of any operation.  Its first block has the signatures of a plugin's
 * slots, so that several plugins (opencl, clblast) can bind them, and the structs are
 * open to those; the second lets such a plugin build and launch its own programs. */
#ifndef PLX_BACKENDS_OPENCL_OPENCL_H
#define PLX_BACKENDS_OPENCL_OPENCL_H

#include "backends/opencl/functions.h"

#include <pthread.h>
#include <stdatomic.h>

/* Memory of the host that the driver gave, in its session's list. */
typedef struct plx_cl_pinned plx_cl_pinned;
/* A program that was built, in its session's list. */
typedef struct plx_cl_built plx_cl_built;

struct plx_session {
    cl_device_id device;
    cl_context context;
    cl_command_queue touch; /* for what must be done while memory is allocated */
    plx_device_info info;
    char platform_version[256];
    bool driver_keeps_programs; /* on disk: a second cache would be of no use */
    atomic_bool lost;
    pthread_mutex_t pinned_lock; /* guards what follows */
    plx_cl_pinned *pinned;
    pthread_mutex_t programs_lock; /* guards what follows, and one build at a time */
    plx_cl_built *programs;
    bool own_target_tried, takes_own_target; /* whether the driver builds for sm_90a */
};

struct plx_memory {
    cl_mem buffer;
    uint64_t bytes;
    /* Of this memory alone, as long as the process lives: a handle may come back as another buffer's.  0: it
     * has none. */
    uint64_t serial;
    bool theirs;   /* the application's, and retained */
    void *pointer; /* to shared virtual memory that the buffer was made of; NULL: it was not */
};

struct plx_plugin_queue {
    plx_session *session;
    cl_command_queue queue;
    plx_memory scratch; /* its buffer is NULL until it is needed */
    bool theirs;        /* the application's, and retained: nobody waits for it */
    bool has_no_times;  /* it was made without profiling */
};

/* ---- slots: contracts in parallax/plugin.h ------------------------------- */

plx_status plx_cl_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);
plx_status plx_cl_open(size_t device, plx_session **session, plx_error *error);
void plx_cl_close(plx_session *session);
plx_status plx_cl_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void plx_cl_free(plx_session *session, plx_memory *memory);
plx_status plx_cl_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error);
void plx_cl_queue_destroy(plx_plugin_queue *queue);
plx_status plx_cl_synchronize(plx_plugin_queue *queue, plx_error *error);
plx_status plx_cl_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                         plx_error *error);
plx_status plx_cl_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                           plx_error *error);
plx_status plx_cl_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                       plx_error *error);
plx_status plx_cl_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                       uint64_t from_offset, uint64_t bytes, plx_error *error);
plx_status plx_cl_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void plx_cl_event_destroy(plx_plugin_event *event);
plx_status plx_cl_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status plx_cl_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error);

/* In native.c. */
plx_status plx_cl_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error);
plx_status plx_cl_session_native(plx_session *session, plx_native_device *native, plx_error *error);
plx_status plx_cl_memory_import(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                plx_error *error);
plx_status plx_cl_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native, plx_error *error);
void plx_cl_memory_place(plx_session *session, plx_memory *memory, plx_place *place);
plx_status plx_cl_queue_import(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                               plx_error *error);
plx_status plx_cl_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error);
plx_status plx_cl_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error);
plx_status plx_cl_pinned_alloc(plx_session *session, uint64_t bytes, void **host, plx_error *error);
void plx_cl_pinned_free(plx_session *session, void *host);
plx_status plx_cl_upload_async(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, plx_error *error);

/* Those of memory, queues and events, for a descriptor. */
#define PLX_CL_MEMORY_SLOTS                                                                                            \
    .alloc = plx_cl_alloc, .free = plx_cl_free, .queue_create = plx_cl_queue_create,                                   \
    .queue_destroy = plx_cl_queue_destroy, .synchronize = plx_cl_synchronize, .upload = plx_cl_upload,                 \
    .download = plx_cl_download, .fill = plx_cl_fill, .copy = plx_cl_copy, .event_create = plx_cl_event_create,        \
    .event_destroy = plx_cl_event_destroy, .event_record = plx_cl_event_record, .event_elapsed = plx_cl_event_elapsed, \
    .session_native = plx_cl_session_native, .memory_import = plx_cl_memory_import,                                    \
    .memory_native = plx_cl_memory_native, .memory_place = plx_cl_memory_place, .queue_import = plx_cl_queue_import,   \
    .queue_native = plx_cl_queue_native, .wait = plx_cl_wait, .pinned_alloc = plx_cl_pinned_alloc,                     \
    .pinned_free = plx_cl_pinned_free, .upload_async = plx_cl_upload_async

/* ---- for the plugins ------------------------------------------------------- */

/* Where an operand lies; NULL for one without memory. */
static inline cl_mem plx_cl_buffer(const plx_operand *operand)
{
    return operand->memory ? operand->memory->buffer : NULL;
}

/* Before work is enqueued: PLX_DEVICE_LOST once a kernel has broken the context. */
plx_status plx_cl_alive(const plx_session *session, plx_error *error);

/* Makes the queue's scratch memory at least `bytes` long; its first `zeroed` bytes are
 * zero when it is made.  Grows after the work that may use the old one is done, unless the queue is the
 * application's, which is not waited for: what is enqueued keeps the old one.  Then queue->scratch is another. */
plx_status plx_cl_scratch(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, plx_error *error);
/* The slot `lend_scratch`, for a plugin whose kernels want that many bytes zero. */
plx_status plx_cl_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                               uint64_t zeroed, plx_error *error);

/* ---- programs -------------------------------------------------------------- */

typedef struct plx_cl_source {
    const char *name; /* for messages */
    const void *text;
    size_t length;
    bool own_target; /* it is nothing without its lines for sm_90a (own_target.h) */
    bool is_spirv;   /* not OpenCL C; options are those of the list alone */
} plx_cl_source;

/* Builds a program from `source`, or returns the one that this session, or an earlier
 * process (cache.h), built from the same.  The program belongs to the session.
 * PLX_UNSUPPORTED: it needs its own target, and the driver refuses that; or the device takes no SPIR-V. */
plx_status plx_cl_program(plx_session *session, const plx_cl_source *source, const char *options, cl_program *program,
                          plx_error *error);
/* Whether the driver builds programs for sm_90a, which is tried once. */
bool plx_cl_takes_own_target(plx_session *session);

/* A kernel ready for blocks of `block_threads`: PLX_UNSUPPORTED when the device
 * cannot run as many of it.  The caller releases it with plx_cl.ReleaseKernel. */
plx_status plx_cl_kernel(plx_session *session, cl_program program, const char *entry, uint64_t block_threads,
                         cl_kernel *kernel, plx_error *error);

/* Blocks times threads on each of three axes. */
plx_status plx_cl_launch(plx_plugin_queue *queue, cl_kernel kernel, const size_t global[3], const size_t local[3],
                         plx_error *error);

#endif
