/* The CUDA backend: devices, memory, queues, events and programs over the driver
 * API.  It knows no operation.  The functions that have the shape of a slot of
 * plx_plugin can be put there by any plugin that lives on CUDA (our own kernels,
 * a vendor's library); the structs are open to those plugins.
 *
 * Every session uses the device's primary context, so that libraries built on
 * the runtime API share it, unless it was opened on another that the application has. */
#ifndef PLX_BACKENDS_CUDA_CUDA_H
#define PLX_BACKENDS_CUDA_CUDA_H

#include "backends/cuda/driver.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct plx_cuda_program plx_cuda_program; /* a loaded module, in program.c */
typedef struct plx_cuda_shared plx_cuda_shared;   /* one of text, in program_shared.c */
typedef struct plx_cuda_retired plx_cuda_retired; /* scratch memory that nothing new uses, in scratch.c */

struct plx_session {
    CUdevice device;
    CUcontext context;
    bool borrowed; /* the context is the application's */
    bool shares;   /* memory is made so that another process can reach each piece by itself */
    plx_device_info info;
    atomic_bool lost;     /* a sticky error has killed the context */
    pthread_mutex_t lock; /* guards programs, shared, attributes of their functions, monitor, retired */
    plx_cuda_program *programs;
    plx_cuda_shared *shared;
    plx_cuda_retired *retired;       /* of queues that are gone */
    struct plx_nvml_device *monitor; /* tells clocks and power; NULL until sought, or unknown */
    bool sought_monitor;
    void *errors;         /* the management library's set of events; NULL until sought, or none */
    uint64_t error_count; /* that came so far, and the last of them */
    uint32_t last_error;
    plx_telemetry fixed; /* what it says that only a restart changes */
    void *attachment;    /* the plugin's own, e.g. a library's handle; NULL at first */
};

struct plx_memory {
    CUdeviceptr address;
    uint64_t bytes;
    bool borrowed;          /* the application's */
    uint64_t serial;        /* no other has it; 0: borrowed */
    CUipcMemHandle *handle; /* for another process; NULL until one wants it */
};

struct plx_plugin_queue {
    plx_session *session;
    CUstream stream;
    bool borrowed;          /* the stream is the application's */
    bool shared;            /* others know the stream: they may put kernels into it, and capture it into a graph */
    size_t first_dependent; /* of a plan's launches: those before it begin when all before them has ended */
    CUdeviceptr scratch;
    uint64_t scratch_bytes;
    bool lent;                 /* the scratch memory is the application's */
    plx_cuda_retired *retired; /* former scratch memory, which graphs may use as long as the queue is there */
    CUevent order;             /* for plx_cuda_wait(); NULL until it is needed */
    void *attachment;          /* the plugin's own; NULL at first */
};

