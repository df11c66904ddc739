/* Parallax for applications: open a backend, move data, run the four operations.
 *
 *     plx_context *context;
 *     plx_backend *backend;
 *     plx_context_create(NULL, &context);
 *     if (plx_open(context, "auto", &backend) != PLX_OK)
 *         fprintf(stderr, "%s\n", plx_message(context));
 *
 * Every function that returns plx_status sets its outputs only on PLX_OK and
 * otherwise leaves one line in plx_message().  Pointers named context, backend,
 * queue, plan and buffer may not be NULL unless it says so; the destroying
 * functions accept NULL and do nothing.
 *
 * Threads: a context and all that was made from it may be used from several
 * threads at once; a queue by one thread at a time. */
#ifndef PARALLAX_PARALLAX_H
#define PARALLAX_PARALLAX_H

#include <parallax/code.h>
#include <parallax/native.h>
#include <parallax/types.h>

#if defined(__GNUC__)
#define PLX_API __attribute__((visibility("default")))
#else
#define PLX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_context plx_context; /* the plugins that were found */
typedef struct plx_backend plx_backend; /* an opened device of one of them */
typedef struct plx_buffer plx_buffer;   /* device memory */
typedef struct plx_queue plx_queue;     /* work in order */
typedef struct plx_event plx_event;     /* a point in a queue */
typedef struct plx_plan plx_plan;       /* a problem made ready to run */

/* ---- words ----------------------------------------------------------- */

PLX_API const char *plx_version(void); /* "0.1.0" */
PLX_API const char *plx_strerror(plx_status status);

PLX_API const char *plx_dtype_name(plx_dtype dtype);  /* "f32" */
PLX_API size_t plx_dtype_size(plx_dtype dtype);       /* bytes */
PLX_API bool plx_dtype_from_name(const char *name, plx_dtype *dtype);
PLX_API const char *plx_compute_name(plx_compute compute); /* "tf32" */
PLX_API bool plx_compute_from_name(const char *name, plx_compute *compute);
PLX_API const char *plx_op_name(plx_op op);           /* "gemm" */
PLX_API bool plx_op_from_name(const char *name, plx_op *op);
PLX_API const char *plx_reduction_name(plx_reduction reduction);
PLX_API bool plx_reduction_from_name(const char *name, plx_reduction *reduction);
/* The name that was probably meant by a mistyped word; NULL when none is near. */
PLX_API const char *plx_nearest_name(const char *word, const char *const *names, size_t count);

/* ---- how the library was built ------------------------------------------- */

typedef struct plx_build {
    const char *kernels_hash; /* SHA-256 over the sources of all kernels, in hexadecimal digits */
    const char *compiler, *flags;               /* of the host's code */
    const char *device_compiler, *device_flags; /* of device code compiled beforehand; "" without */
} plx_build;

/* Belongs to the library. */
PLX_API const plx_build *plx_build_facts(void);

/* ---- context --------------------------------------------------------- */

/* A backend that is not to be used. */
typedef struct plx_barred {
    const char *backend; /* "opencl:1"; "opencl": the whole plugin */
    const char *reason;  /* that plx_open() fails with */
} plx_barred;

typedef struct plx_context_options {
    const char *const *plugin_dirs; /* searched first, in this order; may be NULL */
    size_t plugin_dir_count;
    bool try_anew; /* tries every plugin again, whatever is known of it */
    const plx_barred *barred; /* copied; may be NULL */
    size_t barred_count;
    /* Called by any thread after a plugin may have loaded libraries or compiled: these may have taken the
     * signal handlers of the program.  May be NULL. */
    void (*loaded)(void);
} plx_context_options;

/* Searches, in this order: the directories of `options` (may be NULL), those of
 * $PLX_PLUGIN_PATH (colon-separated; ignored in a program with raised
 * privileges), the installed directory.  Of two plugins with one name the first
 * counts.  A plugin that can't be used is no error: plx_plugin_at() says why.
 * Files are only listed here.  Before a plugin is first needed it is loaded and asked for its devices in a
 * process of its own, which may die or be ended after 30 s ($PLX_PROBE_SECONDS); this process loads what came
 * through that, and when it is needed.  That a file passed is known for an hour to the user's other
 * processes.  $PLX_PROBE=inline: nothing is tried. */
