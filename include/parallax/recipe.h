/* Recipes: the launches of a kernel that is not ours, as one file of JSON (doc/recipe.md), and what they are for a
 * problem on a device.  No context, no backend and no device is needed. */
#ifndef PARALLAX_RECIPE_H
#define PARALLAX_RECIPE_H

#include <parallax/files.h>
#include <parallax/parallax.h>
#include <parallax/results.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_recipe_file plx_recipe_file;

/* Reads and checks a recipe.  PLX_IO: the file can't be read; PLX_INVALID: it is no recipe: one line says what is
 * wrong, and in which field.  Free with plx_recipe_file_free(). */
PLX_API plx_status plx_recipe_file_read(const char *path, plx_recipe_file **recipe, plx_error *error);
PLX_API void plx_recipe_file_free(plx_recipe_file *recipe);
PLX_API plx_op plx_recipe_file_op(const plx_recipe_file *recipe);

/* A tunable's value, by its name. */
typedef struct plx_chosen {
    char name[52];
    uint32_t reserved; /* 0 */
    int64_t value;
} plx_chosen;

/* A device that is described by words, not by a driver: "h100", "h100,sms=114", "cc=90,sms=132".  Of what is not said
 * it has what the first of the list has. */
PLX_API plx_status plx_described_device(const char *words, plx_device_info *device, plx_error *error);
/* The devices that have a name: 0, 1, ...; NULL at the end. */
PLX_API const char *plx_described_device_name(size_t index);

/* The launches of a recipe for one problem on one device. */
typedef struct plx_launches plx_launches;

/* Of tunables that are not chosen the first values are taken for which tune_where holds.  The recipe is to outlive the
 * launches.
 * PLX_UNSUPPORTED: the recipe does not take this problem or device, and *error has the clause; PLX_INVALID: what it
 * says has no value here, or can't be launched. */
PLX_API plx_status plx_launches_make(const plx_recipe_file *recipe, const plx_problem *problem,
                                     const plx_device_info *device, const plx_chosen *chosen, size_t chosen_count,
                                     plx_launches **launches, plx_error *error);
PLX_API void plx_launches_free(plx_launches *launches);
/* Compares their arguments and blocks with the entries of a text of PTX.  PLX_INVALID: *error says what differs, or
 * which entry is missing. */
PLX_API plx_status plx_launches_compare(const plx_launches *launches, const char *path, plx_error *error);

/* What came of one of several problems. */
typedef struct plx_launches_shown {
    plx_problem problem;
    plx_launches *launches; /* NULL: none, for this reason */
    char reason[512];
    uint64_t reserved[4]; /* 0 */
} plx_launches_shown;

/* For people, and as JSON (schema parallax-launches/1). */
PLX_API plx_status plx_launches_write_text(const plx_recipe_file *recipe, const plx_device_info *device,
                                           const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error);
PLX_API plx_status plx_launches_write_json(const plx_recipe_file *recipe, const plx_device_info *device,
                                           const plx_launches_shown *shown, size_t count, FILE *to, plx_error *error);

/* A first recipe for a kernel in a source (.cu, .cl), by the names and types of its parameters; `entry` NULL: its only
 * kernel.  What can't be told has a name in it that no recipe knows, so that reading it refuses the draft and says
 * where.  *text: the JSON; *notes: what is to be looked at, a line each, "" for nothing; free() both.
 * PLX_IO, PLX_INVALID: there is no such kernel, or it is none for the operation. */
PLX_API plx_status plx_recipe_draft(plx_op op, const char *source, const char *entry, char **text, char **notes,
                                    plx_error *error);

/* ---- device code in a file, with its recipe ------------------------------------------------------------------- */

typedef struct plx_kernel_file plx_kernel_file;

typedef struct plx_kernel_wanted {
    const char *source; /* .cl .spv .cu .ptx .cubin; .so .py: functions */
    const char *recipe; /* NULL: the source's name with .json in place of its end */
    const char *entry;  /* that the only launch is of; NULL: the recipe's */
    const plx_chosen *chosen;
    size_t chosen_count;
    plx_compute compute; /* that the recipe takes and that is wanted */
    bool has_op;         /* of a function without a recipe: */
    plx_op op;
    const char *api;      /* that a function runs with, "host"; NULL: as the recipe says, else the host */
    uint64_t reserved[2]; /* 0 */
} plx_kernel_wanted;

/* What is known of a kernel in a file. */
typedef struct plx_kernel_facts {
    char name[72];     /* "mine:turn" */
    char api[16];      /* "opencl", "cuda", "host" */
    char language[16]; /* "OpenCL C", "SPIR-V", "CUDA C++", "PTX", "cubin", "C function", "Python" */
    char source_sha256[65], recipe_sha256[65];
    char image_sha256[65]; /* of what was compiled last; "": nothing was, or the driver compiles it */
    char compiler[96];     /* "NVRTC 13.0"; "" the same */
    uint32_t dtypes;       /* that it takes; bits: PLX_DTYPE_BIT(dtype) */
    bool finite_only;      /* NaN and infinities are not for it */
    bool claims_nothing;   /* of its depth */
    bool is_function;      /* that launches what it likes, in a process of its own */
    bool has_recipe;
    bool zeros_of_any_sign; /* the sign of a zero is not compared */
    bool flushes;           /* subnormals of f32 may be taken for 0 */
    uint64_t reserved[8];   /* 0 */
} plx_kernel_facts;

