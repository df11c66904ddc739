/* The shapes of an operation that `bench` knows (kernels/<op>/sets.c): rows of the sets that
 * study/bench/sets.c lists, and how random:SEED draws others.  Private to the tree. */
#ifndef PLX_KERNELS_SETS_H
#define PLX_KERNELS_SETS_H

#include <parallax/study.h>

typedef int64_t plx_set_shape[PLX_MAX_SHAPE];

typedef struct plx_set_row {
    const char *set; /* "quick" */
    const plx_set_shape *shapes;
    size_t count;
} plx_set_row;

#define PLX_SET_ROW(name, list)                                                  \
    {                                                                            \
        .set = (name), .shapes = (list), .count = sizeof(list) / sizeof(list)[0] \
    }

/* Random numbers of one case, one after the other. */
typedef struct plx_draw plx_draw;

/* A weight matrix of a published model, by the place where it stands: n outputs of k inputs. */
typedef struct plx_layer {
    const char *place; /* "attention" */
    int64_t n, k;
} plx_layer;

typedef struct plx_op_sets {
    const plx_set_row *rows;
    size_t row_count;
    const char *both_ways;                /* the setting with which all shapes come once more: "trans"; NULL: none */
    plx_problem (*draw)(plx_draw *from);  /* in f32; NULL: random sets go without it */
    plx_problem (*draw8)(plx_draw *from); /* the same with sides that are multiples of 8 */
    const plx_layer *layers;              /* the weights of "layers", those of one place together */
    size_t layer_count;
} plx_op_sets;

const plx_op_sets *plx_sets_of(plx_op op);

/* ---- for draw (study/bench/random_set.c) -------------------------------------------------- */

/* From 0 to end - 1. */
uint64_t plx_draw_below(plx_draw *from, uint64_t end);
/* From 2^first on below 2^end.  Every octave is as likely as the others, and in it every
 * size: log-uniform, but for steps that no machine rounds differently. */
int64_t plx_draw_size(plx_draw *from, unsigned first, unsigned end);
/* Below 2^end; one side in eight has less than 16. */
int64_t plx_draw_side(plx_draw *from, unsigned end);
/* A leading dimension: the smallest, a little more, or the next of an aligned pitch. */
int64_t plx_draw_pitch(plx_draw *from, int64_t smallest);

#endif