PLX_API plx_status plx_context_create(const plx_context_options *options, plx_context **context);
PLX_API void plx_context_destroy(plx_context *context);
/* Memory for what is learnt in a context by a library on top of this one: zero at first, the same for
 * the same name, given back with the context.  NULL: there is none. */
PLX_API void *plx_context_memory(plx_context *context, const char *name, size_t bytes);

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

/* ---- messages ------------------------------------------------------------------- */

/* Why the calling thread's last failed call on this context failed; "" when none
 * did.  Valid until the thread's next call.  context may be NULL: then of the
 * failed plx_context_create(). */
PLX_API const char *plx_message(const plx_context *context);

/* What was found. */
typedef struct plx_plugin_report {
    const char *name;    /* from the descriptor, or the file's name when it was refused */
    const char *path;
    const char *version; /* "" when refused */
    const char *summary; /* "" when refused */
    bool loaded;
    plx_status probe;    /* PLX_OK: it reaches devices */
    const char *reason;  /* why it was refused, or has no device; or a warning; or "" */
    size_t device_count;
} plx_plugin_report;

PLX_API size_t plx_plugin_count(const plx_context *context);
PLX_API plx_status plx_plugin_at(plx_context *context, size_t plugin, plx_plugin_report *report);
/* What code of the plugin, or behind it, changed of this process and its threads, and in which call first: "the locale
 * (execution), handlers of SIGINT (planning)"; "": nothing so far.  It was put back, unless that is said. */
PLX_API void plx_plugin_changes(const plx_context *context, size_t plugin, char *text, size_t capacity);
PLX_API plx_status plx_device_at(plx_context *context, size_t plugin, size_t device,
                                 plx_device_info *info);
/* Whether two devices, of whatever plugins, are one physical chip: the host's
 * processors, or the same UUID, or the same PCI address where a UUID is missing. */
PLX_API bool plx_same_device(const plx_device_info *a, const plx_device_info *b);
/* Whether `word` stands for this device: its UUID ("GPU-0a1b...", with or without what is before the first '-'; so many
 * digits as tell it from others are enough, at least four) or its PCI address ("0000:17:00.0"). */
PLX_API bool plx_device_is(const plx_device_info *info, const char *word);
/* The directories that were searched, in order; NULL at the end. */
PLX_API const char *plx_search_dir(const plx_context *context, size_t index);

/* The kernels of a loaded plugin, in the order of the ladder; NULL at the end. */
PLX_API const plx_kernel *plx_kernel_at(const plx_context *context, size_t plugin, plx_op op,
                                        size_t kernel);

/* ---- backend --------------------------------------------------------- */

/* Opens "opencl:1" (a device), "cuda:GPU-0a1b..." (the one that plx_device_is()), "cuda" or "host" (that plugin's device with the
 * highest score), "auto" (the highest score of all) or, for NULL or "", what
 * $PLX_BACKEND names, else "auto".  Closed before its context is destroyed, and after what was made from it: of a
 * backend that is closed too early buffers, queues, events and plans can only be destroyed.
 * PLX_NOT_FOUND: no such plugin or device (the message lists what exists and the
 * nearest name); PLX_NO_DEVICE: the plugin reaches none, with its reason. */
PLX_API plx_status plx_open(plx_context *context, const char *where, plx_backend **backend);
PLX_API void plx_close(plx_backend *backend);
PLX_API plx_context *plx_backend_context(const plx_backend *backend);
PLX_API const char *plx_backend_name(const plx_backend *backend); /* "opencl" */
PLX_API const char *plx_backend_label(const plx_backend *backend); /* "opencl:0" */
PLX_API size_t plx_backend_plugin(const plx_backend *backend);
PLX_API const plx_device_info *plx_backend_device(const plx_backend *backend);

/* ---- buffers, queues, events ----------------------------------------- */

