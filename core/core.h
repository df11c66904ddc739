/* What the files of the core share: the structs behind the public names, and the
 * few functions by which one file uses another.  Private to libparallax. */
#ifndef PLX_CORE_H
#define PLX_CORE_H

#include <parallax/parallax.h>
#include <parallax/plugin.h>
#include <parallax/tool.h>

#include "base/text.h"
#include "core/guard.h"
#include "kernels/operation.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

/* ---- messages (message.c) ---------------------------------------------- */

/* Stores the reason of a failure for the calling thread and returns `status`.
 * context NULL: of a context that could not be made. */
plx_status plx_context_fail(const plx_context *context, plx_status status, const char *format, ...) PLX_PRINTF(3, 4);
plx_status plx_out_of_memory(const plx_context *context, const char *what);

/* ---- calls into backends (calls.c) -------------------------------------- */

/* One thread's. */
typedef struct plx_call_slot {
    atomic_bool taken;
    _Atomic(const char *) backend; /* the label; NULL: in none */
    _Atomic(const char *) what, op, kernel;
    _Atomic double work;
    atomic_uint_least64_t number;
    atomic_bool guarded; /* by plx_guard_process() */
} plx_call_slot;

/* The calling thread's; NULL: it has none yet.  Not initial-exec, though that is read faster
 * by a nanosecond or two: a library with that can't be counted on to load at run time. */
extern _Thread_local plx_call_slot *plx_own_slot __attribute__((visibility("hidden")));
/* One for the calling thread, or one that nobody looks at where there are too many threads. */
plx_call_slot *plx_call_slot_take(void);

/* Around what frees texts that calls were noted with, once those have come back. */
void plx_calls_hold(void);
void plx_calls_release(void);

/* One call: what is noted of it, and what is put back after it. */
typedef struct plx_entered {
    plx_call_slot *slot;
    plx_guarded guarded;
} plx_entered;

/* Around each call of a plugin's slot, so that what does not come back has a name, and what comes back leaves
 * the process as it was (guard.h).  `whole`: look at the whole process. */
