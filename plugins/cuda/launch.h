/* One launch of a plan: what is known when planning, and where the rest goes at each call. */
#ifndef PLX_PLUGINS_CUDA_LAUNCH_H
#define PLX_PLUGINS_CUDA_LAUNCH_H

#include "backends/cuda/cuda.h"
#include "kernels/image.h"
#include "kernels/recipe.h"

/* Text may be written for another convention, which passes one of a recipe's arguments as two. */
enum { PLX_CUDA_MOST_ARGUMENTS = 2 * PLX_MAX_ARGUMENTS, PLX_CUDA_MOST_OF_STRUCTS = 4096 };

/* An argument as cuLaunchKernel wants it: eight bytes at an address, or a map.  What is
 * known when planning lies in `value`; pointers and maps are made for each call. */
typedef struct plx_cuda_argument {
    enum { KNOWN, OPERAND, BASE, ELEMENTS, SCRATCH, MAP, POINTER, PIECE, BYTES } kind;
    uint32_t which; /* OPERAND, BASE (where its memory begins), ELEMENTS (from there to it), MAP, POINTER, PIECE */
    uint64_t
        value; /* KNOWN: its bytes; SCRATCH, POINTER, PIECE: byte offset; ELEMENTS: the size of one; BYTES: how many */
    unsigned char *bytes; /* BYTES: as they are passed, but for the pointers among them */
    plx_given *pointers;
    uint32_t pointer_count;
} plx_cuda_argument;

typedef struct plx_cuda_launch {
    CUfunction function;
    unsigned int grid[3], block[3], shared_bytes;
    unsigned int cluster; /* blocks of one; 0 for none */
    unsigned int cluster_y, cluster_z;
    uint32_t tile_rows, tile_cols; /* what a block writes; 0: not known */
    bool cooperative;
    bool dependent; /* it may begin while what is before it in the queue ends */
    size_t argument_count;
    plx_cuda_argument arguments[PLX_CUDA_MOST_ARGUMENTS];
    char entry[96];
} plx_cuda_launch;

/* What is launched: an image of ours, or text as its writer would launch it.  Plain: as any API could. */
typedef struct plx_cuda_loaded {
    const plx_image *image; /* NULL: the text's module */
    CUmodule text;
    plx_convention convention;
    bool plain;
    const plx_launch_list *list; /* launches that others wrote; NULL: of ours */
} plx_cuda_loaded;

/* Of launches that others wrote the parameters are compared with the function's.  On failure too what was allocated
 * belongs to the launch. */
plx_status plx_cuda_launch_make(plx_session *session, const plx_cuda_loaded *code, const plx_recipe *recipe,
                                const plx_step *step, const plx_problem *problem, plx_cuda_launch *made,
                                plx_error *error);
void plx_cuda_launch_free(plx_cuda_launch *made);

#endif
