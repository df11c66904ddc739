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
 * knows.  The number grows only when what is there changes its meaning, or takes values that
 * an older plugin can't know.
 * Slots: all down to `execute` are required, and a plugin that leaves one of them empty is
 * refused.  What stands behind it is optional, and may be NULL or beyond the descriptor's
 * end; each says what that means.  Zero what is not filled.
 *
 * A plugin that computes on the processor takes its memory, queues and events from
 * <parallax/host_memory.h>. */
#ifndef PARALLAX_PLUGIN_H
#define PARALLAX_PLUGIN_H

#include <parallax/code.h>
#include <parallax/native.h>
#include <parallax/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLX_PLUGIN_ABI UINT32_C(1)
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

/* The language of a list of launches (parallax/code.h) whose PTX another API of the same chip may be to run. */
#define PLX_MOVED_PTX "moved PTX"

/* One operand of a call: memory and where in it the operand starts.  Operands
 * stand in the operation's order: reduce x, result; transpose in, out;
 * matvec A, x, y; gemm A, B, C.  An operand without elements may have no memory. */
typedef struct plx_operand {
    plx_memory *memory;
    uint64_t offset; /* bytes; a multiple of the element size */
} plx_operand;

/* Where a piece of memory lies, so that the core can tell whether an output overlaps an input.  Pieces of different
 * roots never do; `begin` is where byte 0 of the memory lies in its root. */
