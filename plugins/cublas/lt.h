/* cublasLt's product, by one of the algorithms that its heuristic names: the first, or the one that is the fastest when
 * each is timed. */
#ifndef PLX_PLUGINS_CUBLAS_LT_H
#define PLX_PLUGINS_CUBLAS_LT_H

#include "backends/cuda/cuda.h"
#include "plugins/cublas/lt_choices.h"

#include <cublasLt.h>

/* Operands that all begin at multiples of 16 bytes may take other algorithms than those that begin anywhere. */
enum { PLX_LT_ALIGNMENT = 16, PLX_LT_ALGORITHMS = 16 };
enum { PLX_LT_ALIGNED, PLX_LT_ANYWHERE, PLX_LT_WAYS };

/* What the heuristic names, the one first that it prefers; [0] to [count - 1]. */
typedef struct plx_lt_algorithms {
    cublasLtMatmulAlgo_t all[PLX_LT_ALGORITHMS];
    size_t count, taken;
} plx_lt_algorithms;

/* Constant once made, so that threads can share it. */
typedef struct plx_lt_product {
    plx_problem problem;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c; /* in column-major order: each matrix is its own transpose */
    plx_lt_algorithms ways[PLX_LT_WAYS];
    size_t workspace; /* the most that one of them needs */
} plx_lt_product;

/* With problem->config it takes the algorithm of that number; else, with `fastest`, the one that is the fastest for
 * this problem on this device (lt_fastest.c), or the heuristic's first.  PLX_UNSUPPORTED in words where the library is
 * missing or knows no algorithm. */
plx_status plx_lt_plan(plx_session *session, const plx_problem *problem, bool fastest, plx_lt_product **product,
                       plx_error *error);
void plx_lt_destroy(plx_lt_product *product); /* may be NULL */

/* C = alpha op(A) op(B) + beta C, enqueued; its workspace is the queue's scratch memory.  The context
 * is current. */
plx_status plx_lt_execute(const plx_lt_product *product, plx_plugin_queue *queue, const void *a, const void *b, void *c,
                          plx_error *error);
/* The same by an algorithm that is named, and with another beta. */
plx_status plx_lt_launch(const plx_lt_product *product, plx_plugin_queue *queue, const cublasLtMatmulAlgo_t *algorithm,
                         double beta, const void *a, const void *b, void *c, plx_error *error);

/* ---- the fastest (lt_fastest.c) ------------------------------------------------------------ */

/* Times each algorithm for aligned operands briefly and judges some elements of its result; sets `taken`.  Where memory
 * is short the heuristic's first are kept.  What was timed once in a session is not timed again.  The context is
 * current. */
plx_status plx_lt_take_fastest(plx_session *session, plx_lt_product *product, plx_error *error);

/* Bytes of the workspace that it takes from its queue. */
uint64_t plx_lt_workspace(const plx_lt_product *product);

#endif
