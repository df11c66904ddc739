/* Copies from the memory of one device to that of another. */
#include "backends/cuda/cuda.h"

/* Without it the driver takes the way through the host.  That it is enabled already is no failure. */
static void enable_access(const plx_session *session, const plx_session *other)
{
    int possible = 0;
    if (plx_cuda.DeviceCanAccessPeer != NULL && plx_cuda.CtxEnablePeerAccess != NULL &&
        plx_cuda.DeviceCanAccessPeer(&possible, session->device, other->device) == CUDA_SUCCESS && possible)
        (void)plx_cuda.CtxEnablePeerAccess(other->context, 0);
}

plx_status plx_cuda_copy_between(plx_plugin_queue *queue, plx_memory *to, uint64_t to_offset, plx_session *other,
                                 plx_memory *from, uint64_t from_offset, uint64_t bytes, plx_error *error)
{
    CUdeviceptr target = 0, source = 0;
    plx_session *session = queue->session;
    plx_cuda_thread thread;
    plx_status status = plx_cuda_locate(to, to_offset, bytes, &target, error);
    if (status == PLX_OK)
        status = plx_cuda_locate(from, from_offset, bytes, &source, error);
    if (status != PLX_OK || bytes == 0)
        return status;
    if (plx_cuda.MemcpyPeerAsync == NULL)
        return plx_fail(error, PLX_UNSUPPORTED, "this driver has no copies from device to device");
    status = plx_cuda_enter(session, &thread, error);
    if (status == PLX_OK) {
        enable_access(session, other);
        status = PLX_CUDA(session, error, MemcpyPeerAsync, target, session->context, source, other->context, bytes,
                          queue->stream);
    }
    plx_cuda_leave(&thread);
    return status;
}