static inline plx_entered plx_enter(const char *backend, double work, plx_conduct *conduct, plx_call_kind kind,
                                    const char *op, const char *kernel, bool whole)
{
    plx_entered call;
    plx_call_slot *slot = plx_own_slot != NULL ? plx_own_slot : plx_call_slot_take();
    atomic_store_explicit(&slot->what, plx_call_names[kind], memory_order_relaxed);
    atomic_store_explicit(&slot->op, op, memory_order_relaxed);
    atomic_store_explicit(&slot->kernel, kernel, memory_order_relaxed);
    atomic_store_explicit(&slot->work, work, memory_order_relaxed);
    atomic_store_explicit(&slot->number, atomic_load_explicit(&slot->number, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    call.slot = slot;
    plx_guard_begin(&call.guarded, conduct, kind, whole);
    atomic_store_explicit(&slot->guarded, call.guarded.whole, memory_order_relaxed);
    atomic_store_explicit(&slot->backend, backend, memory_order_release);
    return call;
}
static inline void plx_leave(plx_entered *call)
{
    atomic_store_explicit(&call->slot->backend, NULL, memory_order_release);
    plx_guard_end(&call->guarded);
}

/* ---- plugin files (module.c, kernel_rows.c, device_list.c, elf_file.c) ---- */

/* A ladder is short; a plugin that lists more kernels of one operation is refused. */
#define PLX_MOST_KERNELS 256
#define PLX_MOST_ADDED 16

/* A plugin as this version knows it: the slots of its descriptor, with what an older one lacks
 * filled in but for `supports`, `configs`, `rates` and `expect`, and copies of all that it says of itself. */
typedef struct plx_module {
    plx_plugin slots;
    char name[33], version[64], summary[200]; /* those of `slots` */
    plx_kernel *kernels[PLX_OP_COUNT];        /* room for PLX_MOST_KERNELS */
    size_t kernel_counts[PLX_OP_COUNT];
    plx_conduct *conduct; /* never NULL */
} plx_module;

/* Loads a file and shakes hands with it.  What is accepted is never unloaded: a driver that a
 * plugin has touched does not survive that. */
plx_status plx_module_load(const char *path, plx_module **module, plx_error *error);
/* Stand-ins for the slots of memory, queues and devices of others (no_native.c). */
void plx_module_fill_native(plx_plugin *plugin);
void plx_module_free(plx_module *module);
plx_status plx_module_copy_kernels(plx_module *module, plx_error *error);
void plx_module_free_kernels(plx_module *module);
/* NULL behind the last of the operation's. */
const plx_kernel *plx_module_kernel(const plx_module *module, plx_op op, size_t index);
/* Asks for the devices, to be freed.  With PLX_OK, *reason may hold a warning. */
plx_status plx_module_devices(const plx_module *module, plx_device_info **devices, size_t *count, plx_error *reason);

/* Whether the file is a complete shared object of this machine's kind: the
 * dynamic loader crashes on one that was cut short. */
plx_status plx_elf_check(const char *path, plx_error *error);

/* ---- what slots answer (answers.c) --------------------------------------- */

/* PLX_FAILED for a status that there is not, and for PLX_OK without the handle that should have come
 * with it; else the status. */
plx_status plx_answered(plx_status status, const void *handle, plx_error *error);
/* Texts that end and fit a terminal, flags that are one. */
void plx_device_clean(plx_device_info *info);
/* Forgets numbers that are none. */
void plx_telemetry_clean(plx_telemetry *telemetry);
void plx_health_clean(plx_health *health);
/* PLX_FAILED, with the reason, for more configurations than can be, and for one that can't. */
plx_status plx_configs_check(const plx_plugin *by, plx_config *configs, size_t capacity, size_t count,
                             plx_error *error);
/* PLX_FAILED where what is reserved in a plugin's answer is not 0, PLX_INVALID in what the caller gave (`by`
 * NULL): it was not written, or means what this version does not know.  A longer descriptor is a newer
 * plugin's, which may say more. */
plx_status plx_reserved_check(const plx_plugin *by, const char *what, const uint64_t *reserved, size_t bytes,
                              plx_error *error);
/* The same for rates: each has a name, and lies where it may. */
plx_status plx_rates_check(plx_rate *rates, size_t capacity, size_t count, plx_error *error);

/* ---- registry (search.c, registry.c) ------------------------------------ */

/* The directory that holds this library, without links, and whether it is libtool's .libs of a build tree; false when
 * unknown. */
bool plx_library_directory(char directory[static PATH_MAX], bool *built);

/* One file that was found.  It is tried in a process of its own, then loaded into this one, then
 * asked for its devices, each when that is first needed; under the context's lock. */
typedef struct plx_entry {
    char *path;
    const char *file; /* the last part of path */
    bool tried;
    char name[33], version[64], summary[200]; /* what it said then; "" before, and when it is refused */
    char *refusal;                            /* NULL: it was not refused */
    plx_module *module;                       /* NULL: not loaded yet, or never */
    bool probed;
    plx_status probe;
    plx_error reason;
    plx_device_info *devices;
    size_t device_count;
} plx_entry;

typedef struct plx_tuning plx_tuning;

struct plx_context {
    uint64_t serial;     /* never used twice, unlike an address */
    atomic_uint holders; /* the caller, and each backend: the last frees it */
    pthread_mutex_t lock;
    plx_entry *entries;
    size_t entry_count;
    bool try_anew; /* whatever is known of plugins */
    plx_barred *barred;
    size_t barred_count;
    void (*loaded)(void); /* never NULL */
    char **directories;   /* NULL at the end */
    size_t directory_count;
    plx_tuning *tuning; /* tuning.c: what was tuned; NULL: nothing, or not read yet */
    bool tuning_read;
    atomic_bool tunes_on_first_use;
    pthread_mutex_t first_use;  /* held by the thread that times a problem it met: first_use.c */
    atomic_uint tuning_changes; /* grows when plans that were chosen may be out of date */
    char choice_ignored[640];   /* the first that could not be taken, and why */
    struct plx_kept *kept;      /* plx_context_memory() */
    char remark[640];           /* what was first done otherwise than planned, and why */
    plx_added_kernel *added;    /* added.c; copies, none moves */
    size_t added_count;
};

/* ---- kernels that are no plugin's (added.c) ------------------------------- */

/* Whether a function in another process is among them. */
bool plx_added_functions(const plx_context *context);
void plx_added_forget(plx_context *context);
/* The kernels of a backend: its module's, and behind them the context's.  NULL behind the last. */
const plx_kernel *plx_context_kernel(const plx_context *context, const plx_module *module, plx_op op, size_t index);
/* NULL: the kernel of that number is the plugin's own. */
const plx_added_kernel *plx_added_of(const plx_context *context, const plx_module *module, plx_op op, size_t index);
/* Whether it takes the problem; nothing is compiled. */
plx_status plx_added_supports(plx_backend *backend, const plx_added_kernel *added, const plx_problem *problem,
                              plx_error *error);
/* text: what is run, of another API of the same chip perhaps, whose launches it takes.  NULL: the backend's own. */
plx_status plx_added_plan(plx_plan *plan, const plx_added_kernel *added, const plx_code *text, plx_error *error);
/* Its text, if another API can take it; freed with plx_code_free(). */
plx_status plx_added_code(plx_backend *backend, const plx_added_kernel *added, const plx_problem *problem,
                          plx_code *code, plx_error *error);

/* Fills context->directories. */
plx_status plx_find_directories(plx_context *context, const plx_context_options *options);
/* Lists a directory that is not searched, with the reason, in place of what may be in it. */
plx_status plx_refuse_directory(plx_context *context, const char *directory, const char *reason);
/* Lists every plx-*.so of every directory in context->entries. */
plx_status plx_find_plugins(plx_context *context);
/* Tries the files plx-NAME.so, or with NULL all, that were not tried yet. */
plx_status plx_try_plugins(plx_context *context, const char *name);
/* The entry, tried, and loaded unless it is refused; and with its devices.  NULL, with a message, when there
 * is none of that number, or no memory. */
const plx_entry *plx_loaded_entry(plx_context *context, size_t plugin);
const plx_entry *plx_probed_entry(plx_context *context, size_t plugin);
/* PLX_FAILED, with the device and the attribute, where that can't be true (device_check.c). */
plx_status plx_device_check(size_t number, const plx_device_info *info, plx_error *error);
void plx_forget_plugins(plx_context *context);

/* ---- devices by UUID or address (chip_word.c) ------------------------------- */

/* Whether a word may be one of them; a number is none. */
bool plx_is_chip_word(const char *word);

/* ---- backends that are not to be used (barred.c) ------------------------------ */

plx_status plx_barred_copy(plx_context *context, const plx_tool_options *tool);
void plx_barred_forget(plx_context *context);
/* The reason for which a backend, "opencl:1", or a plugin is not to be used; NULL: it may be. */
const char *plx_barred_reason(const plx_context *context, const char *backend);

/* ---- after a fork (fork.c) ------------------------------------------------ */

/* Once a plugin is to be loaded: from here on a child that is forked knows that it is one. */
void plx_fork_watch(void);
bool plx_is_forked(void);
/* PLX_FAILED, with the reason as the message, in such a child. */
plx_status plx_fork_check(const plx_context *context);
/* The backends that are open: in a child all of them are lost. */
void plx_fork_add(plx_backend *backend);
void plx_fork_remove(const plx_backend *backend);

/* ---- backend (backend.c, backend_failure.c, queue.c) --------------------------------------- */

typedef struct plx_outgrown plx_outgrown;

struct plx_queue {
    plx_backend *backend;
    plx_plugin_queue *queue;
    uint64_t serial;
    plx_memory *turned; /* of batch.c: an input that was transposed; NULL: none was */
    uint64_t turned_bytes;
    plx_outgrown *outgrown;  /* that were too small */
    const char *op, *kernel; /* what was last enqueued; NULL: nothing yet */
    bool shared;             /* the backend's own, which several threads may use: takes the lock */
    pthread_mutex_t lock;
};

struct plx_event {
    plx_backend *backend;
    plx_plugin_event *event;
    uint64_t queue; /* serial of the queue it was recorded in; 0: none yet */
};

/* What may not be done with a buffer. */
enum { PLX_BUFFER_NEVER_WRITTEN = 1 << 0, PLX_BUFFER_NEVER_READ = 1 << 1 };

struct plx_buffer {
    plx_backend *backend;
    plx_memory *memory; /* NULL when bytes is 0 */
    uint64_t bytes;
    uint64_t base;        /* bytes of the memory that come before the buffer: added for the plugin */
    uint64_t root, begin; /* where its first byte lies: plx_place */
    unsigned limits;
    void (*release)(void *owner); /* NULL: nothing was handed over */
    void *owner;
    atomic_uint references; /* whoever has to destroy it */
};
/* One more that plx_buffer_destroy() gives back. */
static inline void plx_buffer_hold(plx_buffer *buffer)
{
    atomic_fetch_add(&buffer->references, 1);
}

/* Whether two ranges of buffers have bytes in common, whatever buffers they are of.  A sum of a place and a length
 * that is there does not overflow. */
static inline bool plx_buffers_overlap(const plx_buffer *a, uint64_t a_offset, uint64_t a_bytes, const plx_buffer *b,
                                       uint64_t b_offset, uint64_t b_bytes)
{
    if (a_bytes == 0 || b_bytes == 0 || a->root != b->root)
        return false;
    const uint64_t a_begin = a->begin + a_offset, b_begin = b->begin + b_offset;
    return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}
/* Asks the plugin where the buffer's memory lies (native.c). */
void plx_buffer_place(plx_buffer *buffer);

typedef struct plx_plan_cache plx_plan_cache;

struct plx_backend {
    plx_context *context;
    atomic_uint holders;      /* the caller, and each buffer, queue, event and plan: the last closes it */
    const plx_plugin *plugin; /* the module's slots */
    const plx_module *module;
    size_t plugin_index;
    plx_session *session;
    plx_device_info device;
    char label[48];
    plx_queue *own_queue;
    plx_plan_cache *plans;
    _Atomic double most_work; /* of what was planned: plx_call */
    plx_backend *next_opened; /* fork.c */
    atomic_bool lost;         /* set after lost_reason was written */
    pthread_mutex_t lock;     /* of lost_reason */
    char lost_reason[768];
};

/* What is made from a backend holds it, and a backend its context: who closes them too early loses their use, and no
 * memory is touched that is gone. */
static inline void plx_backend_hold(plx_backend *backend)
{
    atomic_fetch_add(&backend->holders, 1);
}
void plx_backend_release(plx_backend *backend);
void plx_context_release(plx_context *context);
/* Nothing more runs on it, for this reason, unless there was another before (backend_failure.c). */
void plx_backend_mark_lost(plx_backend *backend, const char *reason);
/* native NULL: the device of that number; else on what the application has. */
plx_status plx_backend_open(plx_context *context, size_t plugin, size_t device, const plx_native_device *native,
                            plx_backend **backend);
plx_status plx_native_device_check(const plx_context *context, const plx_native_device *device);

/* PLX_OK, or PLX_DEVICE_LOST with the first reason as the message. */
plx_status plx_backend_lost(const plx_backend *backend);
static inline plx_status plx_backend_usable(const plx_backend *backend)
{
    if (atomic_load_explicit(&backend->lost, memory_order_acquire))
        return plx_backend_lost(backend);
    return PLX_OK;
}

/* Keeps what a plugin did otherwise than planned, for plx_remark(). */
void plx_backend_remarked(plx_backend *backend, const plx_error *remark, const char *op, const char *kernel);
/* The same for plx_plan_remark(). */
void plx_plan_remarked(plx_plan *plan, const plx_error *remark);

/* Turns a plugin's failure into the message "cuda:0: upload of 4096 bytes failed:
 * why", remembers that the device is lost when it is, and returns the status.
 * The format says what was tried ("upload of 4096 bytes"). */
plx_status plx_backend_failed(plx_backend *backend, plx_status status, const plx_error *error, const char *format, ...)
    PLX_PRINTF(4, 5);

static inline plx_queue *plx_queue_or_own(plx_queue *queue, plx_backend *backend)
{
    return queue != NULL ? queue : backend->own_queue;
}
static inline void plx_queue_enter(plx_queue *queue)
{
    if (queue->shared)
        (void)pthread_mutex_lock(&queue->lock);
}
static inline void plx_queue_leave(plx_queue *queue)
{
    if (queue->shared)
        (void)pthread_mutex_unlock(&queue->lock);
}
/* native NULL: a new one; else the application's. */
plx_status plx_queue_make(plx_backend *backend, const plx_native_queue *native, bool shared, plx_queue **queue);
/* Whether work of this backend may go into this queue now. */
plx_status plx_queue_check(const plx_backend *backend, const plx_queue *queue);

/* ---- plans (kernel_name.c, plan.c, plan_cache.c) ----------------------------------------- */

/* What an execute has to check of one operand. */
typedef struct plx_plan_operand {
    const char *name;
    unsigned limits;       /* PLX_BUFFER_: with one of these it can't be this operand */
    uint64_t bytes;        /* from its first element to its end; 0: no elements */
    uint64_t element_mask; /* element size - 1 */
} plx_plan_operand;

/* How a batch is made up of executions of one problem (batch.c). */
typedef struct plx_loop {
    int64_t count;                   /* 0: there is no loop, the kernel takes all */
    uint64_t step[PLX_MAX_OPERANDS]; /* bytes from one to the next */
    int64_t inner;                   /* reductions of one of them, whose input is turned; 0: it is not */
    plx_plan *turn;                  /* NULL: there is nothing to turn */
    uint64_t turned_bytes;
} plx_loop;

#define PLX_RAN_IN_MANY UINT64_MAX

struct plx_plan {
    plx_backend *backend;
    plx_problem problem; /* normalised */
    plx_problem given;   /* to the plugin: one problem of a batch, or the same */
    plx_loop loop;
    const plx_operation *operation;
    const plx_kernel *kernel;
    size_t kernel_index;
    uint32_t config; /* that was named; 0: the kernel's own choice */
    bool is_added;   /* its kernel is; then `depth` is that of its launches */
    int64_t depth;
    plx_plugin_plan *plan;
    plx_plan_operand operands[PLX_MAX_OPERANDS];
    atomic_uint references; /* 1, and in the cache one more for each user */
    atomic_bool executed;
    /* Of a plan in the cache: the queue besides the backend's own that it ran in, by its serial number. */
    atomic_uint_least64_t ran_in; /* 0: none; PLX_RAN_IN_MANY */
    plx_plan *retired;            /* the next one that waits for the backend's end */
    char remark[160];             /* plx_plan_remark(); written once, under the context's lock */
};

/* ---- batches (batch.c) ------------------------------------------------------- */

/* Makes of a problem in its one form what a kernel is given of it: all of a batch where it takes batches, and this one
 * as far as its plugin says; else one of its problems, and false. */
bool plx_batch_given(plx_backend *backend, size_t kernel, plx_problem *problem);
/* The same where no device is at hand, or none of its kernels takes this batch: one.  Whether it was more. */
bool plx_batch_given_without_device(plx_problem *problem);
/* A plugin that is to choose a kernel. */
void plx_batch_given_to_any(const plx_module *module, plx_problem *problem);
/* Fills in `given` and `loop` of a plan that has its kernel and operands. */
void plx_batch_plan(plx_plan *plan);
/* What else has to be planned. */
plx_status plx_batch_finish(plx_plan *plan);
/* Memory for what an execution turns; nothing where there is enough. */
plx_status plx_batch_reserve(const plx_plan *plan, plx_queue *queue);
void plx_batch_queue_end(plx_queue *queue);
/* All executions of a plan that has a loop, of operands that were checked; the queue has the memory. */
plx_status plx_batch_execute(plx_plan *plan, plx_queue *queue, const plx_operand *operands, plx_error *error);

/* ---- calls, once more ------------------------------------------------------- */

static inline double plx_backend_work(plx_backend *backend)
{
    return atomic_load_explicit(&backend->most_work, memory_order_relaxed);
}
static inline plx_entered plx_backend_enter(plx_backend *backend, plx_call_kind kind)
{
    return plx_enter(backend->label, plx_backend_work(backend), backend->module->conduct, kind, NULL, NULL, false);
}
/* Of a call that may wait for what is in the queue. */
static inline plx_entered plx_queue_call(const plx_queue *queue, plx_call_kind kind)
{
    return plx_enter(queue->backend->label, plx_backend_work(queue->backend), queue->backend->module->conduct, kind,
                     queue->op, queue->kernel, false);
}
static inline plx_entered plx_plan_call(const plx_plan *plan, plx_call_kind kind)
{
    return plx_enter(plan->backend->label, plx_backend_work(plan->backend), plan->backend->module->conduct, kind,
                     plan->operation->name, plan->kernel->name, false);
}
/* The first execution of a plan may be the first of its kernel. */
static inline plx_entered plx_plan_execution(plx_plan *plan)
{
    const bool first = !atomic_load_explicit(&plan->executed, memory_order_relaxed);
    if (first)
        atomic_store_explicit(&plan->executed, true, memory_order_relaxed);
    return plx_enter(plan->backend->label, plx_backend_work(plan->backend), plan->backend->module->conduct,
                     PLX_CALL_EXECUTION, plan->operation->name, plan->kernel->name, first);
}

/* A kernel and, behind a colon, a configuration, by their names. */
plx_status plx_kernel_find(plx_backend *backend, const plx_problem *problem, const char *name, size_t *kernel,
                           uint32_t *config);
/* A kernel by its name for a caller's problem, which is checked; *normal is the problem in its one form, as that kernel
 * is given it. */
plx_status plx_kernel_find_for(plx_backend *backend, const plx_problem *problem, const char *name, plx_problem *normal,
                               size_t *kernel);

/* Whether anything can be planned: *normal is the problem's one form. */
plx_status plx_plan_request(plx_backend *backend, const plx_problem *problem, plx_problem *normal);
/* All of a plan with backend, problem and configuration but what its plugin makes of it. */
plx_status plx_plan_prepare(plx_plan *plan, size_t index);
/* And what comes after that: where it fails, the plugin's part is given back. */
plx_status plx_plan_end(plx_plan *plan);

plx_plan_cache *plx_plan_cache_create(void);
/* All plans of it must have been released. */
void plx_plan_cache_destroy(plx_plan_cache *cache);
/* A plan for a problem, with a reference that plx_plan_release() gives back; one that makes room for it may be waited
 * for in `queue`, which is the calling thread's, or NULL. */
plx_status plx_plan_obtain(plx_backend *backend, plx_queue *queue, const plx_problem *problem, plx_plan **plan);
void plx_plan_release(plx_plan *plan);
/* Remembers that the plan is about to run in `queue`, which the calling thread uses. */
void plx_plan_runs_in(plx_plan *plan, const plx_queue *queue);

#endif
