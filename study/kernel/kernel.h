/* Device code in a file, with its recipe: how it becomes launches that a backend carries out.  Private to
 * libparallax-study. */
#ifndef PLX_KERNEL_KERNEL_H
#define PLX_KERNEL_KERNEL_H

#include "study/recipe/recipe.h"

#include <parallax/tool.h>

#include <pthread.h>

enum { PLX_SOURCE_BYTES = 64 * 1024 * 1024, PLX_INCLUDES = 64, PLX_INCLUDE_LEVELS = 16 };

/* Text that stands in memory, ended by NUL. */
typedef struct plx_source {
    plx_source_kind kind;
    char *text;
    size_t length;
} plx_source;

/* What was compiled from it: text of PTX, and how the entries are called there. */
typedef struct plx_compiled {
    char *ptx;
    size_t length;
    char *entries[PLX_RECIPE_LAUNCHES]; /* NULL: as the recipe calls it */
    char compiler[96];
    char *log;
} plx_compiled;

typedef struct plx_subject plx_subject;

struct plx_kernel_file {
    plx_subject *subject;   /* the process of a function; NULL: it was not started */
    char not_started[400];  /* why */
    plx_captured *captured; /* calls are captured, and the first is told there; NULL: they are not */
    plx_problem tried;      /* the last that the function was tried with, and what came of it */
    plx_status tried_status;
    plx_error tried_error;
    bool was_tried;
    plx_recipe_file *recipe;
    plx_source source;
    char path[256], *entry;
    plx_kernel_facts facts;
    plx_chosen *chosen;
    size_t chosen_count;
    plx_compute compute;
    bool uses_units;      /* matrix units may be what it multiplies in */
    pthread_mutex_t lock; /* of what was compiled: */
    char *log;
};

/* ---- the text (source.c) -------------------------------------------------------------- */

/* Reads a file whose name ends as one of the kinds.  Files that a text includes by "..." stand in it from then on: they
 * are looked for beside it and in the recipe's directories, below the recipe's own. */
plx_status plx_source_read(const char *path, const plx_recipe_file *recipe, plx_source *source, plx_error *error);
/* SHA-256 in hexadecimal digits. */
void plx_source_hash(const void *bytes, size_t length, char text[65]);

/* ---- what is no device code yet (compile.c) -------------------------------------------------------------- */

/* By a library of the compiler where it is there, else by its program.  From the user's cache where the same was
 * compiled before. */
plx_status plx_kernel_compile(const plx_kernel_file *kernel, const plx_launches *launches,
                              const plx_device_info *device, plx_compiled *compiled, plx_error *error);
void plx_compiled_free(plx_compiled *compiled);

/* ---- launches as a backend takes them (given.c) ---------------------------------------------- */

/* A list for plx_context_add_kernel(), of code that is the source's or was compiled; it keeps what it points to.
 * `launches` is its own from then on. */
plx_status plx_given_make(const plx_kernel_file *kernel, plx_launches *launches, const plx_compiled *compiled,
                          const plx_launch_list **list, plx_error *error);
/* The same of a function. */
plx_status plx_given_function(const plx_kernel_file *kernel, plx_launches *launches, plx_function_call *call,
                              void *data, const plx_launch_list **list, plx_error *error);
void plx_given_free(const plx_launch_list *list);

/* ---- functions (subject.c) ---------------------------------------------------------------------- */

/* Starts its process, and loads it there.  PLX_INVALID: it can't be loaded; PLX_DEVICE_LOST: that ended the process. */
plx_status plx_subject_start(const plx_kernel_file *kernel, bool on_device, plx_subject **subject, plx_error *error);
/* Ends it, if need be by force. */
void plx_subject_end(plx_subject *subject);
plx_status plx_subject_call_it(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                               const char *device, const plx_reached *operands, size_t count, plx_error *error);
/* The same of a call that is captured, and replayed (plx_kernel_file_capture()). */
plx_status plx_subject_capture_it(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                                  const char *device, const plx_reached *operands, size_t count, plx_captured *captured,
                                  plx_error *error);
/* Calls it once with zeros on the host.  PLX_UNSUPPORTED: it says that it does not take the problem. */
plx_status plx_subject_try(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem,
                           plx_error *error);
/* What fences it in. */
const char *plx_subject_fence_of(const plx_subject *subject);
/* What a call of this problem takes by itself, on memory of its own; 0: it can't be told. */
double plx_subject_empty_ns(plx_subject *subject, const plx_kernel_file *kernel, const plx_problem *problem);
/* Why its process has ended; NULL: it has not.  *wrote: it wrote to what it may only read. */
const char *plx_subject_ended(const plx_subject *subject, bool *wrote);

#endif
