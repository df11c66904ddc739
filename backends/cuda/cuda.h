/* The CUDA backend: devices, memory, queues, events and programs over the driver
 * API.  It knows no operation.  The functions that have the shape of a slot of
 * plx_plugin can be put there by any plugin that lives on CUDA (our own kernels,
 * a vendor's library); the structs are open to those plugins.
 *
 * Every session uses the device's primary context, so that libraries built on
 * the runtime API share it. */
#ifndef PLX_BACKENDS_CUDA_CUDA_H
#define PLX_BACKENDS_CUDA_CUDA_H

#include "backends/cuda/driver.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct plx_cuda_program plx_cuda_program; /* a loaded module, in program.c */

struct plx_session {
    CUdevice device;
    CUcontext context;
    plx_device_info info;
    atomic_bool lost;           /* a sticky error has killed the context */
    pthread_mutex_t lock;       /* guards programs, attributes of their functions, monitor */
    plx_cuda_program *programs;
    struct plx_nvml_device *monitor; /* tells clocks and power; NULL until sought, or unknown */
    bool sought_monitor;
    plx_telemetry fixed; /* what it says that only a restart changes */
    void *attachment;           /* the plugin's own, e.g. a library's handle; NULL at first */
};

struct plx_memory {
    CUdeviceptr address;
    uint64_t bytes;
};

struct plx_plugin_queue {
    plx_session *session;
    CUstream stream;
    CUdeviceptr scratch;
    uint64_t scratch_bytes;
    void *attachment; /* the plugin's own; NULL at first */
};

struct plx_plugin_event {
    plx_session *session;
    CUevent event;
};

/* ---- slots of plx_plugin --------------------------------------------- */

plx_status plx_cuda_probe(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);
plx_status plx_cuda_open(size_t device, plx_session **session, plx_error *error);
void plx_cuda_close(plx_session *session);

plx_status plx_cuda_alloc(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
void plx_cuda_free(plx_session *session, plx_memory *memory);

plx_status plx_cuda_queue_create(plx_session *session, plx_plugin_queue **queue, plx_error *error);
void plx_cuda_queue_destroy(plx_plugin_queue *queue);
plx_status plx_cuda_synchronize(plx_plugin_queue *queue, plx_error *error);

plx_status plx_cuda_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                           uint64_t bytes, plx_error *error);
plx_status plx_cuda_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset,
                             uint64_t bytes, plx_error *error);
plx_status plx_cuda_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset,
                         uint32_t pattern, uint64_t bytes, plx_error *error);
plx_status plx_cuda_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset,
                         plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error);

plx_status plx_cuda_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void plx_cuda_event_destroy(plx_plugin_event *event);
plx_status plx_cuda_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status plx_cuda_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds,
                                  plx_error *error);

/* Those of memory, queues and events, for a descriptor. */
#define PLX_CUDA_MEMORY_SLOTS                                                                                \
    .alloc = plx_cuda_alloc, .free = plx_cuda_free, .queue_create = plx_cuda_queue_create,                   \
    .queue_destroy = plx_cuda_queue_destroy, .synchronize = plx_cuda_synchronize,                            \
    .upload = plx_cuda_upload, .download = plx_cuda_download, .fill = plx_cuda_fill, .copy = plx_cuda_copy,  \
    .event_create = plx_cuda_event_create, .event_destroy = plx_cuda_event_destroy,                          \
    .event_record = plx_cuda_event_record, .event_elapsed = plx_cuda_event_elapsed

/* ---- for the plugins -------------------------------------------------- */

/* Where an operand begins; 0 for one without memory. */
static inline CUdeviceptr plx_cuda_address(const plx_operand *operand)
{
    return operand->memory != NULL ? operand->memory->address + operand->offset : 0;
}

/* Describes a device without creating a context on it. */
plx_status plx_cuda_describe(CUdevice device, plx_device_info *info, plx_error *error);

/* Says that the session's context is dead. */
plx_status plx_cuda_refuse(plx_error *error);

/* What a call of ours changes in the calling thread, which belongs to others too. */
typedef struct plx_cuda_thread {
    CUcontext before; /* its current context, which may be none */
    CUstreamCaptureMode mode;
    bool changed, relaxed; /* whether the context, the mode have to be put back */
} plx_cuda_thread;