/* Reads both; nothing is compiled.  PLX_IO, PLX_INVALID: a file can't be read, or is not what it must be. */
PLX_API plx_status plx_kernel_file_open(const plx_kernel_wanted *wanted, plx_kernel_file **kernel, plx_error *error);
/* After the contexts that it was added to. */
PLX_API void plx_kernel_file_free(plx_kernel_file *kernel);
PLX_API plx_op plx_kernel_file_op(const plx_kernel_file *kernel);
PLX_API const plx_kernel_facts *plx_kernel_file_facts(const plx_kernel_file *kernel);
/* The backends of this context have it from now on as "mine:NAME". */
PLX_API plx_status plx_kernel_file_add(plx_kernel_file *kernel, plx_context *context, plx_error *error);
/* Whether it takes this problem on this device.  PLX_UNSUPPORTED, with the clause: it does not. */
PLX_API plx_status plx_kernel_file_takes(const plx_kernel_file *kernel, const plx_problem *problem,
                                         const plx_device_info *device, plx_error *error);
/* Draws up to `capacity` different problems that it takes on this device, like one that is given; of at most about so
 * many multiplications or elements each. */
PLX_API size_t plx_kernel_file_draw(const plx_kernel_file *kernel, const plx_problem *like,
                                    const plx_device_info *device, uint64_t seed, double work, plx_problem *problems,
                                    size_t capacity);
/* Starts the process of a function, and loads it there.  Makes device code of CUDA C++ for a problem and device, which
 * need not be here; compares the parameters of PTX with the recipe.  OpenCL C is its driver's to compile, and a cubin
 * is as it is: nothing is done.  PLX_BUILD_FAILED: *error has the line of the compiler's log that tells. */
PLX_API plx_status plx_kernel_file_compile(plx_kernel_file *kernel, const plx_problem *problem,
                                           const plx_device_info *device, plx_error *error);
/* Of a function: what fences its process in; "" where there is none. */
PLX_API const char *plx_kernel_file_fence(const plx_kernel_file *kernel);
/* Times what a call takes by itself, of the problem that was planned last; 0: it can't be told. */
PLX_API double plx_kernel_file_empty_ns(const plx_kernel_file *kernel);
/* Why its process has ended; NULL: it has not, or there is none.  *wrote: it wrote to an operand that it may only
 * read. */
PLX_API const char *plx_kernel_file_ended(const plx_kernel_file *kernel, bool *wrote);
/* What one call of a function put into its device's stream. */
enum { PLX_CAPTURED_KERNELS = 16 };
typedef struct plx_captured_kernel {
    char name[192]; /* "": the driver does not say */
    uint32_t grid[3], block[3], shared_bytes, reserved;
} plx_captured_kernel;

typedef struct plx_captured {
    bool tried, captured;
    char why[376]; /* it is not captured */
    /* What is in the graph, of each kind: copies and fills of memory, allocations, others (events, frees). */
    uint32_t kernels, copies, fills, allocations, others;
    uint32_t listed;
    plx_captured_kernel list[PLX_CAPTURED_KERNELS]; /* the first */
    uint64_t reserved[4];                           /* 0 */
} plx_captured;

/* From now on each call of a function on a device is captured into a graph, with zeros in place of its operands, and
 * its result is that of the graph on the operands themselves: what was made by the call, and not by what it enqueued,
 * is wrong. A call that can't be captured fails.  What the first call has in its graph is told in *captured, all 0
 * before; NULL: calls are calls again. */
PLX_API void plx_kernel_file_capture(plx_kernel_file *kernel, plx_captured *captured);
/* Writes its launches for a problem on a device, for people. */
PLX_API plx_status plx_kernel_file_show(const plx_kernel_file *kernel, const plx_problem *problem,
                                        const plx_device_info *device, FILE *to, plx_error *error);
/* What the compiler wrote last; "". */
PLX_API const char *plx_kernel_file_log(const plx_kernel_file *kernel);

/* Writes a kernel of a backend, as it runs one problem, into a directory that is there: its device code and a recipe,
 * from which `judge --source` runs the same.  *path: the code's file; the recipe has .json for its ending.
 * PLX_UNSUPPORTED: no recipe can say it. */
PLX_API plx_status plx_kernel_export(plx_backend *backend, const plx_problem *problem, const char *kernel,
                                     const char *directory, char *path, size_t capacity, plx_error *error);

/* The time of a problem in a record that `judge --source --json` wrote; *found: there is one.  PLX_IO, PLX_INVALID: it
 * can't be read, or is no such record. */
PLX_API plx_status plx_kernel_record_time(const char *path, const plx_problem *problem, plx_interval *time, bool *found,
                                          plx_error *error);

/* What such a record is about. */
typedef struct plx_kernel_record {
    char source_sha256[65], recipe_sha256[65];
    uint64_t seed;
    char **words; /* of the verb: "judge" and what followed it; ended by NULL */
    size_t word_count;
    uint64_t reserved[4]; /* 0 */
} plx_kernel_record;

/* PLX_IO, PLX_INVALID: as above.  Free with plx_kernel_record_free(). */
PLX_API plx_status plx_kernel_record_read(const char *path, plx_kernel_record *record, plx_error *error);
PLX_API void plx_kernel_record_free(plx_kernel_record *record);

#ifdef __cplusplus
}
#endif

#endif
