/* cublasLt's product: of the algorithms that it knows, the first that its heuristic names. */
#ifndef PLX_PLUGINS_CUBLAS_LT_H
#define PLX_PLUGINS_CUBLAS_LT_H

#include "backends/cuda/cuda.h"

/* Constant once made, so that threads can share it. */
typedef struct plx_lt_product plx_lt_product;

/* PLX_UNSUPPORTED in words where the library is missing or knows no algorithm. */
plx_status plx_lt_plan(plx_session *session, const plx_problem *problem, plx_lt_product **product,
                       plx_error *error);
void plx_lt_destroy(plx_lt_product *product); /* may be NULL */

/* C = alpha op(A) op(B) + beta C, enqueued; its workspace is the queue's scratch memory.  The context
 * is current. */
plx_status plx_lt_execute(const plx_lt_product *product, plx_plugin_queue *queue, const void *a,
                          const void *b, void *c, plx_error *error);

#endif
