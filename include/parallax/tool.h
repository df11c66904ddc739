/* What the program `parallax` and its studies need of the library besides what applications call: texts for tables,
 * tuned choices, counters, code that moves between APIs.  Installed, for the studies' headers use it and programs of
 * the same kind may; of another version of the library it may be another, within the rules of its soname.
 *
 * The rules of parallax.h hold: outputs are set only on PLX_OK; what has a context, or is made from one, says why it
 * failed in plx_message(), and what has none in *error.  Threads: every function may be called by any number of threads
 * at once, but for what is said to belong to one. */
#ifndef PARALLAX_TOOL_H
#define PARALLAX_TOOL_H

#include <parallax/code.h>
#include <parallax/parallax.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- words ----------------------------------------------------------- */

/* The name that was probably meant by a mistyped word; NULL when none is near. */
PLX_API const char *plx_nearest_name(const char *word, const char *const *names, size_t count);
/* One of PLX_THROTTLE_ in a word: "power", "heat"; "unknown" for no or several bits. */
PLX_API const char *plx_throttle_name(uint32_t reason);

/* ---- how the library was built ------------------------------------------- */

typedef struct plx_build {
    const char *kernels_hash;                   /* SHA-256 over the sources of all kernels, in hexadecimal digits */
    const char *compiler, *flags;               /* of the host's code */
    const char *device_compiler, *device_flags; /* of device code compiled beforehand; "" without */
} plx_build;

/* Belongs to the library. */
PLX_API const plx_build *plx_build_facts(void);

/* ---- contexts of a program that can go on ---------------------------------- */

/* A backend that is not to be used. */
typedef struct plx_barred {
    const char *backend; /* "opencl:1"; "opencl": the whole plugin */
    const char *reason;  /* that plx_open() fails with */
} plx_barred;

typedef struct plx_tool_options {
    const plx_barred *barred; /* copied; may be NULL */
    size_t barred_count;
    /* Called by any thread after a plugin may have loaded libraries or compiled: these may have taken the
     * signal handlers of the program.  May be NULL. */
    void (*loaded)(void);
    uint64_t reserved[4]; /* 0 */
} plx_tool_options;

/* As plx_context_create(); tool may be NULL. */
PLX_API plx_status plx_tool_context_create(const plx_context_options *options, const plx_tool_options *tool,
                                           plx_context **context);
/* Memory for what is learnt in a context by a library on top of this one: zero at first, the same for
 * the same name, given back with the context.  NULL: there is none. */
PLX_API void *plx_context_memory(plx_context *context, const char *name, size_t bytes);
/* What code of the plugin, or behind it, changed of this process and its threads, and in which call first: "the locale
 * (execution), handlers of SIGINT (planning)"; "": nothing so far.  It was put back, unless that is said. */
PLX_API void plx_plugin_changes(const plx_context *context, size_t plugin, char *text, size_t capacity);
/* The directories that were searched, in order; NULL at the end. */
PLX_API const char *plx_search_dir(const plx_context *context, size_t index);
/* What the first call of this context did otherwise than planned, and why, such as another kernel where
 * there was no memory to work in: a sentence.  "": all was as planned. */
PLX_API const char *plx_remark(plx_context *context);

/* ---- calls that do not come back ---------------------------------------------- */

/* A call into a backend that some thread of the process is in. */
typedef struct plx_call {
    char backend[48]; /* "opencl:1"; while a plugin lists its devices its name alone */
    char what[32];    /* "execution" */
    char kernel[80];  /* "gemm/split-k"; "" where there is none */
    double work;      /* flops and bytes of the largest problem that was planned there */
    uint64_t number;  /* of all calls of its thread */
    size_t thread;
    bool own; /* the calling thread's */
} plx_call;

/* The calls that are being made now, the calling thread's first; at most so many.  May be called by a signal
 * handler, and by a thread that watches the others. */
PLX_API size_t plx_calls(plx_call *calls, size_t capacity);

/* ---- problems as texts, and probes ------------------------------------------ */

/* What a word can set in a problem of an operation. */
typedef struct plx_setting {
    const char *name;     /* "trans-a" */
    const char *argument; /* "X"; NULL: it takes no word */
    const char *help;
} plx_setting;

/* False when it has not that many. */
PLX_API bool plx_op_setting(plx_op op, size_t index, plx_setting *setting);
/* "256x256x256"; cut off where `capacity` bytes are too few. */
PLX_API void plx_shape_text(const plx_problem *problem, char *text, size_t capacity);
/* What a problem is besides its shape and element type: "sum", "nt, alpha 2"; "" when it is
 * plain. */
