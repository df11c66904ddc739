/* What stands for CUB in a build without it. */
#include "plugins/cublas/cub.h"

#include "config.h"

const char *plx_cub_missing(void)
{
    return PLX_CUB_REASON;
}

const char *plx_cub_reduce(const plx_cub_call *call, void *storage, size_t *bytes)
{
    (void)call;
    (void)storage;
    (void)bytes;
    return "cudaErrorNotSupported";
}