typedef struct plx_place {
    uint64_t root; /* 0: `begin` is an address */
    uint64_t begin;
    bool never_written, never_read; /* by kernels: the API was told so when the memory was made */
} plx_place;

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

    /* Whether plan() would take this problem and kernel: cheap, nothing is
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

    /* ---- device code that moves between APIs; all four or none ----------- */

    /* The kernel's device code for this problem, as text; code->text is malloc'ed and the caller's.  session
     * NULL: of what a device of the architecture that it is for would launch, where there is none.  PLX_UNSUPPORTED,
     * with the reason: there is none. */
    plx_status (*code)(plx_session *session, const plx_problem *problem, size_t kernel, plx_code *code,
                       plx_error *error);
    /* As plan(), of this text instead of the plugin's own device code: with the launches that its writer
     * makes of it, and nothing that only one API's launches have.  The text may go afterwards.  code NULL:
     * the plugin's own, launched in that plain way.  PLX_UNSUPPORTED, with the reason: this API can't. */
    plx_status (*plan_code)(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                            plx_plugin_plan **plan, plx_error *error);
    /* The plan's launches; at most `capacity` of them are written. */
    plx_status (*launches)(plx_plugin_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count,
                           plx_error *error);
    /* Counts the instructions of each of the code's entry points, in its order.  session NULL: without a
     * device.  PLX_UNSUPPORTED, with the reason and its remedy: a tool or the device is missing. */
    plx_status (*instructions)(plx_session *session, const plx_problem *problem, size_t kernel, const plx_code *code,
                               plx_code_form form, plx_instructions *found, size_t capacity, size_t *count,
                               plx_error *error);

    /* ---- models of time; both or none ------------------------------------ */

    /* The rates that the kernel's model stands on for problems of this kind on this device; at most `capacity` of
     * them are written.  0: there is no model, or it has none that could be others. */
    plx_status (*rates)(plx_session *session, const plx_problem *problem, size_t kernel, plx_rate *rates,
                        size_t capacity, size_t *count, plx_error *error);
    /* Microseconds that the model expects of the problem, in the configuration that it says, by other rates: as
     * many as there are, in their order; NULL: by its own.  PLX_UNSUPPORTED: there is no model. */
    plx_status (*expect)(plx_session *session, const plx_problem *problem, size_t kernel, const double *rates,
                         double *us, plx_error *error);

    /* ---- memory, queues and devices of others: parallax/native.h ---------- */

    /* As open(), on a device that the application has.  Sets *device to its number as probe() lists it.  The core has
     * checked flags and reserved members, not the API. */
    plx_status (*open_on)(const plx_native_device *native, size_t *device, plx_session **session, plx_error *error);
    plx_status (*session_native)(plx_session *session, plx_native_device *native, plx_error *error);
    /* Memory from byte 0 of the handle on, native->offset + native->bytes long: the core adds the offset to those of
     * operands and transfers.  The core has checked for NULL and overflow, and keeps `release`.  Given back by free(),
     * which leaves alone what is not the plugin's.  Needs memory_place. */
    plx_status (*memory_import)(plx_session *session, const plx_native_memory *native, plx_memory **memory,
                                plx_error *error);
    /* api, flags and handle of the plugin's own memory or of what was imported; memory may be NULL. */
    plx_status (*memory_native)(plx_session *session, plx_memory *memory, plx_native_memory *native, plx_error *error);
    /* Can't fail; called once for each buffer.  Empty: no two buffers share memory. */
    void (*memory_place)(plx_session *session, plx_memory *memory, plx_place *place);
    /* Given back by queue_destroy(), which neither destroys nor waits for what is not the plugin's. */
    plx_status (*queue_import)(plx_session *session, const plx_native_queue *native, plx_plugin_queue **queue,
                               plx_error *error);
    plx_status (*queue_native)(plx_plugin_queue *queue, plx_native_queue *native, plx_error *error);
    /* What follows in `later` waits for all that is in `earlier` now, and the host does not.  Both are used. */
    plx_status (*wait)(plx_plugin_queue *later, plx_plugin_queue *earlier, plx_error *error);
    /* Sets *bytes to the scratch memory that the plan may take in any of its ways, and gives the queue as much; queue
     * NULL: only tells. */
    plx_status (*reserve)(plx_plugin_plan *plan, plx_plugin_queue *queue, uint64_t *bytes, plx_error *error);
    /* Memory that the queue uses as its scratch memory until it gets other; NULL: what was lent goes back.  The core
     * has checked the range. */
    plx_status (*lend_scratch)(plx_plugin_queue *queue, plx_memory *memory, uint64_t offset, uint64_t bytes,
                               plx_error *error);
    /* Page-locked memory of the host; bytes > 0.  Both or none. */
    plx_status (*pinned_alloc)(plx_session *session, uint64_t bytes, void **host, plx_error *error);
    void (*pinned_free)(plx_session *session, void *host);
    /* As upload(), but `from` is not touched again by the caller before synchronize().  Empty: upload(). */
    plx_status (*upload_async)(plx_plugin_queue *queue, plx_memory *to, uint64_t offset, const void *from,
                               uint64_t bytes, plx_error *error);

    /* ---- kernels that are no plugin's; both or none ------------------------ */

    /* As plan(), of device code and launches that somebody else wrote; the core has checked problem and counts, not
     * whether the device takes them.  What the list has may go afterwards.  Pieces of memory belong to the plan, and
     * each queue has its own.  PLX_UNSUPPORTED, with the reason: not this language, or not on this device;
     * PLX_BUILD_FAILED: the code does not compile, or has no such entry.  Empty: no kernels can be added.  A list in
     * the language PLX_MOVED_PTX is one in PTX for an API that may be another than its own: plx_plan_of_code() of it.
     */
    plx_status (*plan_launches)(plx_session *session, const plx_problem *problem, const plx_launch_list *list,
                                plx_plugin_plan **plan, plx_error *error);
    /* Whether the pieces of memory of such a plan are as a kernel must leave them; nothing of it is running.  Else
     * *error says which is not, and PLX_FAILED. */
    plx_status (*pieces_check)(plx_plugin_plan *plan, plx_error *error);

    /* ---- machines of many devices ------------------------------------------ */

    /* What the device says of its health.  PLX_UNSUPPORTED: nothing is known.  Empty: the API does not say. */
    plx_status (*health)(plx_session *session, plx_health *health, plx_error *error);
    /* As copy(), from memory of another session of this plugin, whose device may be another one; straight from device
     * to device where they can.  The core has waited for what the other session was told before. */
    plx_status (*copy_between)(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_session *other,
                               plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error);

    /* ---- functions in other processes ------------------------------------------ */

    /* Memory of this session is from now on such that another process can reach it: plan_launches() takes lists in the
     * language "function" then, whose `call` its plans make once what is ahead in the queue is done. */
    plx_status (*share_memory)(plx_session *session, plx_error *error);

    /* How a kernel is launched for a problem, and its code, so that plan_launches() of the list does the same.  Made by
     * malloc(), with its `text`.  PLX_UNSUPPORTED with the reason: no list can say it. */
    plx_status (*describe)(plx_session *session, const plx_problem *problem, size_t kernel,
                           plx_described_kernel **described, plx_error *error);

    /* Of a plan of plan_launches(): pieces that may hold anything (PLX_PIECE_GARBAGE) are written anew on this queue,
     * with other bytes than before; nothing, where the queue has none yet.  Empty: they are as launches left them. */
    plx_status (*pieces_renew)(plx_plugin_plan *plan, plx_plugin_queue *queue, plx_error *error);

    /* What is known only of an open device: its `clusters`.  Empty, or 0 there: nothing. */
    void (*opened)(plx_session *session, plx_device_info *info);
} plx_plugin;

typedef const plx_plugin *(*plx_plugin_entry_function)(void);

/* Defined by every plugin. */
PLX_PLUGIN_EXPORT const plx_plugin *plx_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif
