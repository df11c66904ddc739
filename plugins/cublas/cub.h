/* CUB's reductions, behind C: cub.cu is compiled by nvcc, everything else is not.
 * A build without CUB has cub_absent.c instead. */
#ifndef PLX_PLUGINS_CUBLAS_CUB_H
#define PLX_PLUGINS_CUBLAS_CUB_H

#include "plugins/cublas/segments.h"

#include <parallax/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct plx_cub_call {
    plx_dtype dtype;
    plx_reduction reduction;
    int64_t n;
    plx_segments segments;
    const void *x;
    void *result;
    void *stream; /* a cudaStream_t */
} plx_cub_call;

/* NULL, or why this build has no CUB. */
const char *plx_cub_missing(void);

/* Enqueues the reduction, or as many as there are segments.  Without storage it only sets *bytes to what the call
 * needs of it.  The context is current.  NULL, or the runtime's name of the error. */
const char *plx_cub_reduce(const plx_cub_call *call, void *storage, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
