/* What the files of the attribution share.  Private to libparallax-study. */
#ifndef PLX_STUDY_ATTRIBUTE_H
#define PLX_STUDY_ATTRIBUTE_H

#include <parallax/attribute.h>

#include "study/run/run.h"

/* Which cell has whose text, and who runs it; a text of -1 is the first's own machine code. */
typedef struct plx_cell_of {
    int text, runner;
    bool as_shipped;
} plx_cell_of;
extern const plx_cell_of plx_cells[PLX_CELL_COUNT];

/* What both APIs wrote of a kernel. */
typedef struct plx_kernel_texts {
    plx_code codes[PLX_APIS];
    bool has[PLX_APIS];
} plx_kernel_texts;

/* Attributions as they are made. */
typedef struct plx_attributing {
    const plx_attribute_options *options;
    plx_context *context;
    plx_open_backends opened;
    plx_results *results;
    plx_kernel_texts *texts; /* of each attribution */
    plx_error *error;
    double began_ns;
    size_t done, tried, left_out; /* kernels */
} plx_attributing;

/* One kernel on one problem. */
typedef struct plx_subject {
    const plx_inputs *inputs;
    plx_references *references;
    plx_guarded_operands *buffers; /* of either API: what was uploaded for one cell serves the others */
    const plx_kernel *kernel;
    size_t backends[PLX_APIS]; /* of those that are open */
    plx_kernel_texts *texts;
    plx_attribution *found;
} plx_subject;

/* False: there was no device that two APIs reach. */
static inline bool plx_attribution_ran(const plx_attribution *attribution)
{
    return attribution->backends[PLX_FIRST_API][0] != '\0';
}

static inline plx_backend *plx_subject_backend(const plx_attributing *a, const plx_subject *s, int api)
{
    return a->opened.backends[s->backends[api]];
}

/* All cells of a kernel, judged and timed (kernel.c). */
plx_status plx_attribute_kernel(const plx_attributing *a, plx_subject *s);

/* Instructions (listings.c): of all attributions in all forms, when nothing is timed any more; or of what a
 * plugin carries. */
void plx_attribute_count_all(const plx_attributing *a);
void plx_attribute_count_carried(plx_context *context, size_t plugin, const plx_code *code, plx_attribution *found);

/* A problem that nobody asked for (problems.c). */
typedef enum plx_own {
    PLX_OWN_REST,   /* for kernels that took none of those before it */
    PLX_OWN_CHOSEN, /* and for the one that is chosen for it */
    PLX_OWN_EVERY   /* for all that take it */
} plx_own;
typedef struct plx_own_problem {
    plx_problem problem;
    plx_own whose;
} plx_own_problem;
enum { PLX_OWN_PROBLEMS = 24 };

/* Those on which the kernels of an operation show something, in the order in which kernels are to try them.
 */
size_t plx_own_problems(const plx_attribute_options *options, plx_op op, plx_own_problem problems[PLX_OWN_PROBLEMS]);

/* Ratios and words, from the cells and listings (effects.c, verdict.c). */
void plx_attribution_conclude(plx_attribution *attribution);
void plx_attribution_speak(plx_attribution *attribution);

#endif