struct plx_plugin_event {
    plx_session *session;
    CUevent event;
    bool captured; /* recorded as a part of a graph: it has no time */
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

plx_status plx_cuda_upload(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                           plx_error *error);
plx_status plx_cuda_download(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                             plx_error *error);
plx_status plx_cuda_fill(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                         plx_error *error);
plx_status plx_cuda_copy(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                         uint64_t from_offset, uint64_t bytes, plx_error *error);

plx_status plx_cuda_event_create(plx_session *session, plx_plugin_event **event, plx_error *error);
void plx_cuda_event_destroy(plx_plugin_event *event);
plx_status plx_cuda_event_record(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
plx_status plx_cuda_event_elapsed(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error);

/* In native.c. */
plx_status plx_cuda_open_on(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error);
plx_status plx_cuda_session_native(plx_session *session, plx_native_device *native, plx_error *error);
plx_status plx_cuda_memory_import(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                  plx_error *error);
plx_status plx_cuda_memory_native(plx_session *session, plx_memory *memory, plx_native_memory *native,
                                  plx_error *error);
void plx_cuda_memory_place(plx_session *session, plx_memory *memory, plx_place *place);
plx_status plx_cuda_queue_import(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                                 plx_error *error);
plx_status plx_cuda_queue_native(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error);
plx_status plx_cuda_wait(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error);
plx_status plx_cuda_pinned_alloc(plx_session *session, uint64_t bytes, void **host, plx_error *error);
void plx_cuda_pinned_free(plx_session *session, void *host);
plx_status plx_cuda_upload_async(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                                 uint64_t bytes, plx_error *error);

/* Those of memory, queues and events, for a descriptor. */
#define PLX_CUDA_MEMORY_SLOTS                                                                                          \
    .alloc = plx_cuda_alloc, .free = plx_cuda_free, .queue_create = plx_cuda_queue_create,                             \
    .queue_destroy = plx_cuda_queue_destroy, .synchronize = plx_cuda_synchronize, .upload = plx_cuda_upload,           \
    .download = plx_cuda_download, .fill = plx_cuda_fill, .copy = plx_cuda_copy,                                       \
    .event_create = plx_cuda_event_create, .event_destroy = plx_cuda_event_destroy,                                    \
    .event_record = plx_cuda_event_record, .event_elapsed = plx_cuda_event_elapsed,                                    \
    .session_native = plx_cuda_session_native, .memory_import = plx_cuda_memory_import,                                \
    .memory_native = plx_cuda_memory_native, .memory_place = plx_cuda_memory_place,                                    \
    .queue_import = plx_cuda_queue_import, .queue_native = plx_cuda_queue_native, .wait = plx_cuda_wait,               \
    .pinned_alloc = plx_cuda_pinned_alloc, .pinned_free = plx_cuda_pinned_free, .upload_async = plx_cuda_upload_async, \
    .health = plx_cuda_health, .copy_between = plx_cuda_copy_between

/* ---- for the plugins -------------------------------------------------- */

/* Memory is from now on such that another process can reach it. */
plx_status plx_cuda_share_memory(plx_session *session, plx_error *error);
/* How it does. */
plx_status plx_cuda_reach(plx_session *session, const plx_operand *operand, bool written, plx_reached *reached,
                          plx_error *error);

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
 * waits for the queue unless others know it.  Its first `zeroed` bytes (a multiple of 4) are zero when
 * it is made.  While the stream is captured it grows outside of the capture, or is refused before that ends. */
plx_status plx_cuda_scratch_grow(plx_plugin_queue *queue, uint64_t bytes, uint64_t zeroed, plx_error *error);
/* The slot `lend_scratch`, for a plugin whose kernels want that many bytes zero. */
plx_status plx_cuda_lend_scratch(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                                 uint64_t zeroed, plx_error *error);

/* ---- among the files of the backend ---- */

/* A session on a device, in a context of the application; NULL: in the primary one. */
plx_status plx_cuda_open_in(CUdevice device, CUcontext context, plx_session **session, plx_error *error);
/* Whether the stream is being captured.  PLX_INVALID, with the reason: its capture was broken, or another's forbids it.
 */
plx_status plx_cuda_capturing(plx_plugin_queue *queue, bool *capturing, plx_error *error);
/* PLX_INVALID, with the remedy, where it is: for what would end a capture. */
plx_status plx_cuda_refuse_capture(plx_plugin_queue *queue, const char *remedy, plx_error *error);
bool plx_cuda_is_page_locked(plx_session *session, const void *host);
/* The end of a queue's scratch memory; not alive: its context is dead. */
void plx_cuda_scratch_end(plx_plugin_queue *queue, bool alive);
/* Frees what queues have left behind, as far as it is not used any more; and, waiting, all of it. */
void plx_cuda_sweep(plx_session *session);
void plx_cuda_sweep_all(plx_session *session);

/* A function of a program that nvcc compiled (a fatbin, cubin or PTX image).  The
 * image lives as long as the plugin; it is loaded once per session.  `name` is
 * for messages.  The context is current. */
plx_status plx_cuda_function(plx_session *session, const char *name, const void *image, const char *entry,
                             CUfunction *function, plx_error *error);

/* Prepares the function for blocks of that many threads with that much dynamic
 * shared memory; PLX_UNSUPPORTED in words when this device cannot run them. */
plx_status plx_cuda_function_prepare(plx_session *session, CUfunction function, const char *entry, uint64_t threads,
                                     uint64_t shared_bytes, plx_error *error);

/* ---- programs that come as text (program_text.c) ---- */

/* Has the driver assemble PTX.  max_registers of a thread, 0: as the text says.  The module is unloaded with
 * plx_cuda_text_unload().  PLX_UNSUPPORTED, with what the assembler says: the driver refuses it.  The context
 * is current. */
plx_status plx_cuda_text_load(plx_session *session, const char *text, uint32_t max_registers, CUmodule *module,
                              plx_error *error);
void plx_cuda_text_unload(plx_session *session, CUmodule module);
/* The same for text that keeps nothing from launch to launch, whose functions are told nothing that another plan might
 * not want (program_shared.c): one module for all who take the same text, each of whom gives it back. */
plx_status plx_cuda_shared_take(plx_session *session, const char *text, size_t length, uint32_t max_registers,
                                plx_cuda_shared **shared, plx_error *error);
CUmodule plx_cuda_shared_module(const plx_cuda_shared *shared);
void plx_cuda_shared_give_back(plx_session *session, plx_cuda_shared *shared);
plx_status plx_cuda_text_function(plx_session *session, CUmodule module, const char *entry, CUfunction *function,
                                  plx_error *error);
/* The bytes of each parameter, and how many there are, of which at most `capacity` are written.  *known false: the
 * driver does not tell. */
plx_status plx_cuda_function_parameters(plx_session *session, CUfunction function, size_t *bytes, size_t capacity,
                                        size_t *count, bool *known, plx_error *error);
/* The machine code that the driver makes of it, malloc'ed. */
plx_status plx_cuda_text_assemble(plx_session *session, const char *text, uint32_t max_registers, void **cubin,
                                  size_t *length, plx_error *error);
/* What a block of a function takes, with that much dynamic shared memory. */
plx_status plx_cuda_function_facts(plx_session *session, CUfunction function, uint64_t threads, uint64_t dynamic_shared,
                                   plx_launch_facts *facts, plx_error *error);
/* Where in the shared memory window the dynamic part of a block's begins, which OpenCL's device code is told.
 */
plx_status plx_cuda_dynamic_shared_start(plx_session *session, CUfunction function, uint64_t *start, plx_error *error);

/* The slot `count`, for any plugin's `execute`: what the hardware counts in one
 * execution.  PLX_UNSUPPORTED with the reason and its remedy where it may not. */
typedef plx_status plx_cuda_execute_function(plx_plugin_plan *plan, plx_plugin_queue *queue,
                                             const plx_operand *operands, size_t count, plx_error *error);
plx_status plx_cuda_count(plx_cuda_execute_function *execute, plx_plugin_plan *plan, plx_plugin_queue *queue,
                          const plx_operand *operands, size_t count, plx_counters *counters, plx_error *error);

/* The slot `telemetry`, through NVIDIA's management library where there is one. */
plx_status plx_cuda_telemetry(plx_session *session, plx_telemetry *telemetry, plx_error *error);
/* The slot `health`, in the same way (health.c), and what both find the device with. */
plx_status plx_cuda_health(plx_session *session, plx_health *health, plx_error *error);
void *plx_nvml_symbol(const char *name);
struct plx_nvml_device *plx_nvml_find(const plx_device_info *info);
/* The slot `copy_between` (peer.c). */
plx_status plx_cuda_copy_between(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_session *other,
                                 plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error);
/* Where a range of memory begins; PLX_INVALID where it ends behind it. */
plx_status plx_cuda_locate(const plx_memory *memory, uint64_t offset, uint64_t bytes, CUdeviceptr *address,
                           plx_error *error);

/* Unloads what plx_cuda_function() has loaded; a dead context is left alone. */
void plx_cuda_programs_unload(plx_session *session);
void plx_cuda_shared_unload(plx_session *session);

#endif
