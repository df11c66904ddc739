/* Memory, queues and devices that a program already has, for Parallax, and those of Parallax for the program.
 *
 *     plx_native_queue stream = {.api = PLX_NATIVE_CUDA, .handle = my_stream};
 *     plx_native_memory memory = {.api = PLX_NATIVE_CUDA, .handle = my_pointer, .bytes = my_bytes};
 *     plx_queue_import(backend, &stream, &queue);
 *     plx_buffer_import(backend, &memory, &a);
 *     plx_execute(plan, queue, operands, 3);     // in order behind what is in my_stream, and nothing waits
 *
 * Installed; included by parallax.h and plugin.h.  What is said there of errors and threads holds here too: a function
 * that fails sets no output and leaves one line in plx_message().
 *
 * Ownership: memory, streams and contexts stay the caller's.  They are neither freed nor waited for, and have to live
 * as long as what was made of them here, and until what was enqueued on them is done.  Memory may be handed over, by a
 * release callback.  Objects of OpenCL are retained while they are used.
 * Thread: the calling thread's current CUDA context is the same after a call as before it.
 * A backend whose plugin has none of this answers PLX_UNSUPPORTED, and says so. */
#ifndef PARALLAX_NATIVE_H
#define PARALLAX_NATIVE_H

#include <parallax/types.h>

#ifndef PLX_API
#if defined(__GNUC__)
#define PLX_API __attribute__((visibility("default")))
#else
#define PLX_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum plx_native_api {
    PLX_NATIVE_NONE = 0,
    PLX_NATIVE_HOST, /* the processor: addresses */
    PLX_NATIVE_CUDA, /* NVIDIA's driver API, whose handles are those of the runtime too */
    PLX_NATIVE_OPENCL,
    PLX_NATIVE_API_COUNT
} plx_native_api;

enum {
    PLX_NATIVE_READ_ONLY = 1 << 0, /* memory: never an output, nor the target of upload, fill, copy */
    PLX_NATIVE_SVM = 1 << 1,       /* memory of OpenCL: the handle is a pointer to shared virtual memory */
    /* A queue of CUDA: each kernel that others put into it waits for all that is before it, also where it is launched
     * to begin early (programmatic dependent launch).  Then the first kernel of a plan may begin early, too.  Without
     * this it does not: the kernel before it may not have waited for those before that. */
    PLX_NATIVE_OVERLAPS = 1 << 2
};

/* A piece of memory as its API knows it. */
typedef struct plx_native_memory {
    plx_native_api api;
    uint32_t flags;  /* PLX_NATIVE_READ_ONLY, PLX_NATIVE_SVM */
    void *handle;    /* HOST: the address; CUDA: the CUdeviceptr; OPENCL: the cl_mem, or the pointer to shared memory */
    uint64_t offset; /* bytes from there to the first that may be used */
    uint64_t bytes;  /* how many may be used; 0: handle may be NULL */
    /* NULL: the memory is borrowed.  Else it is handed over, and this is called once, with `owner`, when the buffer is
     * destroyed: by the thread that destroys it, with no lock held, so that it may call Parallax.  It is not called
     * when the import failed, nor in a child after a fork. */
    void (*release)(void *owner);
    void *owner;
    uint64_t reserved[4]; /* 0 */
} plx_native_memory;

/* A queue, in which work is done in order. */
typedef struct plx_native_queue {
    plx_native_api api;
    uint32_t flags; /* PLX_NATIVE_OVERLAPS */
    /* CUDA: the CUstream, also CU_STREAM_LEGACY and CU_STREAM_PER_THREAD, never NULL, which is one or the other by how
     * the caller was compiled; OPENCL: the cl_command_queue, in order; HOST has none. */
    void *handle;
    uint64_t reserved[4]; /* 0 */
} plx_native_queue;

/* A device, opened by its API. */
typedef struct plx_native_device {
    plx_native_api api;
    uint32_t flags; /* 0 */
    void *context;  /* CUDA: the CUcontext, NULL: the device's primary one; OPENCL: the cl_context */
    void *device;   /* CUDA: without a context, the CUdevice as a number; OPENCL: the cl_device_id, NULL: the context's
                       only */
    void *library;  /* OPENCL: what dlopen() gave for the loader that made these; NULL: the one that is in use */
    uint64_t reserved[3]; /* 0 */
} plx_native_device;

/* As in parallax.h. */
typedef struct plx_context plx_context;
typedef struct plx_backend plx_backend;
typedef struct plx_buffer plx_buffer;
typedef struct plx_queue plx_queue;
typedef struct plx_plan plx_plan;
struct plx_view;

/* ---- theirs for us -------------------------------------------------------- */