/* bytes may be 0.  Contents are undefined. */
PLX_API plx_status plx_buffer_create(plx_backend *backend, uint64_t bytes, plx_buffer **buffer);
PLX_API void plx_buffer_destroy(plx_buffer *buffer);
PLX_API uint64_t plx_buffer_bytes(const plx_buffer *buffer);
PLX_API plx_backend *plx_buffer_backend(const plx_buffer *buffer);

/* What is in one queue is done one after the other, what is in different ones may overlap.
 * queue NULL, here and below: the backend's own queue. */
PLX_API plx_status plx_queue_create(plx_backend *backend, plx_queue **queue);
PLX_API void plx_queue_destroy(plx_queue *queue);
PLX_API plx_status plx_synchronize(plx_backend *backend, plx_queue *queue);

/* In the queue's order; `from` may be reused when upload returns, `to` may be
 * read after plx_synchronize(). Ranges are checked. */
PLX_API plx_status plx_upload(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from,
                              uint64_t bytes);
PLX_API plx_status plx_download(plx_queue *queue, void *to, plx_buffer *from, uint64_t offset,
                                uint64_t bytes);
/* Repeats a 4-byte pattern; offset and bytes must be multiples of 4. */
PLX_API plx_status plx_fill(plx_queue *queue, plx_buffer *buffer, uint64_t offset, uint32_t pattern,
                            uint64_t bytes);
PLX_API plx_status plx_copy(plx_queue *queue, plx_buffer *to, uint64_t to_offset, plx_buffer *from,
                            uint64_t from_offset, uint64_t bytes);

PLX_API plx_status plx_event_create(plx_backend *backend, plx_event **event);
PLX_API void plx_event_destroy(plx_event *event);
PLX_API plx_status plx_event_record(plx_queue *queue, plx_event *event);
PLX_API plx_status plx_event_elapsed(plx_event *from, plx_event *to, double *nanoseconds);

/* ---- problems -------------------------------------------------------- */

/* A problem of no size, alpha 1, beta 0, and nothing else set: for plx_problem_set() and then
 * plx_problem_reshape(). */
PLX_API plx_problem plx_problem_of(plx_op op, plx_dtype dtype);
/* Leading dimensions are set to the smallest that fit; alpha 1, beta 0. */
PLX_API plx_problem plx_reduce_of(plx_dtype dtype, plx_reduction reduction, int64_t n);
PLX_API plx_problem plx_transpose_of(plx_dtype dtype, int64_t rows, int64_t cols);
PLX_API plx_problem plx_matvec_of(plx_dtype dtype, bool trans, int64_t rows, int64_t cols);
PLX_API plx_problem plx_gemm_of(plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n,
                                int64_t k);
/* As far as the pattern uses them: one repetition, stride 1, one region, and as span
 * the next power of two. */
PLX_API plx_problem plx_probe_of(plx_dtype dtype, plx_probe_pattern pattern, int64_t n);
/* PLX_INVALID with a reason for a wrong dtype, a negative size, a leading
 * dimension that is too small, or a size that overflows. */
PLX_API plx_status plx_problem_check(const plx_problem *problem, plx_error *error);
/* Writes the one form that all problems of this meaning have, which is what kernels are
 * given: alpha and beta rounded to the dtype, -0 as 0, every other byte 0.  For a problem
 * that was checked. */
PLX_API void plx_problem_normalise(const plx_problem *problem, plx_problem *normal);

/* What an operation says of itself.  False when there is no such operation. */
typedef struct plx_op_info {
    const char *name;       /* "gemm" */
    const char *summary;    /* one line */
    const char *shape_form; /* "MxNxK": the numbers that plx_problem_reshape() takes */
    size_t shape_rank;      /* how many they are, at most PLX_MAX_SHAPE */
    uint32_t dtypes;        /* bits */
    size_t operand_count;
    size_t output; /* which operand is the result */
    const char *operands[PLX_MAX_OPERANDS]; /* their names: "A", "B", "C" */
    const char *verb; /* the one verb of the program that runs it: "probe"; NULL: all */
    int64_t default_shape[PLX_MAX_OPERANDS]; /* shows something on any machine in seconds */
} plx_op_info;

