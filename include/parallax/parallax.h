/* Parallax for applications: open a backend, move data, run the four operations.
 *
 *     plx_context *context;
 *     plx_backend *backend;
 *     plx_context_create(NULL, &context);
 *     if (plx_open(context, "auto", &backend) != PLX_OK)
 *         fprintf(stderr, "%s\n", plx_message(context));
 *
 *     plx_problem problem = plx_gemm_of(PLX_F32, false, false, m, n, k);
 *     problem.of.gemm.alpha = 2;
 *     plx_run(backend, queue, &problem, operands, 3);
 *
 * A problem says what is to be computed; plx_run() computes it, in a queue.  A plan (plx_plan_create(), plx_execute())
 * is the same for who computes it often, names its kernel, or captures a graph.  Each noun has an example in the
 * directory examples/: memory (own_memory.c), queue (queues.c), plan (plan.c), graph (graph.c), batch (batch.c), tensor
 * (tensors.c).
 *
 * Errors.  Every function that returns plx_status sets its outputs only on PLX_OK.  One that has a context, or what was
 * made from one, says why it failed in plx_message(); one that has none takes a plx_error; none does both.  Pointers
 * named context, backend, queue, plan and buffer may not be NULL unless it says so; the destroying functions accept
 * NULL and do nothing.
 *
 * Threads.  Every function may be called by any number of threads at once, also with the same context, backend, plan
 * and buffers; but a queue is used by one thread at a time (the backend's own queue, NULL, by any), an event likewise,
 * and what is destroyed is used by nobody else.  A function that only looks at its arguments (plx_problem_..., names)
 * keeps no state.
 *
 * Lifetimes.  Who creates destroys: plans, buffers, queues, events before their backend, backends before their context.
 * What is enqueued keeps nothing alive: operands and plans go after the work is done (plx_synchronize()).  A string
 * that is returned is the library's: names and what tells of plugins, devices and kernels live as long as the context,
 * and with NULL or no context as long as the process; plx_message() until the thread's next call.  What is passed in is
 * copied, unless it says so.
 *
 * Units.  Sizes of matrices, leading dimensions and strides count elements; offsets and all that is named bytes count
 * bytes; times have their unit in their name, or are said to be nanoseconds.
 *
 * What is promised: this header, native.h, dlpack.h and types.h, within one number of the soname.  Structs that an
 * application fills in or is given keep their size: new members go where room is reserved, which is 0.  Enumerators
 * that end in _COUNT grow with releases and are no values of any call.  What the program `parallax` needs besides is in
 * tool.h. */
#ifndef PARALLAX_PARALLAX_H
#define PARALLAX_PARALLAX_H

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

/* Of these headers.  plx_version() is the library's, which may be newer. */
#define PLX_VERSION_MAJOR 0
#define PLX_VERSION_MINOR 1
#define PLX_VERSION_PATCH 0
#define PLX_VERSION "0.1.0"
#define PLX_VERSION_NUMBER(major, minor, patch) ((major)*10000L + (minor)*100L + (patch))
/* For #if: whether these headers are of that version, or later. */
#define PLX_VERSION_AT_LEAST(major, minor, patch)                                   \
    (PLX_VERSION_NUMBER(PLX_VERSION_MAJOR, PLX_VERSION_MINOR, PLX_VERSION_PATCH) >= \
     PLX_VERSION_NUMBER(major, minor, patch))

PLX_API const char *plx_version(void); /* "0.1.0" */
/* A status in words; of a number that is none, too. */
PLX_API const char *plx_strerror(plx_status status);

PLX_API const char *plx_dtype_name(plx_dtype dtype); /* "f32" */
PLX_API size_t plx_dtype_size(plx_dtype dtype);      /* bytes */
PLX_API bool plx_dtype_from_name(const char *name, plx_dtype *dtype);
PLX_API const char *plx_compute_name(plx_compute compute); /* "tf32" */
PLX_API bool plx_compute_from_name(const char *name, plx_compute *compute);
PLX_API const char *plx_op_name(plx_op op); /* "gemm" */
PLX_API bool plx_op_from_name(const char *name, plx_op *op);
PLX_API const char *plx_reduction_name(plx_reduction reduction);
PLX_API bool plx_reduction_from_name(const char *name, plx_reduction *reduction);

