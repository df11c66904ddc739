/* What a plan of the opencl plugin consists of: made by plan.c, run by execute.c. */
#ifndef PLX_PLUGINS_OPENCL_PARTS_H
#define PLX_PLUGINS_OPENCL_PARTS_H

#include "backends/opencl/opencl.h"
#include "backends/opencl/places.h"
#include "kernels/pieces.h"
#include "kernels/recipe.h"

#include <pthread.h>
#include <stdatomic.h>

/* An argument pair (pointer, offset) that is known only when the plan runs, or for
 * scratch when the queue is known.  A kernel object keeps its arguments, so only those that
 * differ from the last launch's are set again; not those of text, whose places come and go. */
typedef struct plx_opencl_moving {
    cl_uint index; /* of the pointer; the offset follows */
    bool scratch;
    uint32_t operand;
    uint64_t element_size;
    uint64_t bytes;       /* of the operand */
    uint64_t byte;        /* where what a pointer alone is told of begins in the scratch memory, operand or piece */
    uint64_t told_serial; /* of the memory; 0: nothing is known to have been told */
    uint64_t told_offset; /* in bytes; UINT64_MAX the same */
} plx_opencl_moving;

typedef struct plx_opencl_step {
    cl_kernel kernel;
    size_t global[3], local[3];
    uint32_t tile_rows, tile_cols; /* what a work-group writes; 0: not known */
    int32_t registers;             /* of a thread, as the assembler of text tells it; -1: unknown */
    size_t moving_count;
    plx_opencl_moving moving[PLX_MAX_ARGUMENTS];
} plx_opencl_step;

/* Scratch memory from a byte on, for text that is told pointers: NVIDIA's driver does not survive sub-buffers
 * of memory that another queue's launches use as well. */
typedef struct plx_opencl_piece {
    uint64_t byte;
    plx_memory *memory;
    bool is_ready; /* zeros are where they must be */
} plx_opencl_piece;

struct plx_plugin_plan {
    pthread_mutex_t lock; /* a kernel object holds its arguments: set and enqueue are one act; of `spare` too */
    plx_session *session;
    plx_problem problem; /* as the row's spare is given it */
    const plx_row *row;
    plx_plugin_plan *spare;     /* made when there is no memory for the row's scratch */
    uint32_t aligned;           /* bits: operands that must begin at a multiple of 16 bytes */
    plx_plugin_plan *unaligned; /* for where one does not; NULL: the spare */
    char instead[32];           /* the kernel whose code `unaligned` runs in place of this one's; "": its own */
    atomic_bool told;           /* of it; once is enough */
    uint64_t scratch_bytes;
    cl_program text;       /* that it was made from; NULL: from our own source */
    plx_cl_places *places; /* of what a text's pointers point to; NULL: our arguments have offsets */
    plx_opencl_piece pieces[PLX_MAX_ARGUMENTS]; /* and of what in scratch memory: their own */
    size_t piece_count;
    bool is_given; /* launches that others wrote: */
    uint32_t align[PLX_MAX_OPERANDS];
    plx_pieces given;
    size_t step_count;
    plx_opencl_step steps[PLX_MAX_STEPS];
};

/* The piece that begins at that byte of the scratch memory; NULL: there is none. */
plx_opencl_piece *plx_opencl_piece_at(plx_plugin_plan *plan, uint64_t byte);
plx_status plx_opencl_set_argument(cl_kernel kernel, cl_uint index, size_t size, const void *value, plx_error *error);

#endif