#define PLX_MAX_SHAPE 3

/* What a word can set in a problem of an operation. */
typedef struct plx_setting {
    const char *name;     /* "trans-a" */
    const char *argument; /* "X"; NULL: it takes no word */
    const char *help;
} plx_setting;

PLX_API bool plx_op_describe(plx_op op, plx_op_info *info);
/* False when it has not that many. */
PLX_API bool plx_op_setting(plx_op op, size_t index, plx_setting *setting);
/* PLX_NOT_FOUND: the operation has no such setting; PLX_INVALID: that is no value of it.  Leading
 * dimensions are plx_problem_reshape()'s, which follows. */
PLX_API plx_status plx_problem_set(plx_problem *problem, const char *name, const char *word,
                                   plx_error *error);
/* Sets the sizes, from `rank` numbers in the order of the operation's shape_form, and
 * the smallest leading dimensions; all else stays as it is.  The result is checked. */
PLX_API plx_status plx_problem_reshape(plx_problem *problem, const int64_t *shape, size_t rank,
                                       plx_error *error);
/* The inverse: writes the operation's shape_rank numbers. */
PLX_API void plx_problem_shape(const plx_problem *problem, int64_t shape[PLX_MAX_SHAPE]);
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
/* All of it: "gemm f32 512x512x512 nn, lda 600, shift 3". */
PLX_API void plx_problem_text(const plx_problem *problem, uint64_t shift, char *text, size_t capacity);

/* ---- running --------------------------------------------------------- */

/* One operand: a buffer and the byte where the operand starts in it (a multiple
 * of the element size).  Operands stand in the operation's order: reduce x,
 * result; transpose in, out; matvec A, x, y; gemm A, B, C. */
typedef struct plx_view {
    plx_buffer *buffer;
    uint64_t offset;
} plx_view;

/* The kernel that the plugin chooses for a problem, without a plan; what was tuned is not asked. */
PLX_API plx_status plx_choose(plx_backend *backend, const plx_problem *problem, const plx_kernel **kernel);
/* kernel NULL or "best": what was tuned, else the plugin's choice.  "split-k:64x64/4" is a kernel in
 * one of its configurations; without one it takes what suits the problem by its own model.  A plan
 * belongs to the backend that made it and is destroyed before it. */
PLX_API plx_status plx_plan_create(plx_backend *backend, const plx_problem *problem,
                                   const char *kernel, plx_plan **plan);
/* Whether this kernel takes the problem, which need not be planned to learn it where the
 * plugin can tell.  PLX_UNSUPPORTED, with the reason as the message: it does not. */
PLX_API plx_status plx_supports(plx_backend *backend, const plx_problem *problem, const char *kernel);
/* When what it enqueued is done (plx_synchronize). */
PLX_API void plx_plan_destroy(plx_plan *plan);
PLX_API const plx_kernel *plx_plan_kernel(const plx_plan *plan);
/* The configuration that it runs in, named or not; its name is "" where the kernel has none. */
PLX_API plx_status plx_plan_config(plx_plan *plan, plx_config *config);
/* The kernel's depth in this configuration: roundings that a term of the sum can meet. */
PLX_API int64_t plx_plan_depth(const plx_plan *plan);
/* How many configurations a kernel has for a problem; at most `capacity` of them are written, first
 * the one that it takes by itself. */
PLX_API plx_status plx_kernel_configs(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                      plx_config *configs, size_t capacity, size_t *count);
/* The rates that a kernel's model of its time stands on, for problems of this kind on this device; at most
 * `capacity` of them are written.  *count 0: there is no model, or it has none that could be others. */
PLX_API plx_status plx_kernel_rates(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                    plx_rate *rates, size_t capacity, size_t *count);
/* Microseconds that the model expects of the problem, in a configuration that plx_kernel_configs() listed for it
 * (NULL: its own choice), by other rates: as many as there are, in their order; NULL: by its own.
 * PLX_UNSUPPORTED: there is no model. */
PLX_API plx_status plx_kernel_expect(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                     const plx_config *config, const double *rates, double *us);
/* What the first call of this context did otherwise than planned, and why, such as another kernel where
 * there was no memory to work in: a sentence.  "": all was as planned. */