/* ---- context --------------------------------------------------------- */

typedef struct plx_context_options {
    const char *const *plugin_dirs; /* searched first, in this order; may be NULL */
    size_t plugin_dir_count;
    bool try_anew;        /* tries every plugin again, whatever is known of it */
    uint64_t reserved[4]; /* 0 */
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

/* ---- messages ------------------------------------------------------------------- */

/* Why the calling thread's last failed call on this context failed; "" when none
 * did.  Valid until the thread's next call.  context may be NULL: then of the
 * failed plx_context_create(). */
PLX_API const char *plx_message(const plx_context *context);

/* What was found. */
typedef struct plx_plugin_report {
    const char *name; /* from the descriptor, or the file's name when it was refused */
    const char *path;
    const char *version; /* "" when refused */
    const char *summary; /* "" when refused */
    bool loaded;
    plx_status probe;   /* PLX_OK: it reaches devices */
    const char *reason; /* why it was refused, or has no device; or a warning; or "" */
    size_t device_count;
} plx_plugin_report;

PLX_API size_t plx_plugin_count(const plx_context *context);
PLX_API plx_status plx_plugin_at(plx_context *context, size_t plugin, plx_plugin_report *report);
PLX_API plx_status plx_device_at(plx_context *context, size_t plugin, size_t device, plx_device_info *info);
/* Whether two devices, of whatever plugins, are one physical chip: the host's
 * processors, or the same UUID, or the same PCI address where a UUID is missing. */
PLX_API bool plx_same_device(const plx_device_info *a, const plx_device_info *b);
/* Whether `word` stands for this device: its UUID ("GPU-0a1b...", with or without what is before the first '-'; so many
 * digits as tell it from others are enough, at least four) or its PCI address ("0000:17:00.0"). */
PLX_API bool plx_device_is(const plx_device_info *info, const char *word);

/* The kernels of a loaded plugin, in the order of the ladder; NULL at the end. */
PLX_API const plx_kernel *plx_kernel_at(const plx_context *context, size_t plugin, plx_op op, size_t kernel);

/* ---- backend --------------------------------------------------------- */

/* Opens "opencl:1" (a device), "cuda:GPU-0a1b..." (the one that plx_device_is()), "cuda" or "host" (that plugin's
 * device with the highest score), "auto" (the highest score of all) or, for NULL or "", what $PLX_BACKEND names, else
 * "auto".  Closed before its context is destroyed, and after what was made from it: of a backend that is closed too
 * early buffers, queues, events and plans can only be destroyed. PLX_NOT_FOUND: no such plugin or device (the message
 * lists what exists and the nearest name); PLX_NO_DEVICE: the plugin reaches none, with its reason. */
PLX_API plx_status plx_open(plx_context *context, const char *where, plx_backend **backend);
PLX_API void plx_close(plx_backend *backend);
PLX_API plx_context *plx_backend_context(const plx_backend *backend);
PLX_API const char *plx_backend_name(const plx_backend *backend);  /* "opencl" */
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
PLX_API plx_status plx_upload(plx_queue *queue, plx_buffer *to, uint64_t offset, const void *from, uint64_t bytes);
PLX_API plx_status plx_download(plx_queue *queue, void *to, plx_buffer *from, uint64_t offset, uint64_t bytes);
/* Repeats a 4-byte pattern; offset and bytes must be multiples of 4. */
PLX_API plx_status plx_fill(plx_queue *queue, plx_buffer *buffer, uint64_t offset, uint32_t pattern, uint64_t bytes);
PLX_API plx_status plx_copy(plx_queue *queue, plx_buffer *to, uint64_t to_offset, plx_buffer *from,
                            uint64_t from_offset, uint64_t bytes);

/* From a buffer of another backend of the same plugin, from device to device where the API can; waits first for what is
 * in that backend's own queue.  PLX_UNSUPPORTED: there are no such copies. */
PLX_API plx_status plx_copy_between(plx_queue *queue, plx_buffer *to, uint64_t to_offset, plx_buffer *from,
                                    uint64_t from_offset, uint64_t bytes);

PLX_API plx_status plx_event_create(plx_backend *backend, plx_event **event);
PLX_API void plx_event_destroy(plx_event *event);
/* Again: the event is then the new point. */
PLX_API plx_status plx_event_record(plx_queue *queue, plx_event *event);
/* Of the device's time between two events that were recorded in one queue; waits for `to`. */
PLX_API plx_status plx_event_elapsed(plx_event *from, plx_event *to, double *nanoseconds);

/* ---- problems -------------------------------------------------------- */

/* A problem of no size, alpha 1, beta 0, and nothing else set: for plx_problem_set() and then
 * plx_problem_reshape(). */
PLX_API plx_problem plx_problem_of(plx_op op, plx_dtype dtype);
/* Leading dimensions are set to the smallest that fit; alpha 1, beta 0. */
PLX_API plx_problem plx_reduce_of(plx_dtype dtype, plx_reduction reduction, int64_t n);
PLX_API plx_problem plx_transpose_of(plx_dtype dtype, int64_t rows, int64_t cols);
PLX_API plx_problem plx_matvec_of(plx_dtype dtype, bool trans, int64_t rows, int64_t cols);
PLX_API plx_problem plx_gemm_of(plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k);
/* So many problems of that form, each operand's one after the other (PLX_STRIDE_DENSE); who wants them elsewhere, or an
 * input that all share (0), sets batch.stride of that operand. */
PLX_API plx_problem plx_batch_of(const plx_problem *one, int64_t count);
/* Along the middle axis of x[outer][n][inner]; the result is [outer][inner]. */
PLX_API plx_problem plx_reduce_along_of(plx_dtype dtype, plx_reduction reduction, int64_t outer, int64_t n,
                                        int64_t inner);
/* PLX_INVALID with a reason for a wrong dtype, a negative size, a leading
 * dimension that is too small, or a size that overflows; of a batch for no problem at all or 2^31, and for outputs that
 * overlap each other. */
PLX_API plx_status plx_problem_check(const plx_problem *problem, plx_error *error);

/* What an operation says of itself.  False when there is no such operation. */
typedef struct plx_op_info {
    const char *name;       /* "gemm" */
    const char *summary;    /* one line */
    const char *shape_form; /* "MxNxK": the numbers that plx_problem_reshape() takes */
    size_t shape_rank;      /* how many they are, at most PLX_MAX_SHAPE */
    uint32_t dtypes;        /* bits */
    size_t operand_count;
    size_t output;                           /* which operand is the result */
    const char *operands[PLX_MAX_OPERANDS];  /* their names: "A", "B", "C" */
    const char *verb;                        /* the one verb of the program that runs it: "probe"; NULL: all */
    int64_t default_shape[PLX_MAX_OPERANDS]; /* shows something on any machine in seconds */
} plx_op_info;

#define PLX_MAX_SHAPE 3

PLX_API bool plx_op_describe(plx_op op, plx_op_info *info);
/* PLX_NOT_FOUND: the operation has no such setting; PLX_INVALID: that is no value of it.  Leading
 * dimensions are plx_problem_reshape()'s, which follows. */
PLX_API plx_status plx_problem_set(plx_problem *problem, const char *name, const char *word, plx_error *error);
/* Sets the sizes, from `rank` numbers in the order of the operation's shape_form, and
 * the smallest leading dimensions; all else stays as it is.  The result is checked. */
PLX_API plx_status plx_problem_reshape(plx_problem *problem, const int64_t *shape, size_t rank, plx_error *error);
/* The inverse: writes the operation's shape_rank numbers. */
PLX_API void plx_problem_shape(const plx_problem *problem, int64_t shape[PLX_MAX_SHAPE]);
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

/* The kernel that plx_plan_create() without a name, and so plx_run(), would take for a problem: what was tuned, else
 * the plugin's choice.  *kernel lives as long as the context. */
PLX_API plx_status plx_choose(plx_backend *backend, const plx_problem *problem, const plx_kernel **kernel);
/* From now on a problem that plx_plan_create() without a name or plx_run() meets for the first time on a device, its
 * driver and these kernels is timed: the plugin's choice beside the kernels and configurations of which the models
 * expect most, five together, on memory and in a queue of their own.  That takes some ten milliseconds and as much
 * memory as the operands; the fastest is kept where `parallax tune` keeps its choices, and taken.  They are not judged,
 * and another kernel may have other roundings.  Where there is no memory for it the plugin chooses.  Off, unless
 * $PLX_AUTOTUNE is 1. */
PLX_API void plx_tune_on_first_use(plx_context *context, bool on);
/* kernel NULL or "best": what was tuned, else the plugin's choice.  "split-k:64x64/4" is a kernel in
 * one of its configurations; without one it takes what suits the problem by its own model.  A plan
 * belongs to the backend that made it and is destroyed before it. */
PLX_API plx_status plx_plan_create(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                   plx_plan **plan);
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
/* What this plan's executions first did otherwise than planned, and why: "async-copy ran: an operand begins at no
 * multiple of 16 bytes"; "": nothing.  Lives as long as the plan. */
PLX_API const char *plx_plan_remark(plx_plan *plan);
/* Enqueues.  PLX_INVALID when an operand does not fit in its buffer, or when the
 * output overlaps an input. */
PLX_API plx_status plx_execute(plx_plan *plan, plx_queue *queue, const plx_view *operands, size_t count);
/* Enqueues a problem: its plan is made when it is first met, and kept by the backend (the last 64).  The first call may
 * so take seconds; in a stream that is captured make a plan beforehand (plx_plan_create(), plx_queue_reserve()).
 * Operands as of plx_execute(). */
PLX_API plx_status plx_run(plx_backend *backend, plx_queue *queue, const plx_problem *problem, const plx_view *operands,
                           size_t count);
/* The same in one call, in the backend's own queue, of problems without a compute type or an output type of their own.
 */
PLX_API plx_status plx_gemm_batched(plx_backend *backend, plx_dtype dtype, bool trans_a, bool trans_b, int64_t m,
                                    int64_t n, int64_t k, double alpha, plx_view a, int64_t lda, int64_t stride_a,
                                    plx_view b, int64_t ldb, int64_t stride_b, double beta, plx_view c, int64_t ldc,
                                    int64_t stride_c, int64_t count);
PLX_API plx_status plx_reduce_along(plx_backend *backend, plx_dtype dtype, plx_reduction reduction, int64_t outer,
                                    int64_t n, int64_t inner, plx_view x, plx_view result);
PLX_API plx_status plx_reduce(plx_backend *backend, plx_dtype dtype, plx_reduction reduction, int64_t n, plx_view x,
                              plx_view result);
PLX_API plx_status plx_transpose(plx_backend *backend, plx_dtype dtype, int64_t rows, int64_t cols, plx_view in,
                                 int64_t ld_in, plx_view out, int64_t ld_out);
PLX_API plx_status plx_matvec(plx_backend *backend, plx_dtype dtype, bool trans, int64_t rows, int64_t cols,
                              double alpha, plx_view a, int64_t lda, plx_view x, double beta, plx_view y);
PLX_API plx_status plx_gemm(plx_backend *backend, plx_dtype dtype, bool trans_a, bool trans_b, int64_t m, int64_t n,
                            int64_t k, double alpha, plx_view a, int64_t lda, plx_view b, int64_t ldb, double beta,
                            plx_view c, int64_t ldc);

#ifdef __cplusplus
}
#endif

#endif