PLX_API void plx_variant_text(const plx_problem *problem, char *text, size_t capacity);
/* Whether it has factors that change its result: an alpha that is not 1, a beta that is not 0. */
PLX_API bool plx_problem_is_scaled(const plx_problem *problem);
/* How the operands lie, where rows are apart or they start off alignment: ", lda 300, shift
 * 3"; "" else. */
PLX_API void plx_layout_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity);
/* As far as the pattern uses them: one repetition, stride 1, one region, and as span
 * the next power of two. */
PLX_API plx_problem plx_probe_of(plx_dtype dtype, plx_probe_pattern pattern, int64_t n);
/* Writes the one form that all problems of this meaning have, which is what kernels are
 * given: alpha and beta rounded to the dtype, -0 as 0, every other byte 0.  For a problem
 * that was checked. */
PLX_API void plx_problem_normalise(const plx_problem *problem, plx_problem *normal);

/* ---- models, counters, telemetry --------------------------------------------- */

/* The kernel that the plugin chooses for a problem, whatever was tuned: plx_choose() asks that first. */
PLX_API plx_status plx_choose_untuned(plx_backend *backend, const plx_problem *problem, const plx_kernel **kernel);
/* The rates that a kernel's model of its time stands on, for problems of this kind on this device; at most
 * `capacity` of them are written.  *count 0: there is no model, or it has none that could be others. */
PLX_API plx_status plx_kernel_rates(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                    plx_rate *rates, size_t capacity, size_t *count);
/* Microseconds that the model expects of the problem, in a configuration that plx_kernel_configs() listed for it
 * (NULL: its own choice), by other rates: as many as there are, in their order; NULL: by its own.
 * PLX_UNSUPPORTED: there is no model. */
PLX_API plx_status plx_kernel_expect(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                     const plx_config *config, const double *rates, double *us);
/* Executes under the hardware's counters, as often as they need, and waits.  The
 * output is written each time.  PLX_UNSUPPORTED: this backend has no counters, or may not
 * read them here.  What the plugin said of it is in *error, without what the message adds. */
PLX_API plx_status plx_count(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count,
                             plx_counters *counters, plx_error *error);
/* What the device says of its clocks, power and temperature; PLX_UNSUPPORTED where it
 * does not say. */
PLX_API plx_status plx_backend_telemetry(plx_backend *backend, plx_telemetry *telemetry);
/* What it says of its health: errors of memory, and others; likewise. */
PLX_API plx_status plx_backend_health(plx_backend *backend, plx_health *health);

/* ---- device code that moves between APIs -------------------------------- */

/* The kernel's device code for a problem, as text.  PLX_UNSUPPORTED: there is none, with the reason as the
 * message. */
PLX_API plx_status plx_code_of(plx_backend *backend, const plx_problem *problem, const char *kernel, plx_code *code);
/* The same of a plugin that has no device here: what one of the architecture of its texts would launch. */
PLX_API plx_status plx_code_without_device(plx_context *context, size_t plugin, const plx_problem *problem,
                                           const char *kernel, plx_code *code);
PLX_API void plx_code_free(plx_code *code);
/* A plan that runs this text with the launches that its writer makes of it; code NULL: the backend's own
 * device code, launched as plainly as another API could.  The kernel is named. */
PLX_API plx_status plx_plan_of_code(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                    const plx_code *code, plx_plan **plan);
/* A kernel that no plugin brings, one more behind those of each backend that takes such. */
typedef struct plx_added_kernel {
    plx_op op;
    uint32_t is_function; /* 1: its lists are in the language "function" */
    plx_kernel about;     /* copied, its texts are not; depth: NULL, the list's counts */
    void *data;
    /* Its launches for a problem on a device, until they are released.  PLX_UNSUPPORTED with the reason: it does not
     * take them.  Called by any thread. */
    plx_status (*launches)(void *data, const plx_problem *problem, const plx_device_info *device,
                           const plx_launch_list **list, plx_error *error);
    void (*release)(void *data, const plx_launch_list *list);
    /* As a plugin's (parallax/plugin.h): what else it could be launched as, the first what it takes by itself;
     * `launches` then finds the number in the problem.  NULL: it has one form. */
    plx_status (*configs)(void *data, const plx_problem *problem, const plx_device_info *device, plx_config *configs,
                          size_t capacity, size_t *count, plx_error *error);
    uint64_t more[3]; /* 0 */
} plx_added_kernel;

/* Before the first backend of the context is opened; what it points to is to outlive the context.  Up to 16. */
PLX_API plx_status plx_context_add_kernel(plx_context *context, const plx_added_kernel *kernel);
/* Looks at memory that an added kernel must leave as it was, once nothing of the plan is running.  PLX_FAILED: it did
 * not, and the message says where.  PLX_OK of all other plans. */
PLX_API plx_status plx_plan_check_pieces(plx_plan *plan);
/* Writes memory of an added kernel in which it must not count on anything anew, in the order of the queue (NULL: the
 * backend's own), with other bytes than before.  PLX_OK of all other plans. */
PLX_API plx_status plx_plan_renew_pieces(plx_plan *plan, plx_queue *queue);

/* How a kernel (a name, with ":CONFIG" a configuration) is launched for a problem, with its code.  PLX_UNSUPPORTED:
 * this backend does not say, or it can't be said. */
PLX_API plx_status plx_describe_kernel(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                       plx_described_kernel **described);
PLX_API void plx_described_kernel_free(plx_described_kernel *described);

/* The launches of a plan, and what a block of each takes; at most `capacity` of them are written. */
PLX_API plx_status plx_plan_launches(plx_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count);
/* Counts the instructions of each of the code's entry points, in its order. */
PLX_API plx_status plx_code_instructions(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                         const plx_code *code, plx_code_form form, plx_instructions *found,
                                         size_t capacity, size_t *count);
PLX_API plx_status plx_code_instructions_without_device(plx_context *context, size_t plugin, const plx_problem *problem,
                                                        const char *kernel, const plx_code *code, plx_code_form form,
                                                        plx_instructions *found, size_t capacity, size_t *count);

/* ---- files that are whole or not there --------------------------------- */

typedef struct plx_output plx_output;

/* Opens a stream that becomes the file `path` when plx_output_close() succeeds: until
 * then it has a temporary name in the same directory, and what was there before stays.
 * A device or a pipe is written in place. */
PLX_API plx_status plx_output_open(const char *path, plx_output **output, plx_error *error);
PLX_API FILE *plx_output_stream(plx_output *output);
/* Either of the two frees `output`.  close: PLX_IO when anything that was written to
 * the stream failed; then nothing has changed under `path`. */
PLX_API plx_status plx_output_close(plx_output *output, plx_error *error);
PLX_API void plx_output_discard(plx_output *output);

/* ---- tuned choices ----------------------------------------------------- */

/* A kernel that was measured to be the fastest for a problem on a device.  It is taken before
 * the plugin's own choice, by plx_plan_create() without a name and by plx_run(), where all up
 * to `variant` is the same: kept in $XDG_CACHE_HOME/parallax/choices.tsv (else ~/.cache), a
 * table of lines whose fields are separated by tabs. */
typedef struct plx_choice {
    char device[128], driver[96], backend[48], kernels_hash[72];
    char op[16], dtype[16], shape[96], variant[128];
    char kernel[64], over[64]; /* what is taken, and what would have been */
    double gain;               /* the time of `over` as a multiple of the kernel's */
    char date[16];
    bool current; /* of these kernels; else it is ignored */
} plx_choice;

/* Fills in what says for which problem a choice is, by what the plugin `plugin` ("cuda") tells of
 * the device, and clears the rest.  alpha, beta and leading dimensions are not told apart. */
PLX_API void plx_tuned_key(const char *plugin, const plx_device_info *device, const plx_problem *problem,
                           plx_choice *choice);
/* Replaces what is kept of the same problems; a change without a kernel takes it away.  Backends that
 * are open choose anew.  The newest thousand are kept.  PLX_IO: the file can't be written. */
PLX_API plx_status plx_tuned_change(plx_context *context, const plx_choice *changes, size_t count, plx_error *error);
/* The choice of that number.  PLX_NOT_FOUND: there are not as many; PLX_IO, PLX_NO_MEMORY: they can't be read. */
PLX_API plx_status plx_tuned_read(size_t index, plx_choice *choice, plx_error *error);
/* False: there are not as many, or they can't be read. */
PLX_API bool plx_tuned_at(size_t index, plx_choice *choice);
/* The first choice of this context that named no kernel of its backend, a baseline, or one
 * that could not be planned, so that the plugin chose, or that the choices can't be read: a sentence.
 * "": there was none. */
PLX_API const char *plx_tuned_ignored(plx_context *context);
/* Forgets all of them.  PLX_IO as above. */
PLX_API plx_status plx_tuned_forget(plx_context *context, plx_error *error);

#ifdef __cplusplus
}
#endif

#endif