PLX_API const char *plx_remark(plx_context *context);
/* The same of this plan's executions: "async-copy ran: an operand begins at no multiple of 16 bytes".  Lives as long as
 * the plan. */
PLX_API const char *plx_plan_remark(plx_plan *plan);
/* Enqueues.  PLX_INVALID when an operand does not fit in its buffer, or when the
 * output overlaps an input. */
PLX_API plx_status plx_execute(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count);
/* Executes under the hardware's counters, as often as they need, and waits.  The
 * output is written each time.  PLX_UNSUPPORTED: this backend has no counters, or may not
 * read them here.  What the plugin said of it is in *error, without what the message adds. */
PLX_API plx_status plx_count(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count,
                             plx_counters *counters, plx_error *error);

/* One of PLX_THROTTLE_ in a word: "power", "heat"; "unknown" for no or several bits. */
PLX_API const char *plx_throttle_name(uint32_t reason);
/* What the device says of its clocks, power and temperature; PLX_UNSUPPORTED where it
 * does not say. */
PLX_API plx_status plx_backend_telemetry(plx_backend *backend, plx_telemetry *telemetry);

/* Plan (cached by the backend), and enqueue on its own queue. */
PLX_API plx_status plx_run(plx_backend *backend, const plx_problem *problem, const plx_view *operands,
                           size_t count);
PLX_API plx_status plx_reduce(plx_backend *backend, plx_dtype dtype, plx_reduction reduction, int64_t n,
                              plx_view x, plx_view result);
PLX_API plx_status plx_transpose(plx_backend *backend, plx_dtype dtype, int64_t rows, int64_t cols,
                                 plx_view in, int64_t ld_in, plx_view out, int64_t ld_out);
PLX_API plx_status plx_matvec(plx_backend *backend, plx_dtype dtype, bool trans, int64_t rows,
                              int64_t cols, double alpha, plx_view a, int64_t lda, plx_view x,
                              double beta, plx_view y);
PLX_API plx_status plx_gemm(plx_backend *backend, plx_dtype dtype, bool trans_a, bool trans_b, int64_t m,
                            int64_t n, int64_t k, double alpha, plx_view a, int64_t lda, plx_view b,
                            int64_t ldb, double beta, plx_view c, int64_t ldc);

/* ---- device code that moves between APIs -------------------------------- */

/* The kernel's device code for a problem, as text.  PLX_UNSUPPORTED: there is none, with the reason as the
 * message. */
PLX_API plx_status plx_code_of(plx_backend *backend, const plx_problem *problem, const char *kernel,
                               plx_code *code);
/* The same of a plugin that has no device here: what one of the architecture of its texts would launch. */
PLX_API plx_status plx_code_without_device(plx_context *context, size_t plugin, const plx_problem *problem,
                                           const char *kernel, plx_code *code);
PLX_API void plx_code_free(plx_code *code);
/* A plan that runs this text with the launches that its writer makes of it; code NULL: the backend's own
 * device code, launched as plainly as another API could.  The kernel is named. */
PLX_API plx_status plx_plan_of_code(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                    const plx_code *code, plx_plan **plan);
/* The launches of a plan, and what a block of each takes; at most `capacity` of them are written. */
PLX_API plx_status plx_plan_launches(plx_plan *plan, plx_launch_facts *facts, size_t capacity, size_t *count);
/* Counts the instructions of each of the code's entry points, in its order. */
PLX_API plx_status plx_code_instructions(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                         const plx_code *code, plx_code_form form, plx_instructions *found,
                                         size_t capacity, size_t *count);
PLX_API plx_status plx_code_instructions_without_device(plx_context *context, size_t plugin,
                                                        const plx_problem *problem, const char *kernel,
                                                        const plx_code *code, plx_code_form form,
                                                        plx_instructions *found, size_t capacity,
                                                        size_t *count);

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
PLX_API plx_status plx_tuned_change(plx_context *context, const plx_choice *changes, size_t count,
                                    plx_error *error);
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