/* The slow halves of what follows. */
plx_status plx_cuda_enter_other(plx_session *session, plx_cuda_thread *thread, plx_error *error);
void plx_cuda_put_back(const plx_cuda_thread *thread);

/* Makes the session's context current in the calling thread, which another
 * library may have changed since the last call; refuses when the context is
 * dead.  To be called before any other function of the driver, and followed by plx_cuda_leave(), also
 * where it fails.  Calls may be nested. */
static inline plx_status plx_cuda_enter(plx_session *session, plx_cuda_thread *thread, plx_error *error)
{
    thread->changed = thread->relaxed = false;
    if (atomic_load_explicit(&session->lost, memory_order_relaxed))
        return plx_cuda_refuse(error);
    const plx_status status = PLX_CUDA(session, error, CtxGetCurrent, &thread->before);
    if (status != PLX_OK || thread->before == session->context)
        return status;
    return plx_cuda_enter_other(session, thread, error);
}

/* The same for what allocates, loads or waits: some thread may be capturing a stream into a graph, which such
 * calls would end, though they have nothing to do with it. */
plx_status plx_cuda_enter_relaxed(plx_session *session, plx_cuda_thread *thread, plx_error *error);

/* Leaves the thread as it was found. */
static inline void plx_cuda_leave(const plx_cuda_thread *thread)
{
    if (thread->changed || thread->relaxed)
        plx_cuda_put_back(thread);
}

/* The queue's scratch memory, of at least `bytes`: grown on first need, which
 * waits for the queue.  Its first `zeroed` bytes (a multiple of 4) are zero when
 * it is made.  The context is current. */
plx_status plx_cuda_scratch_grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed,
                                 plx_error *error);

/* A function of a program that nvcc compiled (a fatbin, cubin or PTX image).  The
 * image lives as long as the plugin; it is loaded once per session.  `name` is
 * for messages.  The context is current. */
plx_status plx_cuda_function(plx_session *session, const char *name, const void *image,
                             const char *entry, CUfunction *function, plx_error *error);

/* Prepares the function for blocks of that many threads with that much dynamic
 * shared memory; PLX_UNSUPPORTED in words when this device cannot run them. */
plx_status plx_cuda_function_prepare(plx_session *session, CUfunction function, const char *entry,
                                     uint64_t threads, uint64_t shared_bytes, plx_error *error);

/* ---- programs that come as text (program_text.c) ---- */

/* Has the driver assemble PTX.  max_registers of a thread, 0: as the text says.  The module is unloaded with
 * plx_cuda_text_unload().  PLX_UNSUPPORTED, with what the assembler says: the driver refuses it.  The context
 * is current. */
plx_status plx_cuda_text_load(plx_session *session, const char *text, uint32_t max_registers,
                              CUmodule *module, plx_error *error);
void plx_cuda_text_unload(plx_session *session, CUmodule module);
plx_status plx_cuda_text_function(plx_session *session, CUmodule module, const char *entry,
                                  CUfunction *function, plx_error *error);
/* The machine code that the driver makes of it, malloc'ed. */
plx_status plx_cuda_text_assemble(plx_session *session, const char *text, uint32_t max_registers,
                                  void **cubin, size_t *length, plx_error *error);
/* What a block of a function takes, with that much dynamic shared memory. */
plx_status plx_cuda_function_facts(plx_session *session, CUfunction function, uint64_t threads,
                                   uint64_t dynamic_shared, plx_launch_facts *facts, plx_error *error);
/* Where in the shared memory window the dynamic part of a block's begins, which OpenCL's device code is told.
 */
plx_status plx_cuda_dynamic_shared_start(plx_session *session, CUfunction function, uint64_t *start,
                                         plx_error *error);

/* The slot `count`, for any plugin's `execute`: what the hardware counts in one
 * execution.  PLX_UNSUPPORTED with the reason and its remedy where it may not. */
typedef plx_status plx_cuda_execute_function(plx_plugin_plan *plan, plx_plugin_queue *queue,
                                             const plx_operand *operands, size_t count,
                                             plx_error *error);
plx_status plx_cuda_count(plx_cuda_execute_function *execute, plx_plugin_plan *plan,
                          plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_counters *counters, plx_error *error);

/* The slot `telemetry`, through NVIDIA's management library where there is one. */
plx_status plx_cuda_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error);

/* Unloads what plx_cuda_function() has loaded; a dead context is left alone. */
void plx_cuda_programs_unload(plx_session *session);

#endif