/* As plx_open(), on a device and context that the program already has: `plugin` is "cuda", "opencl".  The context must
 * live longer than the backend.
 * PLX_INVALID: it is of another API, no context, or does not have the device; several devices, and none was chosen.
 * PLX_NOT_FOUND: there is no such plugin, or the plugin does not list the device. */
PLX_API plx_status plx_open_on(plx_context *context, const char *plugin, const plx_native_device *device,
                               plx_backend **backend);
/* A buffer of memory that is there.  Nothing is copied, and nothing waits; what the API can tell of the memory is
 * checked. It may begin anywhere that its elements may.  Buffers of one allocation may overlap each other: an output
 * that overlaps an input is found by its address. CUDA: memory of the device in the backend's context, managed memory,
 * that of pools, and page-locked host memory. PLX_INVALID: NULL, memory that the API does not know or that has been
 * freed, of another device or context, fewer bytes than were said, an image. */
PLX_API plx_status plx_buffer_import(plx_backend *backend, const plx_native_memory *memory, plx_buffer **buffer);
/* As plx_execute(), of memory that is there and is used by this call alone: what plx_buffer_import(), plx_execute() and
 * plx_buffer_destroy() do, in one call.  The memory is borrowed (release NULL), until what was enqueued is done. */
PLX_API plx_status plx_execute_native(plx_plan *plan, plx_queue *queue, const plx_native_memory *operands,
                                      size_t count);
/* A queue that the program already has: what is enqueued here comes behind what is in it, and before what follows.
 * To be used by one thread at a time, together with what others enqueue.  plx_queue_destroy() does not wait for it, and
 * must have returned before the stream is destroyed.
 * PLX_INVALID: NULL, or of another context; PLX_UNSUPPORTED: not in order. */
PLX_API plx_status plx_queue_import(plx_backend *backend, const plx_native_queue *native, plx_queue **queue);

/* ---- ours for them --------------------------------------------------------- */

/* What a backend is opened on; valid as long as it. */
PLX_API plx_status plx_backend_native(plx_backend *backend, plx_native_device *device);
/* What a buffer is to its API, valid as long as the buffer; release and owner are NULL.  One of 0 bytes has the handle
 * NULL. */
PLX_API plx_status plx_buffer_native(plx_buffer *buffer, plx_native_memory *memory);
/* What a queue is to its API, valid as long as the queue; NULL: the backend's own.  From then on it is treated as one
 * that others use. */
PLX_API plx_status plx_queue_native(plx_backend *backend, plx_queue *queue, plx_native_queue *native);

/* ---- order ------------------------------------------------------------------- */

/* What follows in `later` waits, on the device, for all that is in `earlier` now; the host does not wait.  One of them
 * may be NULL: the own queue of the other's backend.  Both are of one backend, and used by the call. */
PLX_API plx_status plx_queue_wait(plx_queue *later, plx_queue *earlier);

/* ---- scratch memory and graphs ----------------------------------------------- */

/* Kernels that need scratch memory take it from their queue, which allocates it when it is first needed and keeps it.
 * On a queue that has enough of it plx_execute() makes launches and nothing else.  While a stream of CUDA is captured
 * into a graph, more is allocated outside of the capture where the driver can, else the call is refused before it ends
 * the capture.  What a graph may use is kept until the queue is destroyed: so a queue outlives its graphs, plans do not
 * have to, and two graphs that were captured from one queue do not run at the same time. */

/* Bytes of scratch memory that the plan may take at most. */
PLX_API plx_status plx_plan_scratch(plx_plan *plan, uint64_t *bytes);
/* Gives the queue, NULL: the backend's own, as much as that now. */
PLX_API plx_status plx_queue_reserve(plx_queue *queue, plx_plan *plan);
/* Lends the queue scratch memory of the caller's, as from the pool of a framework, instead of its own: `bytes` of it,
 * at a multiple of 256 bytes.  It belongs to the queue alone, until other memory is lent, or the queue is destroyed and
 * what was in it is done.  A buffer of NULL or 0 bytes takes it back.  Where it is not enough the queue allocates its
 * own. */
PLX_API plx_status plx_queue_lend_scratch(plx_queue *queue, struct plx_view scratch, uint64_t bytes);

/* ---- memory of the host that devices reach by themselves ----------------------- */

/* Page-locked memory: copies from and to it do not stop on the way.  Destroyed before the backend, when what copies
 * from or to it is done. */
PLX_API plx_status plx_pinned_create(plx_backend *backend, uint64_t bytes, void **host);
PLX_API void plx_pinned_destroy(plx_backend *backend, void *host); /* host may be NULL */
/* As plx_upload(), and returns at once: `from` may be changed only after plx_synchronize().  A backend that can't
 * copies before it returns. */
PLX_API plx_status plx_upload_async(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from,
                                    uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
