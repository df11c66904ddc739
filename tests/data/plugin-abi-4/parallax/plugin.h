/* The boundary between the core and a backend plugin.  Installed.
 *
 * A plugin is a shared object plx-NAME.so that exports one symbol,
 * plx_plugin_entry, which returns its descriptor.  It needs this header alone.
 * Everything else in it should be hidden (-fvisibility=hidden).
 *
 * Threads: probe() is called once at a time.  All other functions may be called
 * from several threads at once, but never for the same queue at the same time.
 * Ownership: what open/alloc/..._create/plan hand out is given back through the
 * matching function, in the reverse order, before close().
 * Errors: a function that fails fills *error (never NULL) with one line that
 * says what failed and why, sets no output, and returns the status.
 *
 * Versions: `abi` tells the number that the plugin was compiled for and `size` how long
 * its descriptor is.  New slots are added at the end, so a shorter descriptor is an older
 * one and a longer one newer: both load, as long as the number is one that the library
 * knows.  The number grows only when what is there changes its meaning.
 * Slots: all down to `execute` are required, and a plugin that leaves one of them empty is
 * refused.  What stands behind it is optional, and may be NULL or beyond the descriptor's
 * end; each says what that means.  Zero what is not filled.
 *
 * A plugin that computes on the processor takes its memory, queues and events from
 * <parallax/host_memory.h>. */
#ifndef PARALLAX_PLUGIN_H
#define PARALLAX_PLUGIN_H

#include <parallax/types.h>

#define PLX_PLUGIN_ABI UINT32_C(4)
#define PLX_PLUGIN_OLDEST_ABI UINT32_C(3) /* that the library still takes */
#define PLX_PLUGIN_ENTRY "plx_plugin_entry"

#if defined(__GNUC__)
#define PLX_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define PLX_PLUGIN_EXPORT
#endif

typedef struct plx_session plx_session;           /* an opened device */
typedef struct plx_memory plx_memory;             /* a piece of its memory */
typedef struct plx_plugin_queue plx_plugin_queue; /* in order, asynchronous */
typedef struct plx_plugin_event plx_plugin_event; /* a point in a queue */
typedef struct plx_plugin_plan plx_plugin_plan;   /* a problem made ready to run */

/* One operand of a call: memory and where in it the operand starts.  Operands
 * stand in the operation's order: reduce x, result; transpose in, out;
 * matvec A, x, y; gemm A, B, C.  An operand without elements may have no memory. */
typedef struct plx_operand {
    plx_memory *memory;
    uint64_t offset; /* bytes; a multiple of the element size */
} plx_operand;

typedef struct plx_plugin {
    uint32_t abi;  /* PLX_PLUGIN_ABI */
    uint32_t size; /* sizeof(plx_plugin) */
    const char *name;
    const char *version;
    const char *summary;

    /* Lists the devices without creating a context on any.  Writes at most
     * `capacity` of them and sets *count to the number there are.  No device:
     * PLX_NO_DEVICE, and *error says the first thing that is missing and its
     * remedy, separated by "; ".  With devices and PLX_OK, error->text may hold
     * a warning in the same form, else it is empty. */
    plx_status (*probe)(plx_device_info *devices, size_t capacity, size_t *count, plx_error *error);

    plx_status (*open)(size_t device, plx_session **session, plx_error *error);
    void (*close)(plx_session *session);

    /* Buffers.  bytes > 0.  Contents are undefined after alloc. */
    plx_status (*alloc)(plx_session *session, uint64_t bytes, plx_memory **memory, plx_error *error);
    void (*free)(plx_session *session, plx_memory *memory);

    plx_status (*queue_create)(plx_session *session, plx_plugin_queue **queue, plx_error *error);
    void (*queue_destroy)(plx_plugin_queue *queue);
    /* Waits until all that was enqueued is done, and reports what failed in it. */
    plx_status (*synchronize)(plx_plugin_queue *queue, plx_error *error);

    /* Enqueued in order.  The host side may be touched again when upload
     * returns, and after synchronize for download. */
    plx_status (*upload)(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from, uint64_t bytes,
                         plx_error *error);
    plx_status (*download)(plx_plugin_queue *queue, void *to, plx_memory *from, uint64_t offset, uint64_t bytes,
                           plx_error *error);
    /* offset and bytes are multiples of 4. */
    plx_status (*fill)(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint32_t pattern, uint64_t bytes,
                       plx_error *error);
    plx_status (*copy)(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_memory *from,
                       uint64_t from_offset, uint64_t bytes, plx_error *error);

    plx_status (*event_create)(plx_session *session, plx_plugin_event **event, plx_error *error);
    void (*event_destroy)(plx_plugin_event *event);
    plx_status (*event_record)(plx_plugin_queue *queue, plx_plugin_event *event, plx_error *error);
    /* Device time between two recorded events of one queue, in nanoseconds;
     * waits for the later one. */
    plx_status (*event_elapsed)(plx_plugin_event *from, plx_plugin_event *to, double *nanoseconds, plx_error *error);

    /* The kernels of an operation in the order of the ladder: index 0, 1, …;
     * NULL at the end. */
    const plx_kernel *(*kernel)(plx_op op, size_t index);
    /* The kernel that suits this problem best on this device.
     * PLX_UNSUPPORTED when there is none. */
    plx_status (*choose)(plx_session *session, const plx_problem *problem, size_t *kernel, plx_error *error);

    /* Everything slow happens here; the core has checked the problem.
     * A plan may be shared by threads that use different queues. */
    plx_status (*plan)(plx_session *session, const plx_problem *problem, size_t kernel, plx_plugin_plan **plan,
                       plx_error *error);
    /* When nothing that it enqueued is running any more. */
    void (*plan_destroy)(plx_plugin_plan *plan);
    /* Enqueues and returns.  The core has checked the operands.  With PLX_OK, error->text may hold what
     * was done otherwise than planned, and why: "double-buffer ran: there is no room for ..."; else it
     * stays empty. */
    plx_status (*execute)(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                          plx_error *error);

    /* ---- optional ------------------------------------------------------ */

    /* Executes the plan, as often as the counters need, waits, and sets every
     * counter to what one execution gave.  An operand that is read and written may
     * be changed by each of them: the caller restores it.  PLX_UNSUPPORTED, with the
     * reason: the library or the permission is missing.  Empty: the API has no counters. */
    plx_status (*count)(plx_plugin_plan *plan, plx_plugin_queue *queue, const plx_operand *operands, size_t count,
                        plx_counters *counters, plx_error *error);

    /* What the device says of its clocks, power and temperature; takes well under a
     * millisecond, and does not disturb what is running.  PLX_UNSUPPORTED: nothing is
     * known.  Empty: the API does not say. */
    plx_status (*telemetry)(plx_session *session, plx_telemetry *telemetry, plx_error *error);

    /* From ABI 4 on.  Whether plan() would take this problem and kernel: cheap, nothing is
     * compiled or allocated.  The core has checked both.  PLX_UNSUPPORTED, with the reason;
     * after PLX_OK plan() may still find that memory is short or that code does not build.
     * Empty: the core makes a plan to learn it. */
    plx_status (*supports)(plx_session *session, const plx_problem *problem, size_t kernel, plx_error *error);

    /* In how many configurations the kernel can run this problem, 0 where it has but one way; at most
     * `capacity` of them are written, first the one that it takes by itself.  The core asks plan(),
     * supports() and the kernel's depth() for one of them by problem->config, and only for one that
     * was listed for this problem.  Empty: none of the kernels has any. */
    plx_status (*configs)(plx_session *session, const plx_problem *problem, size_t kernel, plx_config *configs,
                          size_t capacity, size_t *count, plx_error *error);
} plx_plugin;

typedef const plx_plugin *(*plx_plugin_entry_function)(void);

/* Defined by every plugin. */
PLX_PLUGIN_EXPORT const plx_plugin *plx_plugin_entry(void);

/* What plugins of ABI 3 put into these slots; since ABI 4 they may be left empty. */
#define plx_no_counters NULL
#define plx_no_telemetry NULL

#endif
